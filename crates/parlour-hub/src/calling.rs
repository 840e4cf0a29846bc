//! Who is called by a message: what the core has to know is gathered here, and what it decides is carried out.
//!
//! - `origin` finds what a message of an agent follows from, and `decide` whom a message calls.
//! - `turns` lets agents go one after another, so that no two slip past a rule together.
//! - `known` leaves out what the readers of the conversation cannot know: a rule must not betray it.
//! - `follow_up` tells the conversation what the loop guard has stopped.
//! - `wide` is about `@everyone` and `@agents`.

mod decide;
mod follow_up;
mod known;
mod origin;
mod turns;
mod wide;

pub(crate) use self::{
    decide::Decision,
    follow_up::{FollowUp, Sequel},
    origin::open_after,
    turns::Turns,
    wide::report_wide,
};
