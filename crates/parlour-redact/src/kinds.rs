//! The kinds that marks can have.

use std::sync::LazyLock;

use super::{rules::TABLES, told};

/// Kinds of personal data; all others are secrets.
pub(super) const PERSONAL: &[&str] = &[
    "address",
    "birth-date",
    "card",
    "card-code",
    "iban",
    "ip",
    "location",
    "mac",
    "mail",
    "national-id",
    "passport",
    "phone",
];

/// All kinds of the hub, in the order of the alphabet.
pub fn kinds() -> &'static [&'static str] {
    static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let shaped = TABLES.iter().flat_map(|table| table.iter()).map(|rule| rule.kind);
        let mut kinds: Vec<_> = shaped.chain(told::KINDS.iter().copied()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    });
    &KINDS
}

/// Whether a kind is personal data, which a project may leave in as a whole.
pub fn is_personal(kind: &str) -> bool {
    PERSONAL.contains(&kind)
}
