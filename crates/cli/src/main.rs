//! The `ackless` command; see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ackless_cli::main()
}
