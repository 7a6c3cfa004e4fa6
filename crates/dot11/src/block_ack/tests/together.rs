//! Originator and recipient over a channel that loses MPDUs, answers and requests; and the recipient against a model
//! that keeps one flag for each sequence number.

use ackless_wire::random::{Purpose, Stream};

use super::*;

/// Both ends of an agreement, the channel between them, and what happened to each packet.
struct Link {
    seed: u64,
    random: Stream,
    originator: Originator,
    recipient: Recipient,
    window: u16,
    loss: f64,
    /// How likely an MPDU has several packets.
    packs: f64,
    retry_limit: u32,
    offered: u32,
    fates: Vec<Option<Fate>>,
    accepted: usize,
    /// The further packets of the MPDUs that are sent, by sequence number.
    on_air: Vec<Vec<Mpdu>>,
    up: Vec<u32>,
}

impl Link {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let first = MacSeq::new(random.below(4096) as u16);
        // Half of all agreements have the largest window, the others any; the recipient's is no smaller than the originator's.
        let window = if random.chance(0.5) { MAX_WINDOW } else { 1 + random.below(u64::from(MAX_WINDOW)) as u16 };
        let buffer = window + random.below(u64::from(MAX_WINDOW - window) + 1) as u16;
        Self {
            seed,
            originator: Originator::new(first, window),
            recipient: Recipient::new(first, buffer),
            window,
            loss: [0.02, 0.1, 0.3, 0.6, 0.9][random.below(5) as usize],
            retry_limit: 1 + random.below(8) as u32,
            packs: [0.0, 0.5][(seed % 2) as usize],
            random,
            offered: 0,
            fates: Vec::new(),
            accepted: 0,
            on_air: vec![Vec::new(); MAX_WINDOW.into()],
            up: Vec::new(),
        }
    }

    fn lost(&mut self) -> bool {
        self.random.chance(self.loss)
    }

    /// Whether all of an originator is compared after each step with one that goes the long way: of some seeds, since it takes long.
    const fn is_compared(&self) -> bool {
        self.seed.is_multiple_of(7)
    }

    /// New packets in MPDUs of their own, in a run.
    fn offer_run(&mut self, new: u64) {
        let new = self.originator.room().min(new as usize);
        let first = self.originator.next_seq();
        let numbered = |n: u32| Mpdu { seq: first.plus(n as u16), ..mpdu(self.offered + n) };
        let mpdus: Vec<Mpdu> = (0..new as u32).map(numbered).collect();
        let mut onto = Vec::new();
        if self.is_compared() {
            let mut alone = self.originator.clone();
            let expected: Vec<Mpdu> = mpdus.iter().map(|mpdu| alone.push_new(*mpdu)).collect();
            self.originator.push_run(mpdus.iter(), &mut onto);
            assert_eq!(format!("{onto:?}"), format!("{expected:?}"), "seed {}", self.seed);
            assert_eq!(format!("{:?}", self.originator), format!("{alone:?}"), "seed {}", self.seed);
        } else {
            self.originator.push_run(mpdus.iter(), &mut onto);
        }
        self.offered += new as u32;
        self.fates.resize(self.offered as usize, None);
    }

    /// A packet in an MPDU of its own, or up to five in one.
    fn offer(&mut self) {
        self.originator.push_new(mpdu(self.offered));
        let joining = if self.random.chance(self.packs) { self.random.below(5) } else { 0 };
        let mut alone = (joining > 0 && self.is_compared()).then(|| self.originator.clone());
        let packets: Vec<Mpdu> = (1..=joining as u32).map(|n| mpdu(self.offered + n)).collect();
        // All at once, or some before the others.
        let (first, rest) = packets.split_at(self.random.below(joining + 1) as usize);
        for some in [first, rest].into_iter().filter(|some| !some.is_empty()) {
            self.originator.join(some.iter());
        }
        if let Some(alone) = &mut alone {
            packets.iter().for_each(|packet| alone.join(std::iter::once(packet)));
            assert_eq!(format!("{:?}", self.originator), format!("{alone:?}"), "seed {}", self.seed);
        }
        self.offered += 1 + joining as u32;
        self.fates.resize(self.offered as usize, None);
    }

    /// One exchange, with up to `new` packets not sent before.
    fn exchange(&mut self, new: u64) {
        if let Some(start) = self.originator.needs_bar() {
            assert_eq!(start, self.originator.window_start(), "seed {}", self.seed);
            let arrived = !self.lost();
            if arrived {
                self.recipient.on_request(start, |mpdu| self.up.push(mpdu.handle.0));
            }
            self.block_ack(arrived);
        } else {
            if self.packs == 0.0 {
                self.offer_run(new);
            }
            for _ in 0..new {
                if self.packs > 0.0 && self.originator.can_take_new() {
                    self.offer();
                }
            }
            let mut chosen: Vec<Mpdu> = self.originator.unacknowledged().copied().collect();
            for mpdu in &chosen {
                self.on_air[usize::from(mpdu.seq.get() % MAX_WINDOW)] = self.originator.more(mpdu).to_vec();
            }
            match self.random.below(6) {
                0 => self.single(chosen.first().copied()),
                // Those that do not fit stay behind.
                1 => {
                    let fits = 1.0 - self.loss;
                    chosen.retain(|_| self.random.chance(fits));
                    self.aggregate(&chosen);
                }
                _ => self.aggregate(&chosen),
            }
        }
        self.check();
    }

    fn single(&mut self, mpdu: Option<Mpdu>) {
        let Some(mpdu) = mpdu else { return };
        self.originator.mark_sent([mpdu.seq].into_iter());
        let arrived = self.transmit(mpdu);
        let (fates, seed) = (&mut self.fates, self.seed);
        if arrived && !self.random.chance(self.loss) {
            self.originator.on_ack(mpdu.seq, |mpdu, fate| settle(fates, seed, mpdu, fate));
            self.told();
        } else {
            self.originator.on_no_ack(mpdu.seq, self.retry_limit, |mpdu, fate| settle(fates, seed, mpdu, fate));
        }
    }

    fn aggregate(&mut self, mpdus: &[Mpdu]) {
        if mpdus.is_empty() {
            return;
        }
        self.originator.mark_sent(mpdus.iter().map(|mpdu| mpdu.seq));
        let any = mpdus.iter().fold(false, |any, &mpdu| self.transmit(mpdu) | any);
        self.block_ack(any);
    }

    /// Whether the MPDU arrived.
    fn transmit(&mut self, mpdu: Mpdu) -> bool {
        let arrived = !self.lost();
        if arrived {
            let packets = [&[mpdu], self.on_air[usize::from(mpdu.seq.get() % MAX_WINDOW)].as_slice()].concat();
            let parts: Vec<_> = packets.iter().map(|packet| (packet.part, packet.seq, packet.retry)).collect();
            let n = packets.len();
            let meant = |at: usize| match (at, n) {
                (_, 1) => Part::Alone,
                (0, _) => Part::First,
                (at, n) if at + 1 == n => Part::Last,
                _ => Part::Middle,
            };
            let all: Vec<_> = (0..n).map(|at| (meant(at), mpdu.seq, mpdu.retry)).collect();
            assert_eq!(parts, all, "seed {}: one MPDU", self.seed);
            let new = self.recipient.on_mpdu(&packets, |mpdu| self.up.push(mpdu.handle.0));
            self.accepted += if new.is_ok() { n } else { 0 };
        }
        arrived
    }

    fn block_ack(&mut self, sent: bool) {
        let heard = sent && !self.lost();
        let (fates, seed) = (&mut self.fates, self.seed);
        let fate = |mpdu: &Mpdu, fate| settle(fates, seed, mpdu, fate);
        if heard {
            self.originator.on_block_ack(self.recipient.bitmap(), self.retry_limit, fate);
            self.told();
        } else {
            self.originator.on_no_block_ack(self.retry_limit, fate);
        }
    }

    /// After an answer the recipient waits for nothing that has its fate, or is about to be told so.
    fn told(&self) {
        let behind = self.recipient.next_up().before(self.originator.window_start());
        assert!(!behind || self.originator.needs_bar().is_some(), "seed {}", self.seed);
    }

    fn check(&self) {
        let seed = self.seed;
        let outstanding = self.originator.next_seq().offset_from(self.originator.window_start());
        assert!(outstanding <= self.window, "seed {seed}: {outstanding} outstanding");
        assert!(self.up.is_sorted_by(|a, b| a < b), "seed {seed}: in order and once");
        assert_eq!(self.accepted, self.up.len() + self.recipient.held_packets(), "seed {seed}: none vanishes");
    }
}

