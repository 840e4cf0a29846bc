//! The live surfaces over TCP connections to a running hub.

#[path = "../support/mod.rs"]
mod support;

mod clients;
mod serving;

mod browsers;
mod calling;
mod conformance;
mod endings;
mod events;
mod events_only;
mod handshake;
mod heartbeats;
mod rates;
mod refusals;
mod requests;
mod resume;
mod sign_in;
mod slow;
mod visibility;
