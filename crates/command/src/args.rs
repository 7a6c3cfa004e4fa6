//! What can be typed.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use ackless_cell::pcap::Bounds;
use ackless_lab::{LabError, input};
use ackless_model::{BatchLimit, CompressedSize, ack_agent, arq_proxy, tack};
use ackless_phy::OfdmRate;
use ackless_scenario::Scenario;
use ackless_wire::{Bytes, Duration};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::output::remark;

/// What do TCP acknowledgements cost on this Wi-Fi, and what would take them off the air?
#[derive(Debug, Parser)]
#[command(name = "ackless", version, propagate_version = true, after_help = AFTER_HELP)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
First steps: `ackless compare` runs the default scenario. `ackless scenarios` and `ackless schemes`
list what there is.

Tables are as wide as COLUMNS says, or else as the terminal, and at least 40 columns wide. Where
neither is known, as in a pipe, they have 120 columns.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario in several schemes and show them side by side.
    Compare(Compare),
    /// Run a scenario once.
    Run(Run),
    /// Run a scenario's cell on the clock, with real programs and the kernel's own TCP: a network namespace for the server and for each station.
    #[cfg(all(target_os = "linux", feature = "emulate"))]
    Emulate(Emulate),
    /// Run a scenario at every point of a grid, and keep each run in a folder, so that it can be resumed.
    Sweep(Sweep),
    /// List the built-in scenarios, or show one with every key and its meaning.
    Scenarios(Scenarios),
    /// List the schemes that rows of a comparison can name, or say what one is, where it comes from and what it breaks.
    Schemes(Schemes),
    /// Say what theory says, without a simulation.
    Model(Model),
    /// Print a script that completes commands, options, scenarios and schemes in a shell.
    Completions(Completions),
    /// Print the manual page, or write the pages of all commands into a folder.
    Man(Man),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells that commands can be completed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

const COMPLETIONS_HELP: &str = "\
For the shells of one user:
  ackless completions bash > ~/.local/share/bash-completion/completions/ackless
  ackless completions zsh > ~/.zfunc/_ackless    (with ~/.zfunc in fpath, before compinit)
  ackless completions fish > ~/.config/fish/completions/ackless.fish";

#[derive(Debug, ClapArgs)]
pub struct Man {
    /// Write ackless.1 and a page for each command into this folder, for example
    /// ~/.local/share/man/man1.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace what lies in the folder of --out.
    #[arg(long, requires = "out")]
    pub overwrite: bool,
}

/// The scenario that a command is about.
#[derive(Debug, ClapArgs)]
pub struct Subject {
    /// A built-in scenario (see `ackless scenarios`), a file whose name ends in .toml, or - for
    /// standard input.
    #[arg(value_name = "NAME|FILE.toml|-", default_value = "wifi-80211n")]
    pub scenario: String,

    /// Override a key of the scenario, for example wifi.mcs=5 or stations.count=10. May be repeated; the last wins.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl Subject {
    /// The scenario with its overrides.
    ///
    /// # Errors
    /// As [`input::scenario`] and [`input::stream`].
    pub fn read(&self) -> Result<Scenario, LabError> {
        let scenario = match self.scenario.as_str() {
            "-" => input::stream(std::io::stdin().lock(), &self.set),
            name => input::scenario(name, &self.set),
        }?;
        // Perhaps an empty file was not meant, such as one that a shell has just made for the
        // output.
        if scenario.is_silent() {
            remark(&format!("{} sets no key: every key has its default", scenario.name()));
        }
        Ok(scenario)
    }
}

/// What commands with many runs share.
#[derive(Debug, ClapArgs)]
pub struct Effort {
    /// How many seeds each row runs, counted from 1 [default: run.seeds of the scenario].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1, 10_000), allow_negative_numbers = true)]
    pub seeds: Option<u32>,

    /// Schemes to run, divided by commas, or all: every one that makes sense there (see `ackless schemes`) [default: run.schemes of the
    /// scenario].
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub schemes: Vec<String>,

    /// How many threads to use; 0 is one for each core. The results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u16>(0, 1_024), allow_negative_numbers = true)]
    pub threads: u16,
}

#[derive(Debug, ClapArgs)]
pub struct Compare {
    #[command(flatten)]
    pub subject: Subject,

    #[command(flatten)]
    pub effort: Effort,

    /// Compare values of a key instead of schemes, for example transport.ack=1,2,4 or wifi.mcs=0..7. May be repeated.
    #[arg(long, value_name = "KEY=VALUES")]
    pub vary: Vec<String>,

    /// Print one JSON object with every run instead of tables.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print CSV, a line for each row, instead of tables.
    #[arg(long)]
    pub csv: bool,

