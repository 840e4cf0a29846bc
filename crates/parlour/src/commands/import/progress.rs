//! How far an import is, for somebody who watches.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on a terminal, and nothing elsewhere.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(super) fn new(rows: u64) -> Self {
        Self(stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(rows), ProgressDrawTarget::stderr());
            let look = ProgressStyle::with_template("{wide_bar} {pos} of {len}, {eta} to go");
            bar.set_style(look.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        }))
    }

    /// One row more.
    pub(super) fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
