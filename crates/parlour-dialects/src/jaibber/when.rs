//! When a message was written.

use parlour_core::Timestamp;

/// What is known of the time of something that is being read. Frames carry none, so theirs is that of reading, and this
/// is kept with them; unless a native message was said in the frame, whose time stands among its extras.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTime {
    /// The moment of reading.
    pub(super) now: Timestamp,
    /// Whether the extras tell the time.
    pub(super) is_told: bool,
}
