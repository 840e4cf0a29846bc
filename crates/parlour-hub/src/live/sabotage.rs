//! Injected faults, to verify that the tests of live delivery detect them.
//!
//! `PARLOUR_SABOTAGE` selects one: `skip` drops an event that a resuming reader has missed, `double` sends events twice,
//! `everybody` sends every frame to every reader. Without the feature `sabotage` none of this is compiled.

use super::EncodedFrame;

/// Spoils the frames of a resuming reader.
#[cfg(feature = "sabotage")]
pub(super) fn spoil_missed(mut encoded: Vec<EncodedFrame>) -> Vec<EncodedFrame> {
    let last = encoded.iter().rposition(|frame| frame.offset.is_some());
    match (selected_fault(), last) {
        (Some("skip"), Some(last)) => drop(encoded.remove(last)),
        (Some("double"), Some(last)) => encoded.insert(last, encoded[last].clone()),
        _ => {}
    }
    encoded
}

/// Whether every reader belongs to every audience.
#[cfg(feature = "sabotage")]
pub(super) fn admits_everybody() -> bool {
    selected_fault() == Some("everybody")
}

#[cfg(feature = "sabotage")]
fn selected_fault() -> Option<&'static str> {
    static SELECTED: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("PARLOUR_SABOTAGE").ok());
    SELECTED.as_deref()
}

/// Returns the frames unchanged: the feature `sabotage` is off.
#[cfg(not(feature = "sabotage"))]
pub(super) fn spoil_missed(encoded: Vec<EncodedFrame>) -> Vec<EncodedFrame> {
    encoded
}

/// The feature `sabotage` is off.
#[cfg(not(feature = "sabotage"))]
pub(super) fn admits_everybody() -> bool {
    false
}
