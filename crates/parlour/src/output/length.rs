//! Durations for people, rounded.

/// For example `40 ms`, `1.2 s`, `3 min`, `5 h`, `2 d`.
pub(crate) fn show_millis(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        60_000..3_600_000 => format!("{} min", millis / 60_000),
        3_600_000..172_800_000 => format!("{} h", millis / 3_600_000),
        _ => format!("{} d", millis / 86_400_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_unit() {
        for (millis, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_250, "1.2 s"),
            (59_999, "59.9 s"),
            (60_000, "1 min"),
            (3_599_999, "59 min"),
            (90_000_000, "25 h"),
            (172_800_000, "2 d"),
            (u64::MAX, "213503982334 d"),
        ] {
            assert_eq!(show_millis(millis), expected);
        }
    }
}
