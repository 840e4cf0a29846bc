//! How far an import is, for somebody who watches.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on a terminal, and nothing elsewhere.
#[derive(Default)]
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// The first walk: nobody knows yet how many rows there are.
    pub(super) fn reading() -> Self {
        Self(target().map(|target| bar(target, None)))
    }

    /// The second walk.
    pub(super) fn sending(rows: u64) -> Self {
        Self(target().map(|target| bar(target, Some(rows))))
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

fn target() -> Option<ProgressDrawTarget> {
    stderr().is_terminal().then(ProgressDrawTarget::stderr)
}

fn bar(target: ProgressDrawTarget, rows: Option<u64>) -> ProgressBar {
    let template = if rows.is_some() { "{wide_bar} {pos} of {len}, {eta} to go" } else { "{spinner} {pos} read" };
    let bar = ProgressBar::with_draw_target(rows, target);
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use indicatif::TermLike;

    use super::*;

    /// A terminal that remembers all that was ever shown.
    #[derive(Clone, Debug, Default)]
    struct Seen(Arc<Mutex<String>>);

    impl TermLike for Seen {
        fn width(&self) -> u16 {
            60
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("one test").push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What somebody sees of so many steps.
    fn seen(rows: Option<u64>, steps: u64) -> String {
        let seen = Seen::default();
        let progress = Progress(Some(bar(ProgressDrawTarget::term_like(Box::new(seen.clone())), rows)));
        (0..steps).for_each(|_| progress.step());
        if let Some(bar) = &progress.0 {
            bar.force_draw();
        }
        progress.finish();
        seen.0.lock().expect("one test").clone()
    }

    #[test]
    fn both_walks_show_how_far_they_are() {
        let reading = seen(None, 7);
        assert!(reading.contains("7 read"), "{reading:?}");
        let sending = seen(Some(10), 7);
        assert!(sending.contains("7 of 10"), "{sending:?}");
    }
}
