//! How nodes transmit: rates, channel access and aggregation.

use ackless_cell::config::{Access, AggregationConfig, AnswerRate, BackoffPolicy, MacConfig, Topology};
use ackless_phy::ampdu::MAX_VHT_MPDU;
use ackless_phy::{
    AccessCategory, Band, BasicRates, DsssMode, EdcaParameters, GuardInterval, HtMode, LegacyRate, ModeError, OfdmMode,
    Preamble, Standard, Timing, TxVector, VhtMode, Width,
};
use ackless_wire::{BitRate, Bytes, Duration};

use super::contention::{backoff_policy, contention_window};
use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::{Setting, chosen};
use crate::value::{Auto, Value};

/// What all nodes of the cell share.
pub(super) struct Radio {
    pub(super) standard: Standard,
    pub(super) band: Band,
    pub(super) basic_rates: BasicRates,
    pub(super) answer_rate: AnswerRate,
    pub(super) group_rate: Option<TxVector>,
    preamble: Preamble,
    mac: MacConfig,
    legacy_cw: (u16, u16),
}

/// The keys from which a data rate follows, of the cell or of a group of stations.
pub(super) struct RateKeys<'a> {
    pub(super) rate: &'a Setting<Auto<BitRate>>,
    pub(super) mcs: &'a Setting<Auto<u32>>,
    pub(super) streams: &'a Setting<Auto<u32>>,
    pub(super) width: &'a Setting<Auto<Width>>,
    pub(super) guard_interval: &'a Setting<Auto<GuardInterval>>,
}

impl<'a> RateKeys<'a> {
    /// Each of these keys that says something, and else the shared one.
    fn or(&self, shared: Option<&RateKeys<'a>>) -> Self {
        Self {
            rate: chosen(self.rate, shared.map(|shared| shared.rate)),
            mcs: chosen(self.mcs, shared.map(|shared| shared.mcs)),
            streams: chosen(self.streams, shared.map(|shared| shared.streams)),
            width: chosen(self.width, shared.map(|shared| shared.width)),
            guard_interval: chosen(self.guard_interval, shared.map(|shared| shared.guard_interval)),
        }
    }

    /// The guard interval; 400 ns where nothing is said.
    fn guard(&self) -> GuardInterval {
        self.guard_interval.value.clone().unwrap_or_else(|| GuardInterval::Short)
    }
}

impl Radio {
    /// What the `[wifi]` section of `scenario` says.
    pub(super) fn of(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let wifi = &scenario.wifi;
        let standard = wifi.standard.value;
        let band = wifi.band.value.clone().unwrap_or_else(|| match standard {
            Standard::B | Standard::G => Band::Ghz2_4,
            Standard::A | Standard::N | Standard::Ac => Band::Ghz5,
        });
        if !standard.runs_in(band) {
            let message = format!("is {}, where {} does not run", band.word(), standard.word());
            return Err(scenario.refuse(&wifi.band, message, "use \"auto\""));
        }
        if standard != Standard::B {
            scenario.without_bearing(&wifi.preamble, "only 11b frames have one to choose")?;
        }
        let timing = Timing::of(standard, band);
        let mut radio = Self {
            standard,
            band,
            basic_rates: BasicRates::of(standard),
            answer_rate: AnswerRate::ByRule,
            group_rate: None,
            preamble: wifi.preamble.value,
            mac: mac(scenario, standard, &timing)?,
            legacy_cw: contention_window(scenario, &timing, &wifi.cw_min, &wifi.cw_max)?,
        };
        if let Auto::Given(rates) = &wifi.basic_rates.value {
            radio.basic_rates = rates.iter().try_fold(BasicRates::NONE, |basic, &rate| {
                Ok(basic.with(radio.legacy_rate(scenario, &wifi.basic_rates, rate)?))
            })?;
        }
        if let Auto::Given(rate) = wifi.answer_rate.value {
            let rate = radio.legacy_rate(scenario, &wifi.answer_rate, rate)?;
            radio.answer_rate = AnswerRate::Fixed(radio.legacy_tx(rate));
        }
        if let Auto::Given(rate) = wifi.group_rate.value {
            let rate = radio.legacy_rate(scenario, &wifi.group_rate, rate)?;
            radio.group_rate = Some(radio.legacy_tx(rate));
        }
        Ok(radio)
    }

