// A host on the Wishbone bus of {name}_soc: fills memory, runs the accelerator, compares memory with the original program.
// Lines of host.txt: w ADDRESS WORD; p ADDRESS MASK, reads until a bit is set; r ADDRESS WORD MASK, compares.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "V{name}_soc.h"
#include "verilated.h"

static uint64_t cycles = 0;

static void step(V{name}_soc &soc)
{{
  soc.sys_clk = 0;
  soc.eval();
  soc.sys_clk = 1;
  soc.eval();
  cycles++;
}}

static uint32_t access(V{name}_soc &soc, uint32_t address, bool write, uint32_t word)
{{
  soc.host_adr = address / 4;
  soc.host_dat_w = word;
  soc.host_sel = 15;
  soc.host_we = write;
  soc.host_cyc = soc.host_stb = 1;
  uint64_t limit = cycles + 100000;
  while (true) {{
    soc.sys_clk = 0;
    soc.eval();
    bool answered = soc.host_ack || soc.host_err;
    bool failed = soc.host_err;
    uint32_t found = soc.host_dat_r;
    step(soc);
    if (answered) {{
      soc.host_cyc = soc.host_stb = 0;
      step(soc);
      if (!failed)
        return found;
    }}
    if (answered || cycles > limit) {{
      printf("FAIL: no answer at address %08" PRIx32 "\n", address);
      exit(1);
    }}
  }}
}}

int main()
{{
  VerilatedContext context;
  V{name}_soc soc(&context);
  FILE *script = fopen("host.txt", "r");
  if (!script)
    return 2;
  soc.sys_rst = 1;
  for (int k = 0; k < 8; k++)
    step(soc);
  soc.sys_rst = 0;
  for (int k = 0; k < 64; k++)
    step(soc);
  char command;
  uint32_t address, word, mask;
  long compared = 0, wrong = 0;
  while (fscanf(script, " %c %" SCNx32 " %" SCNx32, &command, &address, &word) == 3) {{
    if (command == 'w') {{
      access(soc, address, true, word);
    }} else if (command == 'p') {{
      uint64_t limit = cycles + {limit};
      while (!(access(soc, address, false, 0) & word))
        if (cycles > limit) {{
          printf("FAIL: not done\n");
          return 1;
        }}
    }} else if (fscanf(script, "%" SCNx32, &mask) == 1) {{
      wrong += ((access(soc, address, false, 0) ^ word) & mask) != 0;
      compared++;
    }}
  }}
  if (wrong || !compared)
    printf("FAIL: %ld of %ld words differ\n", wrong, compared);
  else
    printf("PASS: %ld words, %" PRIu64 " cycles of the SoC\n", compared, cycles);
  soc.final();
  return wrong || !compared;
}}
