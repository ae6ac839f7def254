# Adds the sources to a project: `source files.tcl` in Vivado or Quartus. The top is {top}.
set folder [file dirname [file normalize [info script]]]
set sources {{
{sources}
}}
foreach source $sources {{
  if {{[llength [info commands {command}]] > 0}} {{
    {command} {option} [file join $folder $source]
  }} else {{
    set_global_assignment -name {assignment} [file join $folder $source]
  }}
}}
if {{[llength [info commands {command}]] == 0}} {{
  set_global_assignment -name TOP_LEVEL_ENTITY {top}
}}
