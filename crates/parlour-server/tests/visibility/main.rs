//! Who sees what: every address of the API, called by everybody, with the ids of things that are not theirs.

#[path = "../attack/mod.rs"]
mod attack;
#[path = "../support/mod.rs"]
mod support;

mod leaving;
mod matrix;
mod sameness;
mod scopes;
