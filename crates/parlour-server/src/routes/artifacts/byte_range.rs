//! Range requests for downloads (RFC 9110, 14): one range of bytes.

use std::ops::RangeInclusive;

use axum::http::{HeaderMap, header};

/// The part of a content that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ByteRange {
    /// The whole content. A request for several ranges, an unknown unit or an outdated `If-Range` gets it too.
    Whole,
    /// These bytes, within the content.
    Part(RangeInclusive<u64>),
    /// No byte of the content is in the range.
    Unsatisfiable,
}

impl ByteRange {
    /// Reads `Range` and `If-Range`. If the second is present, it must be the `etag` of the content: otherwise the client
    /// has a part of another content.
    pub(super) fn of(headers: &HeaderMap, etag: &str, size: u64) -> Self {
        let mut sent = headers.get_all(header::RANGE).iter();
        let (Some(range), None) = (sent.next(), sent.next()) else { return Self::Whole };
        let is_same = headers.get(header::IF_RANGE).is_none_or(|known| known.as_bytes() == etag.as_bytes());
        let range = range.to_str().ok().filter(|_| is_same);
        range.and_then(|range| Self::parse(range, size)).unwrap_or(Self::Whole)
    }

    /// Parses `bytes=a-b`, `bytes=a-` and `bytes=-n`; `None` for everything else.
    fn parse(range: &str, size: u64) -> Option<Self> {
        let (unit, range) = range.split_once('=')?;
        let (first, last) = range.trim_matches(' ').split_once('-')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = match (first, last) {
            // The last n bytes; a suffix of nothing begins at the end.
            ("", suffix) => (size.saturating_sub(number(suffix)?), u64::MAX),
            (first, "") => (number(first)?, u64::MAX),
            (first, last) => (number(first)?, number(last)?),
        };
        match first {
            _ if last < first => None,
            _ if first >= size => Some(Self::Unsatisfiable),
            _ => Some(Self::Part(first..=last.min(size - 1))),
        }
    }
}

/// Decimal digits only: `parse` would accept a sign.
fn number(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large is behind the end of every content.
    is_digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    const ETAG: &str = "\"abc\"";

    fn range(range: &str, if_range: Option<&str>, size: u64) -> ByteRange {
        let value = |text: &str| HeaderValue::from_str(text).expect("a value");
        let mut headers = HeaderMap::from_iter([(header::RANGE, value(range))]);
        headers.extend(if_range.map(|known| (header::IF_RANGE, value(known))));
        ByteRange::of(&headers, ETAG, size)
    }

    #[test]
    fn one_range_of_bytes_is_read() {
        for (text, part) in [
            ("bytes=0-0", 0..=0),
            ("bytes=2-4", 2..=4),
            ("Bytes=9-", 9..=9),
            ("bytes=0-99999999999999999999999", 0..=9),
            ("bytes=-3", 7..=9),
            ("bytes=-99", 0..=9),
        ] {
            assert_eq!(range(text, None, 10), ByteRange::Part(part), "{text}");
        }
    }

    #[test]
    fn a_range_without_any_byte_is_unsatisfiable() {
        for text in ["bytes=10-", "bytes=10-12", "bytes=99999999999999999999-", "bytes=-0"] {
            assert_eq!(range(text, None, 10), ByteRange::Unsatisfiable, "{text}");
        }
        assert_eq!(range("bytes=0-", None, 0), ByteRange::Unsatisfiable);
        assert_eq!(range("bytes=-5", None, 0), ByteRange::Unsatisfiable);
    }

    #[test]
    fn other_ranges_get_the_whole_content() {
        for text in
            ["", "bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=0-1,3-4", "lines=0-1", "bytes=+1-2", "bytes=a-"]
        {
            assert_eq!(range(text, None, 10), ByteRange::Whole, "{text}");
        }
    }

    #[test]
    fn a_range_counts_only_for_the_content_that_the_client_knows() {
        assert_eq!(range("bytes=2-4", Some(ETAG), 10), ByteRange::Part(2..=4));
        for other in ["\"other\"", "W/\"abc\"", "Wed, 18 Nov 2026 09:00:00 GMT"] {
            assert_eq!(range("bytes=2-4", Some(other), 10), ByteRange::Whole, "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_within_the_content(text in "bytes=[0-9]{0,3}-[0-9]{0,3}", size in 0_u64..500) {
            if let ByteRange::Part(part) = range(&text, None, size) {
                prop_assert!(part.start() <= part.end() && *part.end() < size);
            }
        }
    }
}
