// SPDX-License-Identifier: GPL-2.0-only
//
// Copyright (c) 2026 The Ackless authors
//
// This program is free software; you can redistribute it and/or modify it under the terms of the GNU General Public
// License version 2 as published by the Free Software Foundation. It is distributed in the hope that it will be
// useful, but WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR
// PURPOSE. See the file LICENSE beside this one for the details.

// One Wi-Fi cell in ns-3, set up as Ackless sets up its own, so that results and speed can be compared.
//
// A server stands behind a wire to an AP; its N stations lie on a circle of 5 m; each station has one flow, up or
// down, or one of each, TCP or UDP, and all are alike. Unless the options say other, every signal arrives with the
// same power, far above the noise: frames are lost to collisions and to nothing else, and no receiver captures one of
// two. The program prints one JSON object on one line. Debian's ns-3.37 is what it is written for.
//
// Not modelled: ARP (the caches are filled beforehand), queue disciplines above the MAC.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace {

constexpr int kBadArgument = 2;
constexpr int kNotAssociated = 3;
constexpr int kStoodStill = 4;
constexpr uint16_t kFirstPort = 5000;

// What the command line asks for. Times are in seconds.
struct Options {
    std::string standard = "11n150";
    uint32_t stations = 1;
    std::string direction = "down";
    std::string transport = "tcp";
    std::string congestion = "newreno";
    uint32_t payload = 0;  // bytes of application data in a segment or datagram; 0 is what fills 1500 bytes of IP
    uint32_t ack = 2;      // segments that one TCP ACK answers for
    double load = 0;       // what each UDP flow offers, in Mbps; 0 is what the standard's table row says
    bool qos = false;      // EDCA best effort also in 11a and 11b
    std::string power = "equal";
    double distance = 5;   // metres from the AP to each station
    bool capture = false;  // whether a receiver leaves a preamble for a frame that is 10 dB stronger
    std::string rateControl = "fixed";
    uint32_t ampdu = 0;  // longest A-MPDU in bytes; 0 is what the standard's table row says
    uint32_t amsdu = 0;  // longest A-MSDU in bytes; 0 is none
    uint32_t rts = 0;    // frames longer than so many bytes are preceded by RTS and CTS; 0 is none
    uint32_t apQueue = 126;
    uint32_t stationQueue = 126;
    std::string wiredRate = "500Mbps";
    std::string wiredDelay = "1ms";
    uint32_t wiredQueue = 1000;
    uint32_t greetings = 1;  // datagrams to each station at once, and back, before the flows start
    double start = 3;        // of the first flow; stations associate until a second before, and nothing is timed until then
    double stagger = 0.1;
    double warmUp = 3;
    double measured = 10;
    uint32_t seed = 1;
    bool counters = false;
    std::string pcap;  // prefix of files with what the AP and each station sent and received; none if empty
};

// What the name of a standard stands for.
struct Phy {
    const char* name;
    WifiStandard standard;
    const char* channel;  // number, width in MHz, band, primary 20 MHz
    const char* dataMode;
    const char* controlMode;
    const char* beaconMode;
    bool qos;
    uint8_t streams;
    uint32_t ampdu;  // longest A-MPDU in bytes; 0 for none
    double
        udpLoad;  // Mbps of UDP payload in all that keep a cell of this standard busy, about a fifth over its capacity
};

const Phy kPhys[] = {
    {"11b", WIFI_STANDARD_80211b, "{1, 22, BAND_2_4GHZ, 0}", "DsssRate11Mbps", "DsssRate2Mbps", "DsssRate1Mbps", false,
     1, 0, 7.5},
    {"11a", WIFI_STANDARD_80211a, "{36, 20, BAND_5GHZ, 0}", "OfdmRate54Mbps", "OfdmRate24Mbps", "OfdmRate6Mbps", false,
     1, 0, 36},
    {"11g", WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", "ErpOfdmRate54Mbps", "ErpOfdmRate24Mbps",
     "ErpOfdmRate6Mbps", false, 1, 0, 36},
    {"11n150", WIFI_STANDARD_80211n, "{38, 40, BAND_5GHZ, 0}", "HtMcs7", "OfdmRate24Mbps", "OfdmRate6Mbps", true, 1,
     65535, 160},
    {"11n300", WIFI_STANDARD_80211n, "{38, 40, BAND_5GHZ, 0}", "HtMcs15", "OfdmRate24Mbps", "OfdmRate6Mbps", true, 2,
     65535, 320},
    {"11ac", WIFI_STANDARD_80211ac, "{42, 80, BAND_5GHZ, 0}", "VhtMcs9", "OfdmRate24Mbps", "OfdmRate6Mbps", true, 2,
     1048575, 800},
};

