// SPDX-License-Identifier: GPL-2.0-only
//
// Copyright (c) 2026 The Ackless authors
//
// This program is free software; you can redistribute it and/or modify it under the terms of the GNU General Public
// License version 2 as published by the Free Software Foundation. It is distributed in the hope that it will be
// useful, but WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR
// PURPOSE. See the file LICENSE beside this one for the details.

// One Wi-Fi cell of ns-3 in real time, between two hosts of the machine: what `ackless emulate` does, by ns-3's TapBridge.
//
// A server behind a wire and one station, each a TAP device (`srv` and `sta`, addresses 10.78.0.1 and 10.78.0.2); an AP
// that is a bridge between the wire and the air. Every millisecond of simulated time the program looks how late it is;
// at its end it prints that as one JSON object on one line. Written for Debian's ns-3.37; wants root.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "ns3/bridge-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/tap-bridge-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace {

std::vector<double> g_late;  // microseconds

void LookAtClock(Ptr<RealtimeSimulatorImpl> simulator, Time until) {
    g_late.push_back((simulator->RealtimeNow() - Simulator::Now()).GetNanoSeconds() / 1e3);
    if (Simulator::Now() < until) Simulator::Schedule(MilliSeconds(1), &LookAtClock, simulator, until);
}

double Quantile(double share) {
    if (g_late.empty()) return 0;
    return g_late[std::min(g_late.size() - 1, static_cast<size_t>(share * g_late.size()))];
}

}  // namespace

int main(int argc, char** argv) {
    std::string standard = "11n150";
    double seconds = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("standard", "11n150 or 11ac", standard);
    cmd.AddValue("seconds", "how long it runs", seconds);
    cmd.Parse(argc, argv);
    const bool ac = standard == "11ac";
    if (!ac && standard != "11n150") {
        std::cerr << "tap: --standard=" << standard << ": expected 11n150 or 11ac\n";
        return 2;
    }
    // The kernel checks checksums.
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));

    NodeContainer server(1), ap(1), station(1);
    // The only wire that an AP can bridge is a bus: what is under way keeps it, so that any delay would cost its rate.
    CsmaHelper wire;
    wire.SetChannelAttribute("DataRate", StringValue("10Gbps"));
    wire.SetChannelAttribute("Delay", StringValue("0ns"));
    wire.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p"));
    const auto wired = wire.Install(NodeContainer(server, ap));

    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    auto loss = CreateObject<FixedRssLossModel>();
    loss->SetRss(-50);
    channel->SetPropagationLossModel(loss);
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    const uint32_t streams = ac ? 2 : 1;
    phy.Set("ChannelSettings", StringValue(ac ? "{42, 80, BAND_5GHZ, 0}" : "{38, 40, BAND_5GHZ, 0}"));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
    WifiHelper wifi;
    wifi.SetStandard(ac ? WIFI_STANDARD_80211ac : WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(ac ? "VhtMcs9" : "HtMcs7"),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
    wifi.ConfigHtOptions("ShortGuardIntervalSupported", BooleanValue(true));
    const SsidValue ssid(Ssid("cell"));
    const UintegerValue ampdu(ac ? 1048575 : 65535);
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(true), "BE_MaxAmpduSize", ampdu);
    const auto apWifi = wifi.Install(phy, mac, ap);
    mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(true), "BE_MaxAmpduSize", ampdu);
    const auto stationWifi = wifi.Install(phy, mac, station);
    MobilityHelper mobility;
    mobility.Install(NodeContainer(ap, station));

    BridgeHelper bridge;
    bridge.Install(ap.Get(0), NetDeviceContainer(NetDeviceContainer(wired.Get(1)), apWifi));

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(NodeContainer(server, station));
    Ipv4AddressHelper addresses("10.78.0.0", "255.255.255.0");
    addresses.Assign(NetDeviceContainer(NetDeviceContainer(wired.Get(0)), stationWifi));

    TapBridgeHelper tap;
    tap.SetAttribute("Mode", StringValue("ConfigureLocal"));
    tap.SetAttribute("DeviceName", StringValue("srv"));
    tap.Install(server.Get(0), wired.Get(0));
    tap.SetAttribute("DeviceName", StringValue("sta"));
    tap.Install(station.Get(0), stationWifi.Get(0));

    auto simulator = DynamicCast<RealtimeSimulatorImpl>(Simulator::GetImplementation());
    Simulator::Schedule(Seconds(3), &LookAtClock, simulator, Seconds(seconds));
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    Simulator::Destroy();
    std::sort(g_late.begin(), g_late.end());
    std::cout << "{\"looks\": " << g_late.size() << ", \"median_us\": " << Quantile(0.5) << ", \"p99_us\": "
              << Quantile(0.99) << ", \"max_us\": " << (g_late.empty() ? 0 : g_late.back()) << "}\n";
    return 0;
}
