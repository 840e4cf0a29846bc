//! Fits a checkpoint text into its budget: tries shorter forms until one fits.

use parlour_context::{
    candidate::Candidate,
    frame::{HubLine, Tag},
    pack::{self, PackOptions},
    rank::RankQuery,
    tokens::Tokenizer,
};
use parlour_core::{
    checkpoint::Brief,
    context::{ContextFormat, ContextRules, Level, OmissionReason, Receipt, ReceiptItem},
    id::{AgentId, MessageId},
};

use super::{CheckpointItem, CheckpointMessage, CheckpointReason, asked_line, brief, rest_line, text_of_names};
use crate::{
    Failure,
    context::{PackCaches, receipt},
};

/// Attempts to make room for the first line when the tokenizer counts the whole higher than its parts.
const ROUNDS_MAX: usize = 4;

/// The input of a fitted text.
pub(super) struct CheckpointDraft {
    pub(super) reader: (AgentId, String),
    pub(super) context: ContextRules,
    pub(super) tokenizer: Tokenizer,
    /// Token limit of the whole text.
    pub(super) ceiling: u64,
    pub(super) day: String,
    pub(super) items: Vec<CheckpointItem>,
    pub(super) lead: Option<String>,
    pub(super) end: Vec<String>,
}

/// A text within its budget.
pub(super) struct FittedText {
    pub(super) text: String,
    /// The text without lines that contain counts.
    pub(super) recorded: String,
    pub(super) receipt: Receipt,
    pub(super) named: Vec<MessageId>,
}

/// How the agent's own questions are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnQuestions {
    Quoted,
    Named,
}

impl CheckpointDraft {
    /// Redacts and fits the text, and returns all messages in short.
    pub(super) fn fit(mut self, caches: &PackCaches) -> Result<(FittedText, Vec<Brief>), Failure> {
        let redactor = caches.redactor_for(&self.context.redaction)?;
        let view = |text: &str| caches.prepared(text, &redactor).text.clone();
        for item in &mut self.items {
            item.candidate.prepared = caches.prepared(&item.source.message.body, &redactor);
            item.candidate.answer_format = item.candidate.answer_format.take().map(|format| view(&format));
        }
        let briefs = self.items.iter().map(|item| brief(&item.source, view)).collect();
        Ok((self.longest_text(), briefs))
    }

    /// Tries in this order: all messages quoted; own questions as one line each; fewer blocking messages; no quotes.
    fn longest_text(&self) -> FittedText {
        let blocks = self.items.iter().filter(|item| item.source.why == CheckpointReason::Blocks).count();
        let fewer = (1..blocks).rev().map(|count| (count, OwnQuestions::Named));
        let mut forms = [(blocks, OwnQuestions::Quoted), (blocks, OwnQuestions::Named)].into_iter().chain(fewer);
        forms.find_map(|(blocks, own)| self.quoted(blocks, own)).unwrap_or_else(|| self.names_only())
    }

    /// A text that quotes and announces `blocks` blocking messages; `None` if it does not fit.
    fn quoted(&self, blocks: usize, own: OwnQuestions) -> Option<FittedText> {
        let (mut quoted, mut named, mut left): (Vec<&CheckpointItem>, Vec<&CheckpointItem>, Vec<&CheckpointItem>) =
            Default::default();
        let mut blocks_left = blocks;
        for item in &self.items {
            match item.source.why {
                CheckpointReason::Blocks if blocks_left == 0 => left.push(item),
                CheckpointReason::Blocks => {
                    blocks_left -= 1;
                    quoted.push(item);
                }
                CheckpointReason::Asked if own == OwnQuestions::Named => named.push(item),
                CheckpointReason::Asked | CheckpointReason::Unread(_) => quoted.push(item),
            }
        }
        let rest = rest_line(&left.iter().map(|item| item.source.why).collect::<Vec<_>>(), blocks == 0);
        let notices: Vec<String> =
            named.iter().map(|item| item.asked_line()).chain(rest.clone()).chain(self.end.iter().cloned()).collect();
        let (text, mut receipt, shown) = self.pack(&quoted, &notices)?;
        let is_shown = |item: &&CheckpointItem| shown.contains(&item.source.message.id);
        let are_own_shown = quoted.iter().filter(|item| item.source.why == CheckpointReason::Asked).all(is_shown);
        if shown.is_empty() || !are_own_shown || announced(&text) < blocks {
            return None;
        }
        named.iter().for_each(|item| receipt::add_row(&mut receipt, item.row(Some(Level::Handle))));
        left.iter().for_each(|item| receipt::add_row(&mut receipt, item.row(None)));
        let named = shown.into_iter().chain(named.iter().map(|item| item.source.message.id.clone())).collect();
        Some(FittedText { recorded: self.without_counts(&text, rest.as_deref()), text, receipt, named })
    }