// What happens on the air within the measured window; watched only if asked for, since watching costs wall time.
struct AirCounters {
    Time from;
    WifiPhyBand band = WIFI_PHY_BAND_UNSPECIFIED;
    uint64_t apPpdus = 0;       // with data
    uint64_t stationPpdus = 0;  // with data
    uint64_t apMpdus = 0;
    uint64_t stationMpdus = 0;
    uint64_t collisions = 0;  // periods in which PPDUs overlapped
    uint64_t apTimeouts = 0;
    uint64_t stationTimeouts = 0;
    uint64_t recoveries = 0;  // of TCP senders, by duplicate ACKs
    uint64_t timeouts = 0;    // of TCP senders
    std::map<uint64_t, uint64_t> apMpdusAt;  // data MPDUs of the AP by their rate in bit/s
    Time busyUntil;
    bool collided = false;  // whether the current busy period is counted already

    bool Measuring() const { return Simulator::Now() >= from; }
};

struct Cell {
    NodeContainer server, ap, stations;
    Ptr<PropagationLossModel> loss;
    NetDeviceContainer apWifi, stationWifi;
    Ipv4InterfaceContainer stationAddresses;
    Ipv4Address serverAddress;
    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Ptr<BulkSendApplication>> senders;
    std::vector<uint64_t> atStart;                    // bytes that each sink had at the start of the window
    std::chrono::steady_clock::time_point wallStart;  // when the first flow started
};

[[noreturn]] void Fail(const std::string& message, int code) {
    std::cerr << "cell: " << message << std::endl;
    std::exit(code);
}

const Phy& FindPhy(const std::string& name) {
    for (const Phy& phy : kPhys) {
        if (name == phy.name) return phy;
    }
    Fail("--standard=" + name + ": expected 11b, 11a, 11g, 11n150, 11n300 or 11ac", kBadArgument);
}

Options ParseOptions(int argc, char** argv) {
    Options o;
    CommandLine cmd(__FILE__);
    cmd.AddValue("standard", "11b, 11a, 11g, 11n150, 11n300 or 11ac", o.standard);
    cmd.AddValue("stations", "stations, each with one flow each way", o.stations);
    cmd.AddValue("direction", "down (from the server), up or both", o.direction);
    cmd.AddValue("transport", "tcp or udp", o.transport);
    cmd.AddValue("congestion", "newreno or cubic", o.congestion);
    cmd.AddValue("payload", "bytes in a segment or datagram; 0 fills 1500 bytes of IP", o.payload);
    cmd.AddValue("ack", "segments that one TCP ACK answers for", o.ack);
    cmd.AddValue("load", "what each UDP flow offers, Mbps; 0 is a fifth over the capacity, shared", o.load);
    cmd.AddValue("qos", "best effort of EDCA also in 11a and 11b", o.qos);
    cmd.AddValue("power", "equal: what every signal arrives with; distance; or hidden: equal, but stations hear nothing of each other",
                 o.power);
    cmd.AddValue("distance", "metres from the AP to each station", o.distance);
    cmd.AddValue("capture", "a receiver leaves a preamble for a frame that is 10 dB stronger", o.capture);
    cmd.AddValue("rateControl", "fixed or minstrel-ht", o.rateControl);
    cmd.AddValue("ampdu", "longest A-MPDU in bytes; 0 is 65535 in 11n and 1048575 in 11ac", o.ampdu);
    cmd.AddValue("amsdu", "longest A-MSDU in bytes; 0 is none", o.amsdu);
    cmd.AddValue("rts", "longer frames are preceded by RTS and CTS; 0 is none", o.rts);
    cmd.AddValue("apQueue", "packets of AP queue for each station", o.apQueue);
    cmd.AddValue("stationQueue", "packets of a station's queue", o.stationQueue);
    cmd.AddValue("wiredRate", "rate between server and AP", o.wiredRate);
    cmd.AddValue("wiredDelay", "delay between server and AP, one way", o.wiredDelay);
    cmd.AddValue("wiredQueue", "packets that wait for the wire at either end", o.wiredQueue);
    cmd.AddValue("greetings", "datagrams to each station at once, and back, before the flows start; from 2 on they set agreements up",
                 o.greetings);
    cmd.AddValue("start", "start of the first flow, seconds; stations associate until 1 s before", o.start);
    cmd.AddValue("stagger", "start of each further flow after the one before, seconds", o.stagger);
    cmd.AddValue("warmUp", "seconds from there before anything is counted", o.warmUp);
    cmd.AddValue("measured", "seconds that are counted", o.measured);
    cmd.AddValue("seed", "ns-3's run number, from 1", o.seed);
    cmd.AddValue("counters", "count PPDUs, collisions and timeouts (slower)", o.counters);
    cmd.AddValue("pcap", "prefix of pcap files, one for each Wi-Fi device (slower)", o.pcap);
    cmd.Parse(argc, argv);

    if (o.stations < 1 || o.stations > 200) Fail("--stations: expected 1 to 200", kBadArgument);
    if (o.direction != "down" && o.direction != "up" && o.direction != "both") {
        Fail("--direction: expected down, up or both", kBadArgument);
    }
    if (o.transport != "tcp" && o.transport != "udp") Fail("--transport: expected tcp or udp", kBadArgument);
    if (o.congestion != "newreno" && o.congestion != "cubic") {
        Fail("--congestion: expected newreno or cubic", kBadArgument);
    }
    if (o.power != "distance" && o.power != "equal" && o.power != "hidden") {
        Fail("--power: expected distance, equal or hidden", kBadArgument);
    }
    if (o.rateControl != "fixed" && o.rateControl != "minstrel-ht") {
        Fail("--rateControl: expected fixed or minstrel-ht", kBadArgument);
    }
    if (!(o.distance > 0)) Fail("--distance: expected more than 0", kBadArgument);
    if (o.payload > 1900) Fail("--payload: expected at most 1900 bytes", kBadArgument);
    if (o.ack < 1) Fail("--ack: expected 1 or more", kBadArgument);
    if (!(o.load >= 0) || !(o.start >= 1) || !(o.stagger >= 0) || !(o.warmUp >= 0) || !(o.measured > 0)) {
        Fail("--start is at least 1, --measured above 0, and no time or load is negative", kBadArgument);
    }
    if (o.payload == 0) o.payload = o.transport == "tcp" ? 1448 : 1472;
    return o;
}

