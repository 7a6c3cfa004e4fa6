//! What a frame's duration, rate and answer cost: `cargo bench -p ackless-phy`. All three lie on the simulator's hot path.

use ackless_phy::{
    Band, BasicRates, BitErrors, Db, GuardInterval, HtMode, OfdmRate, Standard, TxVector, VhtMode, Width,
};
use ackless_wire::Bytes;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

fn vectors() -> [TxVector; 3] {
    let ht = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode");
    let vht = VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("a VHT mode");
    [TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5), TxVector::Ht(ht), TxVector::Vht(vht)]
}

#[divan::bench(args = vectors())]
fn duration(bencher: Bencher<'_, '_>, vector: TxVector) {
    bencher.bench(|| black_box(vector).duration(black_box(Bytes(64_846))));
}

#[divan::bench(args = vectors())]
fn rate(bencher: Bencher<'_, '_>, vector: TxVector) {
    bencher.bench(|| black_box(vector).rate());
}

#[divan::bench(args = vectors())]
fn answer(bencher: Bencher<'_, '_>, vector: TxVector) {
    let basic = BasicRates::of(Standard::N);
    bencher.bench(|| black_box(vector).answer(black_box(&basic)));
}

#[divan::bench(args = vectors())]
fn frame_success(bencher: Bencher<'_, '_>, vector: TxVector) {
    let errors = BitErrors::new(vector, Db(24.0));
    bencher.bench(|| black_box(errors).success(black_box(Bytes(1_538))));
}

#[divan::bench(args = vectors())]
fn new_bit_errors(bencher: Bencher<'_, '_>, vector: TxVector) {
    bencher.bench(|| BitErrors::new(black_box(vector), black_box(Db(24.0))));
}
