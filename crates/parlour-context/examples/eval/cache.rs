//! How much of a pack stays the same from turn to turn, and what is lost by it.

use std::path::Path;

use parlour_context::{
    candidate::{Candidate, ConversationRef},
    pack::{BuiltPack, PackOptions, build},
    rank::RankQuery,
    tokens::{Encoding, Tokenizer},
};
use parlour_core::context::{Reason, Receipt};

use super::{
    chat::{query, request},
    dialogue::{Dialogue, read_locomo},
    recall::PreparedDialogue,
    table::Table,
};

/// Turns of one conversation; in each of them two messages are new.
const TURNS: usize = if cfg!(debug_assertions) { 6 } else { 100 };
/// Where questions are asked in between, every so many turns.
const ASKED_EVERY: usize = 5;
/// A pack of which less than this stays is a new one.
const RENEWED_BELOW: f64 = 0.5;

/// The table.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let dialogues = read_locomo(data)?;
    let about = "conversations going on, two messages a turn: share of a pack's tokens that begin it as they began the \
                 one before; share of the budget that is used; packs of which less than half stays; evidence of \
                 questions that is shown, and that a pack without one before shows";
    let columns =
        ["turns", "budget", "packs", "same beginning", "least used", "used", "renewed", "recall", "recall fresh"];
    let mut table = Table::new("cache", about, &columns);
    for (name, every) in [("chat", 0), ("chat, a question every 5 turns", ASKED_EVERY)] {
        for budget in [1_024, 2_048] {
            let mut sums = CacheTotals { least_used: 1.0, ..CacheTotals::default() };
            for dialogue in &dialogues {
                CachedConversation::new(dialogue, budget).go_on(every, &mut sums);
            }
            let share = |sum: f64, count: u64| sum / (count.max(1) as f64);
            table.push(vec![
                name.into(),
                budget.into(),
                sums.packs.into(),
                share(sums.same, sums.packs).into(),
                sums.least_used.into(),
                share(sums.used, sums.full).into(),
                share(sums.renewed, sums.packs).into(),
                share(sums.recall, sums.asked).into(),
                share(sums.recall_fresh, sums.asked).into(),
            ]);
        }
    }
    Some(table)
}

#[derive(Default)]
struct CacheTotals {
    packs: u64,
    same: f64,
    renewed: f64,
    full: u64,
    used: f64,
    least_used: f64,
    asked: u64,
    recall: f64,
    recall_fresh: f64,
}

/// A conversation that goes on.
struct CachedConversation<'a> {
    dialogue: &'a Dialogue,
    candidates: Vec<Candidate>,
    budget: u64,
    tokenizer: Tokenizer,
    before: Option<(String, Receipt)>,
}

impl<'a> CachedConversation<'a> {
    fn new(dialogue: &'a Dialogue, budget: u64) -> Self {
        let candidates = PreparedDialogue::of(dialogue).candidates;
        Self { dialogue, candidates, budget, tokenizer: Tokenizer::by(Encoding::O200k), before: None }
    }

    /// Goes on for some turns from the middle of the conversation.
    fn go_on(&mut self, asked_every: usize, sums: &mut CacheTotals) {
        let count = self.candidates.len();
        let start = count / 3;
        for turn in 0..TURNS {
            let end = start + turn * 2;
            if end >= count {
                return;
            }
            let question =
                if asked_every > 0 && turn % asked_every == asked_every - 1 { self.question(end) } else { None };
            match question {
                Some((text, needed)) => self.ask(end, &text, &needed, sums),
                None => {
                    let made = self.pack(end, None, true);
                    self.measure(made, sums);
                }
            }
        }
    }

    /// The next question about what was said so far; which one is told by how much that is.
    fn question(&self, end: usize) -> Option<(String, Vec<usize>)> {
        let known: Vec<&(String, Vec<usize>)> =
            self.dialogue.questions.iter().filter(|(_, needed)| needed.iter().all(|turn| *turn < end)).collect();
        known.get(end * 7 % known.len().max(1)).map(|(text, needed)| (text.clone(), needed.clone()))
    }

    fn ask(&mut self, end: usize, text: &str, needed: &[usize], sums: &mut CacheTotals) {
        let (made, fresh) = (self.pack(end, Some(text), true), self.pack(end, Some(text), false));
        sums.asked += 1;
        sums.recall += shown_of(&made, needed);
        sums.recall_fresh += shown_of(&fresh, needed);
        self.measure(made, sums);
    }

    /// The pack for the last message of so many, or for a question behind them.
    fn pack(&self, end: usize, asked: Option<&str>, is_after: bool) -> BuiltPack {
        let mut candidates: Vec<Candidate> = self.candidates[..end].to_vec();
        if let Some(text) = asked {
            let mut question = self.candidates[end].clone();
            question.id = "msg_asked".to_owned();
            question.prepared = super::chat::prepared(text);
            candidates.push(question);
        }
        let last_seq = candidates.len() as u64;
        let place = candidates[0]
            .conversation
            .as_deref()
            .map(|place| ConversationRef { last_seq, ..place.clone() })
            .map(std::sync::Arc::new);
        for candidate in &mut candidates {
            candidate.conversation.clone_from(&place);
            candidate.reasons = vec![Reason::Recent];
        }
        let current = candidates.last_mut().expect("something was said");
        current.reasons = vec![Reason::Current];
        let asked: RankQuery = query(&current.prepared.text.clone());
        let previous = self.before.as_ref().map(|(_, receipt)| receipt).filter(|_| is_after);
        let made = build(&PackOptions { previous, ..request(&candidates, &asked, &self.tokenizer, self.budget) });
        made.expect("the budget is large enough")
    }

    fn measure(&mut self, made: BuiltPack, sums: &mut CacheTotals) {
        if let Some((before, _)) = &self.before {
            let same = self.tokenizer.count(same_lines(before, &made.text)) as f64 / made.receipt.used as f64;
            sums.packs += 1;
            sums.same += same;
            sums.renewed += f64::from(u8::from(same < RENEWED_BELOW));
            if super::budget::has_more(&made) {
                let used = made.receipt.used as f64 / self.budget as f64;
                sums.full += 1;
                sums.used += used;
                sums.least_used = sums.least_used.min(used);
            }
        }
        self.before = Some((made.text, made.receipt));
    }
}

/// The lines with which both begin.
fn same_lines<'a>(before: &str, after: &'a str) -> &'a str {
    let same = before.bytes().zip(after.bytes()).take_while(|(left, right)| left == right).count();
    let end = after.as_bytes()[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &after[..end]
}

fn shown_of(made: &BuiltPack, needed: &[usize]) -> f64 {
    let is_shown = |turn: &&usize| made.shown.iter().any(|(index, text)| index == *turn && !text.is_empty());
    needed.iter().filter(is_shown).count() as f64 / needed.len().max(1) as f64
}
