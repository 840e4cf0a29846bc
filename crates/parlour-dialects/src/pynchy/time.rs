//! Times as pynchy writes them: ISO 8601 by Python, which leaves out a fraction of zero.

use std::fmt::Write;

use parlour_core::{Refusal, Timestamp};

/// No spelling of a time is longer.
const TIME_BYTES_MAX: usize = 64;
/// Bytes of a text that is written, such as `2026-02-15T09:12:00.123000+00:00`.
const WRITTEN_BYTES: usize = 32;

/// The moment that a text tells; one without a zone is in UTC.
pub(super) fn read(text: &str) -> Result<Timestamp, Refusal> {
    // Refused before anything is said about it, so that a long text does not stand in the refusal.
    if text.len() > TIME_BYTES_MAX {
        return Err(Refusal::invalid("this is no ISO 8601 time such as 2026-02-15T09:12:00+00:00"));
    }
    text.parse().or_else(|refusal| format!("{text}Z").parse().map_err(|_| refusal))
}

/// What puts the times of rows in order, however they are spelled: the moment, and the nanoseconds beyond its millisecond.
pub fn moment(text: &str) -> Result<(Timestamp, u32), Refusal> {
    let at = read(text)?;
    let fraction = text.find(['.', ',']).map_or("", |dot| &text[dot + 1..]);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).chain(std::iter::repeat(b'0'));
    let below = digits.skip(3).take(6).fold(0, |below, digit| below * 10 + u32::from(digit - b'0'));
    Ok((at, below))
}

/// Whether the text is the one that is written for its moment.
pub(super) fn is_usual(text: &str, at: Timestamp) -> bool {
    // Most texts are told apart without writing the usual one: by their zone, or by their last three digits.
    text.ends_with("+00:00")
        && matches!(text.len(), 25 | 32)
        && (text.len() == 25 || text.get(23..26) == Some("000"))
        && written(at) == text
}

/// The text for a moment, as Python's `isoformat` writes it in UTC. Its texts sort as their moments do, which pynchy
/// relies on.
pub(super) fn written(at: Timestamp) -> String {
    let mut text = String::with_capacity(WRITTEN_BYTES);
    write!(text, "{at}").expect("a text can be written to memory");
    text.pop();
    if text.ends_with(".000") {
        text.truncate(text.len() - ".000".len())
    } else {
        text.push_str("000")
    }
    text.push_str("+00:00");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_order_however_they_are_spelled() {
        let order = [
            "2026-02-15T08:59:59Z",
            "2026-02-15T10:00:00+01:00",
            "2026-02-15T09:00:00.0001Z",
            "2026-02-15 09:00:00,000123456Z",
            "2026-02-15T09:00:00.000124",
            "2026-02-15T09:00:00.1+00:00",
            "2026-02-15T09:00:00.100001Z",
        ];
        let moments: Vec<_> = order.iter().map(|text| moment(text).expect("a time")).collect();
        assert!(moments.is_sorted_by(|one, next| one < next), "{moments:?}");
        assert!(moment("yesterday").is_err());
    }
}
