//! Hostile input against the real program, over plain sockets: what no library would send.
//!
//! Every case is a line of a table. The tables of the server's own tests are sent here again, over TCP, beside those of
//! this folder. After each of them the hub answers as before, nothing was stored, its log tells of no panic, and the
//! audit log is whole.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../../parlour-server/tests/attack/world.rs"]
mod world;

mod forged_tokens;
mod hostile_hub;
mod requests;
mod sockets;
mod unbelieved;
mod wire;
