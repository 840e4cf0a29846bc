//! `parlour-bench inbox`: an agent with many unread messages compared with one with few, in the same hub.

use std::collections::VecDeque;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    figures,
    fixture::{Api, FixtureAgent},
    load::{Extent, Round, Script},
    report::{Column, Goal, Ratio, Report, Row},
    request,
};

/// Messages on the first page of an inbox.
const TOP: usize = 20;
/// Reads of an inbox per round.
const LOOKS: usize = 300;
/// Query parameter for the order by importance.
const BY_IMPORTANCE: &str = "&order=importance";
/// Messages marked as read per round; few, so that the length of the short inbox hardly changes.
const MARKS: usize = 20;
/// The reason why there is always another message.
const ENOUGH: &str = "a round marks no more than it was given";

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench inbox --unread 1000,1000000")]
pub(crate) struct Inboxes {
    /// Unread messages of the two agents, fewer first
    #[arg(long, value_name = "COUNT,COUNT", value_delimiter = ',', num_args = 1, default_value = "1000,100000",
          value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    unread: Vec<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// An agent with its unread messages.
struct Reader {
    unread: u32,
    agent: FixtureAgent,
    channel: String,
    /// Unread messages that have not been marked yet.
    oldest: VecDeque<String>,
    looks: Vec<Round>,
    /// Reads in the order of importance.
    sorted: Vec<Round>,
    marks: Vec<Round>,
    /// Reading a conversation up to its oldest unread message.
    bulks: Vec<Round>,
}

impl Inboxes {
    /// Alternates the two agents: reading the inbox, and marking messages as read.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let rounds = self.setup.rounds();
        let hub = environment.prepared_hub("hub").await?;
        let mut readers = Vec::new();
        for (number, unread) in self.unread.iter().enumerate() {
            readers.push(Reader::subscribe(&hub, number, *unread, (rounds + 1) * MARKS * 2).await?);
        }
        for _ in 0..=rounds {
            for reader in &mut readers {
                reader.take_turn(&hub).await?;
            }
        }
        // The first round is a warm-up.
        for reader in &mut readers {
            reader.looks.remove(0);
            reader.sorted.remove(0);
            reader.marks.remove(0);
            reader.bulks.remove(0);
        }
        Ok(report(&readers))
    }
}

impl Reader {
    /// Adds an agent that is subscribed to its own channel, and fills the channel.
    async fn subscribe(hub: &PreparedHub, number: usize, unread: u32, marks: usize) -> Result<Self> {
        let fixture = &hub.fixture;
        let mut api = Api::connect(hub.server.address(), &fixture.admin_token).await?;
        let channel = api.create_channel(&fixture.project_id, &format!("inbox {number}")).await?;
        let agent = api.create_agent(&fixture.project_id, &format!("Reader {number}")).await?;
        api.post(&format!("/channels/{channel}/subscriptions"), &json!({ "agent_id": agent.id })).await?;
        hub.fill(&channel, unread as usize).await?;
        let oldest = oldest_unread(hub, &agent, marks).await?;
        let (looks, sorted, marks, bulks) = Default::default();
        Ok(Self { unread, agent, channel, oldest, looks, sorted, marks, bulks })
    }

    async fn take_turn(&mut self, hub: &PreparedHub) -> Result<()> {
        let looks = hub.server.measure(&mut vec![self.look_script("")], Extent::count(LOOKS)).await?;
        let sorted = hub.server.measure(&mut vec![self.look_script(BY_IMPORTANCE)], Extent::count(LOOKS)).await?;
        let marks = hub.server.measure(&mut vec![self.mark_script()], Extent::count(MARKS)).await?;
        self.looks.push(looks);
        self.sorted.push(sorted);
        self.marks.push(marks);
        let bulk = self.bulk_script();
        self.bulks.push(hub.server.measure(&mut vec![bulk], Extent::count(MARKS)).await?);
        Ok(())
    }

    /// One response contains the number of unread messages and the first of them.
    fn look_script(&self, order: &str) -> Script {
        let (path, token) = (inbox_path(&self.agent, TOP) + order, self.agent.token.clone());
        Box::new(move |out| request::write_get(out, &path, Some(&token)))
    }

    fn mark_script(&mut self) -> Script {
        let (body, token) = (json!({ "agent_id": self.agent.id }).to_string(), self.agent.token.clone());
        let mut messages: VecDeque<String> = self.oldest.drain(..MARKS).collect();
        Box::new(move |out| {
            let message = messages.pop_front().expect(ENOUGH);
            request::write_post(out, &format!("/messages/{message}/read"), Some(&token), body.as_bytes());
        })
    }

