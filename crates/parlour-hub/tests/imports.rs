//! Imports: messages of another system keep author, time and content, call no agent and are stored once.

mod support;

#[path = "imports/content.rs"]
mod content;
#[path = "imports/events.rs"]
mod events;
#[path = "imports/fixture.rs"]
mod fixture;
#[path = "imports/no_side_effects.rs"]
mod no_side_effects;
#[path = "imports/ordering.rs"]
mod ordering;
#[path = "imports/references.rs"]
mod references;
#[path = "imports/refusals.rs"]
mod refusals;
#[path = "imports/repetition.rs"]
mod repetition;
