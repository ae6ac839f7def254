# Vitis HLS by Tcl. STEP in the environment names the step (csim, synthesis, cosim, package, implementation; default: csim),
# FLOW what the result is for (vivado, vitis; default: vivado).
set step [expr {{[info exists ::env(STEP)] ? $::env(STEP) : "csim"}}]
set flow [expr {{[info exists ::env(FLOW)] ? $::env(FLOW) : "vivado"}}]
open_project -reset {name}_project
set_top {name}_top
add_files {name}.cpp -cflags "{standard}" -csimflags "{flags}"
add_files -tb testbench.cpp -cflags "{flags}"
add_files -tb {reference} -cflags "{flags}"
open_solution -reset solution -flow_target $flow
set_part {part}
create_clock -period {clock}
if {{$step eq "csim"}} {{
  csim_design -ldflags "-lpthread"
  exit
}}
csynth_design
switch $step {{
  cosim {{ cosim_design -ldflags "-lpthread" }}
  package {{ export_design -format [expr {{$flow eq "vitis" ? "xo" : "ip_catalog"}}] }}
  implementation {{ export_design -flow impl }}
}}
exit
