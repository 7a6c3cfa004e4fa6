//! The corner states in which each rival must have been tried: counters of its own transitions, and what hosts do ([`HOSTS`]).
//!
//! Not here, because a whole cell never or seldom gets there, and so in the schemes' own suites by script (`crates/schemes/tests`):
//! - what only IPv6 or ECN brings about, or a window that closes on FastACK: `not_ipv4`, `kept_for_ecn`, `forwarded_ecn`, `native_flags`, `ecn_raised`,
//!   `zero_windows`, `window_limited`;
//! - what takes more flows, or longer ones, than these runs have: `table_full`, `no_room`, `not_cached`, `swept`, `forgotten`, `abandoned`,
//!   `records_recovered`, `templates_replaced`;
//! - what takes more ACKs in CAKE's queue than there often are (34 of 3,000 schedules had it, and 21 since devices hold some): `kept_above`;
//! - what a server does beyond the window that it was told: `edge_minded`;
//! - what takes data both ways on one connection: `native_piggybacked`;
//! - what takes a race within one SIFS, or a peer that is not one of ours: `too_late`, `released_late`, `requests_early`, `requests_undelivered`, `requests_stale`,
//!   `stale` and `passed_unknown` of FastACK, `ended_with_connection`.

/// So many different schedules must reach each.
pub const LEAST_SEEDS: usize = 30;

/// What lies above the MACs, whatever is done with ACKs: a packet that a station's host loses, and a look at a receiver whose application is so slow that there is no room for a segment.
pub const HOSTS: &[&str] = &[HOST_LOST, WINDOW_CLOSED];
/// Packets.
pub const HOST_LOST: &str = "host_lost";
/// Looks.
pub const WINDOW_CLOSED: &str = "window_closed";

/// The TCP ACK agent with a buffer.
pub const AGENT_BUFFER: &[&str] = &[
    "above_hole",
    "doubted",
    "duplicates_passed",
    "given_up",
    "handed_up_again",
    "hole_passed",
    "late",
    "lifted",
    "made",
    "native_duplicate",
    "native_other",
    "native_uncovered",
    "native_unknown",
    "refreshed",
    "refused",
    "resets",
    "restated",
    "stale",
    "swallowed",
    "without_facts",
];

/// The TCP ACK agent with a buffer that minds the window's edge. Less is refused.
pub const AGENT_PROMISE: &[&str] = &[
    "above_hole",
    "duplicates_passed",
    "given_up",
    "handed_up_again",
    "hole_passed",
    "late",
    "lifted",
    "made",
    "native_duplicate",
    "native_other",
    "native_uncovered",
    "native_unknown",
    "native_window",
    "refused",
    "resets",
    "restated",
    "stale",
    "swallowed",
    "without_facts",
];

/// The TCP ACK agent with a flag.
pub const AGENT_FLAG: &[&str] = &[
    "doubted",
    "duplicates_passed",
    "flag_late",
    "flag_off",
    "flag_on",
    "flag_repeated",
    "given_up",
    "hole_passed",
    "made",
    "native_duplicate",
    "native_other",
    "native_uncovered",
    "native_unknown",
    "refreshed",
    "resets",
    "restated",
    "stale",
    "swallowed",
    "unflagged",
];

/// ACK filtering.
pub const FILTER: &[&str] = &[
    "answered_legacy",
    "answered_to_ap",
    "answered_without_qos",
    "came_unanswered",
    "filtered_acks",
    "filtered_data",
    "filtered_sacks",
    "turned_back",
];

/// The ARQ proxy by sequence numbers.
pub const ARQ_SEQUENCE: &[&str] = &[
    "answer_lost",
    "cancelled",
    "confirmed",
    "covered",
    "native_closing",
    "native_dropped",
    "native_duplicate",
    "native_first",
    "native_first_of_flow",
    "native_sack",
    "native_unmapped",
    "outdated",
    "released",
    "repeated",
    "requested",
    "requests_late",
    "requests_repeated",
    "rescued",
    "templates",
    "templates_expired",
    "unsure",
];

/// What only hashes bring about, beside the states of sequence numbers.
pub const ARQ_HASH: &[&str] = &["hash_collision", "requests_unknown", "templates_refused"];

/// CAKE's filter.
pub const CAKE: &[&str] =
    &["dropped", "kept_duplicate", "kept_for_sack", "kept_for_timestamp", "kept_single", "kept_with_more"];

/// Drivers of the Broadcom kind.
pub const BROADCOM: &[&str] = &[
    "duplicates_merged",
    "held",
    "lost_in_queue",
    "older_swallowed",
    "passed_duplicate",
    "passed_length",
    "passed_older",
    "replaced",
    "sent_by_count",
    "sent_by_timer",
    "suppressed",
];

/// Drivers of the Samsung kind.
pub const SAMSUNG: &[&str] = &[
    "forwarded_below_rate",
    "forwarded_data",
    "forwarded_delayed",
    "forwarded_duplicate",
    "forwarded_older",
    "forwarded_sack",
    "forwarded_slow_start",
    "held",
    "no_record",
    "sent_by_count",
    "sent_by_timer",
    "steps_taken",
    "suppressed",
    "window_capped",
];

/// FastACK.
pub const FAST_ACK: &[&str] = &[
    "cache_full",
    "dropped_in_queue",
    "duplicates_awaited",
    "duplicates_ignored",
    "given_up",
    "made",
    "made_again",
    "opened",
    "passed_beyond",
    "passed_duplicate",
    "passed_window",
    "passed_with_more",
    "repaired",
    "repaired_by_timer",
    "repaired_delivered",
    "repaired_given_up",
    "repairs_lost",
    "reset",
    "retransmissions_passed",
    "retransmissions_swallowed",
    "suppressed",
    "window_updates",
];
