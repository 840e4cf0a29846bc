//! Points at which tests can kill the process. Without the feature `failpoints` they do nothing.
//!
//! A group of writes passes `after_job` for each write, then `before_commit`, then `after_commit_before_answer`. A new
//! key passes `keys_written`, `keys_synced` and `keys_renamed`.

/// Aborts the process, like a power failure, if `PARLOUR_FAILPOINT` names this point.
///
/// `PARLOUR_FAILPOINT=before_commit` aborts the first time, `before_commit:7` the seventh time.
#[cfg(feature = "failpoints")]
pub(crate) fn reach(point: &'static str) {
    use std::sync::{LazyLock, atomic::AtomicUsize, atomic::Ordering};

    struct Failpoint {
        point: String,
        rounds_left: AtomicUsize,
    }
    static FAILPOINT: LazyLock<Option<Failpoint>> = LazyLock::new(|| {
        let text = std::env::var("PARLOUR_FAILPOINT").ok()?;
        let (point, rounds) = text.split_once(':').unwrap_or((&text, "1"));
        let rounds_left = AtomicUsize::new(rounds.parse().ok()?);
        Some(Failpoint { point: point.to_owned(), rounds_left })
    });
    if let Some(selected) = &*FAILPOINT
        && selected.point == point
        && selected.rounds_left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        std::process::abort();
    }
}

/// Does nothing: the feature `failpoints` is off.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn reach(_point: &'static str) {}
