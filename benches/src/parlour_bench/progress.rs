//! Progress output of a long benchmark.

use std::io::{IsTerminal as _, Write as _};

/// Prints the current step to stderr if it is a terminal.
pub(super) fn say(what: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // The terminal may be closed.
        let _ = writeln!(out, "… {what}");
    }
}
