use ackless_wire::random::Purpose;

use super::*;

#[test]
fn a_level_holds_from_its_step_until_the_next() {
    let at = Instant::from_millis;
    let steps = vec![(at(10), Db(12.0)), (at(20), Db(3.0)), (at(20), Db(4.0))];
    let channel = Channel::constant(Db(30.0), Width::Mhz40).stepped(steps);
    let snr = |millis| channel.snr(at(millis), Width::Mhz40).0;
    assert_eq!([0, 9, 10, 19, 20, 1000].map(snr), [30.0, 30.0, 12.0, 12.0, 4.0, 4.0]);
    assert_eq!(channel.still_from(at(4)), Duration::from_millis(6));
    assert_eq!(channel.still_from(at(10)), Duration::from_millis(10));
    assert!(channel.still_from(at(20)) > Duration::from_secs(1_000_000));
}

#[test]
fn half_the_width_doubles_the_ratio() {
    let channel = Channel::constant(Db(10.0), Width::Mhz80);
    let snr = |width| channel.snr(Instant::ZERO, width).0;
    assert_eq!(snr(Width::Mhz80), 10.0);
    assert!((snr(Width::Mhz40) - 13.010).abs() < 0.001);
    assert!((snr(Width::Mhz20) - 16.021).abs() < 0.001);
}

#[test]
fn the_power_of_fading_is_exponentially_distributed_about_one() {
    // 200 links, each looked at 50 times, far apart: the mean is 1, and a share of 1 - exp(-x) lies below x.
    let mut powers = Vec::new();
    for link in 0..200 {
        let fading = Fading::new(10.0, &mut Stream::new(5, link, Purpose::Test));
        powers.extend((0..50).map(|n| fading.gain(Instant::from_millis(1_370 * n)).factor()));
    }
    let mean = powers.iter().sum::<f64>() / powers.len() as f64;
    assert!((mean - 1.0).abs() < 0.05, "mean power {mean}");
    for below in [0.1, 0.5, 1.0, 2.0] {
        let share = powers.iter().filter(|power| **power < below).count() as f64 / powers.len() as f64;
        let exact = 1.0 - (-below).exp();
        assert!((share - exact).abs() < 0.02, "below {below}: {share}, and not {exact}");
    }
}

#[test]
fn fading_forgets_as_the_bessel_function_of_the_doppler_shift_says() {
    // The autocorrelation of the complex amplitude is J0(2 pi f_d t), so that of power is 1 + J0^2: at f_d t = 0.1 J0 is 0.9037, at its first
    // zero, f_d t = 0.3827, it is 0 (Abramowitz and Stegun, table 9.1).
    let correlation = |hertz_seconds: f64| {
        let (mut product, mut count) = (0.0, 0.0);
        for link in 0..300 {
            let fading = Fading::new(10.0, &mut Stream::new(9, link, Purpose::Test));
            for n in 0..40 {
                let from = Instant::from_millis(1_370 * n);
                let later = from + Duration::from_secs_f64(hertz_seconds / 10.0);
                product += fading.gain(from).factor() * fading.gain(later).factor();
                count += 1.0;
            }
        }
        product / count - 1.0
    };
    for (hertz_seconds, bessel) in [(0.1, 0.9037), (0.382_7, 0.0)] {
        let found = correlation(hertz_seconds);
        assert!((found - bessel * bessel).abs() < 0.08, "at {hertz_seconds}: {found}");
    }
}
