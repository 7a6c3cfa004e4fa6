//! The loop: what the kernel sends goes into the cell when it comes, and what comes out of the cell goes to the kernel when the clock says so.
//!
//! The clock is the kernel's monotonic one, whatever that follows: the wall, or the virtual time of a machine in which computing takes none. The cell runs
//! behind it by what waking up takes, never ahead, and never slower: what comes late is counted ([`Tally::lateness`]).

use std::marker::PhantomData;
use std::os::fd::{AsFd, BorrowedFd};

use ackless_cell::OpenCell;
use ackless_cell::flows::Place;
use ackless_cell::outside::{Arrival, Refusal};
use ackless_wire::{Bytes, Duration, Instant, Packet};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl;
use nix::sys::time::TimeSpec;

use crate::EmuError;
use crate::bridge::{Bridge, Header, Move, Way, answered};
use crate::device::{Buffers, Device};
use crate::offload::{Batch, write_bytes, write_frame};
use crate::standing::Standing;
use crate::tally::Tally;
use crate::too_big::{Fate, Limit, fate};
use crate::world::index;

/// A cell with its devices on a clock.
pub struct Drive<'a, 'o> {
    cell: &'a mut OpenCell<'o>,
    devices: Vec<Device>,
    /// Those at which something waits, by their places in the list.
    waiting: Vec<usize>,
    /// Where the devices are of Ethernet.
    bridge: Option<Bridge>,
    tally: Tally,
    /// How often packets are called too big.
    told: Limit,
    clock: Clock,
    buffers: Buffers,
    arrivals: Vec<Arrival>,
    batch: Batch,
    frame: Vec<u8>,
    /// How long before an event it stops sleeping and watches the clock.
    spin: Duration,
    _timers: ExactTimers,
}

/// Why [`Drive::run`] has come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// It is the time that was asked for.
    Time,
    /// Something can be read from what was watched beside the devices.
    Watched,
    /// The device of this host is gone.
    Gone(Place),
}

/// This thread's timers are exact for as long as this lives, and are then as before: by itself the kernel puts them off by up to 50 us.
#[derive(Debug)]
struct ExactTimers {
    before: u64,
    /// It is about the thread.
    _here: PhantomData<*const ()>,
}

impl ExactTimers {
    fn begin() -> Result<Self, EmuError> {
        let refused = || EmuError::sys("the timers of this thread cannot be made exact");
        let before = prctl::get_timerslack().map_err(refused())?;
        prctl::set_timerslack(1).map_err(refused())?;
        Ok(Self { before: before.unsigned_abs().into(), _here: PhantomData })
    }
}

impl Drop for ExactTimers {
    fn drop(&mut self) {
        // What could be set can be set back.
        let _ = prctl::set_timerslack(self.before);
    }
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

impl<'a, 'o> Drive<'a, 'o> {
    /// Begins now: the clock runs from here. Within `spin` of an event the loop does not sleep; zero always sleeps.
    ///
    /// # Errors
    /// Where the kernel does not wake this thread in time.
    pub fn new(cell: &'a mut OpenCell<'o>, devices: Vec<Device>, spin: Duration) -> Result<Self, EmuError> {
        let timers = ExactTimers::begin()?;
        for device in &devices {
            for address in device.addresses().into_iter().flatten() {
                cell.settle(address, device.place).map_err(|error| EmuError::Wrong {
                    what: error.to_string(),
                    help: "leave out --with-flows, or take other addresses".to_owned(),
                })?;
            }
        }
        let tally = Tally::new(devices.len());
        let clock = Clock::start();
        Ok(Self {
            bridge: devices.iter().any(Device::is_ethernet).then(Bridge::default),
            cell,
            devices,
            waiting: Vec::new(),
            tally,
            told: Limit::default(),
            clock,
            buffers: Buffers::default(),
            arrivals: Vec::new(),
            batch: Batch::default(),
            frame: Vec::new(),
            spin,
            _timers: timers,
        })
    }

    /// Runs until a time, until something can be read from one of `watched`, or until a device is
    /// gone.
    ///
    /// # Errors
    /// Where a device fails otherwise than that it is down or gone.
    pub fn run(&mut self, until: Instant, watched: &[BorrowedFd<'_>]) -> Result<Woken, EmuError> {
        loop {
            let now = self.clock.now();
            self.advance(now.min(until))?;
            while self.take_from_kernel()? {
                let later = self.clock.now();
                self.advance(later.min(until))?;
                // Whoever floods a device does not decide when this ends.
                if later >= until || later.saturating_since(now) >= LOOK {
                    break;
                }
            }
            if self.devices.iter().any(Device::is_in_doubt)
                && let Some(gone) = self.look_at(Device::is_in_doubt)?
            {
                return Ok(Woken::Gone(gone));
            }
            if now >= until {
                return Ok(Woken::Time);
            }
            let next = self.cell.poll_timeout().map_or(until, |next| next.min(until));
            if self.sleep(next, watched).map_err(EmuError::sys(UNWAITABLE))? {
                return Ok(Woken::Watched);
            }
        }
    }

    /// Finds out whether devices that were down are up again.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn look_at_those_down(&mut self) -> Result<Option<Place>, EmuError> {
        self.look_at(|device| device.standing() == Standing::Down)
    }

