//! What came back: read within bounds, then taken as what was asked for or as the hub's no.

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

#[cfg(test)]
mod tests {
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
}
