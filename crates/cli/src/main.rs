//! The `ackless` program: [`ackless_command`], and nothing else. How it is optimised is how all of it is optimised as it is linked.

use std::process::ExitCode;

fn main() -> ExitCode {
    ackless_command::main()
}
