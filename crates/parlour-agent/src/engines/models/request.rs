//! Sends one request to a provider and reads its event stream.

use std::time::Duration;

use parlour_core::{engine::Usage, limits};
use parlour_dialects::models::Transcript;
use reqwest::{
    Response, Url,
    header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    anthropic,
    failure::{self, ModelFailure, ProviderError, WaitPhase},
    gemini, openai,
    output::{FinishReason, ModelEvent, ModelOutput, TokenCount},
    settings::{CheckedSettings, Interface, ModelSettings, Secret},
};
use crate::{
    sse::{SseEvent, SseParser},
    tls::TlsFailure,
};

/// The most bytes of an error response that are read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// The largest event of a stream.
const EVENT_BYTES_MAX: usize = 1024 * 1024;
/// The largest stream, reasoning and metadata included.
const STREAM_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The time limit for token counts after the end of an answer.
const NUMBERS_TIME_MAX: Duration = Duration::from_secs(5);

/// Sends one request; passes text to `output` and counts to `tally` as they arrive.
pub(super) async fn ask(
    target: &CheckedSettings,
    http: &reqwest::Client,
    body: &str,
    output: &mut ModelOutput<'_>,
    tally: &mut UsageTally,
) -> Result<(), ModelFailure> {
    let first_byte = target.settings.request_limits.first_byte;
    let deadline = Instant::now() + first_byte;
    let request = http
        .post(target.url.clone())
        .headers(target.headers.clone())
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_owned());
    let too_slow = ModelFailure::Slow(WaitPhase::FirstByte, first_byte);
    let response =
        timeout_at(deadline, request.send()).await.map_err(|_| too_slow)?.map_err(|error| connection_error(&error))?;
    let response = expect_stream(target, response).await?;
    output.mark_prompt_delivered();
    let mut reader = ResponseReader {
        target,
        response,
        events: SseParser::new(EVENT_BYTES_MAX),
        finish: None,
        is_over: false,
        bytes: 0,
    };
    reader.run(deadline, output, tally).await
}

fn connection_error(error: &reqwest::Error) -> ModelFailure {
    match TlsFailure::in_chain(error) {
        Some(trouble) => ModelFailure::Untrusted(trouble),
        None if error.is_connect() => ModelFailure::Unreachable,
        None => ModelFailure::HungUp,
    }
}

/// Returns a response that is an event stream; converts any other into an error.
async fn expect_stream(target: &CheckedSettings, response: Response) -> Result<Response, ModelFailure> {
    if !response.status().is_success() {
        return Err(ModelFailure::Refused(read_refusal(target, response).await));
    }
    let form = header(response.headers(), CONTENT_ENCODING);
    if !form.is_empty() && !form.eq_ignore_ascii_case("identity") {
        return Err(ModelFailure::Packed(form));
    }
    let sort = header(response.headers(), CONTENT_TYPE).to_ascii_lowercase();
    // Some servers omit the content type.
    if sort.is_empty() || sort.starts_with("text/event-stream") {
        return Ok(response);
    }
    let refused = ProviderError { status: None, ..read_refusal(target, response).await };
    if refused.message.is_empty() { Err(ModelFailure::NoStream(sort)) } else { Err(ModelFailure::Refused(refused)) }
}

/// Reads an error response within the time limit.
async fn read_refusal(target: &CheckedSettings, mut response: Response) -> ProviderError {
    let status = response.status().as_u16();
    let wait_ms = wait_in_headers(response.headers());
    let mut body = Vec::new();
    let all = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = REFUSAL_BYTES_MAX - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == REFUSAL_BYTES_MAX {
                return;
            }
        }
    };
    // A partial body is enough.
    let _ = timeout(target.settings.request_limits.between_pieces, all).await;
    let refused = failure::parse_error(&body);
    ProviderError { status: Some(status), wait_ms: wait_ms.or(refused.wait_ms), ..refused }
}

/// The wait time in `Retry-After-Ms` or `Retry-After`. A date is ignored.
fn wait_in_headers(headers: &HeaderMap) -> Option<u64> {
    let number = |name: HeaderName| header(headers, name).trim().parse::<f64>().ok().filter(|number| *number >= 0.0);
    let millis = number(HeaderName::from_static("retry-after-ms"));
    millis.or_else(|| number(RETRY_AFTER).map(|seconds| seconds * 1_000.0)).map(|millis| millis as u64)
}

