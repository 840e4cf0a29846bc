//! Live readers by the thousand, in one process that also has to leave the machine to what it measures.
//!
//! Readers speak WebSocket by hand: servers do not mask what they send, so a reader only has to find the ends of frames
//! and, in each, the mark that tells which message it is and when it was sent. All of them share one thread and one
//! buffer.

mod crowd;
mod feeder;
mod frames;
mod handles;
mod marks;
mod senders;
mod socket;
mod stalled;
mod tally;
mod target;

pub(super) use crowd::Crowd;
pub(super) use feeder::Feeder;
pub(super) use handles::make_room;
pub(super) use marks::Mark;
pub(super) use senders::Senders;
pub(super) use socket::{Opening, connect};
pub(super) use stalled::Stalled;
pub(super) use target::LiveTarget;
