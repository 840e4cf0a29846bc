//! The hub: what Parlour does, told apart from how it is stored and how it is reached.
//!
//! A surface knows who is calling and hands over a request; a use case asks the core whether it may be, brings
//! time and ids, and lets a port make it so. There is no SQL, no HTTP and no foreign format here, so every
//! surface and every store gets the same behaviour.
//!
//! - `ports` are the contracts of the adapters; the crate `parlour-testkit` holds the suites that check them.
//! - `live` tells readers what happens, while it happens: sessions, feeds and the fan-out.
//! - `calling` decides with the core whom a message calls to answer it.
//! - `context` gathers what a model may see, and keeps what packs are made with.
//! - `questions` decides what a blocking message asks and what answers it, `runs` keeps runs in step with that.
//! - `use_cases` has one file for each thing a caller can do.

mod access;
mod cache;
mod calling;
mod context;
mod event_writer;
mod facade;
mod failure;
mod host_message;
mod hub;
mod keyed_lock;
pub mod live;
mod note_budget;
pub mod ports;
mod presence;
mod project_state;
mod questions;
mod rates;
mod runs;
mod streams;
pub mod summaries;
mod timers;
mod token;
pub mod use_cases;
mod waiters;

pub use failure::{Failure, Fault};
pub use hub::{Hub, Ports};
pub use rates::{Allowance, RateCharges, RateExceeded, SignInAttempt};
pub use token::hash_token;
