//! A client of rerankers with the HTTP API of Cohere, which Jina, Morph, vLLM and many more share.
//!
//! A response is valid only with exactly one score for each text. Its size is bounded.

use reqwest::{
    Response, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::{Deserialize, Serialize};

use super::{
    ModelClient,
    settings::{ModelSettingsError, Secret, check_key_transport, check_model, is_loopback, parse_url, sensitive},
};
use crate::tls::TlsFailure;

/// The largest response. Some services return the texts.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The settings of a reranker.
#[derive(Clone, Debug)]
pub struct RerankSettings {
    /// The whole URL, such as `https://api.cohere.com/v2/rerank`.
    pub url: String,
    /// The model name; some services have only one model.
    pub model: Option<String>,
    /// The API key; local servers often need none.
    pub key: Option<Secret>,
}

/// A reranker. It has no state between two requests.
#[derive(Clone, Debug)]
pub struct RerankModel {
    url: Url,
    headers: HeaderMap,
    model: Option<String>,
    is_own_machine: bool,
    client: ModelClient,
}

/// Why a reranker returned no scores. The text is for the log and contains neither the key nor the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RerankError {
    #[error("it cannot be reached")]
    Unreachable,
    #[error("TLS failed: {0}")]
    Untrusted(TlsFailure),
    #[error("the connection was lost")]
    HungUp,
    #[error("it answered with status {0}")]
    Refused(u16),
    #[error("its response exceeds {ANSWER_BYTES_MAX} bytes")]
    Endless,
    #[error("its response is not a list of results")]
    NoResults,
    #[error("its response does not contain exactly one score for each of {0} texts")]
    WrongScores(usize),
}

#[derive(Serialize)]
struct RerankRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    query: &'a str,
    documents: &'a [String],
    top_n: usize,
}

#[derive(Deserialize)]
struct RerankResponse {
    results: Vec<ScoredText>,
}

#[derive(Deserialize)]
struct ScoredText {
    index: usize,
    relevance_score: f64,
}

impl RerankModel {
    /// A reranker that shares the connections of `client`. Sends nothing yet.
    pub fn with_client(settings: &RerankSettings, client: &ModelClient) -> Result<Self, ModelSettingsError> {
        if let Some(model) = &settings.model {
            check_model(model)?;
        }
        let url = parse_url(&settings.url)?;
        let is_own_machine = is_loopback(&url);
        check_key_transport(&url, settings.key.as_ref())?;
        let mut headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        ]);
        if let Some(key) = &settings.key {
            headers
                .insert(AUTHORIZATION, sensitive(&format!("Bearer {}", key.reveal())).ok_or(ModelSettingsError::Key)?);
        }
        Ok(Self { url, headers, model: settings.model.clone(), is_own_machine, client: client.clone() })
    }

    /// The relevance of each text for the query, in the order of the texts. The caller sets a time limit.
    pub async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, RerankError> {
        let question = RerankRequest { model: self.model.as_deref(), query, documents: texts, top_n: texts.len() };
        let body = serde_json::to_vec(&question).map_err(|_| RerankError::NoResults)?;
        let http = self.client.http(self.is_own_machine);
        let request = http.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let response = request.send().await.map_err(|error| connection_error(&error))?;
        if !response.status().is_success() {
            return Err(RerankError::Refused(response.status().as_u16()));
        }
        scores(&read(response).await?, texts.len())
    }
}

