//! Context packs for an agent, built over a real store.

mod support;

#[path = "context/asking.rs"]
mod asking;
#[path = "context/choosing.rs"]
mod choosing;
#[path = "context/fixture.rs"]
mod fixture;
#[path = "context/hiding.rs"]
mod hiding;
#[path = "context/learning.rs"]
mod learning;
#[path = "context/ruling.rs"]
mod ruling;
