# Builds an overlay with {name} for a Zynq-7000 board: vivado -mode batch -source pynq/overlay.tcl
# Other boards: -tclargs PART BOARD_PART. Leaves {name}.bit and {name}.hwh.
set part [expr {{[llength $argv] > 0 ? [lindex $argv 0] : "xc7z020clg400-1"}}]
set board [expr {{[llength $argv] > 1 ? [lindex $argv 1] : ""}}]
set folder [file dirname [file dirname [file normalize [info script]]]]

create_project -force {name}_overlay {name}_overlay -part $part
if {{$board ne ""}} {{
  set_property board_part $board [current_project]
}}
set_property ip_repo_paths $folder [current_project]
update_ip_catalog

create_bd_design "{name}_system"
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 -config {{make_external "FIXED_IO, DDR" apply_board_preset "1"}} $ps
set_property -dict [list CONFIG.PCW_USE_S_AXI_HP0 1 CONFIG.PCW_USE_FABRIC_INTERRUPT 1 CONFIG.PCW_IRQ_F2P_INTR 1] $ps
set ip [create_bd_cell -type ip -vlnv {vlnv} {name}_0]
apply_bd_automation -rule xilinx.com:bd_rule:axi4 -config {{Master "/ps/M_AXI_GP0" Clk "Auto"}} [get_bd_intf_pins $ip/S_AXI_CONTROL]
apply_bd_automation -rule xilinx.com:bd_rule:axi4 -config {{Master "/{name}_0/axi" Clk "Auto"}} [get_bd_intf_pins $ps/S_AXI_HP0]
connect_bd_net [get_bd_pins $ip/irq] [get_bd_pins $ps/IRQ_F2P]
assign_bd_address
validate_bd_design
save_bd_design

make_wrapper -files [get_files {name}_system.bd] -top -import
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
file copy -force {name}_overlay/{name}_overlay.runs/impl_1/{name}_system_wrapper.bit {name}.bit
file copy -force [lindex [glob {name}_overlay/{name}_overlay.gen/sources_1/bd/{name}_system/hw_handoff/*.hwh] 0] {name}.hwh
