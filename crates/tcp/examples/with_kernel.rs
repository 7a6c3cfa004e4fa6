//! Long transfers between our TCP and the kernel's through a TUN device, byte for byte: each way at 0, 1 and 5 % loss, with one packet in a hundred
//! overtaken and one doubled.
//!
//! ```text
//! cargo run --release -p ackless-tcp --example with_kernel              # 200 MB each way at each loss
//! cargo run --release -p ackless-tcp --example with_kernel 20000000 0.02  # so many bytes at so much loss
//! ```
//!
//! It needs root, or CAP_NET_ADMIN, and `/dev/net/tun`. The tests do the same with less (`tests/linux`), whose files these are.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[path = "../tests/linux/bulk.rs"]
mod bulk;
#[cfg(target_os = "linux")]
#[path = "../tests/linux/host.rs"]
mod host;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (total, losses) = match &arguments[..] {
        [] => (Ok(200_000_000), Ok(vec![0.0, 0.01, 0.05])),
        [total] => (total.parse(), Ok(vec![0.0, 0.01, 0.05])),
        [total, loss] => (total.parse(), loss.parse().map(|loss| vec![loss])),
        _ => (Ok(0), Ok(Vec::new())),
    };
    match (total, losses) {
        (Ok(total), Ok(losses)) if total > 0 && losses.iter().all(|loss| (0.0..0.5).contains(loss)) => {
            run(total, &losses)
        }
        _ => {
            eprintln!("error: with_kernel [BYTES [LOSS]]: a number of bytes above 0, and a loss from 0 to below 0.5");
            ExitCode::from(2)
        }
    }
}

#[cfg(target_os = "linux")]
fn run(total: usize, losses: &[f64]) -> ExitCode {
    use ackless_tcp::Config;

    for (seed, &loss) in (1..).zip(losses) {
        // The host has said why where there is none.
        let Some(mut host) = host::Host::new(230, seed, host::Path::rough(loss)) else { return ExitCode::from(2) };
        let config = Config { rto_min: host::RTO_MIN, ..Config::default() };
        let end = bulk::to_kernel(&mut host, config.clone(), total);
        host.report(&format!("we send at a loss of {loss}"), total, &end);
        let end = bulk::from_kernel(&mut host, config, total);
        host.report(&format!("we receive at a loss of {loss}"), total, &end);
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn run(_total: usize, _losses: &[f64]) -> ExitCode {
    eprintln!("error: this is not Linux");
    ExitCode::from(2)
}
