//! Model engines: the answers of an agent are written by a model of a provider.
//!
//! | module | does |
//! |---|---|
//! | `turns` | builds the message list of a model; pure |
//! | `openai`, `anthropic`, `gemini` | requests and events of one provider API; pure |
//! | `request` | sends one request and reads its response, with all time limits |
//! | `output` | passes text, steps and tool calls on to the conversation |
//! | `failure` | classifies errors of providers and describes them, without the key |
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
use parlour_dialects::models::{StepDisplay, TranscriptBuilder};
use reqwest::redirect;
use rustls::ClientConfig;
use tokio_util::sync::CancellationToken;

use crate::{
    engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Prompt},
    live::{Backoff, draw},
    tls::{self, TlsConfigError, TlsOptions},
};
use failure::{ModelFailure, WaitPhase};
use output::ModelOutput;
use request::UsageTally;
use settings::CheckedSettings;
use turns::{HISTORY_CHARS_MAX, turns_of};

mod anthropic;
mod failure;
mod gemini;
mod openai;
mod output;
mod request;
mod reranking;
mod settings;
mod turns;

pub use reranking::{RerankError, RerankModel, RerankSettings};
pub use settings::{Interface, ModelSettings, ModelSettingsError, OUTPUT_TOKENS_USUAL, RequestLimits, Secret};

/// A longer `Retry-After` of a provider is an error.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// An engine whose answers a model writes. It has no state between two answers.
#[derive(Debug)]
pub struct ModelEngine {
    target: CheckedSettings,
    client: ModelClient,
}

impl ModelEngine {
    /// An engine with its own connections. Sends nothing yet.
    pub fn new(settings: ModelSettings) -> Result<Self, ModelSettingsError> {
        // Check the settings before TLS files are read.
        let target = CheckedSettings::of(settings)?;
        let client =
            ModelClient::new(&TlsOptions::default()).map_err(|error| ModelSettingsError::Tls(error.to_string()))?;
        Ok(Self { target, client })
    }

    /// An engine that shares the connections of `client`.
    pub fn with_client(settings: ModelSettings, client: &ModelClient) -> Result<Self, ModelSettingsError> {
        Ok(Self { target: CheckedSettings::of(settings)?, client: client.clone() })
    }

    /// Repeats the request until there is an answer or a permanent failure.
    async fn converse(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        tally: &mut UsageTally,
    ) -> Result<(), ModelFailure> {
        let request_limits = &self.target.settings.request_limits;
        let turns = turns_of(prompt, HISTORY_CHARS_MAX);
        let body = request::body(&self.target.settings, &turns).to_string();
        let mut backoff = Backoff::new(request_limits.pause_first, request_limits.pause_max, Duration::MAX);
        let mut output = ModelOutput::new(out, prompt.is_optional());
        loop {
            tally.begin_try();
            let http = self.client.http(self.target.is_own_machine);
            let Err(failure) = request::ask(&self.target, http, &body, &mut output, tally).await else { return Ok(()) };
            let wait = failure.wait().unwrap_or_default();
            if output.has_begun() {
                return Err(ModelFailure::Midway(Box::new(failure)));
            }
            if !failure.is_transient() || tally.tries() >= request_limits.tries_max || wait > WAIT_MAX {
                return Err(failure);
            }
            tokio::time::sleep(backoff.pause_after_failure(draw()).max(wait)).await;
            output.reset();
        }
    }

    /// The error text, with the number of attempts.
    fn describe(&self, failure: &ModelFailure, tally: &UsageTally) -> String {
        let words = failure.describe(&self.target);
        let tries = tally.tries();
        let words = if tries > 1 && failure.is_transient() { format!("{words} (asked {tries} times)") } else { words };
        words.chars().take(limits::REASON_CHARS_MAX).collect()
    }
}

#[async_trait]
impl Engine for ModelEngine {
    fn runtime(&self) -> String {
        let runtime = format!("{}: {}", self.target.settings.interface.as_str(), self.target.settings.model);
        runtime.chars().take(limits::PRESENCE_TEXT_CHARS_MAX).collect()
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        let whole = self.target.settings.request_limits.whole;
        let mut tally = UsageTally::begin(&self.target.settings.model);
        let mut signals = out.signals();
        let end = tokio::select! {
            biased;
            () = stop.cancelled() => Err(ModelFailure::Stopped),
            end = self.converse(prompt, out, &mut tally) => end,
            () = signals.worked_for(whole) => Err(ModelFailure::Slow(WaitPhase::Whole, whole)),
        };
        match end {
            Ok(()) => Ok(Completion { usage: Some(tally.usage()) }),
            Err(failure) => {
                Err(EngineError { reason: self.describe(&failure, &tally), usage: tally.usage_if_counted() })
            }
        }
    }
}

/// The time limit of a TCP and TLS connection.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// A connection pool for providers. Cheap to clone; all clones share it.
#[derive(Clone, Debug)]
pub struct ModelClient {
    /// For loopback addresses, without proxy.
    direct: reqwest::Client,
    /// For all others, with the proxy of the environment if there is one.
    usual: reqwest::Client,
}

impl ModelClient {
    /// Trusts the authorities of this machine and the given ones.
    pub fn new(options: &TlsOptions) -> Result<Self, TlsConfigError> {
        let tls = tls::configure(options)?;
        let build = |builder: reqwest::ClientBuilder| {
            let builder = builder
                .connect_timeout(CONNECT_TIME_MAX)
                .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
                // A redirect would send the key to another address.
                .redirect(redirect::Policy::none())
                .tls_backend_preconfigured(ClientConfig::clone(&tls));
            builder.build().map_err(|error| TlsConfigError::NoAuthorities(rustls::Error::General(error.to_string())))
        };
        Ok(Self { direct: build(reqwest::Client::builder().no_proxy())?, usual: build(reqwest::Client::builder())? })
    }

    pub(super) fn http(&self, is_own_machine: bool) -> &reqwest::Client {
        if is_own_machine { &self.direct } else { &self.usual }
    }
}

impl ModelEngine {
    /// One completion outside of a conversation: applies the instructions to `text`. Fails if the result exceeds
    /// `chars_max` characters.
    pub async fn complete(&self, instructions: &str, text: &str, chars_max: usize) -> Result<String, EngineError> {
        // There is no conversation, so there is no agent either.
        let nobody = AgentId::from_bits(0);
        let view = TranscriptBuilder {
            agent: &nobody,
            steps: StepDisplay::Omitted,
            chars_max: limits::MESSAGE_BODY_BYTES_MAX,
        };
        let mut turns = view.build(&[]);
        turns.instruct(instructions);
        turns.ask(text);
        let body = request::body(&self.target.settings, &turns).to_string();
        let mut collector = TextCollector { text: String::new(), chars_left: chars_max };
        let mut tally = UsageTally::begin(&self.target.settings.model);
        tally.begin_try();
        let http = self.client.http(self.target.is_own_machine);
        let mut output = ModelOutput::new(&mut collector, false);
        match request::ask(&self.target, http, &body, &mut output, &mut tally).await {
            Ok(()) => Ok(collector.text),
            Err(failure) => {
                Err(EngineError { reason: self.describe(&failure, &tally), usage: tally.usage_if_counted() })
            }
        }
    }
}

/// Collects the text of a completion.
struct TextCollector {
    text: String,
    chars_left: usize,
}

#[async_trait]
impl AnswerSink for TextCollector {
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
