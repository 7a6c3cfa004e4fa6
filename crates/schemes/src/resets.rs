//! The end of a connection whose receiver will not take what its sender believes it to have: a RST for each end, from whoever has acknowledged in the receiver's name (`crate::repairs`).
//!
//! Nobody acknowledges a RST. One that is lost leaves an end open that may have nothing more to say, and so never hears from the other that the connection is over: a receiver that only waits, a sender
//! that believes all to have arrived. So each goes again, [`REPEATS`] times and each time after twice as long, unless a SYN of the receiver's own, which nobody on the wire forges, shows that the ports serve another connection. To an end that is closed by
//! then another RST says nothing (RFC 9293, 3.10.7.1).

use std::collections::{BTreeMap, BTreeSet};

use ackless_dot11::frame::{AckPolicy, Ds, Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Emission, SendOptions};
use ackless_wire::{Duration, Instant, IpHeader, Packet, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::flow_key::FlowKey;
use crate::made_ack::next_after;

/// Connections that are being reset, by the direction of their data.
#[derive(Debug, Default)]
pub(crate) struct Resets {
    connections: BTreeMap<FlowKey, Resetting>,
    dues: BTreeSet<(Instant, FlowKey)>,
}

/// The RST for each end of a connection, where there is one to send.
#[derive(Debug, Default)]
pub(crate) struct Rsts {
    /// For the end above this MAC or behind its wire: handed on, as if it had come from this node.
    pub(crate) onward: Option<(Packet, NodeId)>,
    /// For the end at the other side of the air: queued.
    pub(crate) queued: Option<(Packet, SendOptions)>,
}

#[derive(Debug)]
struct Resetting {
    rsts: Rsts,
    due: Instant,
    wait: Duration,
    repeats_left: u32,
}

impl Resets {
    /// None.
    pub(crate) const fn new() -> Self {
        Self { connections: BTreeMap::new(), dues: BTreeSet::new() }
    }

    /// When the next RST goes.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.dues.first().map(|(due, _)| *due)
    }

    /// Resets the connection whose data goes this way, now and again later. Of more than
    /// [`MAX_CONNECTIONS`] at a time the one whose next RST is furthest away gets none any more: it
    /// has had most of them.
    pub(crate) fn reset_both_ends(&mut self, cx: &mut Context<'_>, key: FlowKey, rsts: Rsts) {
        self.forget(key);
        if rsts.onward.is_none() && rsts.queued.is_none() {
            return;
        }
        rsts.send(cx);
        if self.connections.len() >= MAX_CONNECTIONS
            && let Some((_, last)) = self.dues.pop_last()
        {
            self.connections.remove(&last);
        }
        let due = cx.now + FIRST_WAIT;
        self.dues.insert((due, key));
        self.connections.insert(key, Resetting { rsts, due, wait: FIRST_WAIT, repeats_left: REPEATS });
    }

    /// A SYN of the receiver's own on these ports: it is another connection from here on.
    pub(crate) fn forget(&mut self, key: FlowKey) {
        if let Some(resetting) = self.connections.remove(&key) {
            self.dues.remove(&(resetting.due, key));
        }
    }

    /// Sends again what is due.
    pub(crate) fn on_timer(&mut self, cx: &mut Context<'_>) {
        while let Some((_, key)) = self.dues.first().copied().filter(|(due, _)| *due <= cx.now) {
            self.dues.pop_first();
            let Some(resetting) = self.connections.get_mut(&key) else { continue };
            resetting.rsts.send(cx);
            resetting.repeats_left -= 1;
            if resetting.repeats_left == 0 {
                self.connections.remove(&key);
                continue;
            }
            resetting.wait = resetting.wait * 2;
            resetting.due = cx.now + resetting.wait;
            self.dues.insert((resetting.due, key));
        }
    }
}

impl Rsts {
    fn send(&self, cx: &mut Context<'_>) {
        if let Some((rst, from)) = &self.onward {
            let rst = cx.pool.insert(rst.clone());
            cx.emit(Emission::Onward(rst, *from));
        }
        if let Some((rst, options)) = &self.queued {
            let rst = cx.pool.insert(rst.clone());
            cx.emit(Emission::Queue(rst, *options));
        }
    }
}

/// The end of a connection for the receiver of `data`, as from its sender. `next`: what the receiver waits for; any other number it would question (RFC 5961, 3.2).
pub(crate) fn for_receiver(data: &Packet, next: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    Some(rst(data.ip, TcpHeader { seq: next, ack: tcp.ack, ..TcpHeader::new(tcp.src_port, tcp.dst_port) }))
}

/// The end of a connection for the sender of `data`, as from its receiver, which would send `next` next and has acknowledged up to `ack`.
pub(crate) fn for_sender(data: &Packet, next: SeqNumber, ack: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    let ip = IpHeader::between(data.ip.dst(), data.ip.src())?;
    Some(rst(ip, TcpHeader { seq: next, ack, ..TcpHeader::new(tcp.dst_port, tcp.src_port) }))
}

/// The end of a connection whose receiver has said this itself, while its sender was told more:
/// what goes to the receiver, and what to the sender.
pub(crate) fn for_both(said: &Packet, told: SeqNumber) -> Option<(Packet, Packet)> {
    let tcp = said.tcp()?;
    let (next, back) = (next_after(said, tcp), IpHeader::between(said.ip.dst(), said.ip.src())?);
    let to_receiver = TcpHeader { seq: tcp.ack, ack: next, ..TcpHeader::new(tcp.dst_port, tcp.src_port) };
    let to_sender = TcpHeader { seq: next, ack: told, ..TcpHeader::new(tcp.src_port, tcp.dst_port) };
    let forth = IpHeader::between(said.ip.src(), said.ip.dst())?;
    Some((rst(back, to_receiver), rst(forth, to_sender)))
}

/// How a packet goes the way of this one.
pub(crate) const fn sent_as(mpdu: &Mpdu) -> SendOptions {
    let Mpdu { receiver, destination, source, ds, kind, .. } = *mpdu;
    SendOptions { receiver, destination, source, ds, kind, ack_policy: AckPolicy::Normal, rate: None }
}

/// How a packet goes back to whoever sent this one.
pub(crate) fn way_back(mpdu: &Mpdu) -> SendOptions {
    let ds = match mpdu.ds {
        Ds::ToAp => Ds::FromAp,
        Ds::FromAp => Ds::ToAp,
        both @ (Ds::Direct | Ds::FourAddress) => both,
    };
    SendOptions {
        receiver: mpdu.transmitter,
        destination: mpdu.source,
        source: mpdu.destination,
        ds,
        kind: mpdu.kind,
        ack_policy: AckPolicy::Normal,
        rate: None,
    }
}

fn rst(ip: IpHeader, tcp: TcpHeader) -> Packet {
    let tcp = TcpHeader { flags: TcpFlags::RST | TcpFlags::ACK, ..tcp };
    Packet { ip, transport: Transport::Tcp(tcp), payload: ackless_wire::Payload::EMPTY }
}

/// How often a RST goes again: with the first, seven in a row are lost once in 1.28 thousand million times where each twentieth packet is.
const REPEATS: u32 = 6;
/// After how long it does so first, as a sender's first retransmission (RFC 6298, 2.1); the last one goes 63 s after the first.
pub(crate) const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Connections that are remembered for it: each lasts for 63 s, and whoever resets many at once is a defect or an attack.
const MAX_CONNECTIONS: usize = 1_024;
