//! The test data of a measured hub: a project, a channel, senders with their own tokens, and an agent
//! that some messages call.

use std::{net::SocketAddr, time::Instant};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{live::Mark, load::Script, request, sample_texts::SampleTexts, wire::Wire};

/// Agents that post; further senders share their tokens.
const SENDERS: usize = 8;
/// One message in this many calls an agent and enters its inbox.
const MENTION_EVERY: usize = 8;
/// Words of five characters in a long text, which stays below the limit of a message.
const LONG_WORDS: usize = 12_000;
/// The name of the called agent.
const CALLED: &str = "Coder";

/// The test data of a benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HubFixture {
    pub(super) admin_token: String,
    pub(super) project_id: String,
    pub(super) channel_id: String,
    pub(super) senders: Vec<FixtureAgent>,
    /// The agent that some messages call.
    pub(super) called: FixtureAgent,
}

/// An agent and its token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FixtureAgent {
    pub(super) id: String,
    pub(super) token: String,
}

impl HubFixture {
    /// Creates the test data in a new hub.
    pub(super) async fn set(address: SocketAddr, admin_token: String) -> Result<Self> {
        let mut api = Api::connect(address, &admin_token).await?;
        let project_id = id_in(&api.post("/projects", &json!({ "name": "Bench" })).await?)?;
        let channel_id = api.create_channel(&project_id, "bench").await?;
        let called = api.create_agent(&project_id, CALLED).await?;
        let mut senders = Vec::new();
        for number in 1..=SENDERS {
            senders.push(api.create_agent(&project_id, &format!("Sender {number}")).await?);
        }
        Ok(Self { admin_token, project_id, channel_id, senders, called })
    }

    /// A sender that posts one text after another into a channel of the hub.
    pub(super) fn post_script(&self, channel: &str, seed: usize) -> Script {
        script_of_posts(self.post_target(channel, seed), seed, |_| {})
    }

    /// The posting agent with this number, modulo their count.
    pub(super) fn sender(&self, number: usize) -> &FixtureAgent {
        &self.senders[number % self.senders.len()]
    }

    /// Path and token of a sender.
    fn post_target(&self, channel: &str, seed: usize) -> PostTarget {
        let token = self.sender(seed).token.clone();
        let start = format!("{{\"channel_id\":\"{channel}\",\"body\":\"");
        PostTarget { path: "/messages", token: Some(token), start }
    }
}

/// A sender that posts the same texts to the ceiling.
pub(super) fn ceiling_post_script(seed: usize) -> Script {
    script_of_posts(ceiling_post_target("/messages"), seed, |_| {})
}

/// A sender whose texts contain a mark with their number and their sending time after `epoch`. Without a fixture it
/// posts to the broadcast of the ceiling.
pub(super) fn marked_script(fixture: Option<&HubFixture>, sender: usize, epoch: Instant) -> Script {
    script_of_posts(live_post_target(fixture, sender), sender, marks(sender, epoch))
}

/// The same with texts of nearly the maximum length.
pub(super) fn long_script(fixture: Option<&HubFixture>, sender: usize, epoch: Instant) -> Script {
    let mut mark = marks(sender, epoch);
    script_of_posts(live_post_target(fixture, sender), sender, move |body| {
        mark(body);
        body.push_str(&"long ".repeat(LONG_WORDS));
    })
}

fn live_post_target(fixture: Option<&HubFixture>, sender: usize) -> PostTarget {
    fixture
        .map_or_else(|| ceiling_post_target("/broadcast"), |fixture| fixture.post_target(&fixture.channel_id, sender))
}

/// Writes consecutive marks.
fn marks(sender: usize, epoch: Instant) -> impl FnMut(&mut String) + Send + 'static {
    let mut numbers = 0..;
    move |body| {
        let number = numbers.next().expect("nobody sends so many");
        body.push_str(&Mark { sender: sender as u8, number, sent: epoch.elapsed() }.to_string());
        body.push(' ');
    }
}

/// The constant parts of a post.
struct PostTarget {
    path: &'static str,
    token: Option<String>,
    start: String,
}

fn ceiling_post_target(path: &'static str) -> PostTarget {
    PostTarget { path, token: None, start: "{\"body\":\"".to_owned() }
}

fn script_of_posts(post_target: PostTarget, seed: usize, mut open: impl FnMut(&mut String) + Send + 'static) -> Script {
    let mut words = SampleTexts::seeded(seed as u64 + 1_000);
    let mut body = String::new();
    Box::new(move |out| {
        body.clear();
        body.push_str(&post_target.start);
        open(&mut body);
        if words.below(MENTION_EVERY) == 0 {
            body.push('@');
            body.push_str(CALLED);
            body.push(' ');
        }
        words.write_body(&mut body);
        body.push_str("\"}");
        request::write_post(out, post_target.path, post_target.token.as_deref(), body.as_bytes());
    })
}

/// The API calls that create the fixture.
pub(super) struct Api<'a> {
    wire: Wire,
    token: &'a str,
}

impl<'a> Api<'a> {
    /// Connects with a token.
    pub(super) async fn connect(address: SocketAddr, token: &'a str) -> Result<Self> {
        Ok(Self { wire: Wire::connect(address).await?, token })
    }

