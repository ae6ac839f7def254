# Packages the IP in the folder above as a kernel that manages itself through its registers:
# vivado -mode batch -source package_kernel.tcl
set folder [file dirname [file dirname [file normalize [info script]]]]
set packaged [file normalize packaged_ip]
file delete -force $packaged
file mkdir $packaged
foreach source {{component.xml {sources}}} {{
  file copy [file join $folder $source] $packaged
}}
set core [ipx::open_core [file join $packaged component.xml]]
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property ipi_drc {{ignore_freq_hz true}} $core
set_property vitis_drc {{ctrl_protocol user_managed}} $core
ipx::update_checksums $core
ipx::save_core $core
package_xo -force -ctrl_protocol user_managed -kernel_name {name} -ip_directory $packaged -xo_path {name}.xo
