# An AP, its stations and a server behind a wire in ns-2, as the papers on TCP ACK agent and ARQ proxy have them. Prints what the sinks
# got in the measured window, IP headers included.
#
#   ns cell.tcl --standard a --stations 5 --down 5
#
# Options and defaults: README.md.

array set o {
    standard b  stations 1  down 1  up 0  traffic tcp  packet 1500  ack 1  tcp Reno  window 20  rate 9Mb
    wire 1000Mb  delay 0.01ms  queue 50  cwmin 0  preamble long  circle 1  capture 1  warm 5  time 20  seed 1
}
foreach {option value} $argv {
    set name [string range $option 2 end]
    if {![info exists o($name)]} { puts stderr "cell.tcl: unknown option $option; see README.md"; exit 2 }
    set o($name) $value
}
ns-random $o(seed)

# Table I of the agent's paper. ns-2 draws a back-off from 0 to CWMin_ - 1, as the paper counts.
set table(b) {CWMin_ 32 SlotTime_ 0.000020 SIFS_ 0.000010 PreambleLength_ 144 PLCPHeaderLength_ 48 PLCPDataRate_ 1.0e6 dataRate_ 11Mb basicRate_ 2Mb}
set table(a) {CWMin_ 16 SlotTime_ 0.000009 SIFS_ 0.000016 PreambleLength_ 96 PLCPHeaderLength_ 24 PLCPDataRate_ 6.0e6 dataRate_ 54Mb basicRate_ 6Mb}
foreach {name value} $table($o(standard)) { Mac/802_11 set $name $value }
Mac/802_11 set CWMax_ 1024
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set ShortRetryLimit_ 7
if {$o(cwmin) > 0} { Mac/802_11 set CWMin_ $o(cwmin) }
# 96 us in the place of 192.
if {$o(preamble) eq "short"} { Mac/802_11 set PreambleLength_ 48 }
if {!$o(capture)} { Phy/WirelessPhy set CPThresh_ 1e6 }

set ns [new Simulator]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ [list 1 [expr {$o(stations) + 1}]]
$ns trace-all [open /dev/null w]
set field [new Topography]
$field load_flatgrid 100 100
create-god [expr {$o(stations) + 1}]

set server [$ns node 0.0.0]
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen $o(queue) \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] \
    -topoInstance $field -wiredRouting ON -agentTrace OFF -routerTrace OFF -macTrace OFF
proc place {node x y} {
    $node random-motion 0
    $node set X_ $x
    $node set Y_ $y
    $node set Z_ 0
}
set ap [$ns node 1.0.0]
place $ap 50 50
$ns node-config -wiredRouting OFF
for {set i 1} {$i <= $o(stations)} {incr i} {
    set station($i) [$ns node 1.0.$i]
    $station($i) base-station [AddrParams addr2id [$ap node-addr]]
    set angle [expr {$o(circle) * 2 * 3.14159265 * $i / $o(stations)}]
    place $station($i) [expr {50 + 5 * cos($angle)}] [expr {50 + 5 * sin($angle)}]
}
$ns duplex-link $server $ap $o(wire) $o(delay) DropTail
$ns queue-limit $server $ap 100000
$ns queue-limit $ap $server 100000

set sinks {}
proc flow {from to start} {
    global ns o sinks
    if {$o(traffic) eq "udp"} {
        set sender [new Agent/UDP]
        $sender set packetSize_ 2000
        set sink [new Agent/LossMonitor]
        set application [new Application/Traffic/CBR]
        $application set packetSize_ $o(packet)
        $application set rate_ $o(rate)
    } else {
        set sender [new Agent/TCP/$o(tcp)]
        $sender set packetSize_ [expr {$o(packet) - 40}]
        $sender set window_ $o(window)
        if {$o(ack) > 1} {
            set sink [new Agent/TCPSink/DelAck]
            $sink set interval_ 200ms
        } else {
            set sink [new Agent/TCPSink]
        }
        set application [new Application/FTP]
    }
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    $application attach-agent $sender
    $ns at $start "$application start"
    lappend sinks $sink
}
for {set i 1} {$i <= $o(down)} {incr i} { flow $server $station($i) [expr {1 + 0.05 * $i}] }
for {set i 1} {$i <= $o(up)} {incr i} {
    set from [expr {$o(down) + $i}]
    flow $station($from) $server [expr {1 + 0.05 * $from}]
}

proc received {} {
    global sinks
    set sum 0
    foreach sink $sinks { set sum [expr {$sum + [$sink set bytes_]}] }
    return $sum
}
proc finish {} {
    global o before
    puts "[format %.3f [expr {8e-6 * ([received] - $before) / $o(time)}]] Mbps"
    exit 0
}
$ns at $o(warm) { set before [received] }
$ns at [expr {$o(warm) + $o(time)}] finish
$ns run
