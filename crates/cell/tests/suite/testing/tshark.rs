//! What tshark says of a capture.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Command;

/// The fields of each record that tshark finds in `file`, read with the dissector `tools/wireshark/SCRIPT`; nothing, and a loud line, where there is no tshark.
pub fn shown(name: &str, file: &[u8], script: &str, options: &[String], fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("the build directory can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/wireshark").join(script);
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-X").arg(format!("lua_script:{}", script.display())).arg("-r").arg(&path);
    command.args(options.iter().flat_map(|option| ["-o", option]));
    command.args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]);
    command.args(fields.iter().flat_map(|field| ["-e", field]));
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            writeln!(
                std::io::stderr(),
                "SKIPPED: tshark is not installed, so nobody dissected {name} (apt-get install tshark)"
            )
            .expect("standard error takes a line");
            return None;
        }
        output => output.expect("tshark starts"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("Lua"), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("tshark writes text");
    Some(lines.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}