    /// The MAC of the AP, which may have a contention window of its own.
    pub(super) fn ap_mac(&self, scenario: &Scenario) -> Result<MacConfig, ScenarioError> {
        let (wifi, ap) = (&scenario.wifi, &scenario.ap);
        if wifi.topology.value == Topology::AdHoc {
            scenario.without_bearing(&ap.cw_min, "an ad hoc cell has no AP")?;
            scenario.without_bearing(&ap.cw_max, "an ad hoc cell has no AP")?;
            scenario.without_bearing(&ap.backoff, "an ad hoc cell has no AP")?;
        }
        let timing = Timing::of(self.standard, self.band);
        let settings = (chosen(&ap.cw_min, Some(&wifi.cw_min)), chosen(&ap.cw_max, Some(&wifi.cw_max)));
        let (cw_min, cw_max) = contention_window(scenario, &timing, settings.0, settings.1)?;
        let mac = self.mac(self.standard);
        let access = match mac.access {
            Access::Dcf { .. } => Access::Dcf { cw_min, cw_max },
            Access::Edca { aifsn, txop_limit, .. } => Access::Edca { aifsn, cw_min, cw_max, txop_limit },
        };
        let backoff = ap.backoff.value.clone().unwrap_or_else(|| wifi.backoff.value);
        Ok(MacConfig { access, backoff: backoff_policy(scenario, backoff, cw_min)?, ..mac })
    }

    /// The MAC of a station that knows the standard only.
    pub(super) fn stock_mac(&self, standard: Standard) -> MacConfig {
        MacConfig { backoff: BackoffPolicy::Standard, ..self.mac(standard) }
    }

    /// The MAC of a node that speaks `standard`: a node of 11b, 11a or 11g in a QoS cell is a legacy station with DCF and
    /// without A-MPDUs.
    pub(super) fn mac(&self, standard: Standard) -> MacConfig {
        if !standard.is_qos() && self.standard.is_qos() {
            let (cw_min, cw_max) = self.legacy_cw;
            return MacConfig { access: Access::Dcf { cw_min, cw_max }, aggregation: None, ..self.mac };
        }
        let cap = longest_ampdu(standard);
        let aggregation = self.mac.aggregation;
        let aggregation = aggregation.map(|own| AggregationConfig {
            max_bytes: own.max_bytes.min(cap),
            amsdu: own.amsdu.map(|amsdu| amsdu.min(longest_amsdu(standard))),
            ..own
        });
        MacConfig { aggregation, ..self.mac }
    }

    /// How a node that speaks `standard` sends data by `own` keys, and where those say nothing by the `shared` ones.
    pub(super) fn data_tx(
        &self,
        scenario: &Scenario,
        standard: Standard,
        own: &RateKeys<'_>,
        shared: Option<&RateKeys<'_>>,
    ) -> Result<TxVector, ScenarioError> {
        let ht = standard.is_qos();
        if !ht {
            let reason = format!("{} has only a rate", standard.word());
            scenario.without_bearing(own.mcs, &reason)?;
            scenario.without_bearing(own.streams, &reason)?;
            scenario.without_bearing(own.width, &reason)?;
            scenario.without_bearing(own.guard_interval, &reason)?;
            let setting = chosen(own.rate, shared.map(|shared| shared.rate));
            let highest = BitRate::from_mbps(if standard == Standard::B { 11 } else { 54 });
            let rate = setting.value.clone().unwrap_or_else(|| highest);
            return Ok(self.legacy_tx(self.legacy_rate(scenario, setting, rate)?));
        }
        scenario.without_bearing(own.rate, &format!("the rate of {} follows from its MCS", standard.word()))?;
        // The cell's MCS numbers do not carry over to a station of the other kind: an 11ac cell's MCS 9 is no 11n one.
        let shared = shared.filter(|_| standard == self.standard);
        let keys = own.or(shared);
        match standard {
            Standard::N => self.ht(scenario, &keys).map(TxVector::Ht),
            _ => vht(scenario, &keys).map(TxVector::Vht),
        }
    }

    /// How beacons are sent.
    pub(super) fn beacon_tx(&self, scenario: &Scenario) -> Result<TxVector, ScenarioError> {
        let setting = &scenario.wifi.beacon_rate;
        let rate = match setting.value {
            Auto::Given(rate) => self.legacy_rate(scenario, setting, rate)?,
            Auto::Auto => LegacyRate::ALL
                .into_iter()
                .find(|&rate| self.basic_rates.contains(rate))
                .ok_or_else(|| scenario.refuse(&scenario.wifi.basic_rates, "is empty", "name at least one rate"))?,
        };
        Ok(self.legacy_tx(rate))
    }

