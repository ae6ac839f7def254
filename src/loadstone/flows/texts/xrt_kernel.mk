# make host    the host program: XRT of XILINX_XRT, the testbench, and the original program
# make run     runs it on a card, with {name}_top.xclbin
# make xclbin  packages the program as a kernel (Vitis HLS) and links it with a platform (v++), PLATFORM=...
# PARAMETERS="..." gives other parameter values, in the order {order}

XILINX_XRT ?= /opt/xilinx/xrt
PLATFORM ?= xilinx_u250_gen3x16_xdma_4_1_202210_1
TARGET ?= hw
CXXFLAGS = -std=c++17 -O2 -g -Wall -Wextra -fwrapv -ffp-contract=off -I$(XILINX_XRT)/include -I.. -I../sim
XRT_LIBRARIES ?= -L$(XILINX_XRT)/lib -lxrt_coreutil
PARAMETERS =

.PHONY: host run xclbin clean

host: {name}_host

run: {name}_host
	./{name}_host $(PARAMETERS)

{name}_host: host.cpp ../testbench.cpp reference.o ../{name}.hpp
	$(CXX) $(CXXFLAGS) host.cpp ../testbench.cpp reference.o -o $@ $(XRT_LIBRARIES) -lm -lpthread

{reference}
xclbin: {name}_top.xclbin

../{name}_top.xo: ../{name}.cpp
	{package}

{name}_top.xclbin: ../{name}_top.xo link.cfg
	v++ -l -t $(TARGET) --platform $(PLATFORM) --config link.cfg $< -o $@

clean:
	rm -f {name}_host reference.o {name}_top.xclbin