// TCP as the comparison wants it; SACK, timestamps, window scaling and an initial window of 10 are ns-3's defaults.
void SetTcpDefaults(const Options& o) {
    const TypeId congestion = o.congestion == "cubic" ? TcpCubic::GetTypeId() : TcpNewReno::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(congestion));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.payload));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(o.ack));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

void SetQueue(Ptr<NetDevice> device, bool qos, uint32_t packets) {
    const auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    const auto queue = mac->GetTxopQueue(qos ? AC_BE : AC_BE_NQOS);
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
    queue->SetMaxDelay(Seconds(1000));  // longer than any run: nothing expires
}

// With equal power nobody hears anything of two frames that collide. By distance (exponent 3) all signals are equal at
// the AP, but a station hears the AP up to 9 dB above a station on the far side of the circle: in a collision of these
// two it locks onto the AP's preamble, and gets the MPDUs that come after the other's end.
Ptr<PropagationLossModel> MakeLoss(const Options& o) {
    if (o.power == "distance") return CreateObject<LogDistancePropagationLossModel>();
    if (o.power == "hidden") {
        auto matrix = CreateObject<MatrixPropagationLossModel>();
        matrix->SetDefaultLoss(66.0206);  // of ns-3's transmit power of 16.0206 dBm leaves what all signals have below
        return matrix;
    }
    auto loss = CreateObject<FixedRssLossModel>();
    loss->SetRss(-50);  // dBm, some 40 dB over the noise
    return loss;
}