    /// Also write comparison.txt, .json, .csv and .svg, the picture, into this folder. What lies there of another comparison is not replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace what lies in the folder of --out, whatever it is of.
    #[arg(long, requires = "out")]
    pub overwrite: bool,

    #[cfg(all(target_os = "linux", feature = "emulate"))]
    #[command(flatten)]
    pub emulation: Emulation,
}

/// How a comparison is emulated.
#[cfg(all(target_os = "linux", feature = "emulate"))]
#[derive(Debug, ClapArgs)]
pub struct Emulation {
    /// Also emulate each row: a download by the kernel's TCP and iperf3 at every station, with the simulated figure under transport.preset=linux beside it. It takes the time
    /// that it says: whole seconds of run.warm_up and run.measured for each run.
    #[arg(long, conflicts_with_all = ["vary", "threads", "out"])]
    pub emulated: bool,

    /// The congestion controls of the kernel to measure with, divided by commas.
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "cubic", requires = "emulated")]
    pub tcp: Vec<String>,

    /// What the hosts' kernels leave to their devices, divided by commas; see `ackless emulate --help`.
    #[arg(
        long,
        value_enum,
        value_name = "HOW,..",
        value_delimiter = ',',
        default_value = "off,gro",
        requires = "emulated"
    )]
    pub offload: Vec<Offloads>,

    /// With what the names of the network namespaces begin.
    #[arg(long, value_name = "NAME", default_value = "ackless", requires = "emulated")]
    pub name: String,

    /// Watch the clock for this long before each event instead of sleeping; see `ackless emulate --help`.
    #[arg(long, value_name = "TIME", value_parser = ackless_scenario::time, default_value = "0us", requires = "emulated")]
    pub spin: Duration,
}

#[derive(Debug, ClapArgs)]
pub struct Run {
    #[command(flatten)]
    pub subject: Subject,

    /// The seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX), allow_negative_numbers = true)]
    pub seed: u64,

    /// The scheme to run (see `ackless schemes`); stock is the scenario as it is written.
    #[arg(long, value_name = "NAME", default_value = "stock")]
    pub scheme: String,

    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,

    /// Show every line of tables that are otherwise folded, such as each data rate of each link.
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    #[command(flatten)]
    pub recorded: Recorded,
}

/// Files with what happens in a cell.
#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("files").args(["pcap", "timeline"]).multiple(true)))]
pub struct Recorded {
    /// Also write everything that goes over the air, warm-up included, into this file, for Wireshark.
    #[arg(long, value_name = "FILE.pcapng")]
    pub pcap: Option<PathBuf>,

    /// The most bytes of the capture, for example 100MB: it ends before the first frame that does
    /// not fit.
    #[arg(long, value_name = "SIZE", value_parser = ackless_scenario::size, requires = "pcap")]
    pub pcap_limit: Option<Bytes>,

    /// The most bytes of each frame in the capture, radiotap header included, for example 200B.
    #[arg(long, value_name = "SIZE", value_parser = snap_len, requires = "pcap")]
    pub pcap_snaplen: Option<u32>,

    /// Also write what the air did, and every 10 ms how each flow stood, for plotting: FILE.json has both; FILE.csv has the air, and
    /// FILE.series.csv beside it the flows. Warm-up included.
    #[arg(long, value_name = "FILE.csv|FILE.json")]
    pub timeline: Option<PathBuf>,

    /// Replace what lies where --pcap and --timeline write.
    #[arg(long, requires = "files")]
    pub overwrite: bool,
}

impl Recorded {
    /// Whether any file is wanted.
    pub fn is_wanted(&self) -> bool {
        self.pcap.is_some() || self.timeline.is_some()
    }

    /// How much of the cell the capture keeps.
    pub fn bounds(&self) -> Bounds {
        Bounds { bytes: self.pcap_limit, snap_len: self.pcap_snaplen }
    }
}

#[cfg(all(target_os = "linux", feature = "emulate"))]
#[derive(Debug, ClapArgs)]
pub struct Emulate {
    #[command(flatten)]
    pub subject: Subject,

    /// The seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX), allow_negative_numbers = true)]
    pub seed: u64,

    /// The scheme to run (see `ackless schemes`); stock is the scenario as it is written.
    #[arg(long, value_name = "NAME", default_value = "stock")]
    pub scheme: String,

    /// With what the names of the network namespaces begin; two emulations side by side need different ones.
    #[arg(long, value_name = "NAME", default_value = "ackless")]
    pub name: String,

