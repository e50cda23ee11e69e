# Reads what the implementation reports, and fails if the xclbin must not be used.
#     tclsh check_reports.tcl TIMING.rpt UTILISATION.rpt
# Timing: WNS and WHS of the design's summary, in ns, not negative. Utilisation: a table of what is used; no more than 100 %.
if {[llength $argv] != 2} {
  puts stderr "usage: check_reports.tcl TIMING.rpt UTILISATION.rpt"
  exit 2
}

proc text_of {path} {
  if {[catch {open $path r} file]} {
    puts stderr "check_reports: cannot read $path; has the implementation ended?"
    exit 1
  }
  set text [read $file]
  close $file
  return $text
}

proc fail {message} {
  puts stderr "check_reports: $message"
  exit 1
}

# {WNS WHS} of the first line of numbers below "Design Timing Summary".
proc slacks_of {text} {
  set at [string first "Design Timing Summary" $text]
  if {$at < 0} { fail "the timing report has no Design Timing Summary" }
  set number {-?[0-9]+\.[0-9]+}
  foreach line [split [string range $text $at end] "\n"] {
    set fields [regexp -all -inline {\S+} $line]
    if {[llength $fields] < 12} { continue }
    if {![regexp "^$number\$" [lindex $fields 0]] || ![regexp "^$number\$" [lindex $fields 4]]} { continue }
    return [list [lindex $fields 0] [lindex $fields 4]]
  }
  fail "the timing report's summary has no slacks; the design has no constrained paths"
}

# Percent of a resource: the last column of its row.
proc share_of {text resource} {
  foreach line [split $text "\n"] {
    set cells [split $line "|"]
    if {[string trim [lindex $cells 1] " *"] ne $resource} { continue }
    set share [string trim [lindex $cells end-1] " <%"]
    if {[string is double -strict $share]} { return $share }
  }
  return ""
}

lassign $argv timing utilisation
lassign [slacks_of [text_of $timing]] setup hold
puts "worst setup slack $setup ns, worst hold slack $hold ns"
set table [text_of $utilisation]
set found 0
foreach resource {"CLB LUTs" "CLB Registers" "Block RAM Tile" "URAM" "DSPs"} {
  set share [share_of $table $resource]
  if {$share eq ""} { continue }
  incr found
  puts [format "%-15s %6.2f %%" $resource $share]
  if {$share > 100} { fail "$resource are used to $share %" }
}
if {$found < 4} { fail "the utilisation report has $found of 5 resources; is it the one of the placed design?" }
if {$setup < 0 || $hold < 0} { fail "timing is not met: lower MHZ, or see the report's worst paths" }