void BuildWifi(const Options& o, const Phy& phy, Cell& cell) {
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    cell.loss = MakeLoss(o);
    channel->SetPropagationLossModel(cell.loss);

    YansWifiPhyHelper phyHelper;
    phyHelper.SetChannel(channel);
    phyHelper.Set("ChannelSettings", StringValue(phy.channel));
    phyHelper.Set("Antennas", UintegerValue(phy.streams));
    phyHelper.Set("MaxSupportedTxSpatialStreams", UintegerValue(phy.streams));
    phyHelper.Set("MaxSupportedRxSpatialStreams", UintegerValue(phy.streams));
    phyHelper.SetErrorRateModel("ns3::NistErrorRateModel");
    if (o.capture) phyHelper.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel", "Margin", DoubleValue(10));

    WifiHelper wifi;
    wifi.SetStandard(phy.standard);
    const UintegerValue rts(o.rts > 0 ? o.rts : 4692480);
    if (o.rateControl == "fixed") {
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(phy.dataMode),
                                     "ControlMode", StringValue(phy.controlMode), "NonUnicastMode",
                                     StringValue(phy.beaconMode), "RtsCtsThreshold", rts);
    } else {
        wifi.SetRemoteStationManager("ns3::MinstrelHtWifiManager", "NonUnicastMode", StringValue(phy.beaconMode),
                                     "RtsCtsThreshold", rts);
    }
    if (phy.ampdu > 0) wifi.ConfigHtOptions("ShortGuardIntervalSupported", BooleanValue(true));

    const bool qos = phy.qos || o.qos;
    const SsidValue ssid(Ssid("cell"));
    const UintegerValue ampdu(o.ampdu > 0 ? o.ampdu : phy.ampdu);
    const UintegerValue amsdu(o.amsdu);
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(qos), "BE_MaxAmpduSize", ampdu,
                "BE_MaxAmsduSize", amsdu, "BeaconInterval", TimeValue(MicroSeconds(102400)));
    cell.apWifi = wifi.Install(phyHelper, mac, cell.ap);
    mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(qos), "BE_MaxAmpduSize", ampdu,
                "BE_MaxAmsduSize", amsdu);
    cell.stationWifi = wifi.Install(phyHelper, mac, cell.stations);

    if (!o.pcap.empty()) {
        phyHelper.EnablePcap(o.pcap, cell.apWifi);
        phyHelper.EnablePcap(o.pcap, cell.stationWifi);
    }
    SetQueue(cell.apWifi.Get(0), qos, o.apQueue * o.stations);
    for (uint32_t i = 0; i < o.stations; ++i) SetQueue(cell.stationWifi.Get(i), qos, o.stationQueue);

    int64_t stream = wifi.AssignStreams(cell.apWifi, 0);
    wifi.AssignStreams(cell.stationWifi, stream);
}

void PlaceNodes(const Options& o, const Cell& cell) {
    auto positions = CreateObject<ListPositionAllocator>();
    positions->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < o.stations; ++i) {
        const double angle = 2 * M_PI * i / o.stations;
        positions->Add(Vector(o.distance * std::cos(angle), o.distance * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(cell.ap);
    mobility.Install(cell.stations);
}

// Until now they have heard each other, or their requests for association would meet again and again.
void HideStations(const Cell* cell) {
    const auto loss = DynamicCast<MatrixPropagationLossModel>(cell->loss);
    for (uint32_t i = 0; i < cell->stations.GetN(); ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            loss->SetLoss(cell->stations.Get(i)->GetObject<MobilityModel>(),
                          cell->stations.Get(j)->GetObject<MobilityModel>(), 1000);
        }
    }
}

void BuildNetwork(const Options& o, Cell& cell) {
    // An MTU of 2000 lets payloads of 1460 bytes take TCP options on top, as in the reference runs.
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue(o.wiredRate));
    wire.SetDeviceAttribute("Mtu", UintegerValue(2000));
    wire.SetChannelAttribute("Delay", StringValue(o.wiredDelay));
    wire.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, o.wiredQueue)));
    const auto wired = wire.Install(cell.server.Get(0), cell.ap.Get(0));

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.InstallAll();
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    cell.serverAddress = addresses.Assign(wired).GetAddress(0);
    addresses.SetBase("10.2.0.0", "255.255.255.0");
    NetDeviceContainer wireless(cell.apWifi, cell.stationWifi);
    const auto interfaces = addresses.Assign(wireless);
    for (uint32_t i = 0; i < o.stations; ++i) cell.stationAddresses.Add(interfaces.Get(i + 1));

    // Assigning addresses installed a queue discipline on each device; without it the device's own queue is all.
    TrafficControlHelper control;
    control.Uninstall(wired);
    control.Uninstall(wireless);
    NeighborCacheHelper().PopulateNeighborCache(interfaces);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

