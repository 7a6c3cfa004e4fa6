//! Our endpoints in a situation.

use std::net::SocketAddr;

use ackless_tcp::{
    AckChoice, Config, CubicRule, Endpoint, GrowthRule, NagleRule, PrrRule, RackRule, RecoveryChoice, RenoRule,
    RtoRule, SenderChoices, SlowStartChoice, State, UndoChoices,
};
use ackless_wire::{Bytes, Duration, Instant, Packet, SeqNumber, TcpHeader};

use crate::gro::{Batch, Merged};
use crate::path::Path;
use crate::trace::{Ack, Scene, Sender, Sent, Trace};

/// What hosts of ours do there. What the situation leaves to the kernel is taken from its trace.
pub fn trace(scene: &Scene, kernel: &Trace, hosts: Hosts) -> Trace {
    let mut run = Run::new(scene, kernel, hosts);
    run.until_acknowledged();
    run.trace
}

/// Which hosts of ours are set beside Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hosts {
    /// What is nearest to Linux: what `transport.preset = linux` sets, with GRO where the situation has it.
    Linux,
    /// Our TCP as it is by default, with RACK-TLP, and without GRO.
    Plain,
}

fn config(scene: &Scene, kernel: &Trace, hosts: Hosts) -> Config {
    let window = kernel.acks.iter().map(|ack| ack.window).max().unwrap_or(0);
    let given = (scene.receive_buffer != 0).then_some(Bytes(window));
    if hosts == Hosts::Plain {
        let plain = Config { recovery: RecoveryChoice::Rack, ..Config::default() };
        return Config { receive_buffer: given.unwrap_or(plain.receive_buffer), ..plain };
    }
    Config {
        recovery: RecoveryChoice::Rack,
        ack: AckChoice::Linux { sack_compression: true },
        sender: SenderChoices {
            undo: UndoChoices { eifel: true, frto: true, dsack: true },
            nagle: NagleRule::Minshall,
            rto: RtoRule::Linux,
            reno: RenoRule::Bytes,
            cubic: CubicRule::Linux,
            rack: RackRule::Linux,
            prr: PrrRule::Linux,
            growth: GrowthRule::Linux,
            slow_start: SlowStartChoice::HyStart,
        },
        // sk_pacing_shift is 10.
        tso: Some(Duration::from_nanos(1_000_000_000 / 1_024)),
        // tcp_rmem[2], or where a size is given the room that the kernel makes of it.
        receive_tuning: given.is_none(),
        receive_buffer: given.unwrap_or(Bytes::from_kib(6 * 1024)),
        ..Config::default()
    }
}

struct Run<'a> {
    scene: &'a Scene,
    path: Path<'a, Packet>,
    sender: Endpoint,
    receiver: Endpoint,
    merges: bool,
    batch: Batch,
    now: Instant,
    established: Option<Instant>,
    written: usize,
    trace: Trace,
}

impl<'a> Run<'a> {
    fn new(scene: &'a Scene, kernel: &Trace, hosts: Hosts) -> Self {
        let [ours, theirs] = [1, 2].map(|host| SocketAddr::new([198, 18, 0, host].into(), 80));
        let config = config(scene, kernel, hosts);
        Self {
            scene,
            path: Path::new(scene),
            sender: Endpoint::connect(Instant::ZERO, config.clone(), ours, theirs, SeqNumber(0)),
            receiver: Endpoint::listen(config, theirs, SeqNumber(0)),
            merges: scene.gro && hosts == Hosts::Linux,
            batch: Batch::default(),
            now: Instant::ZERO,
            established: None,
            written: 0,
            trace: Trace::default(),
        }
    }

    fn until_acknowledged(&mut self) {
        let total = self.scene.write.iter().map(|&(_, bytes)| bytes).sum();
        loop {
            self.step();
            if self.sender.bytes_acked() == total {
                return;
            }
            let next =
                [self.path.next_arrival(), self.sender.poll_timeout(), self.receiver.poll_timeout(), self.next_write()];
            self.now = next.into_iter().flatten().min().expect("something is left to happen").max(self.now);
        }
    }

    /// Everything that happens at this instant.
    fn step(&mut self) {
        while let Some((packet, to_receiver)) = self.path.arrived(self.now) {
            if to_receiver && self.merges {
                for merged in self.batch.take(packet).into_iter().flatten() {
                    self.hand_up(&merged);
                }
                continue;
            }
            let end = if to_receiver { &mut self.receiver } else { &mut self.sender };
            end.handle_segment(self.now, &packet);
            if !to_receiver {
                self.note_sender();
            }
            self.take_sent();
        }
        if let Some(merged) = self.batch.flush() {
            self.hand_up(&merged);
        }
        self.receiver.end_batch(self.now);
        self.take_sent();
        for end in [&mut self.sender, &mut self.receiver] {
            if end.poll_timeout().is_some_and(|at| at <= self.now) {
                end.handle_timeout(self.now);
            }
        }
        self.take_sent();
        while self.next_write().is_some_and(|at| at <= self.now) {
            self.sender.send(self.scene.write[self.written].1);
            self.written += 1;
            self.take_sent();
        }
    }

