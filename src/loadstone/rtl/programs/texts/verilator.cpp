// Drives a module: inputs line by line, then the last ones until it is done.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "V@TOP@.h"
#include "verilated.h"
#include "verilated_syms.h"
@TRACE_INCLUDE@

typedef V@TOP@ Top;

struct Store { const char* scope; const char* name; const char* file; };
static const Store stores[] = {@STORES@ {nullptr, nullptr, nullptr}};

static bool apply(Top& top, FILE* source) {
  uint32_t w[@INPUTS@];
  for (int i = 0; i < @INPUT_WORDS@; i++)
    if (fscanf(source, "%" SCNx32, &w[i]) != 1) return false;
@APPLY@
  return fgetc(source) != EOF;
}

static void sample(Top& top, FILE* sink) {
@SAMPLE@
  fprintf(sink, "\n");
}

static void transfer(VerilatedContext& context, const char* ending, const char* mode, bool load) {
  for (const Store* store = stores; store->scope; store++) {
    const VerilatedScope* scope = context.scopeFind(store->scope);
    const VerilatedVar* var = scope ? scope->varFind(store->name) : nullptr;
    if (!var) exit(2);
    FILE* file = fopen((std::string(store->file) + ending).c_str(), mode);
    if (!file) continue;
    size_t size = var->totalSize();
    size_t done = load ? fread(var->datap(), 1, size, file) : fwrite(var->datap(), 1, size, file);
    fclose(file);
    if (done != size) exit(3);
  }
}

int main(int argc, char** argv) {
  uint64_t limit = strtoull(argv[1], nullptr, 10), cycles = 0;
  VerilatedContext context;
  @TRACE_ON@
  Top top(&context);
  FILE* source = fopen("inputs.txt", "r");
  FILE* sink = fopen("outputs.txt", "w");
  FILE* events = fopen("events.txt", "w");
  @TRACE_OPEN@
  top.eval();
  transfer(context, ".in", "rb", true);
  bool given = true, finished = false;
  while (true) {
    if (given) given = apply(top, source);
    if (!given && !@UNTIL@) break;
    @CLOCK_LOW@
    top.eval();
    @TRACE_LOW@
    if (given) sample(top, sink);
    @WATCH@
    finished = @DONE@;
    if (finished || cycles == limit) break;
    @CLOCK_HIGH@
    top.eval();
    @TRACE_HIGH@
    cycles++;
  }
  sample(top, sink);
  fprintf(sink, "%" PRIu64 " %d\n", cycles, finished);
  fclose(sink);
  fclose(events);
  transfer(context, ".out", "wb", false);
  @TRACE_CLOSE@
  top.final();
  return 0;
}
