//! What an agent would see: gathered over a real store, and within bounds.

mod support;

#[path = "context/asking.rs"]
mod asking;
#[path = "context/choosing.rs"]
mod choosing;
#[path = "context/hiding.rs"]
mod hiding;
#[path = "context/keeping.rs"]
mod keeping;
#[path = "context/learning.rs"]
mod learning;
#[path = "context/ruling.rs"]
mod ruling;
#[path = "context/stage.rs"]
mod stage;
