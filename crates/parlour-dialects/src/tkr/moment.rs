//! Times of messages.

use parlour_core::{Refusal, Timestamp};

/// What the text of a time looks like at these places when it is the one that we would write.
const MARKS: [(usize, u8); 7] = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];

/// Reads a time; one without a zone, as the server writes it, is in UTC.
pub(super) fn moment(name: &str, text: &str) -> Result<Timestamp, Refusal> {
    let moment = text.parse().or_else(|_: Refusal| format!("{text}Z").parse());
    // The text is not repeated: it may be long.
    moment.map_err(|_: Refusal| {
        Refusal::invalid("this must be an ISO 8601 time such as 2023-05-01T12:34:56.789Z").at(name)
    })
}

/// Whether the text of this moment is the one that we would write.
pub(super) fn is_usual(text: &str, moment: Timestamp) -> bool {
    has_usual_shape(text) || text == moment.to_string()
}

/// Whether a text that is a time has the shape of those that we write. It saves writing it to compare: only years at the
/// ends of what we can say, and seconds that are skipped, could be written otherwise.
fn has_usual_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 24
        && MARKS.iter().all(|&(place, mark)| bytes[place] == mark)
        && (b"1970"..=b"9998").contains(&bytes[..4].first_chunk::<4>().unwrap_or(b"0000"))
        && &bytes[17..19] != b"60"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_without_a_zone_is_in_utc() {
        let zoned = moment("timestamp", "2025-05-02T12:00:00.123Z").expect("a time");
        assert_eq!(moment("timestamp", "2025-05-02T12:00:00.123456").expect("a time"), zoned);
        assert_eq!(moment("timestamp", "2025-05-02T14:00:00.123+02:00").expect("a time"), zoned);
    }

    #[test]
    fn what_is_no_time_is_refused_without_repeating_it() {
        for text in ["", "yesterday", "2025-05-02", "12:00", &"9".repeat(1_000_000)] {
            let refused = moment("timestamp", text).expect_err("no time");
            assert_eq!(refused.field.as_deref(), Some("timestamp"));
            assert!(refused.detail.len() < 200);
        }
    }

    #[test]
    fn times_that_we_would_write_otherwise_are_not_usual() {
        for text in [
            "2025-05-02T12:00:00Z",
            "2025-05-02T12:00:00.123456",
            "2025-05-02t12:00:00.123z",
            "1969-12-31T23:59:59.999Z",
            "2016-12-31T23:59:60.000Z",
            "9999-12-30T22:00:00.500Z",
        ] {
            let moment = moment("timestamp", text).expect("a time");
            assert!(!is_usual(text, moment), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_usual_when_we_would_write_it(
            text in "(19[67][0-9]|20[0-9]{2}|999[89])-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]:[0-6][0-9][.,][0-9]{3}[Zz]"
        ) {
            if let Ok(moment) = moment("timestamp", &text) {
                prop_assert_eq!(is_usual(&text, moment), text == moment.to_string());
            }
        }
    }
}
