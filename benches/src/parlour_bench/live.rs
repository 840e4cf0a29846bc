//! Thousands of live readers in one process that uses little CPU, because it shares the machine with the measured server.
//!
//! Readers parse WebSocket frames themselves: servers do not mask frames, so a reader only has to find the ends of frames
//! and, in each frame, the mark with number and sending time of its message. All readers share one thread and one
//! buffer.

mod file_handles;
mod frames;
mod marks;
mod producer;
mod readers;
mod senders;
mod socket;
mod stalled;
mod tally;
mod target;

pub(super) use file_handles::make_room;
pub(super) use marks::Mark;
pub(super) use producer::Producer;
pub(super) use readers::Readers;
pub(super) use senders::Senders;
pub(super) use socket::{Opening, connect};
pub(super) use stalled::Stalled;
pub(super) use target::LiveTarget;