    /// Finds out how some of the devices stand. Returns one that is gone.
    #[cold]
    fn look_at(&mut self, which: impl Fn(&Device) -> bool) -> Result<Option<Place>, EmuError> {
        let now = self.clock.now();
        for device in self.devices.iter_mut().filter(|device| which(device)) {
            device.look(now).map_err(EmuError::io("the kernel does not say how a device stands"))?;
        }
        Ok(self.devices.iter().find(|device| device.standing() == Standing::Gone).map(|device| device.place))
    }

    /// How far the clock is.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The cell.
    pub fn cell(&self) -> &OpenCell<'o> {
        self.cell
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
        self.cell.advance(now + Duration::from_nanos(1));
        let mut last: Option<(Instant, Place)> = None;
        let mut late = Duration::ZERO;
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.cell.take_arrivals(&mut arrivals);
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
            let from = self.cell.home_of(arrival.packet.ip.src());
            self.tally.received(from, arrival.place, &arrival.packet, late);
            self.hand_up(arrival.place, &arrival.packet)?;
        }
        self.arrivals = arrivals;
        match last {
            Some((_, place)) => self.end_batch(place),
            None => Ok(()),
        }
    }

    fn hand_up(&mut self, place: Place, packet: &Packet) -> Result<(), EmuError> {
        let Self { devices, batch, frame, bridge, tally, .. } = self;
        let mut up = Up::new(&mut devices[index(place)], frame, bridge.as_ref());
        batch.take(up.device.offload().gro, packet, |packet, segment| up.write(packet, segment));
        up.end(tally)
    }

    fn end_batch(&mut self, place: Place) -> Result<(), EmuError> {
        let Self { devices, batch, frame, bridge, tally, .. } = self;
        let mut up = Up::new(&mut devices[index(place)], frame, bridge.as_ref());
        batch.end(|packet, segment| up.write(packet, segment));
        up.end(tally)
    }

    /// Takes what the kernel has sent at any device; whether there was anything.
    ///
    /// Devices at which nothing waits are not asked for it: with many of them that would take longer than what is read, and where time is virtual nothing else takes any
    /// (User-Mode Linux lets a system call that fails last 1 us).
    fn take_from_kernel(&mut self) -> Result<bool, EmuError> {
        self.wait(Duration::ZERO, &[]).map_err(EmuError::sys(UNWAITABLE))?;
        let waiting = std::mem::take(&mut self.waiting);
        let mut buffers = std::mem::take(&mut self.buffers);
        let mut any = false;
        for &n in &waiting {
            for _ in 0..AT_ONCE {
                let taken = self.devices[n].read(&mut buffers).map_err(EmuError::io(UNREADABLE))?;
                let Some(taken) = taken else { break };
                any = true;
                let place = self.devices[n].place;
                let way = match (&mut self.bridge, &taken.header) {
                    (Some(bridge), Some(header)) => bridge.way(place, header),
                    _ => Way::Cell,
                };
                let mut packets = taken.packets().peekable();
                if packets.peek().is_none() {
                    self.tally.sent(place, false);
                }
                match way {
                    Way::Cell => packets.try_for_each(|bytes| self.enter(place, taken.header, bytes))?,
                    Way::Past(to) => packets.try_for_each(|bytes| self.pass(place, to, taken.header, bytes))?,
                    Way::Nowhere => {}
                }
            }
        }
        self.buffers = buffers;
        self.waiting = waiting;
        Ok(any)
    }

    /// A packet goes into the cell at a place, if it can.
    fn enter(&mut self, place: Place, header: Option<Header>, bytes: &[u8]) -> Result<(), EmuError> {
        let refused = match Packet::from_bytes(bytes) {
            Ok(packet) => {
                if let (Some(bridge), Some(header)) = (&mut self.bridge, &header)
                    && let Some(Move { address, place, forgotten }) = bridge.enters(header, &packet)
                {
                    if let Some(forgotten) = forgotten {
                        self.cell.unsettle(forgotten);
                    }
                    // An address of the cell's own is refused with each packet that bears it.
                    let _ = self.cell.settle(address, place);
                }
                self.cell.inject(place, packet).err()
            }
            Err(_) => return self.count_sent(place, false),
        };
        match refused {
            Some(Refusal::TooLong(mtu)) => self.too_big(place, header, bytes, mtu),
            refused => self.count_sent(place, refused.is_none()),
        }
    }

    /// A packet is longer than the cell carries.
    #[cold]
    fn too_big(&mut self, place: Place, header: Option<Header>, bytes: &[u8], mtu: Bytes) -> Result<(), EmuError> {
        match fate(bytes, mtu) {
            Fate::Fragments(pieces) => pieces.iter().try_for_each(|piece| self.enter(place, header, piece)),
            Fate::Told(message) => {
                self.tally.sent(place, false);
                if self.told.allows(self.clock.now()) {
                    let device = &mut self.devices[index(place)];
                    write_bytes(&message, device.framing(header.as_ref().map(answered)), &mut self.frame);
                    device.write(&self.frame).map_err(EmuError::io(UNWRITABLE))?;
                }
                Ok(())
            }
            Fate::Silence => self.count_sent(place, false),
        }
    }

    fn count_sent(&mut self, place: Place, taken: bool) -> Result<(), EmuError> {
        self.tally.sent(place, taken);
        Ok(())
    }

    /// Hands what is no packet for one host past the cell.
    fn pass(&mut self, from: Place, to: Option<Place>, header: Option<Header>, bytes: &[u8]) -> Result<(), EmuError> {
        self.tally.passed(from);
        for device in &mut self.devices {
            if device.place != from && to.is_none_or(|to| device.place == to) {
                write_bytes(bytes, device.framing(header), &mut self.frame);
                device.write(&self.frame).map_err(EmuError::io(UNWRITABLE))?;
            }
        }
        Ok(())
    }

    /// Sleeps until a time, or until the kernel sends something. Returns whether something watched can be read.
    fn sleep(&mut self, until: Instant, watched: &[BorrowedFd<'_>]) -> nix::Result<bool> {
        let left = until.saturating_since(self.clock.now());
        self.wait(left.saturating_sub(self.spin), watched)
    }

    /// Finds the devices at which something waits, after at most so long. Returns whether something watched can be read.
    fn wait(&mut self, at_most: Duration, watched: &[BorrowedFd<'_>]) -> nix::Result<bool> {
        self.waiting.clear();
        let devices = self.devices.iter().map(AsFd::as_fd);
        let mut all: Vec<_> =
            devices.chain(watched.iter().copied()).map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        let timeout = std::time::Duration::from_nanos(at_most.as_nanos());
        match ppoll(&mut all, Some(TimeSpec::from_duration(timeout)), None) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(false),
            Err(error) => return Err(error),
        }
        let mut ready = all.iter().map(|fd| fd.any() == Some(true));
        self.waiting
            .extend(ready.by_ref().take(self.devices.len()).enumerate().filter_map(|(n, ready)| ready.then_some(n)));
        Ok(ready.any(|ready| ready))
    }
}

