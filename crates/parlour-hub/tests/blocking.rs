//! Blocking messages: questions, answers, and runs that pause, resume and end.

mod support;

#[path = "blocking/access.rs"]
mod access;
#[path = "blocking/answering.rs"]
mod answering;
#[path = "blocking/asking.rs"]
mod asking;
#[path = "blocking/boards.rs"]
mod boards;
#[path = "blocking/checkpoint_texts.rs"]
mod checkpoint_texts;
#[path = "blocking/checkpoints.rs"]
mod checkpoints;
#[path = "blocking/deliveries.rs"]
mod deliveries;
#[path = "blocking/ending.rs"]
mod ending;
#[path = "blocking/expiring.rs"]
mod expiring;
#[path = "blocking/fixture.rs"]
mod fixture;
#[path = "blocking/inboxes.rs"]
mod inboxes;
#[path = "blocking/leases.rs"]
mod leases;
#[path = "blocking/races.rs"]
mod races;
#[path = "blocking/reading.rs"]
mod reading;
#[path = "blocking/recovery.rs"]
mod recovery;
#[path = "blocking/replying.rs"]
mod replying;
#[path = "blocking/resuming.rs"]
mod resuming;
#[path = "blocking/unanswered.rs"]
mod unanswered;
#[path = "blocking/waiting.rs"]
mod waiting;
