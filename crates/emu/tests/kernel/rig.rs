//! A cell with hosts in namespaces, and somebody who does something with them.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, mpsc};

use ackless_cell::config::CellConfig;
use ackless_cell::gro::Gro;
use ackless_cell::host::{Crossing, Eavesdropper};
use ackless_dot11::frame::NodeId;
use ackless_emu::EmuError;
use ackless_emu::device::Offload;
use ackless_emu::namespace::{Door, Namespace};
use ackless_emu::session::{Emulated, Ended, Request, emulate, prepared};
use ackless_emu::signals::Signals;
use ackless_emu::world::{Ends, Plan};
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_schemes::hack::HackCounters;
use ackless_wire::{Duration, Packet};

/// The pure ACKs that stations sent and that the server got, as bytes, in order.
#[derive(Clone, Debug, Default)]
pub struct Heard(Arc<Mutex<[Vec<Vec<u8>>; 2]>>);

impl Heard {
    fn hear(&self, at: Option<NodeId>, crossing: Crossing, packet: &Packet) {
        let place = match (at, crossing) {
            (Some(_), Crossing::Sent) => 0,
            (None, Crossing::Received) => 1,
            _ => return,
        };
        if packet.pure_ack().is_some() {
            let mut bytes = Vec::new();
            packet.emit(&mut bytes);
            self.0.lock().expect("nobody panics while listening")[place].push(bytes);
        }
    }

    /// Panics if the server got an ACK that no station sent, or out of turn. Says how many it got.
    ///
    /// Right behind itself an ACK may come again as often as HACK's guard timer says that it sent one once more (`rescued`), for want of a sign that it had arrived.
    pub fn check(&self, hack: Option<&HackCounters>) -> usize {
        let heard = self.0.lock().expect("nobody panics while listening");
        let [sent, got] = &*heard;
        let (mut sent, mut again) = (sent.iter().peekable(), 0);
        for (n, ack) in got.iter().enumerate() {
            if n > 0 && got[n - 1] == *ack && sent.peek() != Some(&ack) {
                again += 1;
                continue;
            }
            assert!(
                sent.any(|sent| sent == ack),
                "ACK {n} of {} was not sent, or came out of turn: {ack:02x?}",
                got.len()
            );
        }
        let rescued = hack.map_or(0, |hack| hack.rescued);
        assert!(again <= rescued, "{again} of {} ACKs came twice in a row, {rescued} were sent once more", got.len());
        got.len()
    }
}

/// Nothing is left to the devices.
pub const SINGLE: Offload = Offload { segments: false, gro: Gro::Off };
/// Everything is.
pub const MERGED: Offload = Offload { segments: true, gro: Gro::PerBatch };

/// The cell of a built-in scenario in some row, with overrides, without its own flows.
pub fn cell(name: &str, row: &str, overrides: &[&str]) -> CellConfig {
    let mut scenario = Builtin::find(name).and_then(Builtin::scenario).expect("this is a scenario");
    for change in overrides {
        scenario.set(change).expect("this is an override");
    }
    let config = scenario.build(Row::find(row).expect("this is a row")).expect("this is a cell");
    prepared(&config, false).expect("it can be emulated")
}

/// Emulates `config` while `work` does something at its hosts, of which the server is the first; nothing, and a word why, where that is not permitted here.
pub fn with_hosts<R: Send + 'static>(
    name: &str,
    config: &CellConfig,
    offload: Offload,
    heard: &Heard,
    work: impl FnOnce(Vec<Door>) -> io::Result<R> + Send + 'static,
) -> Option<(R, Emulated)> {
    with_ends(name, config, offload, Ends::default(), heard, work)
}

/// The same, where interfaces take the places of hosts; the others' namespaces are what `work` gets.
pub fn with_ends<R: Send + 'static>(
    name: &str,
    config: &CellConfig,
    offload: Offload,
    ends: Ends<'_>,
    heard: &Heard,
    work: impl FnOnce(Vec<Door>) -> io::Result<R> + Send + 'static,
) -> Option<(R, Emulated)> {
    let own = ours(name);
    let plan = Plan { name: &own, server: offload, stations: offload, ends };
    let hears = heard.clone();
    let signals = Signals::take().expect("the kernel lets it");
    let request = Request {
        config,
        seed: 1,
        plan,
        spin: Duration::ZERO,
        duration: Some(LIMIT),
        programs: Vec::new(),
        signals: &signals,
        eavesdropper: Some(Eavesdropper(Box::new(move |_, at, crossing, packet| hears.hear(at, crossing, packet)))),
    };
    let (tell, told) = mpsc::channel();
    let mut result = None;
    let emulated = emulate(
        request,
        &mut (),
        |world| {
            let doors: io::Result<Vec<_>> = world.namespaces.iter().flatten().map(Namespace::door).collect();
            // Where the emulation fails, nobody listens any more.
            std::thread::spawn(move || tell.send(doors.and_then(work)));
        },
        |_| {
            result = told.try_recv().ok();
            if result.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    match emulated {
        Ok(emulated) => {
            assert_eq!(emulated.ended, Ended::Asked, "{name}: it ends within {LIMIT}");
            let result = result.expect("it has said how it went");
            Some((result.unwrap_or_else(|error| panic!("{name}: {error}")), emulated))
        }
        Err(error @ EmuError::Refused { .. }) => {
            skip(&error);
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// A name that no other process's tests have.
pub fn ours(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

/// Says loudly that a test did not happen.
pub fn skip(why: &dyn Display) {
    writeln!(io::stderr(), "SKIPPED: nothing was emulated: {why}").expect("standard error takes a line");
}

/// No emulation of a test may last longer.
const LIMIT: Duration = Duration::from_secs(600);
