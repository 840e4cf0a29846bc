//! The domain of Parlour: its types, rules and permissions.
//!
//! Everything here is a value or a pure function. There is no clock, no randomness, no I/O and no async: the hub passes
//! time, ids and stored facts, and gets a decision. This makes the rules testable as properties, and equal on every
//! surface and every store.
//!
//! The serde form of these types *is* the native wire format (see `docs/adr`); every other format has
//! its own wire types in `parlour-dialects`.

pub mod access;
pub mod answer_effects;
pub mod artifact;
pub mod attribution;
pub mod audience;
pub mod audit;
pub mod author;
pub mod call;
pub mod cause;
pub mod checkpoint;
pub mod claims;
pub mod code;
pub mod context;
pub mod conversation;
pub mod delivery;
pub mod engine;
pub mod event;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod graph;
pub mod handoff;
mod hex_bytes;
pub mod id;
pub mod import;
pub mod inbox;
pub mod invite;
pub mod limits;
pub mod live;
pub mod loop_guard;
pub mod member;
pub mod mention;
pub mod message;
pub mod message_list;
pub mod model_visibility;
pub mod name;
pub mod paging;
pub mod password;
pub mod policy;
pub mod position;
pub mod post;
pub mod presence;
pub mod project;
pub mod question;
pub mod rate;
pub mod reaction;
pub mod refusal;
pub mod run;
pub mod scope;
pub mod search_query;
pub mod snapshot;
pub mod step;
pub mod stream;
pub mod task;
pub mod text;
pub mod timeline;
pub mod timestamp;
pub mod token;
pub mod waiting;
pub mod wake;
pub mod write;

pub use code::{Code, RefusalClass};
pub use refusal::{CandidateMeaning, Refusal};
pub use timestamp::Timestamp;
