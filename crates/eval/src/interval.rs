//! How sure a share is: Wilson's interval for "n of m".

/// Fewer trials than this say next to nothing.
pub const TOO_FEW: usize = 20;

/// The 95 % interval of a share, from 0 to 1; none without a trial.
pub fn wilson(hits: usize, trials: usize) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    const Z: f64 = 1.959_964;
    let (n, share) = (trials as f64, hits.min(trials) as f64 / trials as f64);
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let spread = share * (1.0 - share) / n + Z * Z / (4.0 * n * n);
    let half = Z * root(spread) / (1.0 + Z * Z / n);
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

/// The square root of a number from 0 to 1, by Newton's method; `core` has none.
fn root(number: f64) -> f64 {
    let mut guess = 1.0_f64;
    for _ in 0..60 {
        guess = 0.5 * (guess + number / guess);
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // Computed with R: `binom::binom.confint(h, n, methods = "wilson")`.
        for (hits, trials, low, high) in
            [(0, 10, 0.0, 0.2775), (8, 10, 0.4902, 0.9433), (57, 60, 0.8630, 0.9829)]
        {
            let (found_low, found_high) = wilson(hits, trials).unwrap_or_default();
            assert!((found_low - low).abs() < 0.0005, "{hits} of {trials}: {found_low}");
            assert!((found_high - high).abs() < 0.0005, "{hits} of {trials}: {found_high}");
        }
        assert_eq!(wilson(0, 0), None);
    }
}
