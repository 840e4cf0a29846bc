//! Secrets found, and false alarms.

use std::path::Path;

use parlour_redact::Redactor;

use super::table::Table;

#[path = "../../../parlour-redact/tests/corpus/mod.rs"]
#[allow(dead_code, reason = "the tests look at more of it")]
mod corpus;

/// The table. Its texts are made up by the program itself: it needs no data.
pub(crate) fn table(_data: &Path) -> Option<Table> {
    let measured = corpus::measure(&Redactor::default());
    let about = "secrets and personal data of which nothing is left, and harmless texts that were changed";
    let mut table = Table::new("redaction", about, &["texts", "all", "changed", "share"]);
    let mut row = |name: &str, all: usize, changed: usize| {
        let share = changed as f64 / all.max(1) as f64;
        table.push(vec![name.into(), (all as u64).into(), (changed as u64).into(), share.into()]);
    };
    for (group, (found, all)) in &measured.groups {
        row(group, *all, *found);
    }
    row("harmless", measured.negatives, measured.alarms.len());
    Some(table)
}
