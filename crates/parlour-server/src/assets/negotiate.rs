//! Reads the two request headers that decide in which form a file is sent, and whether it is sent at all.

use axum::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName};

/// Whether the client names brotli and does not refuse it with a zero weight.
///
/// `*` does not count: who sends it without knowing brotli would get bytes it cannot read.
pub(crate) fn accepts_brotli(headers: &HeaderMap) -> bool {
    list_items(headers, &ACCEPT_ENCODING).any(is_wanted_brotli)
}

/// Whether the client already holds the form with this entity tag. The weak mark is ignored, as the standard asks.
pub(crate) fn holds(headers: &HeaderMap, etag: &str) -> bool {
    list_items(headers, &IF_NONE_MATCH).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == etag)
}

/// The items of a header that may be one list or several; unreadable values are left out.
fn list_items<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn is_wanted_brotli(item: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    parts.next().is_some_and(|name| name.eq_ignore_ascii_case("br")) && parts.all(is_weight_above_zero)
}

fn is_weight_above_zero(parameter: &str) -> bool {
    let weight = parameter.split_once('=').map(|(_, weight)| weight.trim().parse::<f32>());
    matches!(weight, Some(Ok(weight)) if weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), axum::http::HeaderValue::from_static(value))).collect()
    }

    #[track_caller]
    fn check_brotli(values: &[&'static str], expected: bool) {
        assert_eq!(accepts_brotli(&headers(&ACCEPT_ENCODING, values)), expected, "{values:?}");
    }

    #[track_caller]
    fn check_holds(values: &[&'static str], expected: bool) {
        assert_eq!(holds(&headers(&IF_NONE_MATCH, values), "\"a1\""), expected, "{values:?}");
    }

    #[test]
    fn brotli_is_sent_to_who_names_it() {
        check_brotli(&["br"], true);
        check_brotli(&["gzip, deflate, br, zstd"], true);
        check_brotli(&["gzip", "BR"], true);
        check_brotli(&["gzip;q=1.0, br;q=0.1"], true);
        check_brotli(&["br ; q=1"], true);
    }

    #[test]
    fn brotli_is_not_sent_to_who_does_not_name_it() {
        check_brotli(&[], false);
        check_brotli(&[""], false);
        check_brotli(&["gzip, *"], false);
        check_brotli(&["brotli, xbr"], false);
    }

    #[test]
    fn brotli_is_not_sent_to_who_refuses_it_or_writes_nonsense() {
        check_brotli(&["br;q=0"], false);
        check_brotli(&["br;q=0.000, gzip"], false);
        check_brotli(&["br;q=much"], false);
        check_brotli(&["br;"], false);
        check_brotli(&["br;q=NaN"], false);
    }

    #[test]
    fn a_known_tag_is_found_in_a_list_and_behind_the_weak_mark() {
        check_holds(&["\"a1\""], true);
        check_holds(&["\"b2\", W/\"a1\""], true);
        check_holds(&["\"b2\"", "\"a1\""], true);
        check_holds(&["*"], true);
    }

    #[test]
    fn another_tag_or_none_is_not_held() {
        check_holds(&[], false);
        check_holds(&["\"a1-br\""], false);
        check_holds(&["a1"], false);
        check_holds(&["w/\"a1\""], false);
    }
}