    /// Creates a channel and returns its id.
    pub(super) async fn create_channel(&mut self, project: &str, name: &str) -> Result<String> {
        let request = json!({ "project_id": project, "name": name, "visibility": "project" });
        id_in(&self.post("/channels", &request).await?)
    }

    /// Adds an agent.
    pub(super) async fn create_agent(&mut self, project: &str, name: &str) -> Result<FixtureAgent> {
        let answer = self.post("/agents", &json!({ "project_id": project, "name": name })).await?;
        let token = answer["token"].as_str().context("an agent was given no token")?;
        Ok(FixtureAgent { id: id_in(&answer)?, token: token.to_owned() })
    }

    /// Sends a POST request.
    pub(super) async fn post(&mut self, path: &str, request: &Value) -> Result<Value> {
        let mut bytes = Vec::new();
        request::write_post(&mut bytes, path, Some(self.token), request.to_string().as_bytes());
        self.call(path, &bytes).await
    }

    /// Sends a GET request.
    pub(super) async fn get(&mut self, path: &str) -> Result<Value> {
        let mut bytes = Vec::new();
        request::write_get(&mut bytes, path, Some(self.token));
        self.call(path, &bytes).await
    }

    async fn call(&mut self, path: &str, bytes: &[u8]) -> Result<Value> {
        let answer = self.wire.call(bytes).await.with_context(|| format!("call {path}"))?;
        if answer.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(answer).with_context(|| format!("read the answer of {path}"))
    }
}

fn id_in(answer: &Value) -> Result<String> {
    Ok(answer["id"].as_str().context("the answer has no id")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> HubFixture {
        let agent = |name: &str| FixtureAgent { id: format!("agent_{name}"), token: format!("token-{name}") };
        HubFixture {
            admin_token: "admin".into(),
            project_id: "project_1".into(),
            channel_id: "channel_1".into(),
            senders: vec![agent("a"), agent("b")],
            called: agent("c"),
        }
    }

    /// The heads and the JSON bodies of the next requests.
    fn requests(mut script: Script, count: usize) -> Vec<(String, Value)> {
        let request = |_| {
            let mut out = Vec::new();
            script(&mut out);
            let text = String::from_utf8(out).expect("text");
            let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
            (head.to_owned(), serde_json::from_str(body).expect("JSON"))
        };
        (0..count).map(request).collect()
    }

    #[test]
    fn senders_post_under_their_own_tokens() {
        let head = |seed| requests(fixture().post_script("channel_1", seed), 1).remove(0).0;
        assert!(head(0).contains("Bearer token-a") && head(1).contains("Bearer token-b"));
        assert!(head(2).contains("Bearer token-a"), "tokens are shared when there are more senders");
    }

    #[test]
    fn hub_and_ceiling_get_the_same_texts() {
        let hub = requests(fixture().post_script("channel_1", 5), 50);
        let ceiling = requests(ceiling_post_script(5), 50);
        let bodies = |all: &[(String, Value)]| all.iter().map(|(_, body)| body["body"].clone()).collect::<Vec<_>>();
        assert_eq!(bodies(&hub), bodies(&ceiling));
        assert_eq!(hub[0].1["channel_id"], "channel_1");
        assert!(!ceiling[0].0.contains("Authorization"));
    }

    #[test]
    fn marked_texts_are_numbered_and_the_same_on_both_sides() {
        let fixture = fixture();
        let epoch = Instant::now();
        let (hub, ceiling) = (marked_script(Some(&fixture), 3, epoch), marked_script(None, 3, epoch));
        let (hub, ceiling) = (requests(hub, 20), requests(ceiling, 20));
        for (number, (one, other)) in hub.iter().zip(&ceiling).enumerate() {
            let text = |body: &Value| body["body"].as_str().expect("a text").to_owned();
            assert!(text(&one.1).starts_with(&format!("~03{number:08}")), "{}", one.1);
            assert_eq!(text(&one.1)[24..], text(&other.1)[24..], "all but the time");
        }
        assert!(ceiling[0].0.starts_with("POST /broadcast "));
    }

    #[test]
    fn long_texts_are_marked_and_fit_into_a_message() {
        for (_, body) in requests(long_script(None, 8, Instant::now()), 20) {
            let text = body["body"].as_str().expect("a text");
            assert!(text.starts_with("~08") && (60_000..65_536).contains(&text.len()), "{}", text.len());
        }
    }

    #[test]
    fn some_messages_call_an_agent() {
        let posts = requests(ceiling_post_script(1), 800);
        let calls =
            posts.iter().filter(|(_, body)| body["body"].as_str().expect("a text").starts_with("@Coder ")).count();
        assert!((60..=140).contains(&calls), "{calls}");
    }

    #[test]
    fn a_stored_fixture_survives_a_round_trip() {
        let note = serde_json::to_string(&fixture()).expect("JSON");
        let read: HubFixture = serde_json::from_str(&note).expect("a fixture");
        assert_eq!((read.senders[1].token.as_str(), read.called.id.as_str()), ("token-b", "agent_c"));
    }
}
