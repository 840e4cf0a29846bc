//! One request and its answer, read piece by piece as it comes.

use std::time::Duration;

use parlour_core::{limits, usage::Usage};
use parlour_dialects::models::Turns;
use reqwest::{
    Response, Url,
    header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    anthropic,
    events::{Event, Events},
    failure::{self, Failure, Wait},
    gemini, openai,
    output::{Count, Finish, Piece, Refused, Written},
    refused,
    settings::{Checked, Interface, ModelSettings, Secret},
};
use crate::tls::TlsTrouble;

/// Bytes of a refusal that are read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a whole stream, what the model thinks and all wrapping included.
const STREAM_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long numbers are waited for after the end of an answer.
const NUMBERS_TIME_MAX: Duration = Duration::from_secs(5);

/// Asks once. What comes goes to `written` and `tally` at once.
pub(super) async fn ask(
    asked: &Checked,
    http: &reqwest::Client,
    body: &str,
    written: &mut Written<'_>,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let first_byte = asked.settings.patience.first_byte;
    let deadline = Instant::now() + first_byte;
    let request = http
        .post(asked.url.clone())
        .headers(asked.headers.clone())
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_owned());
    let too_slow = Failure::Slow(Wait::FirstByte, first_byte);
    let response = timeout_at(deadline, request.send()).await.map_err(|_| too_slow)?.map_err(|error| lost(&error))?;
    let response = expect_stream(asked, response).await?;
    written.mark_prompt_delivered();
    let mut reading = Reading { asked, response, events: Events::default(), finish: None, is_over: false, bytes: 0 };
    reading.run(deadline, written, tally).await
}

fn lost(error: &reqwest::Error) -> Failure {
    match TlsTrouble::in_chain(error) {
        Some(trouble) => Failure::Untrusted(trouble),
        None if error.is_connect() => Failure::Unreachable,
        None => Failure::HungUp,
    }
}

/// Takes an answer as a stream of events, or says what it is instead.
async fn expect_stream(asked: &Checked, response: Response) -> Result<Response, Failure> {
    if !response.status().is_success() {
        return Err(Failure::Refused(read_refusal(asked, response).await));
    }
    let form = header(response.headers(), CONTENT_ENCODING);
    if !form.is_empty() && !form.eq_ignore_ascii_case("identity") {
        return Err(Failure::Packed(form));
    }
    let sort = header(response.headers(), CONTENT_TYPE).to_ascii_lowercase();
    // Some servers do not say what they send.
    if sort.is_empty() || sort.starts_with("text/event-stream") {
        return Ok(response);
    }
    let refused = Refused { status: None, ..read_refusal(asked, response).await };
    if refused.message.is_empty() { Err(Failure::NoStream(sort)) } else { Err(Failure::Refused(refused)) }
}

/// What the provider says about its no, as far as it comes in time.
async fn read_refusal(asked: &Checked, mut response: Response) -> Refused {
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
    // What came so far is enough.
    let _ = timeout(asked.settings.patience.between_pieces, all).await;
    let refused = refused::read(&body);
    Refused { status: Some(status), wait_ms: wait_ms.or(refused.wait_ms), ..refused }
}

/// How long to wait, in the two usual headers. A date is not understood: the own pause will do.
fn wait_in_headers(headers: &HeaderMap) -> Option<u64> {
    let number = |name: HeaderName| header(headers, name).trim().parse::<f64>().ok().filter(|number| *number >= 0.0);
    let millis = number(HeaderName::from_static("retry-after-ms"));
    millis.or_else(|| number(RETRY_AFTER).map(|seconds| seconds * 1_000.0)).map(|millis| millis as u64)
}

fn header(headers: &HeaderMap, name: HeaderName) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// A stream that is being read.
struct Reading<'a> {
    asked: &'a Checked,
    response: Response,
    events: Events,
    /// How the answer ended, once it has.
    finish: Option<Finish>,
    /// Whether the provider has said that nothing follows.
    is_over: bool,
    bytes: usize,
}

