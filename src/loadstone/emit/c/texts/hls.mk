# make run  compare the generated program with the original one: g++ and the streams in sim/
# PARAMETERS="..." gives other parameter values, in the order {order}
# For synthesis, add {name}.cpp to a project with {name}_top as its top; sim/ is not part of it.

CXXFLAGS = -std=c++17 -O2 -g -Wall -Wextra -Wno-unknown-pragmas -fwrapv -ffp-contract=off -Isim
PARAMETERS =

.PHONY: run clean

run: testbench
	./testbench $(PARAMETERS)

testbench: {name}.cpp testbench.cpp reference.o {name}.hpp
	$(CXX) $(CXXFLAGS) {name}.cpp testbench.cpp reference.o -o $@ {libraries}

{reference}
clean:
	rm -f testbench reference.o