fn connection_error(error: &reqwest::Error) -> RerankError {
    match TlsFailure::in_chain(error) {
        Some(trouble) => RerankError::Untrusted(trouble),
        None if error.is_connect() => RerankError::Unreachable,
        None => RerankError::HungUp,
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, RerankError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| RerankError::HungUp)? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(RerankError::Endless);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// One score for each text, in the order of the texts.
fn scores(body: &[u8], count: usize) -> Result<Vec<f32>, RerankError> {
    let RerankResponse { results } = serde_json::from_slice(body).map_err(|_| RerankError::NoResults)?;
    let wrong = || RerankError::WrongScores(count);
    let mut scores: Vec<Option<f32>> = vec![None; count];
    for ScoredText { index, relevance_score } in results {
        let place = scores.get_mut(index).filter(|place| place.is_none()).ok_or_else(wrong)?;
        *place = Some(relevance_score as f32).filter(|score| score.is_finite());
        place.ok_or_else(wrong)?;
    }
    scores.into_iter().collect::<Option<Vec<f32>>>().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TlsOptions;

    fn open(url: &str, model: Option<&str>, key: Option<&str>) -> Result<RerankModel, ModelSettingsError> {
        let client = ModelClient::new(&TlsOptions::default()).expect("a client");
        let settings = RerankSettings { url: url.into(), model: model.map(Into::into), key: key.map(Secret::new) };
        RerankModel::with_client(&settings, &client)
    }

    #[test]
    fn scores_are_put_into_the_order_of_the_texts() {
        let body = br#"{"id":"x","results":[{"index":2,"relevance_score":0.5,"document":{"text":"c"}},
        {"index":0,"relevance_score":1},{"index":1,"relevance_score":0.25}],"meta":{}}"#;
        assert_eq!(scores(body, 3), Ok(vec![1.0, 0.25, 0.5]));
        assert_eq!(scores(br#"{"results":[]}"#, 0), Ok(Vec::new()));
    }

    #[test]
    fn a_response_without_exactly_one_score_per_text_is_invalid() {
        let of = |results: &str| scores(format!(r#"{{"results":[{results}]}}"#).as_bytes(), 2);
        let (zero, one) = (r#"{"index":0,"relevance_score":0.1}"#, r#"{"index":1,"relevance_score":0.2}"#);
        assert_eq!(of(&format!("{zero},{one}")), Ok(vec![0.1, 0.2]));
        for results in [
            String::new(),
            zero.to_owned(),
            format!("{zero},{zero}"),
            format!("{zero},{one},{one}"),
            format!(r#"{zero},{one},{{"index":2,"relevance_score":0.3}}"#),
            format!(r#"{zero},{{"index":18446744073709551615,"relevance_score":0.3}}"#),
            format!(r#"{zero},{{"index":1,"relevance_score":1e300}}"#),
        ] {
            assert_eq!(of(&results), Err(RerankError::WrongScores(2)), "{results}");
        }
        for results in [
            r#"{"index":-1,"relevance_score":0.3}"#,
            r#"{"index":1.5,"relevance_score":0.3}"#,
            r#"{"index":0,"relevance_score":NaN}"#,
            r#"{"index":0,"relevance_score":null}"#,
            r#"{"index":0,"relevance_score":"0.3"}"#,
            r#"{"index":0}"#,
            "7",
        ] {
            assert_eq!(of(results), Err(RerankError::NoResults), "{results}");
        }
        for body in ["", "null", "[]", "{}", "<html>", r#"{"results":{}}"#, "\u{0}"] {
            assert_eq!(scores(body.as_bytes(), 2), Err(RerankError::NoResults), "{body}");
        }
    }

    #[test]
    fn invalid_settings_are_refused_without_showing_the_key() {
        for (url, key) in [
            ("http://10.0.0.7/rerank", Some("sk-1")),
            ("https://me:hidden@host.example/rerank", None),
            ("https://host.example/rerank?key=hidden", None),
            ("ftp://host.example", None),
            ("https://host.example/rerank", Some("sk-1\nsk-2")),
        ] {
            let message = open(url, None, key).expect_err(url).to_string();
            assert!(!message.contains("sk-") && !message.contains("hidden"), "{message}");
        }
        assert!(open("https://host.example/rerank", Some("a\nb"), None).is_err());
        let model = open("http://127.0.0.1:1/rerank", Some("m"), Some("sk-1234567")).expect("the own machine");
        assert!(!format!("{model:?}").contains("sk-1234567"));
    }

    proptest! {
        #[test]
        fn any_response_is_parsed_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200), count in 0usize..5) {
            let _ = scores(&body, count);
        }
    }
}
