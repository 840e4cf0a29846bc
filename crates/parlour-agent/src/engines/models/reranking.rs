//! A reranker: how well texts fit what is asked, over HTTP in the form that Cohere has given it and that Jina, Morph, vLLM
//! and many more share.
//!
//! The answer is taken whole or not at all: one score for each text, and nothing else. It is never believed to be small.

use reqwest::{
    Response, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::{Deserialize, Serialize};

use super::{
    ModelClient,
    settings::{BadSettings, Secret, check_key_way, check_model, is_loopback, parse_url, sensitive},
};
use crate::tls::TlsTrouble;

/// Bytes of an answer that are read. Some services send the texts back.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Which reranker is asked, and where.
#[derive(Clone, Debug)]
pub struct RerankSettings {
    /// The whole address that is asked, such as `https://api.cohere.com/v2/rerank`.
    pub url: String,
    /// The model, as the service names it; some have only one.
    pub model: Option<String>,
    /// The key; servers on the own machine often need none.
    pub key: Option<Secret>,
}

/// A reranker that is ready to be asked. It keeps nothing between two questions.
#[derive(Clone, Debug)]
pub struct RerankModel {
    url: Url,
    headers: HeaderMap,
    model: Option<String>,
    is_own_machine: bool,
    client: ModelClient,
}

/// Why a reranker gave no scores. Its words are for the log and hold neither the key nor anything that was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RerankTrouble {
    /// Nobody takes the call.
    #[error("it cannot be reached")]
    Unreachable,
    /// The connection cannot be trusted.
    #[error("it cannot be trusted: {0}")]
    Untrusted(TlsTrouble),
    /// The connection ended in the middle.
    #[error("the connection was lost")]
    HungUp,
    /// It says no.
    #[error("it answers with status {0}")]
    Refused(u16),
    /// It says more than anybody reads.
    #[error("its answer has more than {ANSWER_BYTES_MAX} bytes")]
    Endless,
    /// Its answer has another form.
    #[error("its answer is no list of results")]
    NoResults,
    /// Its answer does not give each text one score.
    #[error("its answer does not give each of {0} texts one score")]
    WrongScores(usize),
}

#[derive(Serialize)]
struct Question<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    query: &'a str,
    documents: &'a [String],
    top_n: usize,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Scored>,
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    relevance_score: f64,
}

impl RerankModel {
    /// A reranker that shares connections with others. Nothing is sent yet.
    pub fn with_client(settings: &RerankSettings, client: &ModelClient) -> Result<Self, BadSettings> {
        if let Some(model) = &settings.model {
            check_model(model)?;
        }
        let url = parse_url(&settings.url)?;
        let is_own_machine = is_loopback(&url);
        check_key_way(&url, settings.key.as_ref())?;
        let mut headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        ]);
        if let Some(key) = &settings.key {
            headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {}", key.reveal())).ok_or(BadSettings::Key)?);
        }
        Ok(Self { url, headers, model: settings.model.clone(), is_own_machine, client: client.clone() })
    }

    /// How well each text fits the query, in the order of the texts. Whoever asks sets a limit of time.
    pub async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, RerankTrouble> {
        let question = Question { model: self.model.as_deref(), query, documents: texts, top_n: texts.len() };
        let body = serde_json::to_vec(&question).map_err(|_| RerankTrouble::NoResults)?;
        let http = self.client.http(self.is_own_machine);
        let request = http.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let response = request.send().await.map_err(|error| lost(&error))?;
        if !response.status().is_success() {
            return Err(RerankTrouble::Refused(response.status().as_u16()));
        }
        scores(&read(response).await?, texts.len())
    }
}

fn lost(error: &reqwest::Error) -> RerankTrouble {
    match TlsTrouble::in_chain(error) {
        Some(trouble) => RerankTrouble::Untrusted(trouble),
        None if error.is_connect() => RerankTrouble::Unreachable,
        None => RerankTrouble::HungUp,
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, RerankTrouble> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| RerankTrouble::HungUp)? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(RerankTrouble::Endless);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// One score for each text, whatever order they come in.
fn scores(body: &[u8], count: usize) -> Result<Vec<f32>, RerankTrouble> {
    let Results { results } = serde_json::from_slice(body).map_err(|_| RerankTrouble::NoResults)?;
    let wrong = || RerankTrouble::WrongScores(count);
    let mut scores: Vec<Option<f32>> = vec![None; count];
    for Scored { index, relevance_score } in results {
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

    fn open(url: &str, model: Option<&str>, key: Option<&str>) -> Result<RerankModel, BadSettings> {
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
    fn an_answer_that_does_not_give_each_text_one_score_is_no_answer() {
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
            assert_eq!(of(&results), Err(RerankTrouble::WrongScores(2)), "{results}");
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
            assert_eq!(of(results), Err(RerankTrouble::NoResults), "{results}");
        }
        for body in ["", "null", "[]", "{}", "<html>", r#"{"results":{}}"#, "\u{0}"] {
            assert_eq!(scores(body.as_bytes(), 2), Err(RerankTrouble::NoResults), "{body}");
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused_and_no_key_is_shown() {
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
        fn no_answer_panics_the_reader(body in prop::collection::vec(any::<u8>(), 0..200), count in 0usize..5) {
            let _ = scores(&body, count);
        }
    }
}
