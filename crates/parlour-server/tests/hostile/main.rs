//! Hostile requests: each is refused by a problem document with its code and field, and nothing is stored.

#[path = "../populated_hub/mod.rs"]
mod populated_hub;
#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod authorization;
mod bodies;
mod json;
mod mutations;
mod names;
mod tables;
mod uploads;
mod values;
mod wire;
