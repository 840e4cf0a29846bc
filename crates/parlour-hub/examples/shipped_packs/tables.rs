//! The tables: evidence in packs as the hub ships them.

use std::collections::BTreeMap;

use parlour_context::{
    rank::RankConstants,
    tokens::{Encoding, Tokenizer},
};
use parlour_core::{context::OmissionReason, id::MessageId};

use crate::{
    conversation::{HubConversation, ShippedPack},
    dialogue::Dialogue,
    recall::{PreparedDialogue, Ranking},
    table::{Cell, Table},
};

/// What is measured.
pub(crate) struct Extent {
    /// Tokens of the packs.
    pub(crate) budgets: Vec<u64>,
    /// Only every so many questions are asked.
    pub(crate) every: usize,
    /// Only these parts are measured.
    pub(crate) parts: Vec<Part>,
}

/// A part of the evaluation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Questions after the end of a conversation, with fresh packs.
    Fresh,
    /// The same questions with packs that go on after the pack of the question before.
    Next,
    /// A conversation that goes on, with questions in between.
    Chat,
}

/// The parts by their names.
pub(crate) const PARTS: [(&str, Part); 3] = [("fresh", Part::Fresh), ("next", Part::Next), ("chat", Part::Chat)];

/// In a conversation that goes on, messages between two packs, and packs from one question to the next.
const MESSAGES_PER_TURN: usize = 2;
const TURNS_PER_QUESTION: usize = 5;
/// A question in the middle of a conversation: one of this many known ones is asked.
const QUESTION_STEP: usize = 7;

/// The packs of one kind.
#[derive(Default)]
struct PackTotals {
    packs: u64,
    tokens: f64,
    overruns: u64,
    /// Packs that follow another one, and the share that begins like it.
    next: u64,
    same: f64,
    /// Recall by conversation: sum and number of questions.
    recall: BTreeMap<usize, (f64, u64)>,
}

impl PackTotals {
    fn add(&mut self, pack: &ShippedPack, budget: u64, before: Option<&ShippedPack>) {
        self.packs += 1;
        self.tokens += pack.tokens as f64 / budget as f64;
        self.overruns += u64::from(pack.tokens > budget || pack.tokens != pack.receipt.used);
        if let Some(before) = before {
            self.next += 1;
            self.same += same_share(before, pack);
        }
    }

    fn add_recall(&mut self, conversation: usize, share: f64) {
        let (sum, count) = self.recall.entry(conversation).or_default();
        (*sum, *count) = (*sum + share, *count + 1);
    }

    fn row(&self, name: &str, budget: u64) -> Vec<Cell> {
        let (sum, asked) = self.recall.values().fold((0.0, 0), |(sum, all), (one, count)| (sum + one, all + count));
        let least = self.recall.values().map(|(sum, count)| sum / *count as f64).fold(1.0, f64::min);
        vec![
            name.into(),
            budget.into(),
            self.packs.into(),
            asked.into(),
            share(sum, asked),
            if asked > 0 { least.into() } else { "".into() },
            share(self.same, self.next),
            share(self.tokens, self.packs),
            self.overruns.into(),
        ]
    }
}

fn share(sum: f64, count: u64) -> Cell {
    if count == 0 { Cell::from("") } else { Cell::from(sum / count as f64) }
}