    fn ht(&self, scenario: &Scenario, keys: &RateKeys<'_>) -> Result<HtMode, ScenarioError> {
        let RateKeys { mcs, streams, width, .. } = *keys;
        let index = mcs.value.clone().unwrap_or_else(|| 7);
        let index = match streams.value {
            // There is no such MCS, whatever the streams: refused below.
            _ if index > 31 => index,
            Auto::Auto => index,
            Auto::Given(streams @ 1..=4) if index < 8 => index + 8 * (streams - 1),
            Auto::Given(streams) if index / 8 + 1 == streams => index,
            Auto::Given(given) if index >= 8 => {
                let message = format!("is {given}, but MCS {index} of 11n has {}", index / 8 + 1);
                return Err(scenario.refuse(streams, message, "leave the streams out, or choose an MCS from 0 to 7"));
            }
            Auto::Given(given) => {
                return Err(scenario.refuse(streams, format!("is {given}"), "11n has from 1 to 4 streams"));
            }
        };
        let channel = width.value.clone().unwrap_or_else(|| Width::Mhz40);
        HtMode::new(narrow(index), channel, keys.guard(), self.band).map_err(|error| match error {
            ModeError::NoHtWidth { .. } => refuse_mode(scenario, width, error),
            _ => refuse_mode(scenario, mcs, error),
        })
    }

    /// DIFS or AIFS, whichever the nodes of the cell's own standard wait before back-off.
    pub(super) fn interframe_space(&self) -> Duration {
        let timing = Timing::of(self.standard, self.band);
        match self.mac.access {
            Access::Dcf { .. } => timing.difs(),
            Access::Edca { aifsn, .. } => timing.aifs(aifsn),
        }
    }

    /// The rate of 11b, 11a or 11g, as far as the cell's standard has it.
    fn legacy_rate<T>(
        &self,
        scenario: &Scenario,
        setting: &Setting<T>,
        rate: BitRate,
    ) -> Result<LegacyRate, ScenarioError> {
        let dsss = self.standard == Standard::B;
        let allowed = || LegacyRate::ALL.into_iter().filter(|rate| matches!(rate, LegacyRate::Dsss(_)) == dsss);
        allowed().find(|known| known.bits() == rate).ok_or_else(|| {
            let known: Vec<_> = allowed().map(|rate| rate.bits().to_string()).collect();
            let message = format!("names {rate}, which is not a rate of {}", if dsss { "11b" } else { "OFDM" });
            scenario.refuse(setting, message, format!("the rates are {}", known.join(", ")))
        })
    }

    fn legacy_tx(&self, rate: LegacyRate) -> TxVector {
        match rate {
            LegacyRate::Dsss(rate) => TxVector::Dsss(DsssMode::with_preamble_if_allowed(rate, self.preamble)),
            LegacyRate::Ofdm(rate) => TxVector::Ofdm(OfdmMode::new(rate, self.band)),
        }
    }
}

fn vht(scenario: &Scenario, keys: &RateKeys<'_>) -> Result<VhtMode, ScenarioError> {
    let RateKeys { mcs, streams, width, .. } = *keys;
    let index = narrow(mcs.value.clone().unwrap_or_else(|| 9));
    let count = narrow(streams.value.clone().unwrap_or_else(|| 1));
    let channel = width.value.clone().unwrap_or_else(|| Width::Mhz80);
    VhtMode::new(index, count, channel, keys.guard()).map_err(|error| match error {
        ModeError::NoVhtStreams { .. } => refuse_mode(scenario, streams, error),
        _ => refuse_mode(scenario, mcs, error),
    })
}

/// The MAC that the nodes of the cell's own standard have.
fn mac(scenario: &Scenario, standard: Standard, timing: &Timing) -> Result<MacConfig, ScenarioError> {
    let wifi = &scenario.wifi;
    let (cw_min, cw_max) = contention_window(scenario, timing, &wifi.cw_min, &wifi.cw_max)?;
    let qos = wifi.qos.value.clone().unwrap_or_else(|| standard.is_qos());
    let access = if qos {
        let defaults = EdcaParameters::of(AccessCategory::BestEffort, timing);
        let aifsn = match wifi.aifsn.value {
            // AIFSN is a field of four bits, and an AP may use 1 (IEEE 802.11-2020, 9.4.2.28).
            Auto::Given(aifsn @ 2..=15) => narrow(aifsn),
            Auto::Given(aifsn) => {
                return Err(scenario.refuse(&wifi.aifsn, format!("is {aifsn}"), "allowed is from 2 to 15"));
            }
            Auto::Auto => defaults.aifsn,
        };
        // The TXOP limit is a field of 16 bits in units of 32 us (IEEE 802.11-2020, 9.4.2.28).
        let txop_limit = scenario.in_range(&wifi.txop_limit, Duration::ZERO, Duration::from_micros(65_535 * 32))?;
        Access::Edca { aifsn, cw_min, cw_max, txop_limit }
    } else {
        scenario.without_bearing(&wifi.aifsn, "wifi.qos is false")?;
        scenario.without_bearing(&wifi.txop_limit, "wifi.qos is false")?;
        Access::Dcf { cw_min, cw_max }
    };
    if wifi.retry_limit.value == Some(0) {
        return Err(scenario.refuse(&wifi.retry_limit, "is 0", "an MPDU is sent at least once; allowed is from 1 up"));
    }
    Ok(MacConfig {
        backoff: backoff_policy(scenario, wifi.backoff.value, cw_min)?,
        access,
        aggregation: aggregation(scenario, standard, qos)?,
        rts_threshold: wifi.rts_threshold.value,
        retry_limit: wifi.retry_limit.value,
        ack_timeout_extra: scenario.in_range(&wifi.ack_timeout_extra, Duration::ZERO, Duration::from_millis(10))?,
        answer_delay: scenario.in_range(&wifi.answer_delay, Duration::ZERO, Duration::from_millis(10))?,
    })
}

