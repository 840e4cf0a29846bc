//! Connects programs and agents to a hub.
//!
//! The command line, the tests and the runner of agents use this crate. It uses the HTTP API of the hub, never its
//! store, so everything works from another machine as well.
//!
//! | module | does |
//! |---|---|
//! | [`Client`] | sends requests to the native API |
//! | [`live`] | follows the events of a project over reconnects and restarts |
//! | [`Outbox`] | posts messages in order and exactly once, also while the hub is away |
//! | [`streaming`] | writes a streamed answer |
//! | [`engine`] | the interface of engines, which write answers; implementations are in [`engines`] |
//! | [`link`] | the hub interface of a runner, remote or in process |
//! | [`hooks`] | deliver messages to coding agents between their steps |
//! | [`mcp`] | relays MCP lines between stdio and a hub |
//! | [`runner`] | runs an agent: answers calls, tasks and questions once each |
//!
//! Guarantees of [`Client`]:
//!
//! - It uses the types of the domain: the native wire format is their serde form. Responses with several parts have
//!   types of their own in [`answers`].
//! - A post is repeated under the same message id until the hub accepts or refuses it, so a restart of the hub never
//!   causes a second message.
//! - Time, attempts, response sizes and pages are bounded.
//! - An error says what failed ([`ClientError`]); a refusal contains the hub's code and candidates ([`Problem`]).
//!
//! ```no_run
//! use parlour_agent::Client;
//! use parlour_core::{id::MessageId, post::PostMessage};
//!
//! # async fn example(next_bits: u128) -> Result<(), parlour_agent::ClientError> {
//! let client = Client::new("http://127.0.0.1:4870", Some("parlour_…"))?;
//! let tour = &client.projects().await?.items[0];
//! let general = &client.channels(&tour.id).await?.items[0];
//! let request = PostMessage { channel_id: Some(general.id.clone()), body: "Hello".into(), ..PostMessage::default() };
//! let posted = client.post_message(&MessageId::from_bits(next_bits), &request).await?;
//! println!("number {} of #{}", posted.message.seq, general.name);
//! # Ok(())
//! # }
//! ```

pub mod answers;
mod client;
pub mod engine;
pub mod engines;
mod error;
pub mod hooks;
pub mod link;
pub mod live;
pub mod mcp;
mod outbox;
pub mod requests;
pub mod runner;
mod sse;
pub mod streaming;
mod tls;

pub use crate::{
    client::{
        AuditExport, Client, ClientOptions, HistoryRange, PageAt, QuestionFilter, normal_hub_url, transport::Retry,
    },
    error::{ClientError, Problem},
    outbox::{Outbox, OutboxFull, PendingPost},
    tls::{IdentityFiles, PemFileError, TlsConfigError, TlsFailure, TlsOptions},
};
