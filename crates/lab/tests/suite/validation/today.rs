//! The cell as people have it: `wifi-today`.

use super::support;

/// The station that is far sends little but ACKs, at times. Its frames that come a second time have an RTS before them, which must reach where data does.
#[test]
fn every_flow_of_the_cell_of_today_goes_on() {
    for row in ["tcp", "hack"] {
        for (seed, run) in (1..).zip(support::runs("wifi-today", row, &["run.measured=4s"], 2)) {
            for flow in &run.flows {
                let mbps = flow.goodput_mbps;
                println!("{row}, seed {seed}, {}: {mbps:.1} Mbps", flow.name);
                assert!(mbps > 5.0, "{row}, seed {seed}, {}: {mbps} Mbps", flow.name);
            }
        }
    }
}
