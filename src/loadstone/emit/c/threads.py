"""Threads of generated C that start together or not at all: a thread may be refused when others exist already.

Threads wait at a gate until it is known whether all of them exist. If not, those that do turn back.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.emit.c.printer import INDENT

GATE = """\
/* A gate where threads wait until it is known whether all of them exist. */
struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool known, passable;
};

static inline void gate_open(struct gate *gate)
{
  pthread_mutex_init(&gate->mutex, NULL);
  pthread_cond_init(&gate->changed, NULL);
  gate->known = gate->passable = false;
}

static inline void gate_close(struct gate *gate)
{
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->mutex);
}

/* Waits for the decision; false where the thread must turn back. */
static inline bool gate_passed(struct gate *gate)
{
  pthread_mutex_lock(&gate->mutex);
  while (!gate->known)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  const bool passable = gate->passable;
  pthread_mutex_unlock(&gate->mutex);
  return passable;
}

static inline void gate_decide(struct gate *gate, bool passable)
{
  pthread_mutex_lock(&gate->mutex);
  gate->known = true;
  gate->passable = passable;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

/* Runs threads to their end: all of them, or none, and then it is false. */
static inline bool threads_ran(int count, pthread_t *threads, void *(*const *runs)(void *), struct gate *gate,
                               void *state)
{
  int existing = 0;
  while (existing < count && pthread_create(&threads[existing], NULL, runs[existing], state) == 0)
    existing++;
  gate_decide(gate, existing == count);
  for (int k = 0; k < existing; k++)
    pthread_join(threads[k], NULL);
  return existing == count;
}
"""


def emit_thread(name: str, call: str) -> list[str]:
    """The entry of a thread, which calls a process with the members of the state that its argument points to."""
    body = ["struct state *state = argument;", "if (gate_passed(&state->gate))", f"{INDENT}{call};", "return NULL;"]
    return [f"static void *{thread(name)}(void *argument)", "{", *(INDENT + line for line in body), "}", ""]


def thread(process: str) -> str:
    """The name of the entry of a process."""
    return f"run_{process}"


def declared_threads(processes: Sequence[str]) -> list[str]:
    """Lines that declare the threads of processes, before the call that runs them."""
    entries = ", ".join(map(thread, processes))
    return [f"static void *(*const runs[])(void *) = {{{entries}}};", f"pthread_t threads[{len(processes)}];"]


def threads_ran(processes: Sequence[str]) -> str:
    """The call that runs the declared threads, and is false where one of them is missing."""
    return f"threads_ran({len(processes)}, threads, runs, &state->gate, state)"
