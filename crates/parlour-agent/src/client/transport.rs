//! What came back: read within bounds, then taken as what was asked for or as the hub's no.

use std::{future::Future, time::Duration};

use reqwest::{Response, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::{ClientError, Problem, TlsTrouble};

/// How long an answer may be: a full page of the longest messages fits twice.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How a hub that speaks TLS begins its answer to somebody who does not.
const SPEAKS_TLS: &[u8] = b"This hub speaks TLS";

/// An answer that has arrived whole.
#[derive(Debug)]
pub(super) struct Answer {
    url: Url,
    status: StatusCode,
    body: Vec<u8>,
}

/// Why an answer did not arrive whole.
pub(super) enum Broken {
    /// The connection ended in the middle.
    Off(reqwest::Error),
    /// It would not end.
    TooLong(StatusCode),
}

impl Answer {
    /// Waits for all of the answer, up to `ANSWER_BYTES_MAX`.
    pub(super) async fn receive(mut response: Response) -> Result<Self, Broken> {
        let (url, status) = (response.url().clone(), response.status());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(Broken::Off)? {
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                return Err(Broken::TooLong(status));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self { url, status, body })
    }

    /// The hub's no as an error; anything else goes on as it is.
    pub(super) fn refused_or_itself(self) -> Result<Self, ClientError> {
        if self.status.is_success() {
            return Ok(self);
        }
        if self.body.starts_with(SPEAKS_TLS) {
            let url = self.url.origin().ascii_serialization();
            return Err(ClientError::Untrusted { url, trouble: TlsTrouble::OnlyTls });
        }
        match serde_json::from_slice::<Problem>(&self.body) {
            Ok(problem) => Err(ClientError::Problem(Box::new(problem))),
            Err(_) => Err(self.bad("there are no problem details in it")),
        }
    }

    /// Takes the answer as what was asked for.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.bad(&error.to_string()))
    }

    fn bad(&self, reason: &str) -> ClientError {
        ClientError::BadAnswer { url: self.url.to_string(), status: self.status.as_u16(), reason: reason.to_owned() }
    }
}

impl Broken {
    /// The error for a call to `url` of the hub at `base`.
    pub(super) fn told(self, base: &str, url: &Url) -> ClientError {
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

/// A hub that asks to wait for longer is told to its caller instead.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The patience of a client: a number of tries with pauses that double up to a longest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often the call is made, the first time included.
    pub tries_max: u32,
    /// The pause after the first try.
    pub pause_first: Duration,
    /// No pause is longer.
    pub pause_max: Duration,
}

impl Default for Retry {
    /// Five tries within three seconds: enough for a hub that restarts, short enough for somebody who waits.
    fn default() -> Self {
        Self { tries_max: 5, pause_first: Duration::from_millis(200), pause_max: Duration::from_secs(2) }
    }
}

impl Retry {
    /// One try, for callers who decide themselves.
    pub const NEVER: Self = Self { tries_max: 1, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

    /// The pause after this many failed tries, or none when patience has ended.
    pub fn pause_after(&self, failures: u32) -> Option<Duration> {
        if failures >= self.tries_max {
            return None;
        }
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
        Some(self.pause_first.saturating_mul(factor).min(self.pause_max))
    }

    /// Makes a call until it succeeds, fails for good, or patience ends. It must be harmless to repeat.
    pub(crate) async fn run<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.run_while(&mut call, |error, failures| self.pause_for(error, failures)).await
    }

    /// The same for a call that must not be made twice: it is repeated only when nobody has heard it.
    pub(crate) async fn run_unheard<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.run_while(&mut call, |error, failures| self.pause_after(failures).filter(|_| error.is_unheard())).await
    }

    /// Makes a call again for as long as there is a pause after its error and this many failures.
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

    /// The pause after this error: the own one, or that which the hub asks for when it is longer.
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

    fn answer(status: u16, body: &str) -> Answer {
        let url = "http://hub.example/me".parse().expect("address");
        Answer { url, status: StatusCode::from_u16(status).expect("status"), body: body.into() }
    }

    #[test]
    fn a_success_is_read_as_what_was_asked_for() {
        let numbers: Vec<u8> = answer(200, "[1,2]").refused_or_itself().and_then(|it| it.read()).expect("numbers");
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn a_problem_keeps_its_code() {
        let body = r#"{"code":"PARLOUR-A01","title":"Nobody is signed in","detail":"no token","status":401}"#;
        let error = answer(401, body).refused_or_itself().expect_err("refused");
        assert_eq!(error.to_string(), "no token (PARLOUR-A01)");
    }

    #[test]
    fn a_hub_that_speaks_tls_is_understood() {
        let error = answer(400, "This hub speaks TLS: use https://").refused_or_itself().expect_err("refused");
        assert_eq!(error.to_string(), "no safe connection to http://hub.example: it speaks TLS only");
    }

    #[test]
    fn another_server_is_told_apart_from_a_hub() {
        for (status, body) in [(404, "<html>"), (302, ""), (500, "{}")] {
            let message = answer(status, body).refused_or_itself().expect_err(body).to_string();
            assert!(message.contains("not like a Parlour hub") && message.contains(&status.to_string()), "{message}");
        }
        assert!(answer(200, "<html>").read::<Vec<u8>>().is_err());
    }

    /// A patience that costs tests no time.
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

    /// How often a call that fails `failures` times is made, and whether it succeeds in the end.
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
    async fn patience_ends() {
        assert_eq!(tries(9, true).await, (3, false));
    }

    #[tokio::test]
    async fn what_cannot_pass_is_not_repeated() {
        assert_eq!(tries(9, false).await, (1, false));
    }

    #[test]
    fn a_hub_that_asks_to_wait_is_given_that_time_but_not_for_ever() {
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
