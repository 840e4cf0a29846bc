//! The hub: the use cases of Parlour, independent of storage and protocols.
//!
//! A surface authenticates the caller and passes a request. A use case checks permissions with the core, adds time
//! and ids, and writes through a port. There is no SQL, no HTTP and no foreign format here, so all surfaces and
//! stores behave alike.
//!
//! - `ports` are the contracts of the adapters; the crate `parlour-testkit` contains their test suites.
//! - `hub` builds the services; `facade` lists the methods that `Hub` delegates to them.
//! - `infrastructure` holds the ports and what several services share.
//! - `accounts` authenticates callers and manages people, agents, tokens and invites.
//! - `audit` reads the audit log and records refusals in it.
//! - `access` checks permissions and loads what a caller may see.
//! - `project_state` holds the in-memory state of each project.
//! - `event_writer` appends to the store and invalidates caches.
//! - `live` publishes events to readers: sessions, feeds and the fan-out.
//! - `calling` decides which agents a message calls.
//! - `questions` and `runs` handle blocking messages and the runs that wait for them.
//! - `streams` are answers that are written piece by piece.
//! - `context` builds the packs that models receive.
//! - `use_cases` contains the services for messages, conversations, inboxes, runs, projects, tasks and artifacts.

mod access;
mod accounts;
mod audit;
mod cache;
mod calling;
mod context;
mod event_writer;
mod facade;
mod failure;
mod host_message;
mod hub;
mod infrastructure;
mod keyed_lock;
pub mod live;
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
pub use hub::Hub;
pub use infrastructure::Ports;
pub use rates::{Allowance, RateCharges, RateExceeded, SignInAttempt};
pub use token::hash_token;

/// Services that can be built without a hub.
pub mod services {
    pub use crate::{
        accounts::AccountService, audit::AuditLog, infrastructure::Infrastructure, presence::PresenceService,
        use_cases::TaskService,
    };
}