// One datagram to each station and back, 5 ms apart, in the second before the flows start. Without them ns-3.37 now and then ends up with
// BlockAck agreements that one side does not know of, and the run crashes or stands still. ADDBA frames go once two packets wait, so that only
// several at once set the agreements up.
void Greet(const Options& o, const Cell& cell) {
    constexpr uint16_t port = 7;
    for (uint32_t i = 0; i < o.stations; ++i) {
        UdpEchoServerHelper echo(port);
        echo.Install(cell.stations.Get(i));
        UdpEchoClientHelper client(cell.stationAddresses.GetAddress(i), port);
        client.SetAttribute("MaxPackets", UintegerValue(o.greetings));
        client.SetAttribute("Interval", TimeValue(Seconds(0)));
        client.Install(cell.server.Get(0)).Start(Seconds(o.start - 1 + i * 0.005));
    }
}

void InstallFlow(const Options& o, bool down, uint32_t station, double load, Cell& cell) {
    const bool tcp = o.transport == "tcp";
    const char* factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    const uint16_t port = kFirstPort + station;
    const auto from = down ? cell.server.Get(0) : cell.stations.Get(station);
    const auto to = down ? cell.stations.Get(station) : cell.server.Get(0);
    const Address remote =
        InetSocketAddress(down ? cell.stationAddresses.GetAddress(station) : cell.serverAddress, port);

    PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
    cell.sinks.push_back(DynamicCast<PacketSink>(sink.Install(to).Get(0)));

    ApplicationContainer source;
    if (tcp) {
        BulkSendHelper bulk(factory, remote);
        bulk.SetAttribute("SendSize", UintegerValue(o.payload));
        source = bulk.Install(from);
        cell.senders.push_back(DynamicCast<BulkSendApplication>(source.Get(0)));
    } else {
        OnOffHelper constant(factory, remote);
        constant.SetConstantRate(DataRate(static_cast<uint64_t>(std::llround(load * 1e6))), o.payload);
        source = constant.Install(from);
    }
    source.Start(Seconds(o.start + station * o.stagger));
}

// In the order of their sinks: all downloads, then all uploads.
void InstallFlows(const Options& o, const Phy& phy, Cell& cell) {
    const double load = o.load > 0 ? o.load : phy.udpLoad / o.stations;
    for (const bool down : {true, false}) {
        if (o.direction == (down ? "up" : "down")) continue;
        for (uint32_t i = 0; i < o.stations; ++i) InstallFlow(o, down, i, load, cell);
    }
}

void OnPpdu(AirCounters* air, bool isAp, WifiConstPsduMap psdus, WifiTxVector txVector, double) {
    const Time now = Simulator::Now();
    const Time end = now + WifiPhy::CalculateTxDuration(psdus, txVector, air->band);
    const bool overlaps = now < air->busyUntil;
    if (!overlaps) air->collided = false;
    if (overlaps && !air->collided) {
        air->collided = true;
        if (air->Measuring()) ++air->collisions;
    }
    air->busyUntil = std::max(air->busyUntil, end);
    if (!air->Measuring()) return;
    for (const auto& entry : psdus) {
        if (!entry.second->GetHeader(0).IsData()) continue;
        ++(isAp ? air->apPpdus : air->stationPpdus);
        (isAp ? air->apMpdus : air->stationMpdus) += entry.second->GetNMpdus();
        if (isAp) air->apMpdusAt[txVector.GetMode().GetDataRate(txVector)] += entry.second->GetNMpdus();
    }
}

void OnMpduTimeout(AirCounters* air, bool isAp, uint8_t, Ptr<const WifiMpdu>, const WifiTxVector&) {
    if (air->Measuring()) ++(isAp ? air->apTimeouts : air->stationTimeouts);
}

void OnPsduTimeout(AirCounters* air, bool isAp, uint8_t, Ptr<const WifiPsdu>, const WifiTxVector&) {
    if (air->Measuring()) ++(isAp ? air->apTimeouts : air->stationTimeouts);
}

void OnCongestionState(AirCounters* air, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state) {
    if (!air->Measuring()) return;
    if (state == TcpSocketState::CA_RECOVERY) ++air->recoveries;
    if (state == TcpSocketState::CA_LOSS) ++air->timeouts;
}

// Once the flows have sockets.
void WatchSenders(const Cell* cell, AirCounters* air) {
    for (const auto& sender : cell->senders) {
        const auto callback = MakeBoundCallback(&OnCongestionState, air);
        sender->GetSocket()->TraceConnectWithoutContext("CongState", callback);
    }
}

