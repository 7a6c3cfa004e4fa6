//! What a packet costs does not grow with the number of flows that others open.

use ackless_schemes::testing::steps;

use crate::testing::crowd::{AP, Crowd, SCHEMES, STATION};

/// What others send, before the packets that are looked at and while they are.
#[derive(Clone, Copy, Debug)]
enum Load {
    /// A segment and its ACK of each flow after the other.
    InTurn,
    /// The same, each time of a new flow.
    EverNew,
    /// ACKs and segments of flows of which nothing else is ever seen.
    Stray,
}

impl Load {
    fn step(self, crowd: &mut Crowd, n: usize, flows: usize) {
        match self {
            Self::InTurn => crowd.exchange(n % flows),
            Self::EverNew => crowd.exchange(n),
            Self::Stray => {
                crowd.stray_ack(n);
                crowd.stray_data(n);
            }
        }
    }

    /// The most steps that one exchange takes, of many after so many flows.
    fn dearest(self, scheme: &str, node: usize, flows: usize) -> u64 {
        let mut crowd = Crowd::new(scheme, node);
        (0..flows).for_each(|n| self.step(&mut crowd, n, flows));
        let each = |n| {
            steps::take();
            self.step(&mut crowd, n, flows);
            steps::take()
        };
        (flows..flows + 300).map(each).max().unwrap_or(0)
    }
}

#[test]
fn an_exchange_among_many_flows_costs_no_more_than_the_logarithm_of_their_number() {
    for scheme in SCHEMES {
        for node in [STATION, AP] {
            for load in [Load::InTurn, Load::EverNew, Load::Stray] {
                for power in [4, 8, 12, 14] {
                    let steps = load.dearest(scheme, node, 1 << power);
                    let place = if node == AP { "AP" } else { "station" };
                    println!("{scheme} at the {place}, {load:?}, 2^{power} flows: {steps}");
                    assert!(
                        steps <= STEPS_FOR_EACH_DOUBLING * power + STEPS,
                        "{scheme} at the {place}, {load:?}, 2^{power} flows: an exchange took {steps} steps"
                    );
                }
            }
        }
    }
}

/// An exchange is up to five packets, each of which is looked for in two tables several times; a
/// node of a table's tree has eleven keys and is at least half full.
const STEPS_FOR_EACH_DOUBLING: u64 = 24;
/// What an exchange takes among few flows. The second solution of the agent looks at the flows of
/// the last 127 frames, whoever sent them.
const STEPS: u64 = 320;
