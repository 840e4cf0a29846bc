//! Calls: called agents, answers, passes, expiry, and the result for the sender.

mod support;

#[path = "calling/answering.rs"]
mod answering;
#[path = "calling/fixture.rs"]
mod fixture;
#[path = "calling/following.rs"]
mod following;
#[path = "calling/hostile.rs"]
mod hostile;
#[path = "calling/open.rs"]
mod open;
#[path = "calling/passing.rs"]
mod passing;
#[path = "calling/streams.rs"]
mod streams;
#[path = "calling/waiting.rs"]
mod waiting;
#[path = "calling/waking.rs"]
mod waking;
#[path = "calling/wide.rs"]
mod wide;