    /// How long to run, for example 30s [default: until Ctrl-C, or the end of COMMAND]. A COMMAND
    /// that still runs then is ended, and the exit code is 124.
    #[arg(long, value_name = "TIME", value_parser = ackless_scenario::time)]
    pub duration: Option<Duration>,

    /// The server is whoever is behind this Ethernet interface, instead of a namespace made for it; see docs/emulate.md.
    #[arg(long, value_name = "NAME")]
    pub server_dev: Option<String>,

    /// The first station is whoever is behind this Ethernet interface; given again, the next one, and so on.
    #[arg(long, value_name = "NAME")]
    pub station_dev: Vec<String>,

    /// Where COMMAND runs: a station's name, server, or here, which is where this program runs [default: the first station; here where that is behind an interface].
    #[arg(long = "in", value_name = "PLACE", requires = "command")]
    pub inside: Option<String>,

    /// What the hosts' kernels leave to their devices: off is single packets both ways; gro merges what the cell hands up at once; full does that, and takes apart the large
    /// packets of TCP; scenario is what stations.gro and .tso, server.gro and .tso say.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Offloads::Scenario)]
    pub offload: Offloads,

    /// Watch the clock for this long before each event instead of sleeping, for example 50us: more exact, and takes a whole core.
    #[arg(long, value_name = "TIME", value_parser = ackless_scenario::time, default_value = "0us")]
    pub spin: Duration,

    /// Also run the scenario's own flows and pings, as background.
    #[arg(long)]
    pub with_flows: bool,

    /// Print one JSON object at the end instead of text.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub recorded: Recorded,

    /// A program and its arguments; the emulation ends with it, and its exit code is ours.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

/// What the hosts' kernels leave to their devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Offloads {
    /// As the scenario's hosts have it.
    Scenario,
    /// Nothing.
    Off,
    /// Merging on the way up.
    Gro,
    /// Merging, and taking apart on the way down.
    Full,
}

#[derive(Debug, ClapArgs)]
pub struct Sweep {
    #[command(flatten)]
    pub subject: Subject,

    #[command(flatten)]
    pub effort: Effort,

    /// A key and its values, for example stations.count=1,2,5,10 or wifi.mcs=0..7. May be repeated: every combination is
    /// run.
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub over: Vec<String>,

    /// Print CSV, a line for each point and row, instead of a table.
    #[arg(long)]
    pub csv: bool,

