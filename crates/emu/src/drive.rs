//! The loop: what the kernel sends goes into the cell when it comes, and what comes out of the cell goes to the kernel when the clock says so.
//!
//! The clock is the kernel's monotonic one, whatever that follows: the wall, or the virtual time of a machine in which computing takes none. The cell runs
//! behind it by what waking up takes, never ahead, and never slower: what comes late is counted ([`Tally::lateness`]).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use ackless_cell::Measured;
use ackless_cell::flows::Place;
use ackless_cell::observe::Observer;
use ackless_cell::outside::Arrival;
use ackless_wire::{Bytes, Duration, Instant, Packet};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use crate::EmuError;
use crate::device::{Buffers, Device};
use crate::offload::{Batch, write_frame};
use crate::tally::Tally;
use crate::world::index;

/// A cell with its devices on a clock.
#[derive(Debug)]
pub struct Drive<'a, 'o, O> {
    run: &'a mut Measured<'o, &'o mut O>,
    devices: Vec<Device>,
    tally: Tally,
    clock: Clock,
    buffers: Buffers,
    arrivals: Vec<Arrival>,
    batch: Batch,
    frame: Vec<u8>,
    /// How long before an event it stops sleeping and watches the clock.
    spin: Duration,
}

/// Why [`Drive::run`] has come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// It is the time that was asked for.
    Time,
    /// Something can be read from what was watched beside the devices.
    Watched,
}

