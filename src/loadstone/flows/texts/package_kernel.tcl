# Packages the IP in the folder above as a kernel that manages itself through its registers:
# vivado -mode batch -source package_kernel.tcl
set folder [file dirname [file dirname [file normalize [info script]]]]
package_xo -force -ctrl_protocol user_managed -kernel_name {name} -ip_directory $folder -xo_path {name}.xo
