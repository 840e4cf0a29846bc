//! Packs of a real hub, ranked by a local service with configured answers.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use parlour_agent::engines::models::Secret;
use parlour_core::{
    Code,
    context::{ContextRequest, ContextRules},
    member::Agent,
    policy::Policy,
    project::ProjectPatch,
};
use parlour_hub::use_cases::BuiltContext;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::{Instant, timeout},
};

use super::*;
use crate::{hosting::fixture::InProcessHub, settings::KeyPlace};

const KEY: &str = "key-0123456789abcdef";

/// What the service does with a question.
enum Reply {
    Send(Vec<u8>),
    /// It keeps the line open and says nothing.
    Stall,
}

/// A service on this machine.
struct Service {
    url: String,
    /// The heads and bodies of what it was asked.
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Service {
    async fn answering(reply: impl Fn(&Value) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v2/rerank", listener.local_addr().expect("bound"));
        let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let record = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (head, body) = read_request(&mut stream).await;
                let reply = reply(&body);
                record.lock().expect("nobody broke down").push((head, body));
                match reply {
                    Reply::Send(bytes) => drop(stream.write_all(&bytes).await),
                    Reply::Stall => drop(stream.read(&mut [0; 8]).await),
                }
            }
        });
        Self { url, asked }
    }

    fn settings(&self) -> RerankerSettings {
        let key = KeyPlace::Variable("K".into(), Some(Secret::new(KEY)));
        RerankerSettings { name: "near".into(), url: self.url.clone(), model: Some("small".into()), key }
    }
}

async fn read_request(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if length.is_none_or(|length: usize| body.len() >= length) {
                return (head.to_owned(), serde_json::from_str(body).unwrap_or_default());
            }
        }
        if stream.read_buf(&mut bytes).await.expect("a request") == 0 {
            return (text, Value::Null);
        }
    }
}

fn ok(body: &str) -> Reply {
    status(200, "", body)
}

fn status(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    Reply::Send(text.into_bytes())
}

