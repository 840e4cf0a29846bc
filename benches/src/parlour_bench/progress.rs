//! Signs of life of a long benchmark, for whoever sits before it.

use std::io::{IsTerminal as _, Write as _};

/// Says what is done now. Only a person is told: the report stays the same.
pub(super) fn say(what: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // A terminal that has gone away needs no signs.
        let _ = writeln!(out, "… {what}");
    }
}
