//! 802.11 ACK filtering in whole cells: its forms, what it costs and where it does harm, and the paper's experiment.

mod forms;
mod harm;
mod paper;

use ackless_cell::config::{CellConfig, SchemeChoice};
use ackless_schemes::filter::{FilterConfig, Filtered, Form};

/// The cell with this filter on all its nodes.
fn with_filter(mut config: CellConfig, form: Form, filtered: Filtered) -> CellConfig {
    let filter = SchemeChoice::Filter(FilterConfig { form, filtered });
    config.ap.scheme = filter;
    config.stations.iter_mut().for_each(|station| station.scheme = filter);
    config
}
