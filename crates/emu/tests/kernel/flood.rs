//! Whoever floods a device does not decide when an emulation ends.

use std::io;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ackless_cell::flows::Place;
use ackless_emu::device::Addresses;
use ackless_emu::namespace::Door;

use crate::rig::{Heard, SINGLE, cell, with_hosts};

#[test]
fn an_emulation_ends_when_it_is_to_under_a_flood_that_never_lets_a_device_run_dry() {
    let config = cell("wifi-80211n", "tcp", &[]);
    let lasts = Arc::new(AtomicBool::new(true));
    let flooded = Arc::clone(&lasts);
    let work = move |hosts: Vec<Door>| {
        // It goes on behind the emulation's back: from both sides, and longer than anybody's patience.
        for (host, to) in [(0, Place::Station(1)), (0, Place::Station(1)), (1, Place::Server), (1, Place::Server)] {
            let socket = hosts[host].within(|| UdpSocket::bind("0.0.0.0:0"))?;
            let (address, lasts) = (Addresses::of(to).v4, Arc::clone(&flooded));
            std::thread::spawn(move || -> io::Result<()> {
                while lasts.load(Ordering::Relaxed) {
                    // What the queue has no room for is nobody's loss, and with the device the flood is over.
                    let _ = socket.send_to(&[0; 32], (address, 9));
                }
                Ok(())
            });
        }
        let limit = Arc::clone(&flooded);
        std::thread::spawn(move || {
            let (nobody, told) = mpsc::channel::<()>();
            let waited = told.recv_timeout(Duration::from_secs(30));
            drop(nobody);
            limit.store(waited.is_ok(), Ordering::Relaxed);
        });
        Ok(())
    };
    let Some(((), emulated)) = with_hosts("t-flood", &config, SINGLE, &Heard::default(), work) else { return };
    assert!(lasts.swap(false, Ordering::Relaxed), "it ended only with the flood");
    assert!(emulated.tally.of(Place::Server).sent > 0, "nobody has flooded it");
}
