//! What is no request, or two in one: sent as bytes.

use crate::{hostile_hub::HostileHub, requests::rows};

const BYTES: &str = include_str!("tables/bytes.table");

/// The bytes of a cell: `\r`, `\n`, `\0` and `\xff` stand for themselves, `{{n:x}}` for n times x.
fn bytes(cell: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = cell;
    while let Some(first) = rest.chars().next() {
        let (piece, taken): (Vec<u8>, usize) = match rest {
            _ if rest.starts_with("\\r") => (vec![b'\r'], 2),
            _ if rest.starts_with("\\n") => (vec![b'\n'], 2),
            _ if rest.starts_with("\\0") => (vec![0], 2),
            _ if rest.starts_with("\\x") => (vec![u8::from_str_radix(&rest[2..4], 16).expect(cell)], 4),
            _ if rest.starts_with("{{") => {
                let (inside, _) = rest[2..].split_once("}}").expect(cell);
                let (count, text) = inside.split_once(':').expect(cell);
                (bytes(text).repeat(count.parse().expect(cell)), inside.len() + 4)
            }
            _ => (rest.as_bytes()[..first.len_utf8()].to_vec(), first.len_utf8()),
        };
        out.extend(piece);
        rest = &rest[taken..];
    }
    out
}

#[test]
fn escapes_in_a_table_cell_become_bytes() {
    assert_eq!(bytes(r"a\r\n\0\xff{{3:b\n}}c"), b"a\r\n\0\xffb\nb\nb\nc");
}

/// Each row says how many answers there may be at the most, and that all are refusals: whoever sends one request and
/// gets two answers has slipped one past a proxy.
#[test]
fn malformed_and_smuggled_requests_are_refused_once() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for [what, cell] in rows(BYTES) {
        let cell = hostile_hub.fill(cell);
        let answer = match cell.strip_suffix("\\z") {
            Some(half) => hostile_hub.exchange_half(&bytes(half)),
            None => hostile_hub.exchange(&bytes(&cell)),
        };
        let is_refused = answer.statuses.iter().all(|status| (400..500).contains(status));
        let outcome = format!("{is_refused} {}", answer.statuses.len() <= 1);
        hostile_hub.note(&format!("{what}: {:?}", answer.statuses), "true true", &outcome);
    }
    hostile_hub.check(&before);
}