/// The monotonic clock, from when the cell began.
#[derive(Clone, Copy, Debug)]
struct Clock(std::time::Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the cell runs on")]
    fn start() -> Self {
        Self(std::time::Instant::now())
    }

    fn now(self) -> Instant {
        Instant::ZERO + Duration::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}

impl<'a, 'o, O: Observer> Drive<'a, 'o, O> {
    /// Begins now: the clock runs from here. Within `spin` of an event the loop does not sleep; zero always sleeps.
    ///
    /// # Errors
    /// Where the kernel does not wake this thread in time.
    pub fn new(run: &'a mut Measured<'o, &'o mut O>, devices: Vec<Device>, spin: Duration) -> Result<Self, EmuError> {
        // By itself the kernel puts off a thread's timers by up to 50 us.
        nix::sys::prctl::set_timerslack(1).map_err(EmuError::sys("the timers of this thread cannot be made exact"))?;
        for device in &devices {
            for address in device.addresses() {
                run.cell.settle(address, device.place).map_err(|error| EmuError::Wrong {
                    what: error.to_string(),
                    help: "leave out --with-flows, or take other addresses".to_owned(),
                })?;
            }
        }
        let tally = Tally::new(devices.len());
        let clock = Clock::start();
        Ok(Self {
            run,
            devices,
            tally,
            clock,
            buffers: Buffers::default(),
            arrivals: Vec::new(),
            batch: Batch::default(),
            frame: Vec::new(),
            spin,
        })
    }

    /// Runs until a time, or until something can be read from one of `watched`.
    ///
    /// # Errors
    /// Where a device fails.
    pub fn run(&mut self, until: Instant, watched: &[BorrowedFd<'_>]) -> Result<Woken, EmuError> {
        loop {
            let now = self.clock.now();
            self.advance(now.min(until))?;
            while self.take_from_kernel()? {
                self.advance(self.clock.now().min(until))?;
            }
            if now >= until {
                return Ok(Woken::Time);
            }
            let next = self.run.cell.poll_timeout().map_or(until, |next| next.min(until));
            if self.sleep(next, watched).map_err(EmuError::sys("waiting for packets failed"))? {
                return Ok(Woken::Watched);
            }
        }
    }

    /// The cell in its run.
    pub fn measured(&self) -> &Measured<'o, &'o mut O> {
        self.run
    }

    /// What was counted so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Gives back what was counted and the devices.
    pub fn into_parts(self) -> (Tally, Vec<Device>) {
        (self.tally, self.devices)
    }

    /// Lets the cell catch up with the clock, and hands on what comes out.
    fn advance(&mut self, now: Instant) -> Result<(), EmuError> {
        // Events at this very instant are due too.
        self.run.advance(now + Duration::from_nanos(1));
        let mut last: Option<(Instant, Place)> = None;
        let mut late = Duration::ZERO;
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.run.cell.take_arrivals(&mut arrivals);
        for arrival in arrivals.drain(..) {
            let batch = (arrival.at, arrival.place);
            if last != Some(batch) {
                if let Some((_, place)) = last {
                    self.end_batch(place)?;
                }
                // Once for each batch: where time is virtual, looking at the clock takes some of it.
                late = self.clock.now().saturating_since(arrival.at);
                last = Some(batch);
            }
            self.tally.received(arrival.place, &arrival.packet, late);
            self.hand_up(arrival.place, &arrival.packet)?;
        }
        self.arrivals = arrivals;
        match last {
            Some((_, place)) => self.end_batch(place),
            None => Ok(()),
        }
    }

    fn hand_up(&mut self, place: Place, packet: &Packet) -> Result<(), EmuError> {
        let Self { devices, batch, frame, .. } = self;
        let mut up = Up::new(&mut devices[index(place)], frame);
        batch.take(up.device.offload().gro, packet, |packet, segment| up.write(packet, segment));
        up.written
    }

    fn end_batch(&mut self, place: Place) -> Result<(), EmuError> {
        let Self { devices, batch, frame, .. } = self;
        let mut up = Up::new(&mut devices[index(place)], frame);
        batch.end(|packet, segment| up.write(packet, segment));
        up.written
    }

    /// Takes what the kernel has sent at any device; whether there was anything.
    fn take_from_kernel(&mut self) -> Result<bool, EmuError> {
        let mut any = false;
        let Self { run, devices, tally, buffers, .. } = self;
        for device in devices.iter() {
            for _ in 0..AT_ONCE {
                let failed = |error| EmuError::Io { what: "a TUN device cannot be read".to_owned(), source: error };
                let packets = device.read(buffers).map_err(failed)?;
                let mut none = true;
                for bytes in packets {
                    none = false;
                    let taken =
                        Packet::from_bytes(bytes).is_ok_and(|packet| run.cell.inject(device.place, packet).is_ok());
                    tally.sent(device.place, taken);
                }
                if none {
                    break;
                }
                any = true;
            }
        }
        Ok(any)
    }

    /// Sleeps until a time, or until the kernel sends something. Returns whether something watched can be read.
    fn sleep(&self, until: Instant, watched: &[BorrowedFd<'_>]) -> nix::Result<bool> {
        let left = until.saturating_since(self.clock.now());
        let sleep = left.saturating_sub(self.spin);
        let devices = self.devices.iter().map(AsFd::as_fd);
        let mut all: Vec<_> =
            devices.chain(watched.iter().copied()).map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        let timeout = std::time::Duration::from_nanos(sleep.as_nanos());
        match ppoll(&mut all, Some(TimeSpec::from_duration(timeout)), None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        Ok(all[self.devices.len()..].iter().any(|fd| fd.any() == Some(true)))
    }
}

/// A device with what is written to it, and whether that went well.
struct Up<'a> {
    device: &'a mut Device,
    frame: &'a mut Vec<u8>,
    written: Result<(), EmuError>,
}

impl<'a> Up<'a> {
    fn new(device: &'a mut Device, frame: &'a mut Vec<u8>) -> Self {
        Self { device, frame, written: Ok(()) }
    }

    fn write(&mut self, packet: &Packet, segment: Option<Bytes>) {
        if self.written.is_ok() {
            write_frame(packet, segment, self.device.has_header(), self.frame);
            let failed = |source: io::Error| EmuError::Io { what: "a TUN device cannot be written".to_owned(), source };
            self.written = self.device.write(self.frame).map_err(failed);
        }
    }
}

/// So many frames are taken from one device before the others have their turn.
const AT_ONCE: usize = 64;
