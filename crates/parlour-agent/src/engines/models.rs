//! Model engines: an agent whose answers a model of some provider writes.
//!
//! | part | does |
//! |---|---|
//! | `turns` | the conversation as a model is to see it, and what is asked; pure |
//! | `openai`, `anthropic`, `gemini` | the request and the events of one interface; pure |
//! | `events` | events out of bytes, bounded; pure |
//! | `asking` | one request and its answer, with all its time limits |
//! | `completing` | one text out of another, outside of conversations |
//! | `reranking` | how well texts fit what is asked |
//! | `written` | what goes on to the conversation: text, silence, requests for tools |
//! | `refused`, `failure`, `plain` | what went wrong, in words for people and without the key |
//! | [`ModelEngine`] | one request after another until there is an answer |
//!
//! What can be relied upon:
//!
//! - A request is made again only as long as nothing of an answer was shown, a bounded number of times, with pauses that
//!   grow and are drawn at random; a provider that asks for a pause is given it, unless it is too long.
//! - An answer that is not whole is never passed off as one. What was shown stays, and the trouble says why it ends: the
//!   connection was lost, the provider's limit of tokens was reached, a filter or the model itself refused to go on.
//! - The key is in one header and nowhere else: no address, no log, no error. No redirect is followed.
//! - Memory is bounded whatever a provider sends.

mod anthropic;
mod asking;
mod client;
mod completing;
mod events;
mod failure;
mod gemini;
mod openai;
mod piece;
mod plain;
mod refused;
mod reranking;
mod secret;
mod settings;
mod tally;
mod turns;
mod wire;
mod written;

use std::time::Duration;

use async_trait::async_trait;
use parlour_core::limits;
use tokio_util::sync::CancellationToken;

pub use self::{
    client::ModelClient,
    reranking::{RerankModel, RerankSettings, RerankTrouble},
    secret::Secret,
    settings::{BadSettings, Interface, ModelSettings, OUTPUT_TOKENS_USUAL, Patience},
};
use self::{
    failure::{Failure, Wait},
    settings::Checked,
    tally::Tally,
    turns::{HISTORY_CHARS_MAX, turns_of},
    written::Written,
};
use crate::{
    TlsOptions,
    engine::{AnswerSink, Completion, Engine, EngineError, Prompt},
    live::{Backoff, draw},
};

/// A provider that asks for a longer pause is not asked again.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// An engine whose answers a model writes. It keeps nothing between two answers.
#[derive(Debug)]
pub struct ModelEngine {
    asked: Checked,
    client: ModelClient,
}

impl ModelEngine {
    /// An engine with connections of its own. Nothing is sent yet.
    pub fn new(settings: ModelSettings) -> Result<Self, BadSettings> {
        // What is wrong with the settings is told before anything is read for TLS.
        let asked = Checked::of(settings)?;
        let client = ModelClient::new(&TlsOptions::default()).map_err(|error| BadSettings::Tls(error.to_string()))?;
        Ok(Self { asked, client })
    }

    /// An engine that shares connections with others.
    pub fn with_client(settings: ModelSettings, client: &ModelClient) -> Result<Self, BadSettings> {
        Ok(Self { asked: Checked::of(settings)?, client: client.clone() })
    }

    /// Asks until there is an answer, or there is no use in asking again.
    async fn converse(&self, prompt: &Prompt, out: &mut dyn AnswerSink, tally: &mut Tally) -> Result<(), Failure> {
        let patience = &self.asked.settings.patience;
        let turns = turns_of(prompt, HISTORY_CHARS_MAX);
        let body = wire::body(&self.asked.settings, &turns).to_string();
        let mut backoff = Backoff::new(patience.pause_first, patience.pause_max, Duration::MAX);
        let mut written = Written::new(out, prompt.is_optional());
        loop {
            tally.begin_try();
            let http = self.client.http(self.asked.is_own_machine);
            let Err(failure) = asking::ask(&self.asked, http, &body, &mut written, tally).await else { return Ok(()) };
            let wait = failure.wait().unwrap_or_default();
            if written.has_begun() {
                return Err(Failure::Midway(Box::new(failure)));
            }
            if !failure.may_pass() || tally.tries() >= patience.tries_max || wait > WAIT_MAX {
                return Err(failure);
            }
            tokio::time::sleep(backoff.pause_after_failure(draw()).max(wait)).await;
            written.begin_again();
        }
    }

    /// What went wrong, in words, with how often it was tried.
    fn told(&self, failure: &Failure, tally: &Tally) -> String {
        let words = failure.told(&self.asked);
        let tries = tally.tries();
        let words = if tries > 1 && failure.may_pass() { format!("{words} (asked {tries} times)") } else { words };
        words.chars().take(limits::REASON_CHARS_MAX).collect()
    }
}

#[async_trait]
impl Engine for ModelEngine {
    fn runtime(&self) -> String {
        let runtime = format!("{}: {}", self.asked.settings.interface.as_str(), self.asked.settings.model);
        runtime.chars().take(limits::PRESENCE_TEXT_CHARS_MAX).collect()
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        let whole = self.asked.settings.patience.whole;
        let mut tally = Tally::begin(&self.asked.settings.model);
        let mut signals = out.signals();
        let end = tokio::select! {
            biased;
            () = stop.cancelled() => Err(Failure::Stopped),
            end = self.converse(prompt, out, &mut tally) => end,
            () = signals.worked_for(whole) => Err(Failure::Slow(Wait::Whole, whole)),
        };
        match end {
            Ok(()) => Ok(Completion { usage: Some(tally.usage()) }),
            Err(failure) => Err(EngineError { reason: self.told(&failure, &tally), usage: tally.usage_if_counted() }),
        }
    }
}