/// A device with what is written to it, and whether that went well.
struct Up<'a> {
    device: &'a mut Device,
    frame: &'a mut Vec<u8>,
    bridge: Option<&'a Bridge>,
    /// Packets for which no Ethernet address is known.
    homeless: u64,
    written: Result<(), EmuError>,
}

impl<'a> Up<'a> {
    fn new(device: &'a mut Device, frame: &'a mut Vec<u8>, bridge: Option<&'a Bridge>) -> Self {
        Self { device, frame, bridge, homeless: 0, written: Ok(()) }
    }

    fn write(&mut self, packet: &Packet, segment: Option<Bytes>) {
        if self.written.is_err() {
            return;
        }
        let header = self.bridge.map(|bridge| bridge.header(packet));
        if header == Some(None) {
            self.homeless += 1;
            return;
        }
        write_frame(packet, segment, self.device.framing(header.flatten()), self.frame);
        self.written = self.device.write(self.frame).map_err(EmuError::io(UNWRITABLE));
    }

    fn end(self, tally: &mut Tally) -> Result<(), EmuError> {
        if self.homeless > 0 {
            tally.homeless(self.device.place, self.homeless);
        }
        self.written
    }
}

/// So long it goes on with devices that never run dry before it looks what else there is.
const LOOK: Duration = Duration::from_millis(1);
/// So many frames are taken from one device before the others have their turn.
const AT_ONCE: usize = 64;
/// What failures are called.
const UNWAITABLE: &str = "waiting for packets failed";
/// Likewise.
const UNREADABLE: &str = "a device cannot be read";
/// Likewise.
const UNWRITABLE: &str = "a device cannot be written";