fn aggregation(scenario: &Scenario, standard: Standard, qos: bool) -> Result<Option<AggregationConfig>, ScenarioError> {
    let wifi = &scenario.wifi;
    let possible = standard.is_qos() && qos;
    if !wifi.ampdu.value.clone().unwrap_or_else(|| possible) {
        scenario.without_bearing(&wifi.ampdu_max, "there are no A-MPDUs")?;
        scenario.without_bearing(&wifi.ampdu_mpdus, "there are no A-MPDUs")?;
        scenario.without_bearing(&wifi.block_ack_window, "there are no A-MPDUs")?;
        scenario.without_bearing(&wifi.min_mpdu_spacing, "there are no A-MPDUs")?;
        scenario.without_bearing(&wifi.amsdu_max, "A-MSDUs are made inside A-MPDUs, and there are none")?;
        return Ok(None);
    }
    if !possible {
        let message = "is true, but only 11n and 11ac with QoS have A-MPDUs";
        return Err(scenario.refuse(&wifi.ampdu, message, "use \"auto\""));
    }
    let cap = longest_ampdu(standard);
    let max_bytes = wifi.ampdu_max.value.clone().unwrap_or_else(|| cap);
    // Less than this would not hold one MPDU with a full-sized packet.
    if max_bytes < Bytes(4_095) || max_bytes > cap {
        let message = format!("is {}, which is out of range", max_bytes.word());
        return Err(scenario.refuse(&wifi.ampdu_max, message, format!("allowed is from 4095B to {}", cap.word())));
    }
    let window = scenario.in_range(&wifi.block_ack_window, 1, 64)?;
    Ok(Some(AggregationConfig {
        max_bytes,
        max_mpdus: narrow(scenario.in_range(&wifi.ampdu_mpdus, 1, 64)?.min(window)).into(),
        window: narrow(window).into(),
        // Eight values up to 16 us (IEEE 802.11-2020, 9.4.2.55.3).
        min_spacing: scenario.in_range(&wifi.min_mpdu_spacing, Duration::ZERO, Duration::from_micros(16))?,
        amsdu: amsdu(scenario, standard)?,
    }))
}

fn amsdu(scenario: &Scenario, standard: Standard) -> Result<Option<Bytes>, ScenarioError> {
    let setting = &scenario.wifi.amsdu_max;
    let (least, cap) = (Bytes(256), longest_amsdu(standard));
    match setting.value.on() {
        Some(max) if max < least || max > cap => {
            let message = format!("is {}, which is out of range", max.word());
            let help =
                format!("allowed is \"off\", or from {} to {} for {}", least.word(), cap.word(), standard.word());
            Err(scenario.refuse(setting, message, help))
        }
        max => Ok(max),
    }
}

/// The longest A-MSDU that `standard` allows: for HT the larger of its two limits (IEEE 802.11-2020, 9.4.2.55.2), for VHT what the longest
/// MPDU leaves beside a QoS Data header of 26 bytes and the FCS (table 9-25).
const fn longest_amsdu(standard: Standard) -> Bytes {
    if matches!(standard, Standard::Ac) { Bytes(MAX_VHT_MPDU.get() - 26 - 4) } else { Bytes(7_935) }
}

/// The longest A-MPDU that `standard` allows.
fn longest_ampdu(standard: Standard) -> Bytes {
    if standard == Standard::Ac { VhtMode::MAX_APEP } else { HtMode::MAX_PSDU }
}

fn refuse_mode<T>(scenario: &Scenario, setting: &Setting<T>, error: ModeError) -> ScenarioError {
    scenario.refuse(setting, format!("does not fit: {error}"), "")
}

/// `n` in eight bits; what is beyond them is beyond every range that this is checked against.
fn narrow(n: u32) -> u8 {
    u8::try_from(n).unwrap_or(u8::MAX)
}
