//! Places where tests can kill the process. Without the feature `failpoints` they are nothing.
//!
//! A group of writes passes `after_job` for each write, then `before_commit`, then `after_commit_before_answer`. A new
//! key passes `keys_written`, `keys_synced` and `keys_renamed`.

/// Ends the process at once, as a power cut would, when `PARLOUR_FAILPOINT` asks for this place.
///
/// `PARLOUR_FAILPOINT=before_commit` ends it when the place is reached first, `before_commit:7` the seventh time.
#[cfg(feature = "failpoints")]
pub(crate) fn reach(place: &'static str) {
    use std::sync::{LazyLock, atomic::AtomicUsize, atomic::Ordering};

    struct Wanted {
        place: String,
        rounds_left: AtomicUsize,
    }
    static WANTED: LazyLock<Option<Wanted>> = LazyLock::new(|| {
        let text = std::env::var("PARLOUR_FAILPOINT").ok()?;
        let (place, rounds) = text.split_once(':').unwrap_or((&text, "1"));
        let rounds_left = AtomicUsize::new(rounds.parse().ok()?);
        Some(Wanted { place: place.to_owned(), rounds_left })
    });
    if let Some(wanted) = &*WANTED
        && wanted.place == place
        && wanted.rounds_left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        std::process::abort();
    }
}

/// Nothing happens: the feature `failpoints` is off.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn reach(_place: &'static str) {}