    /// The folder for the runs, the tables sweep.csv and runs.csv, and, for one key or two, the picture sweep.svg. Runs that are
    /// already there are not repeated: more values, schemes and seeds make a sweep larger. What lies there of another sweep is not replaced.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Replace the tables in the folder of --out, whatever they are of.
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Scenarios {
    #[command(subcommand)]
    pub action: Option<ScenarioAction>,
}

#[derive(Debug, Subcommand)]
pub enum ScenarioAction {
    /// List the built-in scenarios: the same as without a command.
    List,
    /// Show a scenario with every key, its value and its meaning, as a file that can be edited and run.
    Show {
        #[command(flatten)]
        subject: Subject,

        /// As which scheme's row runs it (see `ackless schemes`): with what the row and a preset of hosts have laid over it; stock is the scenario as it is written.
        #[arg(long, default_value = "stock", value_name = "NAME")]
        scheme: String,

        /// Only the keys whose values are not their defaults, without comments. The file is the
        /// same scenario.
        #[arg(long)]
        short: bool,
    },
    /// Show the reference page of all keys, in Markdown.
    Keys,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Schemes {
    #[command(subcommand)]
    pub action: Option<SchemeAction>,

    /// The same as `show NAME`.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum SchemeAction {
    /// List the schemes: the same as without a command.
    List,
    /// Say what a scheme is, its options with their values, where it comes from, what it needs and what it is known to break.
    Show {
        /// Its name, as `ackless schemes` lists it.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, ClapArgs)]
pub struct Model {
    #[command(subcommand)]
    pub question: Question,
}

#[derive(Debug, Subcommand)]
pub enum Question {
    /// What TCP with delayed ACKs, TCP/HACK and UDP get at every PHY rate: section 2.1 and figure 1 of the TCP/HACK paper.
    Hack(HackModel),
    /// What the TCP ACK agent with auto-zoom gets: section II's sums, S_TCP, and the standard exchange that the paper does not write.
    AckAgent(AgentModel),
    /// What frames cost without their link-layer ACKs: equations 2 to 8 of the ACK filtering paper, and TCP whose ACKs go so.
    AckFilter(FilterModel),
    /// What the ARQ proxy gets over datagram sizes and losses, and the RTT that it saves: a closed form of what its paper simulates.
    ArqProxy(ProxyModel),
    /// How often TACK acknowledges, what that leaves of the air, and the buffer that it needs: equations 1 to 4 of its paper.
    Tack(TackModel),
}

/// What form the answer to a question has, and where it goes.
#[derive(Debug, ClapArgs)]
pub struct AnswerIn {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    pub json: bool,

    /// Also write the answer into this folder, as text and JSON called by the question's name, and its figures as SVG.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace what lies in the folder of --out.
    #[arg(long, requires = "out")]
    pub overwrite: bool,
}

#[derive(Debug, ClapArgs)]
pub struct HackModel {
    /// Only 802.11a (6 to 54 Mbps) or 802.11n (40 MHz, 400 ns, 1 to 4 streams: 15 to 600 Mbps) [default: both].
    #[arg(long, value_name = "a|n", conflicts_with = "tables")]
    pub standard: Option<HackStandard>,

    /// What bounds A-MPDUs beside 65,535 bytes: a TXOP for PPDU and BlockAck, as in the paper's footnote 4; none for the
    /// longest PPDU of the standard, 5.484 ms; length for nothing else.
    #[arg(long, value_name = "TIME|none|length", default_value = "4ms", value_parser = batch_limit)]
    pub txop: BatchLimit,

    /// Mean bytes of a compressed ACK; 4.36 is what the paper measured.
    #[arg(long, value_name = "BYTES", default_value = "4.36", allow_negative_numbers = true)]
    pub ack_bytes: CompressedSize,

    /// Show tables 2 and 3 instead: how many ACKs 25 MiB take, and what they cost.
    #[arg(long, conflicts_with = "out")]
    pub tables: bool,

    #[command(flatten)]
    pub answer: AnswerIn,
}

#[derive(Debug, ClapArgs)]
pub struct AgentModel {
    /// Only 802.11b (11 Mbps, Acks at 2) or 802.11a and g (54 Mbps, Acks at 6), as in Table I [default: both].
    #[arg(long, value_name = "b|ag")]
    pub standard: Option<AgentStandard>,

    /// Lengths of a TCP segment, TCP header included, 21 to 2276 bytes, divided by commas.
    #[arg(long, value_name = "BYTES,..", value_delimiter = ',', default_value = "100,200,500,1000,1480",
          value_parser = whole::<u64>(21, 2_276), allow_negative_numbers = true)]
    pub segments: Vec<u64>,

    /// minCWmin, as a number of values, 1 to 16: 2 means that back-offs are 0 or 1.
    #[arg(long, value_name = "VALUES", default_value_t = ack_agent::MIN_CW_MIN,
          value_parser = whole::<u16>(1, 16), allow_negative_numbers = true)]
    pub min_cw: u16,

    #[command(flatten)]
    pub answer: AnswerIn,
}

#[derive(Debug, ClapArgs)]
pub struct FilterModel {
    /// The rate of 802.11a, in Mbps, at which frame sizes are compared.
    #[arg(long, value_name = "MBPS", default_value = "24",
          value_parser = PossibleValuesParser::new(["6", "9", "12", "18", "24", "36", "48", "54"]).try_map(ofdm_rate))]
    pub rate: OfdmRate,

    /// L_data, the payload of a frame, 1 to 2304 bytes, divided by commas.
    #[arg(long, value_name = "BYTES,..", value_delimiter = ',', default_value = "1,40,64,128,256,512,1024,1500,2304",
          value_parser = whole::<u64>(1, 2_304), allow_negative_numbers = true)]
    pub frames: Vec<u64>,

    /// L_mac, what is around the payload, 0 to 64 bytes. The paper does not say; 34 is four addresses and the FCS.
    #[arg(long, value_name = "BYTES", default_value_t = 34,
          value_parser = whole::<u64>(0, 64), allow_negative_numbers = true)]
    pub mac_bytes: u64,

    /// Data packets for each TCP ACK, 1 to 64.
    #[arg(long, value_name = "L", default_value_t = 2,
          value_parser = whole::<u64>(1, 64), allow_negative_numbers = true)]
    pub ack_every: u64,

    #[command(flatten)]
    pub answer: AnswerIn,
}

#[derive(Debug, ClapArgs)]
pub struct ProxyModel {
    /// Lengths of a TCP/IP datagram, headers included, 40 to 2296 bytes, divided by commas.
    #[arg(long, value_name = "BYTES,..", value_delimiter = ',', default_value = "40,100,200,500,1000,1500",
          value_parser = whole::<u64>(40, 2_296), allow_negative_numbers = true)]
    pub datagrams: Vec<u64>,

    /// How often a frame is sent before it is given up, 1 to 255.
    #[arg(long, value_name = "N", default_value_t = arq_proxy::RETRY_LIMIT,
          value_parser = whole::<u8>(1, 255), allow_negative_numbers = true)]
    pub retry_limit: u8,

    #[command(flatten)]
    pub answer: AnswerIn,
}

