//! Every row.

use ackless_schemes::arq_proxy::Identification::{FrameSequence, Hash};
use ackless_schemes::arq_proxy::Policy::{MoreData, Race};
use ackless_schemes::filter::Filtered::{Acks, AcksAndData};
use ackless_schemes::filter::Form;
use ackless_tcp::tack::Blocks;

use super::about::{
    ACK_FILTER, ACK_POLICY, ACK_REQUEST, ACK_SHARE, AGENT, AGENT_PROMISE, ARQ_PROXY, AS_WRITTEN, AUTO_ZOOM, BROADCOM,
    BROADCOM_HOLD, CAKE, FAST_ACK, HACK, HACK_ROHC, HACK_WIFI, LINUX, SAMSUNG, SMALL_WINDOW, STACK, TACK, TACK_WIFI,
    UDP_BOUND,
};
use super::{Preset, Row, Stack};
use crate::value::{AckRule, Congestion, HackPolicy, Remedy, ThinningKind};

/// The scenario as it is written.
pub(super) const STOCK: &Row = &ROWS[0];

/// In the order in which they are listed.
pub(super) const ROWS: &[Row] = &[
    Row { name: "stock", summary: "the scenario as it is written", about: &AS_WRITTEN, preset: Preset::AsWritten },
    Row {
        name: "udp",
        summary: "upper bound: what its TCP flows offer, over UDP",
        about: &UDP_BOUND,
        preset: Preset::UdpBound,
    },
    Row {
        name: "tcp-l1",
        summary: "TCP, an ACK for every segment",
        about: &ACK_POLICY,
        preset: Preset::Acks(AckRule::Every(1)),
    },
    Row {
        name: "tcp",
        summary: "TCP as the scenario sets it: by default an ACK for two segments",
        about: &ACK_POLICY,
        preset: Preset::Tcp,
    },
    Row {
        name: "tcp-l2",
        summary: "TCP, an ACK for two segments",
        about: &ACK_POLICY,
        preset: Preset::Acks(AckRule::Every(2)),
    },
    Row {
        name: "tcp-l4",
        summary: "TCP, an ACK for four segments",
        about: &ACK_POLICY,
        preset: Preset::Acks(AckRule::Every(4)),
    },
    Row {
        name: "tcp-l8",
        summary: "TCP, an ACK for eight segments",
        about: &ACK_POLICY,
        preset: Preset::Acks(AckRule::Every(8)),
    },
    Row {
        name: "tcp-l16",
        summary: "TCP, an ACK for sixteen segments",
        about: &ACK_POLICY,
        preset: Preset::Acks(AckRule::Every(16)),
    },
    Row {
        name: "linux",
        summary: "TCP on hosts as Linux has them: its ACKs, GRO, CUBIC, RACK-TLP",
        about: &LINUX,
        preset: Preset::Linux,
    },
    Row {
        name: "cubic",
        summary: "TCP with CUBIC, an ACK for two segments",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Cubic, ack: AckRule::Every(2), tack: None }),
    },
    Row {
        name: "bbr",
        summary: "TCP with BBR, an ACK for two segments: what the TACK paper compares with",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Bbr, ack: AckRule::Every(2), tack: None }),
    },
    Row {
        name: "bbr-l4",
        summary: "as bbr, with an ACK for four segments",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Bbr, ack: AckRule::Every(4), tack: None }),
    },
    Row {
        name: "bbr-l8",
        summary: "as bbr, with an ACK for eight segments",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Bbr, ack: AckRule::Every(8), tack: None }),
    },
    Row {
        name: "bbr-l16",
        summary: "as bbr, with an ACK for sixteen segments",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Bbr, ack: AckRule::Every(16), tack: None }),
    },
    Row {
        name: "bbr3",
        summary: "TCP with BBR version 3, an ACK for two segments",
        about: &STACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Bbr3, ack: AckRule::Every(2), tack: None }),
    },
    Row {
        name: "ack-share",
        summary: "TCP, an ACK for a quarter of the round trip, 2 to 256 segments: as a browser's QUIC",
        about: &ACK_SHARE,
        preset: Preset::Acks(AckRule::Share),
    },
    Row {
        name: "ack-request",
        summary: "TCP, an ACK for as many segments as the sender requests (TARR): a quarter of its window, 2 to 126",
        about: &ACK_REQUEST,
        preset: Preset::Acks(AckRule::Request),
    },
    Row {
        name: "tack",
        summary: "TACK with receiver-based BBR: the whole of its paper",
        about: &TACK,
        preset: Preset::Stack(Stack {
            congestion: Congestion::ReceiverBbr,
            ack: AckRule::Tack,
            tack: Some(Blocks::Rich),
        }),
    },
    Row {
        name: "tack-poor",
        summary: "as tack, with TACKs that tell of the first hole alone",
        about: &TACK,
        preset: Preset::Stack(Stack {
            congestion: Congestion::ReceiverBbr,
            ack: AckRule::Tack,
            tack: Some(Blocks::Poor),
        }),
    },
    Row {
        name: "tack-cubic",
        summary: "as tack, with CUBIC, paced",
        about: &TACK,
        preset: Preset::Stack(Stack { congestion: Congestion::Cubic, ack: AckRule::Tack, tack: Some(Blocks::Rich) }),
    },
    Row {
        name: "tack-delayed",
        summary: "as tack, with a TACK for two segments instead of as seldom as possible",
        about: &TACK,
        preset: Preset::Stack(Stack {
            congestion: Congestion::ReceiverBbr,
            ack: AckRule::Every(2),
            tack: Some(Blocks::Rich),
        }),
    },
    Row {
        name: "tack-wifi",
        summary: "as tack, with every policy of [tack] that is better on Wi-Fi than its paper's",
        about: &TACK_WIFI,
        preset: Preset::TackWifi,
    },
    Row {
        name: "hack",
        summary: "TCP under HACK, whose ACKs wait for data that the More Data bit announces",
        about: &HACK,
        preset: Preset::Hack(HackPolicy::MoreData),
    },
    Row {
        name: "hack-wifi",
        summary: "as hack, but ACKs are held only where that pays",
        about: &HACK_WIFI,
        preset: Preset::HackWifi,
    },
    Row {
        name: "hack-opportunistic",
        summary: "TCP under HACK, whose ACKs wait for the medium or for data, whichever comes first",
        about: &HACK,
        preset: Preset::Hack(HackPolicy::Opportunistic),
    },
    Row {
        name: "hack-timer",
        summary: "TCP under HACK, whose ACKs wait for data until a timer fires",
        about: &HACK,
        preset: Preset::Hack(HackPolicy::Timer),
    },
    Row {
        name: "hack-rohc",
        summary: "as hack, with the ACKs as packets of the ROHC TCP profile (RFC 6846), as in its paper",
        about: &HACK_ROHC,
        preset: Preset::HackRohc,
    },
    Row {
        name: "agent",
        summary: "TCP, acknowledged by an agent at the AP; the station's MAC buffers what its TCP has not acknowledged",
        about: &AGENT,
        preset: Preset::Agent { solution: Remedy::Buffer, zoom: false },
    },
    Row {
        name: "agent-promise",
        summary: "as agent, but the AP acknowledges only what the station's TCP has offered room for",
        about: &AGENT_PROMISE,
        preset: Preset::AgentPromise,
    },
    Row {
        name: "agent-flag",
        summary: "TCP, acknowledged by an agent at the AP where a flag in the MAC ACK says that TCP has the data",
        about: &AGENT,
        preset: Preset::Agent { solution: Remedy::Flag, zoom: false },
    },
    Row {
        name: "agent-zoom",
        summary: "as agent, with auto-zoom back-off: the whole of the agent's paper",
        about: &AGENT,
        preset: Preset::Agent { solution: Remedy::Buffer, zoom: true },
    },
    Row {
        name: "zoom",
        summary: "TCP under auto-zoom back-off, without the agent",
        about: &AUTO_ZOOM,
        preset: Preset::Zoom,
    },
    Row {
        name: "cw2",
        summary: "TCP with a smallest contention window of two values at the AP alone: the control to zoom",
        about: &SMALL_WINDOW,
        preset: Preset::ApWindow(1),
    },
    Row {
        name: "filter",
        summary: "TCP, whose ACKs go in group-addressed frames, which nobody acknowledges",
        about: &ACK_FILTER,
        preset: Preset::Filter { form: Form::Group, filtered: Acks },
    },
    Row {
        name: "filter-noack",
        summary: "TCP, whose ACKs go as QoS data with the ack policy No Ack of 802.11e",
        about: &ACK_FILTER,
        preset: Preset::Filter { form: Form::NoAck, filtered: Acks },
    },
    Row {
        name: "filter-action",
        summary: "TCP, whose ACKs go as management frames of subtype Action No Ack",
        about: &ACK_FILTER,
        preset: Preset::Filter { form: Form::ActionNoAck, filtered: Acks },
    },
    Row {
        name: "filter-data",
        summary: "as filter, with the TCP data unacknowledged too: what the paper warns of",
        about: &ACK_FILTER,
        preset: Preset::Filter { form: Form::Group, filtered: AcksAndData },
    },
    Row {
        name: "arq",
        summary: "TCP, whose ACKs an ARQ proxy keeps and releases on a request in the link-layer ACK",
        about: &ARQ_PROXY,
        preset: Preset::ArqProxy { identification: FrameSequence, stateless: false, policy: Race },
    },
    Row {
        name: "arq-more-data",
        summary: "as arq, where the client keeps its own ACK while the AP promises more data: not the paper's race",
        about: &ARQ_PROXY,
        preset: Preset::ArqProxy { identification: FrameSequence, stateless: false, policy: MoreData },
    },
    Row {
        name: "arq-hash",
        summary: "as arq, with packets named by a hash instead of by their frames' sequence numbers",
        about: &ARQ_PROXY,
        preset: Preset::ArqProxy { identification: Hash, stateless: false, policy: Race },
    },
    Row {
        name: "arq-stateless",
        summary: "as arq, with ACKs made from the data packet alone, as in the paper",
        about: &ARQ_PROXY,
        preset: Preset::ArqProxy { identification: FrameSequence, stateless: true, policy: Race },
    },
    Row {
        name: "cake",
        summary: "TCP, whose ACKs CAKE's ack-filter thins out in the queue of their sender",
        about: &CAKE,
        preset: Preset::Thinning(ThinningKind::Cake),
    },
    Row {
        name: "cake-aggressive",
        summary: "as cake, by the rules of ack-filter-aggressive",
        about: &CAKE,
        preset: Preset::Thinning(ThinningKind::CakeAggressive),
    },
    Row {
        name: "broadcom",
        summary: "TCP, whose ACKs a driver replaces in its queue by newer ones",
        about: &BROADCOM,
        preset: Preset::Thinning(ThinningKind::Replace),
    },
    Row {
        name: "broadcom-hold",
        summary: "TCP, of whose ACKs a driver sends one of a few and holds the others for a time",
        about: &BROADCOM_HOLD,
        preset: Preset::Thinning(ThinningKind::Hold),
    },
    Row {
        name: "samsung",
        summary: "as broadcom-hold, with more held the faster the flow is",
        about: &SAMSUNG,
        preset: Preset::Thinning(ThinningKind::CountAndTime),
    },
    Row {
        name: "fastack",
        summary: "TCP, acknowledged by the AP on the 802.11 ACK, which repairs from its cache",
        about: &FAST_ACK,
        preset: Preset::FastAck,
    },
];