/// A whole answer: what holds this word fits, and nothing else does.
fn prefers(word: &'static str) -> impl Fn(&Value) -> Reply + Send + 'static {
    move |asked| {
        let texts = asked["documents"].as_array().cloned().unwrap_or_default();
        let score = |text: &Value| if text.as_str().is_some_and(|text| text.contains(word)) { 0.99 } else { 0.01 };
        let results: Vec<Value> = texts
            .iter()
            .enumerate()
            .rev()
            .map(|(index, text)| json!({ "index": index, "relevance_score": score(text) }))
            .collect();
        ok(&json!({ "id": "x", "results": results }).to_string())
    }
}

/// A hub with something to rank, and the agent that it is for.
async fn stage(settings: &[RerankerSettings]) -> (InProcessHub, Agent) {
    let rerankers = Rerankers::open(settings).expect("rerankers");
    let name = rerankers.names().pop();
    let stage = InProcessHub::make_with(|hub| hub.with_reranker(Arc::new(rerankers))).await;
    stage.say("The anchor is rusty, and its chain is rusty too.").await;
    stage.say("A zebra walks over the pier, and its key is AKIAIOSFODNN7EXAMPL3.").await;
    stage.say("Good morning to everybody here.").await;
    if name.is_some() {
        set(&stage, name.as_deref()).await.expect("a known reranker");
    }
    let agent = stage.guide().await;
    (stage, agent)
}

async fn set(stage: &InProcessHub, reranker: Option<&str>) -> Result<(), parlour_hub::Failure> {
    let context = ContextRules { reranker: reranker.map(Into::into), ..ContextRules::default() };
    let patch = ProjectPatch { policy: Some(Policy { context, ..Policy::default() }), ..ProjectPatch::default() };
    stage.hub.update_project(&stage.admin, &stage.project, patch).await.map(drop)
}

async fn pack((stage, agent): &(InProcessHub, Agent)) -> BuiltContext {
    let asked = ContextRequest {
        conversation_id: Some(stage.general.clone().into()),
        query: Some("which anchor is rusty?".into()),
        ..ContextRequest::default()
    };
    stage.hub.context(&stage.admin, &agent.id, &asked).await.expect("a pack")
}

/// What is shown. The tag in the first line is another one in every hub.
fn shown(made: &BuiltContext) -> Vec<(String, u32)> {
    let (_, text) = made.pack.text.split_once('\n').expect("several lines");
    let scores = made.pack.receipt.items.iter().map(|item| (item.text.clone(), item.score));
    [(text.to_owned(), 0)].into_iter().chain(scores).collect()
}

fn score(made: &BuiltContext, word: &str) -> u32 {
    let found = made.pack.receipt.items.iter().find(|item| item.text.contains(word));
    found.map(|item| item.score).expect("it is shown")
}

#[tokio::test]
async fn a_valid_response_changes_the_order() {
    let local = pack(&stage(&[]).await).await;
    assert!(score(&local, "anchor") > score(&local, "zebra"), "{}", local.pack.text);
    let service = Service::answering(prefers("zebra")).await;
    let stage = stage(&[service.settings()]).await;
    let made = pack(&stage).await;
    assert!(score(&made, "zebra") > score(&made, "anchor"), "{}", made.pack.text);
    assert_eq!(stage.0.hub.rerank_failures(), 0);
}

#[tokio::test]
async fn a_request_contains_redacted_views_and_the_key_only_in_its_header() {
    let service = Service::answering(prefers("zebra")).await;
    pack(&stage(&[service.settings()]).await).await;
    let asked = service.asked.lock().expect("nobody broke down").clone();
    assert_eq!(asked.len(), 1);
    let (head, body) = &asked[0];
    assert!(head.starts_with("POST /v2/rerank HTTP/1.1"), "{head}");
    assert_eq!(head.matches(KEY).count(), 1);
    assert!(head.to_lowercase().contains(&format!("authorization: bearer {KEY}")), "{head}");
    let texts = body["documents"].as_array().expect("texts");
    assert_eq!((&body["model"], &body["query"]), (&json!("small"), &json!("which anchor is rusty?")));
    assert_eq!(body["top_n"], json!(texts.len()));
    assert!(texts.len() >= 3 && !body.to_string().contains("AKIA") && !body.to_string().contains(KEY), "{body}");
}

/// What a reranker answers to a request.
type Answering = Box<dyn Fn(&Value) -> Reply + Send>;

#[tokio::test]
async fn the_hub_ranks_by_itself_after_an_invalid_response() {
    let local = shown(&pack(&stage(&[]).await).await);
    let all = |result: &'static str| {
        move |asked: &Value| {
            let count = asked["documents"].as_array().map_or(0, Vec::len);
            ok(&format!(r#"{{"results":[{}]}}"#, vec![result; count].join(",")))
        }
    };
    let wrong: Vec<(&str, Answering)> = vec![
        ("doubles", Box::new(all(r#"{"index":0,"relevance_score":0.5}"#))),
        ("outside", Box::new(all(r#"{"index":999999,"relevance_score":0.5}"#))),
        ("no number", Box::new(all(r#"{"index":0,"relevance_score":NaN}"#))),
        ("missing", Box::new(|_| ok(r#"{"results":[]}"#))),
        ("no JSON", Box::new(|_| ok("<html>hello</html>"))),
        ("empty", Box::new(|_| ok(""))),
        ("refused", Box::new(|_| status(401, "", &format!(r#"{{"message":"wrong key {KEY}"}}"#)))),
        ("broken", Box::new(|_| status(500, "", "oops"))),
        ("elsewhere", Box::new(|_| status(307, "Location: http://127.0.0.1:9/\r\n", ""))),
        ("huge", Box::new(|_| ok(&" ".repeat(5 * 1024 * 1024)))),
        ("cut", Box::new(|_| Reply::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".to_vec()))),
        ("no HTTP", Box::new(|_| Reply::Send(b"hello".to_vec()))),
    ];
    for (what, reply) in wrong {
        let service = Service::answering(reply).await;
        let stage = stage(&[service.settings()]).await;
        assert_eq!(shown(&pack(&stage).await), local, "{what}");
        assert_eq!(
            (service.asked.lock().expect("nobody broke down").len(), stage.0.hub.rerank_failures()),
            (1, 1),
            "{what}: once, and counted"
        );
    }
}

#[tokio::test]
async fn a_silent_or_unreachable_service_does_not_delay_a_pack() {
    let local = shown(&pack(&stage(&[]).await).await);
    let service = Service::answering(|_| Reply::Stall).await;
    let gone = RerankerSettings { url: "http://127.0.0.1:9/rerank".into(), ..service.settings() };
    for settings in [service.settings(), gone] {
        let stage = stage(&[settings]).await;
        let begin = Instant::now();
        let made = timeout(Duration::from_secs(20), pack(&stage)).await.expect("it goes on by itself");
        assert_eq!((shown(&made), stage.0.hub.rerank_failures()), (local.clone(), 1));
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn an_unknown_reranker_is_refused_with_the_configured_ones() {
    let service = Service::answering(prefers("zebra")).await;
    let (stage, _) = stage(&[service.settings()]).await;
    let failure = set(&stage, Some("far")).await.expect_err("unknown");
    let refusal = failure.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("policy.context.reranker")));
    assert!(refusal.detail.contains("far") && format!("{refusal:?}").contains("near"), "{refusal:?}");
}

#[test]
fn a_missing_key_is_refused_with_its_source_and_no_key_is_shown() {
    let settings = |url: &str, key| RerankerSettings { name: "near".into(), url: url.into(), model: None, key };
    let missing = settings("https://rank.example/rerank", KeyPlace::Variable("K".into(), None));
    let reason = Rerankers::try_open(&[missing]).expect_err("no key");
    assert_eq!(reason, "the reranker near: the environment variable K for its API key is not set");
    let plain = settings("http://rank.example/rerank", KeyPlace::Variable("K".into(), Some(Secret::new(KEY))));
    let reason = Rerankers::try_open(&[plain]).expect_err("in the clear");
    assert!(reason.starts_with("the reranker near: ") && !reason.contains(KEY), "{reason}");
    let good = settings("https://rank.example/rerank", KeyPlace::Variable("K".into(), Some(Secret::new(KEY))));
    let open = Rerankers::try_open(&[good]).expect("open");
    assert_eq!((open.about(), open.weakness()), ("near (https://rank.example/rerank)".to_owned(), None));
    assert!(!format!("{open:?}").contains(KEY));
}