    fn hand_up(&mut self, merged: &Merged) {
        self.receiver.handle_merged(self.now, &merged.packet, merged.segment);
        self.take_sent();
    }

    fn next_write(&self) -> Option<Instant> {
        let (after, _) = *self.scene.write.get(self.written)?;
        Some(self.established? + after)
    }

    fn take_sent(&mut self) {
        while let Some(packet) = self.sender.poll_transmit(self.now) {
            let (tcp, len) = (header(&packet), packet.data_len());
            let (at, seq, whole) = (self.now, tcp.seq.0.into(), packet.len());
            let arrives = self.path.send(at, packet, whole, len > 0);
            self.trace.sent.push(Sent { at, seq, len: len.into(), lost: !arrives });
        }
        while let Some(packet) = self.receiver.poll_transmit(self.now) {
            let (tcp, window) = (header(&packet), self.receiver.receive_window().get());
            let sack =
                tcp.options.sack.as_slice().iter().map(|&(left, right)| (left.0.into(), right.0.into())).collect();
            self.trace.acks.push(Ack { at: self.now, ack: tcp.ack.0.into(), sack, window });
            self.path.send_back(self.now, packet);
        }
        for end in [&mut self.sender, &mut self.receiver] {
            while end.poll_event().is_some() {}
        }
    }

    fn note_sender(&mut self) {
        if self.established.is_none() && self.sender.state() == State::Established {
            self.established = Some(self.now);
        }
        let (stats, segment) = (self.sender.stats(), self.sender.segment_size().get());
        self.trace.sender.push(Sender {
            at: self.now,
            una: stats.bytes_acked.get() + 1,
            cwnd: self.sender.window_in_force().get() / segment,
            ssthresh: stats.ssthresh.map(|threshold| threshold.get() / segment),
        });
    }
}

fn header(packet: &Packet) -> TcpHeader {
    *packet.tcp().expect("all packets are of TCP")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder;

    /// The first threshold, and the window then.
    fn exit(trace: &Trace) -> Option<(u64, u64)> {
        trace.sender.iter().find_map(|row| row.ssthresh.map(|threshold| (threshold, row.cwnd)))
    }

    #[test]
    fn slow_start_ends_where_that_of_linux_does() {
        for name in ["start", "tail-loss"] {
            let text = std::fs::read_to_string(folder().join(format!("{name}.csv"))).expect("a trace can be read");
            let (scene, kernel) = Trace::parse(&text).expect("a trace is one");
            let ours = trace(&scene, &kernel, Hosts::Linux);
            assert_eq!((exit(&kernel), exit(&ours)), (Some((76, 76)), Some((76, 76))), "{name}");
        }
    }

    #[test]
    fn every_data_packet_goes_out_as_linux_sends_it() {
        let names = [
            "start",
            "one-loss",
            "two-losses",
            "tail-loss",
            "reordering",
            "application-limited",
            "window-limited",
            "idle-restart",
        ];
        for name in names {
            let text = std::fs::read_to_string(folder().join(format!("{name}.csv"))).expect("a trace can be read");
            let (scene, kernel) = Trace::parse(&text).expect("a trace is one");
            let ours = trace(&scene, &kernel, Hosts::Linux).data();
            let kernel = kernel.data();
            assert_eq!(ours.len(), kernel.len(), "{name}");
            for (ours, kernel) in ours.iter().zip(&kernel) {
                let apart = ours.at.max(kernel.at) - ours.at.min(kernel.at);
                assert!((ours.seq, ours.len) == (kernel.seq, kernel.len), "{name}: {ours:?}, and Linux {kernel:?}");
                assert!(apart <= crate::TICK, "{name}: {ours:?}, and Linux {kernel:?}");
            }
        }
    }

    #[test]
    fn in_batches_the_same_segments_go_out_and_the_same_windows_are_told() {
        // In `start-gro` bursts end at the edge of the peer's window, with a segment of 336 bytes there.
        for (name, until) in [("start-gro", 250), ("start-gro-fast", 60)] {
            let text = std::fs::read_to_string(folder().join(format!("{name}.csv"))).expect("a trace can be read");
            let (scene, kernel) = Trace::parse(&text).expect("a trace is one");
            let ours = trace(&scene, &kernel, Hosts::Linux);
            let until = ackless_wire::Instant::from_millis(until);
            let data = |trace: &Trace| -> Vec<_> {
                trace.data().iter().filter(|sent| sent.at < until).map(|sent| (sent.seq, sent.len)).collect()
            };
            // The SYN-ACK says 44 segments where Linux says 45.
            let told = |trace: &Trace| -> Vec<_> {
                trace.acks.iter().skip(1).filter(|ack| ack.at < until).map(|ack| (ack.ack, ack.window)).collect()
            };
            assert_eq!(data(&ours), data(&kernel), "{name}");
            assert_eq!(told(&ours), told(&kernel), "{name}");
            assert!(told(&kernel).len() > 20, "{name}");
        }
    }
}