fn settle(fates: &mut [Option<Fate>], seed: u64, mpdu: &Mpdu, fate: Fate) {
    let before = fates[mpdu.handle.0 as usize].replace(fate);
    assert_eq!(before, None, "seed {seed}: {mpdu:?} has one fate");
}

#[test]
fn whatever_is_lost_each_packet_has_one_fate_and_comes_up_once_in_order() {
    // The longest of these tests by far, on two cores.
    let halves = [0..200, 200..400];
    let runs = std::thread::scope(|scope| {
        let halves = halves.map(|seeds| scope.spawn(|| seeds.map(all_have_fates).collect::<Vec<_>>()));
        halves.map(|half| half.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).concat()
    });
    let delivered: usize = runs.iter().map(|run| run.0).sum();
    let given_up: u64 = runs.iter().map(|run| run.1).sum();
    let most = runs.iter().map(|run| run.2).max().unwrap_or(0);
    // Each run goes round the 4096 numbers at least twice, and the runs together do see both fates.
    assert!(most > 2 * 4096 && delivered > 1_000_000 && given_up > 100_000, "{delivered} up, {given_up} given up");
}

/// A link with losses until all its packets have their fate: how many came up, how many were given up, and how many there were.
fn all_have_fates(seed: u64) -> (usize, u64, u32) {
    let mut link = Link::new(seed);
    while link.offered < 10_000 {
        let new = link.random.below(70);
        link.exchange(new);
        if link.random.chance(0.0005) {
            let fates = &mut link.fates;
            link.originator.give_up_unacknowledged(|mpdu, fate| settle(fates, seed, mpdu, fate));
        }
    }
    link.loss = 0.0;
    link.exchange(1);
    for _ in 0..8 {
        link.exchange(u64::from(link.originator.is_empty()));
    }
    assert!(link.originator.is_empty(), "seed {seed}: the end is reached");
    assert_eq!(link.recipient.held(), 0, "seed {seed}: nothing is held for ever");
    let came_up: Vec<bool> = (0..link.offered).map(|handle| link.up.binary_search(&handle).is_ok()).collect();
    let mut given_up = 0;
    for (handle, fate) in link.fates.iter().enumerate() {
        match fate.unwrap_or_else(|| panic!("seed {seed}: {handle} has no fate")) {
            Fate::Delivered => assert!(came_up[handle], "seed {seed}: {handle} was acknowledged and lost"),
            Fate::GivenUp => given_up += 1,
        }
    }
    (link.up.len(), given_up, link.offered)
}

