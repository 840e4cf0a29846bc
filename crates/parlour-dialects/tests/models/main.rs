//! Lists for model providers: what is shown of a log, and that every provider's own rules hold for what is made of it.

#[path = "../support/any_message.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod any_message;
mod calls;
mod cutting;
mod decoding;
mod formats;
mod labels;
mod laws;
mod logs;
mod refused;
mod sabotage;
mod trust;
mod view;
