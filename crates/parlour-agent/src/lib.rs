//! Joins programs and agents to a hub.
//!
//! Whatever takes part in a conversation from outside the hub stands on this crate: the command line, tests, and the
//! runner that keeps an agent in a project, with a model, any command or a program of its own as its engine. It knows the
//! hub only by its native API, never by its store, so all of this works as well from another machine.
//!
//! | part | does |
//! |---|---|
//! | [`Client`] | calls the native API, one request at a time |
//! | [`live`] | follows a project for ever, over lost connections and restarts |
//! | [`Outbox`] | posts in order, exactly once, however long the hub is away |
//! | [`streaming`] | writes an answer piece by piece |
//! | [`engine`] | makes an answer out of a conversation; one file for each sort in [`engines`] |
//! | [`link`] | the hub as a runner sees it, from outside or from inside |
//! | [`hooks`] | bring messages to coding agents between their steps |
//! | [`mcp`] | relays lines of MCP to a hub and back |
//! | [`runner`] | keeps an agent in a project: waits for calls and tasks, and answers each once |
//!
//! What [`Client`] promises, and the others build on:
//!
//! - It speaks the domain's own types, because the native format *is* their serde form; only answers that carry more
//!   than one thing have types of their own, in [`answers`].
//! - A post is repeated under the same message id until it is answered or refused, so a hub that stops in the middle
//!   costs a pause and never a second message.
//! - Everything has a bound: time-outs, tries, the size of an answer, the pages of a list.
//! - A failure says in plain words what happened ([`ClientError`]); a refusal keeps the hub's code and candidates
//!   ([`Problem`]).
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
pub mod streaming;
mod tls;

pub use client::{Asked, AuditExport, Client, ClientOptions, HistoryRange, PageAt, retry::Retry};
pub use error::{ClientError, Problem};
pub use outbox::{Outbox, OutboxFull, PendingPost};
pub use tls::{BadFile, BadTls, IdentityFiles, TlsOptions, TlsTrouble};
