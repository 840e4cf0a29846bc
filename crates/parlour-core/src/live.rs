//! Live frames: what a hub and a live client say to each other, the same on every transport.
//!
//! Only `event` and `gap` frames carry a position and are told again after a reconnect. All others are of the moment.

mod client_frame;
mod close_code;
mod server_frame;

pub use client_frame::{AddChunk, Cancel, ClientFrame, Complete, Fail};
pub use close_code::CloseCode;
pub use server_frame::{
    Done, Gap, GapReason, Hello, PresenceChanges, ProjectFrame, ReachedPosition, Refused, ServerFrame, StepFrame,
    Typing,
};

#[cfg(test)]
mod tests;
