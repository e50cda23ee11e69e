# Packages the RTL as a Vitis kernel. Run in the generated folder by
#     vivado -mode batch -source package_kernel.tcl -tclargs PART KERNEL OUTPUT.xo
# Never run on a real Vivado; a test runs it against stand-ins of Vivado's commands.
if {[llength $argv] != 3} {
  puts stderr "usage: package_kernel.tcl PART KERNEL OUTPUT.xo"
  exit 2
}
lassign $argv part kernel output
set project [file normalize package_project]
set packaged [file normalize package_ip]

proc lines_of {path} {
  set file [open $path r]
  set lines [split [string trim [read $file]] "\n"]
  close $file
  return $lines
}

# Names of all AXI interfaces, as kernel.xml has them.
proc interfaces_of {path} {
  set names {}
  foreach line [lines_of $path] {
    if {[regexp {<port name="([^"]+)"} $line -> name]} { lappend names $name }
  }
  return $names
}

file delete -force $project $packaged $output
create_project -force kernel $project -part $part
add_files -norecurse [lines_of sources.f]
set_property top $kernel [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $packaged -vendor heddle -library kernel -taxonomy /KernelIP -import_files -set_current true
set core [ipx::current_core]
set_property name $kernel $core
set_property version 1.0 $core
set_property core_revision 1 $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
foreach parameter [ipx::get_user_parameters -of_objects $core] {
  ipx::remove_user_parameter [get_property NAME $parameter] $core
}
ipx::infer_bus_interface ap_clk xilinx.com:signal:clock_rtl:1.0 $core
ipx::infer_bus_interface ap_rst_n xilinx.com:signal:reset_rtl:1.0 $core
foreach interface [interfaces_of kernel.xml] {
  ipx::associate_bus_interfaces -busif $interface -clock ap_clk $core
}
ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity -kernel $core
ipx::save_core $core
close_project -delete

package_xo -force -xo_path $output -kernel_name $kernel -ip_directory $packaged -kernel_xml kernel.xml