    /// Each request marks all messages up to the next one as read.
    fn bulk_script(&mut self) -> Script {
        let (channel, token) = (self.channel.clone(), self.agent.token.clone());
        let mut messages: VecDeque<String> = self.oldest.drain(..MARKS).collect();
        Box::new(move |out| {
            let message = messages.pop_front().expect(ENOUGH);
            let body = json!({ "conversation_id": channel, "up_to": message }).to_string();
            request::write_post(out, "/inbox/read", Some(&token), body.as_bytes());
        })
    }
}

async fn oldest_unread(hub: &PreparedHub, agent: &FixtureAgent, count: usize) -> Result<VecDeque<String>> {
    let mut api = Api::connect(hub.server.address(), &agent.token).await?;
    let mut found = VecDeque::new();
    let mut path = inbox_path(agent, 200);
    while found.len() < count {
        let page = api.get(&path).await?;
        let items = page["items"].as_array().context("an inbox has items")?;
        ensure!(!items.is_empty(), "the inbox has only {} messages", found.len());
        found.extend(items.iter().filter_map(message_id));
        path = format!("{}&cursor={}", inbox_path(agent, 200), page["next"].as_str().unwrap_or_default());
    }
    Ok(found)
}

fn inbox_path(agent: &FixtureAgent, limit: usize) -> String {
    format!("/agents/{}/inbox?limit={limit}", agent.id)
}

fn message_id(item: &Value) -> Option<String> {
    item["message"]["id"].as_str().map(str::to_owned)
}

fn report(readers: &[Reader]) -> Report {
    let mut report =
        Report { title: format!("Inbox: count with the first {TOP}, and marking as read"), ..Report::default() };
    report.columns = vec![
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
    ];
    let requests = [
        ("look", looks as fn(&Reader) -> &Vec<Round>),
        ("look by importance", sorted),
        ("mark as read", marks),
        ("read a conversation", bulks),
    ];
    for (name, rounds) in requests {
        for reader in readers {
            let all = Round::join(rounds(reader));
            let values = vec![all.cpu_micros(), all.latency_millis(0.5), all.latency_millis(0.99)];
            report.rows.push(Row { name: format!("{name}, {} unread", reader.unread), values });
        }
        if let [few, .., many] = readers {
            let pairs = rounds(many).iter().zip(rounds(few));
            let ratios =
                pairs.filter_map(|(many, few)| figures::quotient(many.cpu_micros(), few.cpu_micros())).collect();
            let name = format!("CPU to {name}, {} ÷ {} unread", many.unread, few.unread);
            report.ratios.push(Ratio::times(name, ratios, Some(Goal::AtMost(1.3))));
        }
    }
    report
}

fn looks(reader: &Reader) -> &Vec<Round> {
    &reader.looks
}

fn sorted(reader: &Reader) -> &Vec<Round> {
    &reader.sorted
}

fn marks(reader: &Reader) -> &Vec<Round> {
    &reader.marks
}

fn bulks(reader: &Reader) -> &Vec<Round> {
    &reader.bulks
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn reader(unread: u32, look_us: u64, mark_us: u64) -> Reader {
        let round = |micros| Round {
            cpu: Some(Duration::from_micros(micros)),
            latencies: vec![Duration::from_millis(1)],
            ..Round::default()
        };
        let agent = FixtureAgent { id: "agent_1".into(), token: "secret".into() };
        let oldest = (0..MARKS).map(|number| format!("msg_{number}")).collect();
        Reader {
            unread,
            agent,
            channel: "chn_1".into(),
            oldest,
            looks: vec![round(look_us)],
            sorted: vec![round(look_us)],
            marks: vec![round(mark_us)],
            bulks: vec![round(mark_us)],
        }
    }

    #[test]
    fn the_long_inbox_is_compared_with_the_short_one() {
        let report = report(&[reader(1_000, 100, 200), reader(100_000, 110, 400)]).to_json();
        assert_eq!((&report["ratios"][0]["value"], &report["ratios"][0]["met"]), (&json!(1.1), &json!(true)));
        assert_eq!((&report["ratios"][2]["value"], &report["ratios"][2]["met"]), (&json!(2.0), &json!(false)));
    }

    #[test]
    fn each_message_is_marked_once() {
        let mut reader = reader(1_000, 1, 1);
        let mut script = reader.mark_script();
        let mut out = Vec::new();
        (0..MARKS).for_each(|_| script(&mut out));
        let text = String::from_utf8(out).expect("text");
        assert!((0..MARKS).all(|number| text.matches(&format!("/messages/msg_{number}/read ")).count() == 1));
        assert!(reader.oldest.is_empty());
    }

    #[test]
    fn a_conversation_is_read_message_by_message() {
        let mut reader = reader(1_000, 1, 1);
        let mut script = reader.bulk_script();
        let mut out = Vec::new();
        (0..MARKS).for_each(|_| script(&mut out));
        let text = String::from_utf8(out).expect("text");
        assert!((0..MARKS).all(|number| text.matches(&format!("\"up_to\":\"msg_{number}\"")).count() == 1));
    }
}
