//! Responses of the hub: bounded reading, conversion into values or problems, retries.

use std::{future::Future, time::Duration};

use reqwest::{Response, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::{ClientError, Problem, TlsFailure};

/// The largest response: a full page of the longest messages fits twice.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The start of the response of a TLS hub to a plain HTTP request.
const SPEAKS_TLS: &[u8] = b"This hub speaks TLS";

/// A complete response.
#[derive(Debug)]
pub(super) struct HubResponse {
    url: Url,
    status: StatusCode,
    body: Vec<u8>,
}

/// Why a response is incomplete.
pub(super) enum ReceiveError {
    /// The connection was lost.
    Off(reqwest::Error),
    /// It exceeds `ANSWER_BYTES_MAX`.
    TooLong(StatusCode),
}

impl HubResponse {
    /// Reads the whole response.
    pub(super) async fn receive(mut response: Response) -> Result<Self, ReceiveError> {
        let (url, status) = (response.url().clone(), response.status());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(ReceiveError::Off)? {
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                return Err(ReceiveError::TooLong(status));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self { url, status, body })
    }

    /// Converts a refusal into an error; returns a success unchanged.
    pub(super) fn refused_or_itself(self) -> Result<Self, ClientError> {
        if self.status.is_success() {
            return Ok(self);
        }
        if self.body.starts_with(SPEAKS_TLS) {
            let url = self.url.origin().ascii_serialization();
            return Err(ClientError::Untrusted { url, trouble: TlsFailure::OnlyTls });
        }
        match serde_json::from_slice::<Problem>(&self.body) {
            Ok(problem) => Err(ClientError::Problem(Box::new(problem))),
            Err(_) => Err(self.bad("it contains no problem details")),
        }
    }

    /// Deserialises the body.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.bad(&error.to_string()))
    }

    /// The error for a response that does not match the API.
    pub(super) fn bad(&self, reason: &str) -> ClientError {
        ClientError::BadAnswer { url: self.url.to_string(), status: self.status.as_u16(), reason: reason.to_owned() }
    }
}

impl ReceiveError {
    /// The error for a call to `url` of the hub at `base`.
    pub(super) fn into_client_error(self, base: &str, url: &Url) -> ClientError {
        match self {
            Self::Off(source) => ClientError::Unreachable { url: base.to_owned(), source },
            Self::TooLong(status) => ClientError::BadAnswer {
                url: url.to_string(),
                status: status.as_u16(),
                reason: format!("the answer is longer than {ANSWER_BYTES_MAX} bytes"),
            },
        }
    }
}

/// A longer `Retry-After` is an error for the caller.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Retries of a call with exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts, the first one included.
    pub tries_max: u32,
    pub pause_first: Duration,
    pub pause_max: Duration,
}

impl Default for Retry {
    /// Five attempts within three seconds: enough for a restart of the hub, short enough for a waiting user.
    fn default() -> Self {
        Self { tries_max: 5, pause_first: Duration::from_millis(200), pause_max: Duration::from_secs(2) }
    }
}

impl Retry {
    /// A single attempt.
    pub const NEVER: Self = Self { tries_max: 1, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

    /// The pause after this many failures; `None` if no attempt is left.
    pub fn pause_after(&self, failures: u32) -> Option<Duration> {
        if failures >= self.tries_max {
            return None;
        }
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
        Some(self.pause_first.saturating_mul(factor).min(self.pause_max))
    }

    /// Repeats an idempotent call until it succeeds, fails permanently, or no attempt is left.
    pub(crate) async fn run<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.run_while(&mut call, |error, failures| self.pause_for(error, failures)).await
    }

