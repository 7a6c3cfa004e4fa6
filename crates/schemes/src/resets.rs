//! The end of a connection whose receiver will not take what its sender believes it to have: a RST for each end, from whoever has acknowledged in the receiver's name (`crate::repairs`).
//!
//! Nobody acknowledges a RST. One that is lost leaves an end open that may have nothing more to say, and so never hears from the other that the connection is over: a receiver that only waits, a sender
//! that believes all to have arrived. So each goes again, [`REPEATS`] times and each time after twice as long, unless a SYN of the receiver's own, which nobody on the wire forges, shows that the ports serve another connection. To an end that is closed by
//! then another RST says nothing (RFC 9293, 3.10.7.1).

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, Emission, SendOptions};
use ackless_wire::{Duration, Instant, IpHeader, Packet, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::flow_key::FlowKey;

/// Connections that are being reset.
#[derive(Debug, Default)]
pub(crate) struct Resets(Vec<Ending>);

/// What is said to the ends of one.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// What is handed on, as from this node.
    pub(crate) onward: Option<(Packet, NodeId)>,
    /// What is queued.
    pub(crate) queued: Option<(Packet, SendOptions)>,
}

#[derive(Debug)]
struct Ending {
    /// By the direction of its data.
    key: FlowKey,
    last: Last,
    due: Instant,
    wait: Duration,
    left: u32,
}

impl Resets {
    /// When the next RST goes.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.0.iter().map(|ending| ending.due).min()
    }

    /// The connection whose data goes this way is reset, now and again later. Of more than [`MOST`] at a time the one that was reset first is not said again.
    pub(crate) fn end(&mut self, cx: &mut Context<'_>, key: FlowKey, last: Last) {
        self.forget(key);
        if last.onward.is_none() && last.queued.is_none() {
            return;
        }
        last.say(cx);
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(Ending { key, last, due: cx.now + FIRST, wait: FIRST, left: REPEATS });
    }

    /// A SYN of the receiver's own on these ports: it is another connection from here on.
    pub(crate) fn forget(&mut self, key: FlowKey) {
        if !self.0.is_empty() {
            self.0.retain(|ending| ending.key != key);
        }
    }

    /// Says again what is due.
    pub(crate) fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.0.retain_mut(|ending| {
            if ending.due > cx.now {
                return true;
            }
            ending.last.say(cx);
            ending.left -= 1;
            ending.wait = ending.wait * 2;
            ending.due = cx.now + ending.wait;
            ending.left > 0
        });
    }
}

impl Last {
    fn say(&self, cx: &mut Context<'_>) {
        if let Some((reset, from)) = &self.onward {
            let reset = cx.pool.insert(reset.clone());
            cx.emit(Emission::Onward(reset, *from));
        }
        if let Some((reset, options)) = &self.queued {
            let reset = cx.pool.insert(reset.clone());
            cx.emit(Emission::Queue(reset, *options));
        }
    }
}

/// The end of a connection for the receiver of `data`, as from its sender. `next`: what the receiver waits for; any other number it would question (RFC 5961, 3.2).
pub(crate) fn for_receiver(data: &Packet, next: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    Some(reset(data.ip, TcpHeader { seq: next, ack: tcp.ack, ..TcpHeader::new(tcp.src_port, tcp.dst_port) }))
}

/// The end of a connection for the sender of `data`, as from its receiver, which would send `next` next and has acknowledged up to `ack`.
pub(crate) fn for_sender(data: &Packet, next: SeqNumber, ack: SeqNumber) -> Option<Packet> {
    let tcp = data.tcp()?;
    let ip = IpHeader::between(data.ip.dst(), data.ip.src())?;
    Some(reset(ip, TcpHeader { seq: next, ack, ..TcpHeader::new(tcp.dst_port, tcp.src_port) }))
}

fn reset(ip: IpHeader, tcp: TcpHeader) -> Packet {
    let tcp = TcpHeader { flags: TcpFlags::RST | TcpFlags::ACK, ..tcp };
    Packet { ip, transport: Transport::Tcp(tcp), payload: ackless_wire::Payload::EMPTY }
}

/// How often a RST goes again: with the first, seven in a row are lost once in 1.28 thousand million times where each twentieth packet is.
const REPEATS: u32 = 6;
/// After how long it does so first, as a sender's first retransmission (RFC 6298, 2.1); the last one goes 63 s after the first.
const FIRST: Duration = Duration::from_secs(1);
/// Connections that are remembered for it: each lasts for 63 s, and whoever resets many at once is a defect or an attack.
const MOST: usize = 1_024;
