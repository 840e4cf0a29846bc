//! Statistics of samples.

use std::time::Duration;

/// The smallest of the sorted samples that at least `share` of them do not exceed (nearest rank).
pub(super) fn percentile(sorted: &[Duration], share: f64) -> Option<Duration> {
    debug_assert!(sorted.is_sorted(), "a percentile needs sorted samples");
    let rank = (share.clamp(0.0, 1.0) * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The median; one disturbed round changes it little.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// The share of one operation in a total, in microseconds.
pub(super) fn micros_each(whole: Duration, count: usize) -> Option<f64> {
    (count > 0).then(|| whole.as_secs_f64() * 1e6 / count as f64)
}

/// A duration in milliseconds.
pub(super) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// `part ÷ whole`; `None` if one of them was not measured or the whole is 0.
pub(super) fn quotient(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = (part?, whole?);
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples(millis: &[u64]) -> Vec<Duration> {
        millis.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn a_percentile_is_one_of_the_samples() {
        let hundred = samples(&(1..=100).collect::<Vec<_>>());
        let at = |share| percentile(&hundred, share).expect("samples").as_millis();
        assert_eq!([at(0.0), at(0.5), at(0.99), at(0.991), at(1.0)], [1, 50, 99, 100, 100]);
    }

    #[test]
    fn every_percentile_of_one_sample_is_that_sample() {
        for share in [0.0, 0.5, 0.99, 1.0, 7.0] {
            assert_eq!(percentile(&samples(&[3]), share), Some(Duration::from_millis(3)));
        }
    }

    #[test]
    fn without_samples_there_is_no_figure() {
        assert_eq!((percentile(&[], 0.5), median(&[])), (None, None));
        assert_eq!(micros_each(Duration::from_secs(1), 0), None);
    }

    #[test]
    fn the_median_ignores_the_order_and_one_outlier() {
        assert_eq!(median(&[3.0, 1.0, 900.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn a_cost_is_divided_by_the_number_of_operations() {
        assert_eq!(micros_each(Duration::from_millis(3), 3), Some(1_000.0));
        assert_eq!(millis(Duration::from_micros(1_500)), 1.5);
    }

    #[test]
    fn a_ratio_needs_both_values() {
        assert_eq!(quotient(Some(3.0), Some(2.0)), Some(1.5));
        for (part, whole) in [(None, Some(1.0)), (Some(1.0), None), (Some(1.0), Some(0.0))] {
            assert_eq!(quotient(part, whole), None);
        }
    }

    proptest! {
        #[test]
        fn a_higher_share_never_gives_a_lower_percentile(
            mut millis in prop::collection::vec(0_u64..1_000, 1..50),
            low in 0.0_f64..=1.0,
            high in 0.0_f64..=1.0,
        ) {
            millis.sort_unstable();
            let sorted = samples(&millis);
            prop_assert!(percentile(&sorted, low.min(high)) <= percentile(&sorted, low.max(high)));
        }
    }
}
