//! A conversation of the data in a real hub: people post its turns into a channel, and an agent requests packs.

use std::collections::{BTreeMap, BTreeSet};

use parlour_context::{
    frame::{self, FrameItem},
    tokens::{Encoding, Tokenizer},
};
use parlour_core::{
    access::Principal,
    context::{ContextRequest, OmissionReason, Receipt},
    id::{ChannelId, MessageId, RunId},
    post::PostMessage,
    run::StartRun,
};
use parlour_hub::use_cases::EditMessage;

use crate::{
    dialogue::Dialogue,
    support::{TestHub, agent_id, say},
};

/// Counted as the goals count: by the table of this model.
const MODEL: &str = "gpt-4o";
const AGENT: &str = "Helper";
/// The answer to every question: it shares no words with the conversations.
const ANSWER: &str = "Answered.";
/// Enough for everything that a pack is chosen from.
const EVERYTHING_TOKENS: u64 = 1_000_000;

/// A hub with one project, one channel, the speakers of a dialogue, a person who asks, and an agent.
pub(crate) struct HubConversation<'a> {
    test: TestHub,
    dialogue: &'a Dialogue,
    speakers: BTreeMap<&'a str, Principal>,
    asker: Principal,
    agent: Principal,
    channel: ChannelId,
    run: RunId,
    /// The number of each posted turn in the channel.
    seqs: Vec<u64>,
}

/// A pack as the hub ships it, parsed.
pub(crate) struct ShippedPack {
    pub(crate) text: String,
    pub(crate) receipt: Receipt,
    /// Tokens of the text, counted apart from the hub.
    pub(crate) tokens: u64,
    /// Numbers of the quoted messages that show some of their text, by quotes of their own and by lines of summaries.
    quoted: BTreeSet<u64>,
    summarized: BTreeSet<u64>,
}

impl<'a> HubConversation<'a> {
    /// A hub without messages.
    pub(crate) async fn new(dialogue: &'a Dialogue) -> Self {
        let test = TestHub::new().await;
        let asker = test.person("Robin").await;
        let project = test.project(&asker, "Evaluation").await;
        let channel = test.channel(&asker, &project, "chat").await;
        let agent = test.agent(&project, AGENT).await;
        let mut speakers = BTreeMap::new();
        for (speaker, _) in &dialogue.turns {
            if !speakers.contains_key(speaker.as_str()) {
                let person = test.person(speaker).await;
                test.join(&project, &person).await;
                speakers.insert(speaker.as_str(), person);
            }
        }
        let request = StartRun { channel_id: Some(channel.clone()), ..StartRun::default() };
        let run = test.hub.start_run(&agent, request).await.expect("a run").id;
        Self { test, dialogue, speakers, asker, agent, channel, run, seqs: Vec::new() }
    }

    /// Posts turns until there are this many, and answers the last of them.
    pub(crate) async fn post_until(&mut self, turns: usize) -> Option<MessageId> {
        let mut last = None;
        for (speaker, text) in &self.dialogue.turns[self.seqs.len()..turns.min(self.dialogue.turns.len())] {
            let posted = self.test.post(&self.speakers[speaker.as_str()], &self.channel, text).await;
            self.seqs.push(posted.message.seq);
            last = Some(posted.message.id);
        }
        last
    }

    /// Posts a question that calls the agent.
    pub(crate) async fn ask(&self, question: &str) -> MessageId {
        self.test.post(&self.asker, &self.channel, &addressed(question)).await.message.id
    }

    /// The agent answers a question. An open call would come before everything else in later packs.
    pub(crate) async fn answer(&self, asked: &MessageId) {
        let (hub, agent) = (&self.test.hub, &self.agent);
        let answer = PostMessage { reply_to: Some(asked.clone()), ..say(&self.channel, ANSWER) };
        let posted = hub.post_message(agent, answer).await.expect("answered");
        hub.mark_read(agent, &posted.message.id, None).await.expect("read");
    }

    /// Puts another question in the place of one: all of them come directly after the same messages.
    pub(crate) async fn ask_instead(&self, asked: &MessageId, question: &str) {
        let edit = EditMessage { body: addressed(question) };
        self.test.hub.edit_message(&self.asker, asked, edit).await.expect("edited");
    }

    /// The pack for a message, without one before.
    pub(crate) async fn fresh_pack(&self, message: &MessageId, budget: u64) -> ShippedPack {
        self.pack(message, budget, None).await
    }

    /// The pack for a message that goes on after the one before.
    pub(crate) async fn next_pack(&self, message: &MessageId, budget: u64) -> ShippedPack {
        self.pack(message, budget, Some(self.run.clone())).await
    }

    async fn pack(&self, message: &MessageId, budget: u64, run_id: Option<RunId>) -> ShippedPack {
        let request = ContextRequest {
            budget: Some(budget),
            model: Some(MODEL.to_owned()),
            message_id: Some(message.clone()),
            run_id,
            ..ContextRequest::default()
        };
        let built = self.test.hub.context(&self.agent, &agent_id(&self.agent), &request).await.expect("a pack");
        ShippedPack::of(built.pack.text, built.pack.receipt)
    }

    /// The turns that are among the candidates of a pack for this message.
    pub(crate) async fn gathered(&self, message: &MessageId) -> BTreeSet<usize> {
        let all = self.fresh_pack(message, EVERYTHING_TOKENS).await;
        (0..self.seqs.len()).filter(|turn| all.shows(self.seqs[*turn])).collect()
    }

    /// The share of these turns that a pack shows.
    pub(crate) fn recall(&self, pack: &ShippedPack, needed: &[usize]) -> f64 {
        let shown = needed.iter().filter(|turn| self.shows(pack, **turn)).count();
        shown as f64 / needed.len().max(1) as f64
    }

    pub(crate) fn shows(&self, pack: &ShippedPack, turn: usize) -> bool {
        pack.shows(self.seqs[turn])
    }

    /// Why a pack does not show a turn; `None` if its receipt does not list it.
    pub(crate) fn left_out(&self, pack: &ShippedPack, turn: usize) -> Option<OmissionReason> {
        let is_turn = |item: &&parlour_core::context::ReceiptItem| item.seq == Some(self.seqs[turn]);
        pack.receipt.items.iter().find(is_turn).and_then(|item| item.left_out)
    }
}

fn addressed(question: &str) -> String {
    format!("@{AGENT} {question}")
}

impl ShippedPack {
    fn of(text: String, receipt: Receipt) -> Self {
        let framed = frame::parse(&text).expect("a pack is parsed back");
        let (mut quoted, mut summarized) = (BTreeSet::new(), BTreeSet::new());
        for FrameItem { quote, .. } in framed.items() {
            match quote.seq {
                0 => summarized.extend(quote.text.as_str().lines().filter_map(line_number)),
                _ if quote.text.as_str().trim().is_empty() => {}
                seq => _ = quoted.insert(seq),
            }
        }
        let tokens = Tokenizer::by(Encoding::O200k).count(&text);
        Self { text, receipt, tokens, quoted, summarized }
    }

    fn shows(&self, seq: u64) -> bool {
        self.quoted.contains(&seq) || self.summarized.contains(&seq)
    }
}

/// The number of a line of a summary, such as `12 Mara: The boat is ready.`
fn line_number(line: &str) -> Option<u64> {
    line.split_once(' ')?.0.parse().ok()
}