impl Reading<'_> {
    async fn run(&mut self, first: Instant, written: &mut Written<'_>, tally: &mut Tally) -> Result<(), Failure> {
        while !self.is_over {
            let chunk = match self.next_chunk(first).await {
                Ok(chunk) => chunk,
                // The answer is there; only what might have followed is not.
                Err(_) if self.finish.is_some() => break,
                Err(failure) => return Err(failure),
            };
            let Some(chunk) = chunk else {
                self.take_last(written, tally).await?;
                break;
            };
            let (events, result) = self.events.take(&chunk);
            self.take(&events, written, tally).await?;
            result?;
        }
        self.judge(written).await
    }

    /// The next bytes; none at the end.
    async fn next_chunk(&mut self, first: Instant) -> Result<Option<Vec<u8>>, Failure> {
        let patience = &self.asked.settings.patience;
        let (deadline, failure) = match (&self.finish, self.bytes) {
            (Some(_), _) => (Instant::now() + NUMBERS_TIME_MAX, Failure::Cut),
            (None, 0) => (first, Failure::Slow(Wait::FirstByte, patience.first_byte)),
            (None, _) => {
                (Instant::now() + patience.between_pieces, Failure::Slow(Wait::Piece, patience.between_pieces))
            }
        };
        let chunk =
            timeout_at(deadline, self.response.chunk()).await.map_err(|_| failure)?.map_err(|_| Failure::Cut)?;
        self.bytes = self.bytes.saturating_add(chunk.as_ref().map_or(0, |chunk| chunk.len()));
        if self.bytes > STREAM_BYTES_MAX { Err(Failure::Endless) } else { Ok(chunk.map(|chunk| chunk.to_vec())) }
    }

    /// Takes the event that the stream ended in, if it is whole. Half an event is no fault: the answer is cut.
    async fn take_last(&mut self, written: &mut Written<'_>, tally: &mut Tally) -> Result<(), Failure> {
        let last = self.events.finish().unwrap_or_default();
        let is_whole = |event: &Event| read(self.asked.settings.interface, event).is_ok();
        let last: Vec<_> = last.into_iter().filter(is_whole).collect();
        self.take(&last, written, tally).await
    }

    async fn take(&mut self, events: &[Event], written: &mut Written<'_>, tally: &mut Tally) -> Result<(), Failure> {
        for event in events {
            for piece in read(self.asked.settings.interface, event)? {
                self.take_piece(piece, written, tally).await?;
            }
        }
        Ok(())
    }

    async fn take_piece(&mut self, piece: Piece, written: &mut Written<'_>, tally: &mut Tally) -> Result<(), Failure> {
        match piece {
            Piece::Text(text) => written.add_text(&text).await?,
            Piece::Refusal(text) => written.add_refusal(&text),
            Piece::Tool(name) => written.tell_tool(&name).await?,
            Piece::Model(name) => tally.name_model(&name),
            Piece::Count(count) => tally.add(count),
            // What was said first counts: some servers say `stop` once more at the very end.
            Piece::Finish(finish) => self.finish = self.finish.take().or(Some(finish)),
            Piece::End => self.is_over = true,
            Piece::Error(refused) => return Err(Failure::Refused(refused)),
        }
        Ok(())
    }

    /// Says whether what came is a whole answer.
    async fn judge(&mut self, written: &mut Written<'_>) -> Result<(), Failure> {
        match self.finish.take() {
            Some(Finish::Whole) => written.finish().await,
            None if self.is_over => written.finish().await,
            None => Err(Failure::Cut),
            Some(finish) => {
                written.show_held().await?;
                Err(Failure::Ended(finish))
            }
        }
    }
}

/// An event that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson;

/// Where an answer is asked for.
pub(super) fn url(interface: Interface, base: &Url, model: &str) -> Url {
    match interface {
        Interface::OpenAi => openai::url(base),
        Interface::Anthropic => anthropic::url(base),
        Interface::Gemini => gemini::url(base, model),
    }
}

/// The headers of a request; none when a header cannot carry the key.
pub(super) fn headers(interface: Interface, key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = match interface {
        Interface::OpenAi => openai::headers(key),
        Interface::Anthropic => anthropic::headers(key),
        Interface::Gemini => gemini::headers(key),
    }?;
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    Some(headers)
}

/// The request.
pub(super) fn body(settings: &ModelSettings, turns: &Turns) -> Value {
    match settings.interface {
        Interface::OpenAi => openai::body(settings, turns),
        Interface::Anthropic => anthropic::body(settings, turns),
        Interface::Gemini => gemini::body(settings, turns),
    }
}

/// What an event says.
pub(super) fn read(interface: Interface, event: &Event) -> Result<Vec<Piece>, NotJson> {
    match interface {
        Interface::OpenAi => openai::read(event),
        Interface::Anthropic => anthropic::read(event),
        Interface::Gemini => gemini::read(event),
    }
}

/// The address of `path` below a base that may already end in its first folder.
pub(super) fn join(base: &Url, folder: &str, path: &str) -> Url {
    let mut url = base.clone();
    let begin = base.path().trim_end_matches('/');
    let begin = begin.strip_suffix(folder).unwrap_or(begin);
    url.set_path(&format!("{begin}{folder}{path}"));
    url
}

/// Counts while an answer is made.
#[derive(Debug)]
pub(super) struct Tally {
    started: Instant,
    model: String,
    tries: u32,
    count: Count,
}

impl Tally {
    pub(super) fn begin(model: &str) -> Self {
        Self { started: Instant::now(), model: model.to_owned(), tries: 0, count: Count::default() }
    }

    pub(super) fn begin_try(&mut self) {
        self.tries = self.tries.saturating_add(1);
    }

    pub(super) fn tries(&self) -> u32 {
        self.tries
    }

    /// Takes the provider's name of the model; one that nobody could show is left.
    pub(super) fn name_model(&mut self, name: &str) {
        let name: String = failure::line(name, None).chars().take(limits::MODEL_CHARS_MAX).collect();
        if !name.is_empty() {
            self.model = name;
        }
    }

    pub(super) fn add(&mut self, count: Count) {
        self.count = count.or(self.count);
    }

    /// What it has cost. A provider that does not count leaves the tokens at zero.
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

    /// What a failure has cost all the same, if anything was counted.
    pub(super) fn usage_if_counted(&self) -> Option<Usage> {
        (!self.count.is_empty()).then(|| self.usage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_numbers_replace_earlier_ones() {
        let mut tally = Tally::begin("small");
        tally.begin_try();
        tally.add(Count { input: Some(10), cached: Some(4), output: Some(1) });
        tally.add(Count { input: None, cached: None, output: Some(7) });
        let usage = tally.usage();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (10, Some(4), 7));
        assert_eq!((usage.tries, usage.check()), (Some(1), Ok(())));
    }

    #[test]
    fn a_failure_that_was_not_counted_costs_nothing() {
        let mut tally = Tally::begin("small");
        assert_eq!(tally.usage_if_counted(), None);
        tally.add(Count { input: Some(1), ..Count::default() });
        assert!(tally.usage_if_counted().is_some());
    }

    #[test]
    fn the_name_of_the_model_is_always_one_that_the_hub_takes() {
        for name in ["", " \n", "small-2026\nx", &"x".repeat(999)] {
            let mut tally = Tally::begin("small");
            tally.name_model(name);
            assert_eq!(tally.usage().check(), Ok(()), "{name}");
        }
    }
}