/// 10.25.6.3 as written, with a flag for each of the 4096 numbers.
struct Model {
    start: u16,
    window: u16,
    received: Vec<bool>,
}

impl Model {
    fn record(&mut self, seq: u16) {
        let offset = (seq + 4096 - self.start) % 4096;
        if offset < self.window {
            self.received[usize::from(seq)] = true;
        } else if offset < 2048 {
            self.move_to((seq + 4096 - (self.window - 1)) % 4096);
            self.received[usize::from(seq)] = true;
        }
    }

    fn request(&mut self, seq: u16) {
        if (seq + 4096 - self.start) % 4096 < 2048 {
            self.move_to(seq);
        }
    }

    fn move_to(&mut self, start: u16) {
        while self.start != start {
            self.received[usize::from(self.start)] = false;
            self.start = (self.start + 1) % 4096;
        }
    }

    fn bitmap(&self) -> Bitmap {
        let acknowledged: Vec<u16> =
            (0..self.window).map(|n| (self.start + n) % 4096).filter(|&seq| self.received[usize::from(seq)]).collect();
        bitmap(self.start, &acknowledged)
    }
}

#[test]
fn the_scoreboard_agrees_with_one_flag_per_number() {
    for seed in 0..200 {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let window = if seed < 100 { MAX_WINDOW } else { 1 + random.below(u64::from(MAX_WINDOW)) as u16 };
        let mut recipient = Recipient::new(MacSeq::new(0), window);
        let mut model = Model { start: 0, window, received: vec![false; 4096] };
        let mut about = 0;
        for step in 0..2_000 {
            // Mostly near the window, at times anywhere.
            let spread = if random.chance(0.01) { 4096 } else { 100 };
            about = (about + random.below(3) as u16) % 4096;
            let seq = (about + random.below(spread) as u16 + 4096 - 40) % 4096;
            if random.chance(0.05) {
                recipient.on_request(MacSeq::new(seq), |_| {});
                model.request(seq);
            } else {
                // Whether it is new is the reorder buffer's affair; the scoreboard records it either way.
                if recipient.on_mpdu(&[with_seq(seq)], |_| {}).is_err() {
                    assert!(recipient.held() < window, "seed {seed}, step {step}");
                }
                model.record(seq);
            }
            assert_eq!(recipient.bitmap(), model.bitmap(), "seed {seed}, step {step}");
        }
    }
}

/// MPDUs that come next, in a run or one by one, after any others and requests.
#[test]
fn a_run_of_mpdus_is_recorded_as_each_alone() {
    for seed in 0..300 {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let window = 1 + random.below(u64::from(MAX_WINDOW)) as u16;
        let mut recipient = Recipient::new(MacSeq::new(random.below(4096) as u16), window);
        let mut runs = 0;
        for _ in 0..200 {
            let ahead = |random: &mut Stream, most: u64| random.below(most) as u16;
            if recipient.held() == 0 && random.chance(0.5) {
                let count = ahead(&mut random, u64::from(MAX_WINDOW) + 1);
                let (first, mut alone) = (recipient.next_up(), recipient.clone());
                for n in 0..count {
                    let new = alone.on_mpdu(&[with_seq(first.plus(n).get())], |_| {});
                    assert!(new.is_ok(), "seed {seed}");
                }
                recipient.on_run(count);
                assert_eq!(format!("{recipient:?}"), format!("{alone:?}"), "seed {seed}: {count} from {first:?} on");
                runs += 1;
            } else if random.chance(0.2) {
                let by = if random.chance(0.1) { ahead(&mut random, 4096) } else { ahead(&mut random, 70) };
                recipient.on_request(recipient.next_up().plus(by), |_| {});
            } else {
                let by = ahead(&mut random, u64::from(window) + 3);
                let _ = recipient.on_mpdu(&[with_seq(recipient.next_up().plus(by).get())], |_| {});
                if random.chance(0.7) {
                    recipient.on_request(recipient.next_up().plus(by), |_| {});
                }
            }
        }
        assert!(runs > 20, "seed {seed}: {runs} runs");
    }
}
