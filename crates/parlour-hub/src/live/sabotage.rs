//! Faults made on purpose: a test of faults is worth something only when it is seen to fail.
//!
//! `PARLOUR_SABOTAGE` chooses one: `skip` leaves out an event that a resuming reader has missed, `double` tells events
//! twice, `everybody` tells everything to everybody. Without the feature `sabotage` none of this exists.

use super::EncodedFrame;

/// What a resuming reader gets instead of these frames.
#[cfg(feature = "sabotage")]
pub(super) fn spoil_missed(mut encoded: Vec<EncodedFrame>) -> Vec<EncodedFrame> {
    let last = encoded.iter().rposition(|frame| frame.offset.is_some());
    match (wanted(), last) {
        (Some("skip"), Some(last)) => drop(encoded.remove(last)),
        (Some("double"), Some(last)) => encoded.insert(last, encoded[last].clone()),
        _ => {}
    }
    encoded
}

/// Whether everybody is let into every audience.
#[cfg(feature = "sabotage")]
pub(super) fn admits_everybody() -> bool {
    wanted() == Some("everybody")
}

#[cfg(feature = "sabotage")]
fn wanted() -> Option<&'static str> {
    static WANTED: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("PARLOUR_SABOTAGE").ok());
    WANTED.as_deref()
}

/// The frames as they are: the feature `sabotage` is off.
#[cfg(not(feature = "sabotage"))]
pub(super) fn spoil_missed(encoded: Vec<EncodedFrame>) -> Vec<EncodedFrame> {
    encoded
}

/// Nobody is let in who does not belong: the feature `sabotage` is off.
#[cfg(not(feature = "sabotage"))]
pub(super) fn admits_everybody() -> bool {
    false
}