fn header(headers: &HeaderMap, name: HeaderName) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Reads the event stream of a response.
struct ResponseReader<'a> {
    target: &'a CheckedSettings,
    response: Response,
    events: SseParser,
    /// Set at the end of the answer.
    finish: Option<FinishReason>,
    /// Whether the provider has ended the stream.
    is_over: bool,
    bytes: usize,
}

impl ResponseReader<'_> {
    async fn run(
        &mut self,
        first: Instant,
        output: &mut ModelOutput<'_>,
        tally: &mut UsageTally,
    ) -> Result<(), ModelFailure> {
        while !self.is_over {
            let chunk = match self.next_chunk(first).await {
                Ok(chunk) => chunk,
                // The answer is complete; only the token counts may be missing.
                Err(_) if self.finish.is_some() => break,
                Err(failure) => return Err(failure),
            };
            let Some(chunk) = chunk else {
                self.take_last(output, tally).await?;
                break;
            };
            let (events, result) = self.events.push(&chunk);
            self.take(&events, output, tally).await?;
            result?;
        }
        self.judge(output).await
    }

    /// The next bytes; `None` at the end.
    async fn next_chunk(&mut self, first: Instant) -> Result<Option<Vec<u8>>, ModelFailure> {
        let request_limits = &self.target.settings.request_limits;
        let (deadline, failure) = match (&self.finish, self.bytes) {
            (Some(_), _) => (Instant::now() + NUMBERS_TIME_MAX, ModelFailure::Cut),
            (None, 0) => (first, ModelFailure::Slow(WaitPhase::FirstByte, request_limits.first_byte)),
            (None, _) => (
                Instant::now() + request_limits.between_pieces,
                ModelFailure::Slow(WaitPhase::Piece, request_limits.between_pieces),
            ),
        };
        let chunk =
            timeout_at(deadline, self.response.chunk()).await.map_err(|_| failure)?.map_err(|_| ModelFailure::Cut)?;
        self.bytes = self.bytes.saturating_add(chunk.as_ref().map_or(0, |chunk| chunk.len()));
        if self.bytes > STREAM_BYTES_MAX { Err(ModelFailure::Endless) } else { Ok(chunk.map(|chunk| chunk.to_vec())) }
    }

    /// Handles the last event if it is complete. A partial event is not an error of its own: the answer is cut.
    async fn take_last(&mut self, output: &mut ModelOutput<'_>, tally: &mut UsageTally) -> Result<(), ModelFailure> {
        let last = self.events.finish().unwrap_or_default();
        let is_whole = |event: &SseEvent| read(self.target.settings.interface, event).is_ok();
        let last: Vec<_> = last.into_iter().filter(is_whole).collect();
        self.take(&last, output, tally).await
    }

    async fn take(
        &mut self,
        events: &[SseEvent],
        output: &mut ModelOutput<'_>,
        tally: &mut UsageTally,
    ) -> Result<(), ModelFailure> {
        for event in events {
            for piece in read(self.target.settings.interface, event)? {
                self.take_piece(piece, output, tally).await?;
            }
        }
        Ok(())
    }

    async fn take_piece(
        &mut self,
        piece: ModelEvent,
        output: &mut ModelOutput<'_>,
        tally: &mut UsageTally,
    ) -> Result<(), ModelFailure> {
        match piece {
            ModelEvent::Text(text) => output.add_text(&text).await?,
            ModelEvent::Refusal(text) => output.add_refusal(&text),
            ModelEvent::Tool(name) => output.report_tool_call(&name).await?,
            ModelEvent::Model(name) => tally.name_model(&name),
            ModelEvent::Count(count) => tally.add(count),
            // The first reason counts: some servers send `stop` once more at the end.
            ModelEvent::Finish(finish) => self.finish = self.finish.take().or(Some(finish)),
            ModelEvent::End => self.is_over = true,
            ModelEvent::Error(refused) => return Err(ModelFailure::Refused(refused)),
        }
        Ok(())
    }

    /// Decides whether the answer is complete.
    async fn judge(&mut self, output: &mut ModelOutput<'_>) -> Result<(), ModelFailure> {
        match self.finish.take() {
            Some(FinishReason::Whole) => output.finish().await,
            None if self.is_over => output.finish().await,
            None => Err(ModelFailure::Cut),
            Some(finish) => {
                output.show_held().await?;
                Err(ModelFailure::Ended(finish))
            }
        }
    }
}

