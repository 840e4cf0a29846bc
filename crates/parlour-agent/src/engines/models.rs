//! Model engines: the answers of an agent are written by a model of a provider.
//!
//! | module | does |
//! |---|---|
//! | `turns` | builds the message list of a model; pure |
//! | `openai`, `anthropic`, `gemini` | requests and events of one provider API; pure |
//! | `events` | parses server-sent events, bounded; pure |
//! | `request` | sends one request and reads its response, with all time limits |
//! | `output` | passes text, steps and tool calls on to the conversation |
//! | `refused`, `failure` | describe errors for people, without the key |
//! | `reranking` | scores texts with a reranking service |
//! | [`ModelEngine`] | repeats requests until there is an answer |
//!
//! Guarantees:
//!
//! - A request is retried only while no part of an answer was shown, a bounded number of times and with a randomised
//!   exponential backoff. A `Retry-After` of the provider is respected up to a limit.
//! - An incomplete answer never ends as complete. The text stays, and the error names the cause: a lost connection, the
//!   token limit of the provider, a content filter or a refusal of the model.
//! - The key is sent in one header; it is in no URL, log or error. Redirects are not followed.
//! - Memory is bounded for every response of a provider.

use std::time::Duration;

use async_trait::async_trait;
use parlour_core::{
    id::AgentId,
    limits,
    step::{FinishStep, StartStep},
};
use parlour_dialects::models::{Steps, View};
use reqwest::redirect;
use rustls::ClientConfig;
use tokio_util::sync::CancellationToken;

use crate::{
    engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Prompt},
    live::{Backoff, draw},
    tls::{self, BadTls, TlsOptions},
};
use failure::{Failure, Wait};
use output::Written;
use request::Tally;
use settings::Checked;
use turns::{HISTORY_CHARS_MAX, turns_of};

mod anthropic;
mod events;
mod failure;
mod gemini;
mod openai;
mod output;
mod refused;
mod request;
mod reranking;
mod settings;
mod turns;

pub use reranking::{RerankModel, RerankSettings, RerankTrouble};
pub use settings::{BadSettings, Interface, ModelSettings, OUTPUT_TOKENS_USUAL, Patience, Secret};

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
        let body = request::body(&self.asked.settings, &turns).to_string();
        let mut backoff = Backoff::new(patience.pause_first, patience.pause_max, Duration::MAX);
        let mut written = Written::new(out, prompt.is_optional());
        loop {
            tally.begin_try();
            let http = self.client.http(self.asked.is_own_machine);
            let Err(failure) = request::ask(&self.asked, http, &body, &mut written, tally).await else { return Ok(()) };
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

/// How long it may take until somebody takes the call.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// Connections to providers. Cheap to clone; all clones share them.
#[derive(Clone, Debug)]
pub struct ModelClient {
    /// To the own machine, which is never behind a proxy.
    direct: reqwest::Client,
    /// To others, through the proxy of the environment if there is one.
    usual: reqwest::Client,
}

impl ModelClient {
    /// Connections that trust the authorities of this machine and the given ones.
    pub fn new(options: &TlsOptions) -> Result<Self, BadTls> {
        let tls = tls::configure(options)?;
        let build = |builder: reqwest::ClientBuilder| {
            let builder = builder
                .connect_timeout(CONNECT_TIME_MAX)
                .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
                // A redirect would carry the key to an address that nobody has chosen.
                .redirect(redirect::Policy::none())
                .tls_backend_preconfigured(ClientConfig::clone(&tls));
            builder.build().map_err(|error| BadTls::NoAuthorities(rustls::Error::General(error.to_string())))
        };
        Ok(Self { direct: build(reqwest::Client::builder().no_proxy())?, usual: build(reqwest::Client::builder())? })
    }

    /// The connections that lead there.
    pub(super) fn http(&self, is_own_machine: bool) -> &reqwest::Client {
        if is_own_machine { &self.direct } else { &self.usual }
    }
}

impl ModelEngine {
    /// Asks the model once to do with `text` what the instructions say. An answer of more than `chars_max` characters is
    /// not waited for to its end.
    pub async fn complete(&self, instructions: &str, text: &str, chars_max: usize) -> Result<String, EngineError> {
        // Nobody is looking on: there is no conversation, and so no side to see it from.
        let nobody = AgentId::from_bits(0);
        let view = View { agent: &nobody, steps: Steps::OmissionReason, chars_max: limits::MESSAGE_BODY_BYTES_MAX };
        let mut turns = view.turns(&[]);
        turns.instruct(instructions);
        turns.ask(text);
        let body = request::body(&self.asked.settings, &turns).to_string();
        let mut page = Page { text: String::new(), chars_left: chars_max };
        let mut tally = Tally::begin(&self.asked.settings.model);
        tally.begin_try();
        let http = self.client.http(self.asked.is_own_machine);
        let asked = request::ask(&self.asked, http, &body, &mut Written::new(&mut page, false), &mut tally).await;
        match asked {
            Ok(()) => Ok(page.text),
            Err(failure) => Err(EngineError { reason: self.told(&failure, &tally), usage: tally.usage_if_counted() }),
        }
    }
}

/// Where such an answer is gathered.
struct Page {
    text: String,
    chars_left: usize,
}

#[async_trait]
impl AnswerSink for Page {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        let chars = text.chars().count();
        self.chars_left = self.chars_left.checked_sub(chars).ok_or(AnswerStopped)?;
        self.text.push_str(text);
        Ok(())
    }

    async fn start_step(&mut self, _: StartStep) -> Result<(), AnswerStopped> {
        Ok(())
    }

    async fn finish_step(&mut self, _: &str, _: FinishStep) -> Result<(), AnswerStopped> {
        Ok(())
    }
}