/// The share of a pack's tokens, in whole lines, with which the pack before began too.
fn same_share(before: &ShippedPack, after: &ShippedPack) -> f64 {
    let (before, text) = (before.text.as_bytes(), after.text.as_bytes());
    let same = before.iter().zip(text).take_while(|(left, right)| left == right).count();
    let end = text[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Tokenizer::by(Encoding::O200k).count(&after.text[..end]) as f64 / after.tokens as f64
}

/// Recall of fresh packs and of packs that go on, over these conversations. `progress` is called after each.
pub(crate) async fn measure(dialogues: &[Dialogue], extent: &Extent, progress: impl Fn(&str)) -> [Table; 2] {
    let about = "packs as the hub ships them: share of the evidence that their text shows, least of one conversation, \
                 share of their tokens that begin them as they began the pack before, share of the budget that is used";
    let columns = ["packs of", "budget", "packs", "questions", "recall", "least", "same beginning", "used", "overruns"];
    let mut table = Table::new("shipped", about, &columns);
    let mut lost = LostTurns::default();
    let mut totals: BTreeMap<(usize, u64), PackTotals> = BTreeMap::new();
    for (number, dialogue) in dialogues.iter().enumerate() {
        let mut measured = MeasuredDialogue { number, dialogue, extent, totals: &mut totals, lost: &mut lost };
        measured.ask_at_the_end().await;
        progress(&format!("conversation {} of {}: questions after its end", number + 1, dialogues.len()));
        for budget in extent.budgets.iter().filter(|_| extent.parts.contains(&Part::Chat)) {
            measured.ask_while_it_goes_on(*budget).await;
        }
        progress(&format!("conversation {} of {}: questions while it goes on", number + 1, dialogues.len()));
    }
    for ((kind, budget), totals) in &totals {
        table.push(totals.row(KINDS[*kind], *budget));
    }
    [table, lost.table(&extent.budgets)]
}

/// The rows, in order.
const KINDS: [&str; 7] = [
    "the ranking alone",
    "a question, fresh",
    "a question after another",
    "a question while a chat goes on, fresh",
    "a question while a chat goes on",
    "other turns of that chat",
    "all turns of that chat",
];
const RANKED: usize = 0;
const FRESH: usize = 1;
const NEXT: usize = 2;
const FRESH_IN_CHAT: usize = 3;
const NEXT_IN_CHAT: usize = 4;
const OTHER_IN_CHAT: usize = 5;
const CHAT: usize = 6;

/// One conversation, measured in its own hubs.
struct MeasuredDialogue<'a> {
    number: usize,
    dialogue: &'a Dialogue,
    extent: &'a Extent,
    totals: &'a mut BTreeMap<(usize, u64), PackTotals>,
    lost: &'a mut LostTurns,
}

impl MeasuredDialogue<'_> {
    /// Asks one question after the other behind the last turn.
    async fn ask_at_the_end(&mut self) {
        let mut hub = HubConversation::new(self.dialogue).await;
        hub.post_until(self.dialogue.turns.len()).await;
        let asked: Vec<&Question> = self.dialogue.questions.iter().step_by(self.extent.every).collect();
        let Some((first, _)) = asked.first() else { return };
        let message = hub.ask(first).await;
        if self.extent.parts.contains(&Part::Fresh) {
            self.rank_alone();
            self.ask_fresh(&hub, &message, &asked).await;
        }
        if self.extent.parts.contains(&Part::Next) {
            self.ask_next(&hub, &message, &asked).await;
        }
    }

    /// What the ranking finds when it has all turns, and each costs what the goals count.
    fn rank_alone(&mut self) {
        let ranked = PreparedDialogue::of(self.dialogue);
        let recall = ranked.recall(&self.extent.budgets, Ranking::All, &RankConstants::default());
        for shares in recall.iter().step_by(self.extent.every) {
            for (budget, shares) in self.extent.budgets.iter().zip(shares) {
                let totals = self.totals.entry((RANKED, *budget)).or_default();
                totals.add_recall(self.number, shares.turns);
            }
        }
    }

    async fn ask_fresh(&mut self, hub: &HubConversation<'_>, message: &MessageId, asked: &[&Question]) {
        for (question, needed) in asked {
            hub.ask_instead(message, question).await;
            let mut gathered = None;
            for budget in &self.extent.budgets {
                let fresh = hub.fresh_pack(message, *budget).await;
                self.lost.count(*budget, needed.len());
                for turn in needed.iter().filter(|turn| !hub.shows(&fresh, **turn)) {
                    if gathered.is_none() {
                        gathered = Some(hub.gathered(message).await);
                    }
                    let is_gathered = gathered.as_ref().is_some_and(|gathered| gathered.contains(turn));
                    self.lost.add(*budget, is_gathered, hub.left_out(&fresh, *turn));
                }
                self.count(FRESH, *budget, &fresh, None, Some(hub.recall(&fresh, needed)));
            }
        }
    }

    async fn ask_next(&mut self, hub: &HubConversation<'_>, message: &MessageId, asked: &[&Question]) {
        for budget in &self.extent.budgets {
            let mut before: Option<ShippedPack> = None;
            for (question, needed) in asked {
                hub.ask_instead(message, question).await;
                let next = hub.next_pack(message, *budget).await;
                if before.is_some() {
                    let recall = hub.recall(&next, needed);
                    self.count(NEXT, *budget, &next, before.as_ref(), Some(recall));
                }
                before = Some(next);
            }
        }
    }

    /// Posts the rest of the conversation turn by turn, each with a pack that goes on, and asks in between.
    async fn ask_while_it_goes_on(&mut self, budget: u64) {
        let dialogue = self.dialogue;
        let mut hub = HubConversation::new(dialogue).await;
        let count = dialogue.turns.len();
        let mut before: Option<ShippedPack> = None;
        let turns_max = count.div_ceil(self.extent.every);
        for (turn, end) in (count / 3..=count).step_by(MESSAGES_PER_TURN).take(turns_max).enumerate() {
            let Some(last) = hub.post_until(end).await else { continue };
            let question =
                if turn % TURNS_PER_QUESTION == TURNS_PER_QUESTION - 1 { question(dialogue, end) } else { None };
            let (message, needed) = match question {
                Some((question, needed)) => (hub.ask(question).await, Some(needed)),
                None => (last, None),
            };
            let fresh = match needed {
                Some(_) => Some(hub.fresh_pack(&message, budget).await),
                None => None,
            };
            let next = hub.next_pack(&message, budget).await;
            if let (Some(needed), Some(fresh)) = (needed, fresh) {
                self.count(FRESH_IN_CHAT, budget, &fresh, None, Some(hub.recall(&fresh, needed)));
                self.count(NEXT_IN_CHAT, budget, &next, before.as_ref(), Some(hub.recall(&next, needed)));
            }
            if needed.is_some() {
                hub.answer(&message).await;
            }
            if needed.is_none() {
                self.count(OTHER_IN_CHAT, budget, &next, before.as_ref(), None);
            }
            self.count(CHAT, budget, &next, before.as_ref(), None);
            before = Some(next);
        }
    }

    fn count(
        &mut self,
        kind: usize,
        budget: u64,
        pack: &ShippedPack,
        before: Option<&ShippedPack>,
        recall: Option<f64>,
    ) {
        let totals = self.totals.entry((kind, budget)).or_default();
        totals.add(pack, budget, before);
        if let Some(recall) = recall {
            totals.add_recall(self.number, recall);
        }
    }
}