void Watch(const NetDeviceContainer& devices, bool isAp, AirCounters* air) {
    for (auto it = devices.Begin(); it != devices.End(); ++it) {
        const auto device = DynamicCast<WifiNetDevice>(*it);
        air->band = device->GetPhy()->GetPhyBand();
        device->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin", MakeBoundCallback(&OnPpdu, air, isAp));
        const auto mac = device->GetMac();
        mac->TraceConnectWithoutContext("MpduResponseTimeout", MakeBoundCallback(&OnMpduTimeout, air, isAp));
        mac->TraceConnectWithoutContext("PsduResponseTimeout", MakeBoundCallback(&OnPsduTimeout, air, isAp));
    }
}

void CheckAssociated(const Cell* cell) {
    for (uint32_t i = 0; i < cell->stationWifi.GetN(); ++i) {
        const auto mac = DynamicCast<WifiNetDevice>(cell->stationWifi.Get(i))->GetMac();
        if (DynamicCast<StaWifiMac>(mac)->IsAssociated()) continue;
        Fail("not every station has associated a second before the flows start; raise --start", kNotAssociated);
    }
}

void StartClock(Cell* cell) {
    cell->wallStart = std::chrono::steady_clock::now();
}

void StartWindow(Cell* cell) {
    for (const auto& sink : cell->sinks) cell->atStart.push_back(sink->GetTotalRx());
}

void Print(const Options& o, const Cell& cell, const AirCounters& air, double wall) {
    std::ostringstream flows;
    double total = 0;
    for (size_t i = 0; i < cell.sinks.size(); ++i) {
        const double mbps = (cell.sinks[i]->GetTotalRx() - cell.atStart[i]) * 8 / o.measured / 1e6;
        total += mbps;
        flows << (i == 0 ? "" : ", ") << mbps;
    }
    if (total == 0) Fail("nothing was delivered within the window", kStoodStill);
    std::cout << std::setprecision(7) << "{\"simulator\": \"ns-3." << Version::Minor() << " " << Version::BuildProfile()
              << "\", \"standard\": \"" << o.standard << "\", \"stations\": " << o.stations << ", \"direction\": \""
              << o.direction << "\", \"transport\": \"" << o.transport << "\", \"seed\": " << o.seed
              << ", \"goodput_mbps\": " << total << ", \"flows\": [" << flows.str()
              << "], \"sim_seconds\": " << o.warmUp + o.measured << ", \"wall_seconds\": " << wall
              << ", \"events\": " << Simulator::GetEventCount();
    if (o.counters) {
        std::cout << ", \"ap_data_ppdu\": " << air.apPpdus << ", \"sta_data_ppdu\": " << air.stationPpdus
                  << ", \"ap_mpdu\": " << air.apMpdus << ", \"sta_mpdu\": " << air.stationMpdus
                  << ", \"collisions\": " << air.collisions << ", \"ap_timeouts\": " << air.apTimeouts
                  << ", \"sta_timeouts\": " << air.stationTimeouts
                  << ", \"tcp_recoveries\": " << air.recoveries << ", \"tcp_timeouts\": " << air.timeouts
                  << ", \"ap_rates\": [";
        const char* separator = "";
        for (const auto& [rate, mpdus] : air.apMpdusAt) {
            std::cout << separator << "{\"mbps\": " << rate / 1e6 << ", \"mpdus\": " << mpdus << "}";
            separator = ", ";
        }
        std::cout << "]";
    }
    std::cout << "}" << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = ParseOptions(argc, argv);
    const Phy& phy = FindPhy(options.standard);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    SetTcpDefaults(options);

    Cell cell;
    cell.server.Create(1);
    cell.ap.Create(1);
    cell.stations.Create(options.stations);
    BuildWifi(options, phy, cell);
    PlaceNodes(options, cell);
    BuildNetwork(options, cell);
    Greet(options, cell);
    InstallFlows(options, phy, cell);

    const Time window = Seconds(options.start + options.warmUp);
    AirCounters air;
    air.from = window;
    if (options.counters) {
        Watch(cell.apWifi, true, &air);
        Watch(cell.stationWifi, false, &air);
        Simulator::Schedule(window, &WatchSenders, &cell, &air);
    }
    Simulator::Schedule(Seconds(options.start - 1), &CheckAssociated, &cell);
    if (options.power == "hidden") Simulator::Schedule(Seconds(options.start - 0.5), &HideStations, &cell);
    Simulator::Schedule(Seconds(options.start), &StartClock, &cell);
    Simulator::Schedule(window, &StartWindow, &cell);
    Simulator::Stop(window + Seconds(options.measured));

    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - cell.wallStart;
    Print(options, cell, air, wall.count());
    Simulator::Destroy();
    return 0;
}