    /// The engine's text of these messages with the first line inserted; `None` if it does not fit.
    fn pack(&self, items: &[&CheckpointItem], notices: &[String]) -> Option<(String, Receipt, Vec<MessageId>)> {
        let candidates: Vec<Candidate> = items.iter().map(|item| item.candidate.clone()).collect();
        let lead = self.lead.as_deref().map(|lead| format!("{}\n", HubLine::of(lead).as_str()));
        let lead = lead.unwrap_or_default();
        let (ceiling, tokenizer) = (self.ceiling, &self.tokenizer);
        let mut room = ceiling.checked_sub(tokenizer.count(&lead))?;
        for _ in 0..ROUNDS_MAX {
            let made = pack::build(&PackOptions {
                reader: (&self.reader.0, &self.reader.1),
                format: ContextFormat::Injection,
                budget: room,
                tokenizer,
                query: &RankQuery::default(),
                candidates: &candidates,
                reranked: &[],
                rules: &self.context,
                day: &self.day,
                notices,
                command: None,
                previous: None,
            });
            let made = made.ok()?;
            // After the header line, so that the text can still be parsed.
            let (first, others) = made.text.split_once('\n')?;
            let text = format!("{first}\n{lead}{others}");
            let used = tokenizer.count(&text);
            if used <= ceiling {
                let frame = made.receipt.frame + used.saturating_sub(made.receipt.used);
                let receipt = Receipt { budget: ceiling, used, frame, ..made.receipt };
                let shown = made.shown.iter().map(|(index, _)| items[*index].source.message.id.clone());
                return Some((text, receipt, shown.collect()));
            }
            room = room.checked_sub(used - ceiling)?;
        }
        None
    }

    /// A text with names, ids and calls of as many messages as fit; at last it only counts.
    fn names_only(&self) -> FittedText {
        let messages: Vec<CheckpointMessage> = self.items.iter().map(|item| item.source.clone()).collect();
        let counts = || (1..=messages.len()).rev();
        let with_end = counts().map(|count| (count, self.end.as_slice()));
        let without_end = counts().map(|count| (count, [].as_slice()));
        let mut tries = with_end.chain(without_end).chain([(0, self.end.as_slice())]);
        let found =
            tries.find(|(count, end)| self.tokenizer.fits(&self.names_text(&messages, *count, end), self.ceiling));
        let (count, end) = found.unwrap_or((0, &[]));
        let text = self.names_text(&messages, count, end);
        let used = self.tokenizer.count(&text);
        let mut receipt = receipt::empty(self.ceiling, used, self.tokenizer.counting());
        for (index, item) in self.items.iter().enumerate() {
            receipt::add_row(&mut receipt, item.row((index < count).then_some(Level::Handle)));
        }
        let rest = rest_line(&messages[count..].iter().map(|one| one.why).collect::<Vec<_>>(), count == 0);
        let named = messages[..count].iter().map(|one| one.message.id.clone()).collect();
        FittedText { recorded: self.without_counts(&text, rest.as_deref()), text, receipt, named }
    }

    fn names_text(&self, messages: &[CheckpointMessage], count: usize, end: &[String]) -> String {
        let rest = rest_line(&messages[count..].iter().map(|one| one.why).collect::<Vec<_>>(), count == 0);
        let end: Vec<String> = rest.into_iter().chain(end.iter().cloned()).collect();
        let tag = Tag::of(self.reader.0.as_str(), &self.day, "");
        text_of_names(&messages[..count], tag, self.lead.as_deref(), &end)
    }

    /// The text without lines that contain counts. A quoted line cannot be one of them: it begins with a mark.
    fn without_counts(&self, text: &str, rest: Option<&str>) -> String {
        let counting: Vec<HubLine> = [self.lead.as_deref(), rest].into_iter().flatten().map(HubLine::of).collect();
        let is_kept = |line: &&str| !counting.iter().any(|counting| counting.as_str() == *line);
        text.split('\n').filter(is_kept).collect::<Vec<_>>().join("\n")
    }
}

/// The number of announced messages. With few tokens the engine leaves announcements out; then fewer messages are better.
fn announced(text: &str) -> usize {
    text.split('\n').filter(|line| line.starts_with("You received a message from ")).count()
}

impl CheckpointItem {
    fn asked_line(&self) -> String {
        let conversation = self.candidate.conversation.as_deref();
        asked_line(&self.source.message.id, conversation.map(|conversation| conversation.name.as_str()))
    }

    /// The receipt row of a message that is not quoted.
    fn row(&self, level: Option<Level>) -> ReceiptItem {
        let row = receipt::row_of(&self.source.message, self.candidate.section, self.candidate.reasons.clone());
        let left_out = level.is_none().then_some(OmissionReason::NoRoom);
        ReceiptItem { level, left_out, ..row }
    }
}
