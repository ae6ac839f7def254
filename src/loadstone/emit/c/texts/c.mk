# make run         compare the generated program (threads) with the original one{about}
# make tsan asan   under the thread and address sanitizers
# PARAMETERS="..." gives other parameter values, in the order {order}

CFLAGS = -std=c11 -O2 -g -Wall -Wextra -Werror -fwrapv -ffp-contract=off
PARAMETERS =

.PHONY: run{phony} tsan asan clean

run: testbench
	./testbench $(PARAMETERS)
{sequential}
testbench: {name}.c testbench.c reference.o {name}.h streams.h
	$(CC) $(CFLAGS) {name}.c testbench.c reference.o -o $@ {libraries}

{reference}
tsan: reference.o
	$(CC) $(CFLAGS) -fsanitize=thread {name}.c testbench.c reference.o -o testbench_tsan {libraries}
	./testbench_tsan $(PARAMETERS)

asan: reference.o
	$(CC) $(CFLAGS) -fsanitize=address,undefined {name}.c testbench.c reference.o -o testbench_asan {libraries}
	./testbench_asan $(PARAMETERS)

clean:
	rm -f testbench testbench_tsan testbench_asan reference.o
