//! Taking over messages of another system: they keep what they were, wake nobody, and stand there once.

mod support;

#[path = "imports/fixture.rs"]
mod fixture;
#[path = "imports/keeping.rs"]
mod keeping;
#[path = "imports/ordering.rs"]
mod ordering;
#[path = "imports/quiet.rs"]
mod quiet;
#[path = "imports/referring.rs"]
mod referring;
#[path = "imports/refusing.rs"]
mod refusing;
#[path = "imports/repeating.rs"]
mod repeating;
#[path = "imports/telling.rs"]
mod telling;