#[derive(Debug, ClapArgs)]
pub struct TackModel {
    /// RTTmin in ms, 1 to 10000, divided by commas.
    #[arg(long, value_name = "MS,..", value_delimiter = ',', default_value = "10,20,80,200",
          value_parser = whole::<u64>(1, 10_000), allow_negative_numbers = true)]
    pub rtts: Vec<u64>,

    /// beta, the TACKs in a round trip, 2 to 64.
    #[arg(long, value_name = "N", default_value_t = tack::Tack::PAPER.beta,
          value_parser = whole::<u32>(2, 64), allow_negative_numbers = true)]
    pub beta: u32,

    /// L, the full-sized packets for each ACK, 1 to 64.
    #[arg(long, value_name = "L", default_value_t = tack::Tack::PAPER.every,
          value_parser = whole::<u32>(1, 64), allow_negative_numbers = true)]
    pub ack_every: u32,

    #[command(flatten)]
    pub answer: AnswerIn,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AgentStandard {
    /// 802.11b.
    B,
    /// 802.11a and g.
    Ag,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum HackStandard {
    /// 802.11a.
    A,
    /// 802.11n.
    N,
}

/// Reads `4ms`, `2528us`, `none` or `length`. The longest TXOP is what its field can say, 255 units of 32 us (802.11-2020,
/// 9.2.4.5.4).
fn batch_limit(text: &str) -> Result<BatchLimit, String> {
    let micros = match text {
        "none" => return Ok(BatchLimit::Ppdu),
        "length" => return Ok(BatchLimit::Length),
        _ => match (text.strip_suffix("ms"), text.strip_suffix("us")) {
            (Some(millis), _) => millis.parse::<u64>().ok().and_then(|millis| millis.checked_mul(1_000)),
            (_, Some(micros)) => micros.parse().ok(),
            _ => None,
        },
    };
    let micros = micros.filter(|micros| (1..=LONGEST_TXOP_MICROS).contains(micros)).ok_or_else(|| {
        format!("expected a whole number of ms or us up to {LONGEST_TXOP_MICROS}us, for example 4ms or 2528us; or none; or length")
    })?;
    Ok(BatchLimit::Txop(Duration::from_micros(micros)))
}

/// Reads the most bytes of a frame in a capture.
fn snap_len(text: &str) -> Result<u32, String> {
    let bytes = ackless_scenario::size(text)?.get();
    let least = u64::from(LEAST_SNAP_LEN);
    u32::try_from(bytes)
        .ok()
        .filter(|_| bytes >= least)
        .ok_or_else(|| format!("expected at least {least}B, which hold the longest header of 802.11 and radiotap"))
}

/// Reads whole numbers from `least` to `most`.
fn whole<N>(least: N, most: N) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
    }
}

/// Reads one of the rates of 802.11a, in Mbps.
fn ofdm_rate(text: String) -> Result<OfdmRate, String> {
    let rate = OfdmRate::ALL.into_iter().find(|rate| text.parse() == Ok(rate.bits().bps() / 1_000_000));
    rate.ok_or_else(|| format!("802.11a has no rate of {text} Mbps"))
}

/// The radiotap header and the header of 802.11 fit into it.
const LEAST_SNAP_LEN: u32 = 80;

const LONGEST_TXOP_MICROS: u64 = 255 * 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_refused_with_its_range() {
        let read = whole(1_u8, 255);
        assert_eq!((read("1"), read("255")), (Ok(1), Ok(255)));
        for text in ["0", "256", "-1", "7.5", "", "seven"] {
            assert_eq!(read(text), Err("expected a whole number from 1 to 255".to_owned()), "{text}");
        }
    }

    #[test]
    fn a_txop_is_a_whole_time_that_its_field_can_say() {
        let txop = |micros| Ok(BatchLimit::Txop(Duration::from_micros(micros)));
        assert_eq!(batch_limit("4ms"), txop(4_000));
        assert_eq!(batch_limit("8160us"), txop(8_160));
        assert_eq!(batch_limit("none"), Ok(BatchLimit::Ppdu));
        assert_eq!(batch_limit("length"), Ok(BatchLimit::Length));
        for text in ["", "4", "ms", "0us", "9ms", "-1ms", "4s", "99999999999999999999ms", "18446744073709551ms"] {
            let message = batch_limit(text).expect_err(text);
            assert!(message.contains("8160us"), "{message}");
        }
    }
}
