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
	$(CC) $(CFLAGS) {name}.c testbench.c reference.o -o $@ -lm -lpthread

reference.o: reference.c
	$(CC) -std=gnu11 -O2 -w -fwrapv -ffp-contract=off -c $< -o $@

tsan: reference.o
	$(CC) $(CFLAGS) -fsanitize=thread {name}.c testbench.c reference.o -o testbench_tsan -lm -lpthread
	./testbench_tsan $(PARAMETERS)

asan: reference.o
	$(CC) $(CFLAGS) -fsanitize=address,undefined {name}.c testbench.c reference.o -o testbench_asan -lm -lpthread
	./testbench_asan $(PARAMETERS)

clean:
	rm -f testbench testbench_tsan testbench_asan reference.o
