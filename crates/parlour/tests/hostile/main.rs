//! Hostile input against the real program, over plain sockets, because HTTP libraries refuse to send it.
//!
//! Every case is a line of a table. The tables of the server's own tests are sent here again, over TCP, together with
//! those of this folder. After each case the hub still answers, nothing was stored, its log contains no panic, and the
//! audit log is intact.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../../parlour-server/tests/populated_hub/seed_data.rs"]
mod seed_data;

mod forged_fields;
mod forged_tokens;
mod hostile_hub;
mod requests;
mod sockets;
mod wire;
