//! Lists for model providers: what is shown of a log, and that every provider's own rules hold for what is made of it.

#[path = "../support/any_message.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod any_message;
mod decoding;
mod formats;
mod invalid_requests;
mod labels;
mod laws;
mod limits;
mod logs;
mod refused;
mod tool_calls;
mod transcript_builder;
mod trust;