/// A question, and the turns that are needed to answer it.
type Question = (String, Vec<usize>);

/// A question about what was said so far; which one follows from how much that is.
fn question(dialogue: &Dialogue, end: usize) -> Option<(&str, &[usize])> {
    let is_known = |(_, needed): &&Question| needed.iter().all(|turn| *turn < end);
    let known: Vec<&Question> = dialogue.questions.iter().filter(is_known).collect();
    known.get(end * QUESTION_STEP % known.len().max(1)).map(|(text, needed)| (text.as_str(), needed.as_slice()))
}

/// Evidence that fresh packs do not show, by cause.
#[derive(Default)]
struct LostTurns {
    needed: BTreeMap<u64, u64>,
    causes: BTreeMap<(&'static str, u64), u64>,
}

impl LostTurns {
    fn count(&mut self, budget: u64, needed: usize) {
        *self.needed.entry(budget).or_default() += needed as u64;
    }

    fn add(&mut self, budget: u64, is_gathered: bool, left_out: Option<OmissionReason>) {
        let cause = match left_out {
            _ if !is_gathered => "is no candidate",
            Some(OmissionReason::SenderQuota | OmissionReason::ThreadQuota | OmissionReason::TrustQuota) => "quota",
            Some(OmissionReason::Duplicate) => "duplicate of a shown one",
            Some(OmissionReason::Summarised) => "a summary covers it",
            Some(_) => "ranked behind, listed in the receipt",
            None => "ranked far behind, not listed",
        };
        *self.causes.entry((cause, budget)).or_default() += 1;
    }

    fn table(&self, budgets: &[u64]) -> Table {
        let about = "evidence that fresh packs do not show, by cause, as shares of all evidence";
        let columns: Vec<String> = budgets.iter().map(u64::to_string).collect();
        let columns: Vec<&str> = ["cause"].into_iter().chain(columns.iter().map(String::as_str)).collect();
        let mut table = Table::new("lost", about, &columns);
        let mut causes: Vec<&str> = self.causes.keys().map(|(cause, _)| *cause).collect();
        causes.dedup();
        for cause in causes {
            let lost = |budget: &u64| {
                let count = self.causes.get(&(cause, *budget)).copied().unwrap_or_default();
                share(count as f64, self.needed.get(budget).copied().unwrap_or_default())
            };
            table.push([Cell::from(cause)].into_iter().chain(budgets.iter().map(lost)).collect());
        }
        table
    }
}