    /// Repeats a call that is not idempotent, only while no request reached the hub.
    pub(crate) async fn run_unheard<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.run_while(&mut call, |error, failures| self.pause_after(failures).filter(|_| error.is_unheard())).await
    }

    /// Repeats a call while `pause` returns a pause for its error and the number of failures.
    async fn run_while<T, F>(
        &self,
        call: &mut impl FnMut() -> F,
        pause: impl Fn(&ClientError, u32) -> Option<Duration>,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut failures = 0;
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            failures += 1;
            match pause(&error, failures) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    /// The pause after this error: ours, or the `Retry-After` of the hub if that is longer.
    fn pause_for(&self, error: &ClientError, failures: u32) -> Option<Duration> {
        let wait = error.retry_after().unwrap_or_default();
        let pause = self.pause_after(failures).filter(|_| error.is_retryable() && wait <= WAIT_MAX)?;
        Some(pause.max(wait))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::Problem;

    use super::*;

    fn answer(status: u16, body: &str) -> HubResponse {
        let url = "http://hub.example/me".parse().expect("address");
        HubResponse { url, status: StatusCode::from_u16(status).expect("status"), body: body.into() }
    }

    #[test]
    fn a_success_is_deserialised() {
        let numbers: Vec<u8> = answer(200, "[1,2]").refused_or_itself().and_then(|it| it.read()).expect("numbers");
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn a_problem_keeps_its_code() {
        let body =
            r#"{"code":"PARLOUR-A01","title":"The request is not authenticated","detail":"no token","status":401}"#;
        let error = answer(401, body).refused_or_itself().expect_err("refused");
        assert_eq!(error.to_string(), "no token (PARLOUR-A01)");
    }

    #[test]
    fn the_plain_text_of_a_tls_hub_is_recognised() {
        let error = answer(400, "This hub speaks TLS: use https://").refused_or_itself().expect_err("refused");
        assert_eq!(error.to_string(), "no secure connection to http://hub.example: it accepts TLS connections only");
    }

    #[test]
    fn responses_of_other_servers_are_errors() {
        for (status, body) in [(404, "<html>"), (302, ""), (500, "{}")] {
            let message = answer(status, body).refused_or_itself().expect_err(body).to_string();
            assert!(message.contains("not like a Parlour hub") && message.contains(&status.to_string()), "{message}");
        }
        assert!(answer(200, "<html>").read::<Vec<u8>>().is_err());
    }

    /// Retries without pauses.
    const QUICK: Retry = Retry { tries_max: 3, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

    fn refusal(retryable: bool) -> ClientError {
        refusal_for(retryable, None)
    }

    fn refusal_for(retryable: bool, retry_after: Option<u64>) -> ClientError {
        ClientError::Problem(Box::new(Problem {
            code: "PARLOUR-S01".into(),
            title: "busy".into(),
            detail: String::new(),
            field: None,
            candidates: vec![],
            retryable,
            status: 503,
            retry_after,
            request_id: None,
        }))
    }

    /// The number of attempts of a call that fails `failures` times, and whether it succeeds.
    async fn tries(failures: u32, retryable: bool) -> (u32, bool) {
        let made = Cell::new(0);
        let call = || {
            made.set(made.get() + 1);
            std::future::ready(if made.get() > failures { Ok(()) } else { Err(refusal(retryable)) })
        };
        let outcome = QUICK.run(call).await;
        (made.get(), outcome.is_ok())
    }

    #[tokio::test]
    async fn a_call_is_repeated_until_it_succeeds() {
        assert_eq!(tries(0, true).await, (1, true));
        assert_eq!(tries(2, true).await, (3, true));
    }

    #[tokio::test]
    async fn attempts_are_limited() {
        assert_eq!(tries(9, true).await, (3, false));
    }

    #[tokio::test]
    async fn permanent_errors_are_not_repeated() {
        assert_eq!(tries(9, false).await, (1, false));
    }

    #[test]
    fn retry_after_is_respected_up_to_a_limit() {
        let pause = |retry_after| Retry::default().pause_for(&refusal_for(true, retry_after), 1);
        assert_eq!(pause(None), Some(Duration::from_millis(200)));
        assert_eq!(pause(Some(0)), Some(Duration::from_millis(200)));
        assert_eq!(pause(Some(7)), Some(Duration::from_secs(7)));
        assert_eq!(pause(Some(31)), None);
        assert_eq!(Retry::NEVER.pause_for(&refusal_for(true, Some(1)), 1), None);
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let pauses: Vec<_> = (1..=5).map(|failures| Retry::default().pause_after(failures)).collect();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(pauses, [millis(200), millis(400), millis(800), millis(1600), None]);
        let long = Retry { tries_max: u32::MAX, ..Retry::default() };
        assert_eq!(long.pause_after(u32::MAX - 1), Some(Duration::from_secs(2)));
        assert_eq!(Retry::NEVER.pause_after(1), None);
    }
}
