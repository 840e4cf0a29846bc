//! Requests that are repeated until the hub has answered, through every fault on the way.

use std::time::Duration;

use reqwest::{Client, Method};
use serde_json::Value;

use crate::{run_state::FaultRunState, transcript::text};

/// An answer that has not come by then will not: the request is repeated, which is always harmless here.
pub(crate) const ANSWER_PATIENCE: Duration = Duration::from_secs(30);
/// Attempts of one request; more would mean that nothing gets through at all.
const ATTEMPTS_MAX: usize = 2_000;

/// A member's way to the hub.
#[derive(Clone)]
pub(crate) struct RetryingApi {
    client: Client,
    url: String,
    token: String,
}

/// An answer that is a no.
#[derive(Debug)]
pub(crate) struct ApiRefusal {
    /// The stable code.
    pub(crate) code: String,
    /// The whole document.
    pub(crate) problem: String,
}

impl RetryingApi {
    /// A way through this address.
    pub(crate) fn new(url: &str, token: &str) -> Self {
        let client = Client::builder().timeout(ANSWER_PATIENCE).build().expect("a client");
        Self { client, url: url.to_owned(), token: token.to_owned() }
    }

    /// Asks again and again until there is an answer; a broken connection and a busy hub are none.
    pub(crate) async fn ask(
        &self,
        run_state: &mut FaultRunState,
        how: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, ApiRefusal> {
        for _ in 0..ATTEMPTS_MAX {
            run_state.hub_is_there().await;
            if let Some(answer) = self.try_once(how.clone(), path, body).await {
                return answer;
            }
        }
        unreachable!("{how} {path} never came through")
    }

    /// Asks for something that must succeed, and counts it.
    pub(crate) async fn do_it(&self, run_state: &mut FaultRunState, how: Method, path: &str, body: &Value) -> Value {
        let answer = self.ask(run_state, how.clone(), path, body).await;
        run_state.count();
        answer.unwrap_or_else(|refused| unreachable!("{how} {path}: {}", refused.problem))
    }

    async fn try_once(&self, how: Method, path: &str, body: &Value) -> Option<Result<Value, ApiRefusal>> {
        let request = self.client.request(how, format!("{}{path}", self.url)).bearer_auth(&self.token);
        let request = if body.is_null() { request } else { request.json(body) };
        let response = request.send().await.ok()?;
        let status = response.status();
        let shown = response.text().await.ok()?;
        let answer: Value = if shown.is_empty() { Value::Null } else { serde_json::from_str(&shown).ok()? };
        match status.is_success() {
            true => Some(Ok(answer)),
            false if answer["retryable"] == true => None,
            false => {
                Some(Err(ApiRefusal { code: text(&answer, "/code").to_owned(), problem: format!("{status} {answer}") }))
            }
        }
    }
}
