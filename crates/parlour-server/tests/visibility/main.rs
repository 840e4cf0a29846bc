//! Visibility: every route, called by every kind of reader, with ids of others.

#[path = "../populated_hub/mod.rs"]
mod populated_hub;
#[path = "../support/mod.rs"]
mod support;

mod leaving;
mod matrix;
mod sameness;
mod scopes;