/// The data of an event is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson;

/// The URL of the request.
pub(super) fn url(interface: Interface, base: &Url, model: &str) -> Url {
    match interface {
        Interface::OpenAi => openai::url(base),
        Interface::Anthropic => anthropic::url(base),
        Interface::Gemini => gemini::url(base, model),
    }
}

/// The headers of a request; `None` if the key is not a valid header value.
pub(super) fn headers(interface: Interface, key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = match interface {
        Interface::OpenAi => openai::headers(key),
        Interface::Anthropic => anthropic::headers(key),
        Interface::Gemini => gemini::headers(key),
    }?;
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    Some(headers)
}

/// The request body.
pub(super) fn body(settings: &ModelSettings, turns: &Transcript) -> Value {
    match settings.interface {
        Interface::OpenAi => openai::body(settings, turns),
        Interface::Anthropic => anthropic::body(settings, turns),
        Interface::Gemini => gemini::body(settings, turns),
    }
}

/// Decodes an event of a provider.
pub(super) fn read(interface: Interface, event: &SseEvent) -> Result<Vec<ModelEvent>, NotJson> {
    match interface {
        Interface::OpenAi => openai::read(event),
        Interface::Anthropic => anthropic::read(event),
        Interface::Gemini => gemini::read(event),
    }
}

/// Appends `folder` and `path` to a base URL that may already end with `folder`.
pub(super) fn join(base: &Url, folder: &str, path: &str) -> Url {
    let mut url = base.clone();
    let begin = base.path().trim_end_matches('/');
    let begin = begin.strip_suffix(folder).unwrap_or(begin);
    url.set_path(&format!("{begin}{folder}{path}"));
    url
}

/// Counts tokens and attempts of an answer.
#[derive(Debug)]
pub(super) struct UsageTally {
    started: Instant,
    model: String,
    tries: u32,
    count: TokenCount,
}

impl UsageTally {
    pub(super) fn begin(model: &str) -> Self {
        Self { started: Instant::now(), model: model.to_owned(), tries: 0, count: TokenCount::default() }
    }

    pub(super) fn begin_try(&mut self) {
        self.tries = self.tries.saturating_add(1);
    }

    pub(super) fn tries(&self) -> u32 {
        self.tries
    }

    /// Records the model name of the provider, unless it has no visible characters.
    pub(super) fn name_model(&mut self, name: &str) {
        let name: String = failure::line(name, None).chars().take(limits::MODEL_CHARS_MAX).collect();
        if !name.is_empty() {
            self.model = name;
        }
    }

    pub(super) fn add(&mut self, count: TokenCount) {
        self.count = count.or(self.count);
    }

    /// The usage. Without counts of the provider the tokens are zero.
    pub(super) fn usage(&self) -> Usage {
        Usage {
            model: self.model.clone(),
            input_tokens: self.count.input.unwrap_or(0),
            cached_tokens: self.count.cached,
            output_tokens: self.count.output.unwrap_or(0),
            tries: Some(self.tries),
            duration_ms: u64::try_from(self.started.elapsed().as_millis()).ok(),
        }
    }

    /// The usage of a failed answer, if the provider counted any tokens.
    pub(super) fn usage_if_counted(&self) -> Option<Usage> {
        (!self.count.is_empty()).then(|| self.usage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_counts_replace_earlier_ones() {
        let mut tally = UsageTally::begin("small");
        tally.begin_try();
        tally.add(TokenCount { input: Some(10), cached: Some(4), output: Some(1) });
        tally.add(TokenCount { input: None, cached: None, output: Some(7) });
        let usage = tally.usage();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (10, Some(4), 7));
        assert_eq!((usage.tries, usage.check()), (Some(1), Ok(())));
    }

    #[test]
    fn a_failure_without_counts_has_no_usage() {
        let mut tally = UsageTally::begin("small");
        assert_eq!(tally.usage_if_counted(), None);
        tally.add(TokenCount { input: Some(1), ..TokenCount::default() });
        assert!(tally.usage_if_counted().is_some());
    }

    #[test]
    fn the_recorded_model_name_is_always_valid() {
        for name in ["", " \n", "small-2026\nx", &"x".repeat(999)] {
            let mut tally = UsageTally::begin("small");
            tally.name_model(name);
            assert_eq!(tally.usage().check(), Ok(()), "{name}");
        }
    }
}
