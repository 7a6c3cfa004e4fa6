//! Which reports came, and how many did not: rho', the loss on the ACK path (paper, VI-C).

/// The serial numbers of reports.
///
/// A window of reports is counted at a time, and its share of lost ones is rho' until the next one is complete. The paper
/// computes it "when RTTmin is updated"; a window of a fixed number of reports says as much on any path.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    /// The newest serial; nothing before the first report.
    newest: Option<u32>,
    /// Which of the 64 serials up to the newest have come, the newest in the lowest bit.
    recent: u64,
    /// Expected and come since the window began.
    expected: u32,
    came: u32,
    loss_ppm: u32,
    /// Reports in a row that looked repeated.
    astray: u32,
}

/// What a report's serial says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// It is newer than all before.
    Newest,
    /// A newer one has come before.
    Late,
    /// It came before, is too old to tell, or so far ahead that it cannot be true.
    Repeated,
}

impl Reports {
    /// None has come.
    pub(crate) const fn new() -> Self {
        Self { newest: None, recent: 0, expected: 0, came: 0, loss_ppm: 0, astray: 0 }
    }

    /// A report with this serial came.
    pub(crate) fn on_report(&mut self, serial: u32) -> Order {
        // The first one has serial 0: those before the first that came were lost.
        let ahead = serial.wrapping_sub(self.newest.unwrap_or(u32::MAX)) as i32;
        if ahead > MAX_AHEAD {
            return self.on_stray(serial);
        }
        if ahead > 0 {
            self.astray = 0;
            let step = ahead as u32;
            self.recent = self.recent.checked_shl(step).unwrap_or(0) | 1;
            self.newest = Some(serial);
            self.expected += step;
            self.came += 1;
            self.close_window();
            return Order::Newest;
        }
        let bit = 1u64.checked_shl(ahead.unsigned_abs()).unwrap_or(0);
        if bit == 0 || self.recent & bit != 0 {
            return self.on_stray(serial);
        }
        self.astray = 0;
        self.recent |= bit;
        self.came += 1;
        Order::Late
    }

    /// A serial that looks repeated, or untrue. Where only such come, it is what is known that is untrue.
    const fn on_stray(&mut self, serial: u32) -> Order {
        self.astray += 1;
        if self.astray < MAX_ASTRAY {
            return Order::Repeated;
        }
        (self.newest, self.recent, self.expected, self.came, self.astray) = (Some(serial), 1, 0, 0, 0);
        Order::Newest
    }

    /// rho', in parts of a million, over the last complete window; zero before.
    pub(crate) const fn loss_ppm(&self) -> u32 {
        self.loss_ppm
    }

    fn close_window(&mut self) {
        if self.expected >= WINDOW {
            let lost = self.expected.saturating_sub(self.came);
            self.loss_ppm = (u64::from(lost) * 1_000_000 / u64::from(self.expected)) as u32;
            (self.expected, self.came) = (0, 0);
        }
    }
}

/// Reports of one window.
const WINDOW: u32 = 64;
/// So many reports are not lost in a row by a connection that lives. One from nowhere must not make all that follow look
/// late.
const MAX_AHEAD: i32 = 10_000;
/// So many reports in a row are not repeated by a network.
const MAX_ASTRAY: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tenth_report_lost_is_a_tenth() {
        let mut reports = Reports::new();
        for serial in (0..1000u32).filter(|serial| serial % 10 != 3) {
            assert_eq!(reports.on_report(serial), Order::Newest);
        }
        assert!((90_000..=110_000).contains(&reports.loss_ppm()), "{}", reports.loss_ppm());
    }

    #[test]
    fn a_serial_that_was_believed_in_error_does_not_silence_its_peer_for_ever() {
        let mut reports = Reports::new();
        assert_eq!(reports.on_report(9_000), Order::Newest, "from nowhere, but possible");
        let orders: Vec<_> = (0..200).map(|serial| reports.on_report(serial)).collect();
        assert!(orders[..63].iter().all(|&order| order == Order::Repeated));
        assert!(orders[63..].iter().all(|&order| order == Order::Newest));
        // After so many real losses that a serial seems untrue, too.
        let orders: Vec<_> = (50_000..50_200).map(|serial| reports.on_report(serial)).collect();
        assert_eq!(orders.iter().position(|&order| order == Order::Newest), Some(63));
    }

    #[test]
    fn a_late_report_is_not_lost_and_a_repeated_one_counts_once() {
        let mut reports = Reports::new();
        let mut serials: Vec<u32> = (0..640).collect();
        for pair in serials.chunks_exact_mut(2) {
            pair.reverse();
        }
        for pair in serials.chunks_exact(2) {
            assert_eq!(reports.on_report(pair[0]), Order::Newest);
            assert_eq!(reports.on_report(pair[1]), Order::Late);
            assert_eq!(reports.on_report(pair[1]), Order::Repeated);
            assert_eq!(reports.on_report(pair[0]), Order::Repeated);
        }
        assert!(reports.loss_ppm() <= 1_000_000 / 64, "at most the one under way at the window's edge");
    }

    #[test]
    fn serials_wrap_and_wild_ones_do_little() {
        let mut reports = Reports { newest: Some(u32::MAX - 1), recent: 1, ..Reports::new() };
        assert_eq!(reports.on_report(1), Order::Newest);
        assert_eq!(reports.on_report(u32::MAX), Order::Late);
        assert_eq!(reports.on_report(0x7000_0000), Order::Repeated);
        for serial in 2..200 {
            assert_eq!(reports.on_report(serial), Order::Newest);
        }
        assert_eq!(reports.loss_ppm(), 0);
        assert_eq!(reports.on_report(5), Order::Repeated);
    }
}
