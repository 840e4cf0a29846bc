//! Message lists for model providers: which messages they contain, and that they pass the rules of every provider.

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
