//! Who is called by a message: what the core has to know is gathered here, and what it decides is carried out.
//!
//! - `origin` finds what a message of an agent follows from, and `decide` whom a message calls.
//! - `call_locks` lets agents go one after another, so that no two slip past a rule together.
//! - `known` leaves out what the readers of the conversation cannot know: a rule must not betray it.
//! - `post_commit` tells the conversation what the loop guard has stopped.
//! - `wide` is about `@everyone` and `@agents`.

mod decide;
mod post_commit;
mod known;
mod origin;
mod call_locks;
mod wide;

pub(crate) use self::{
    decide::Decision,
    post_commit::{PostCommit, RunEffect},
    origin::open_after,
    call_locks::KeyedLock,
    wide::report_wide_mention,
};
