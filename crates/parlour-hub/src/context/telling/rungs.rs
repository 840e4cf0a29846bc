//! The text itself: as much of the messages as has room, one rung lower each time that it has not.

use parlour_context::{
    candidate::Candidate,
    frame::{HubLine, Tag},
    pack::{self, Wish},
    rank::Query,
    tokens::Tokenizer,
};
use parlour_core::{
    checkpoint::Brief,
    context::{ContextFormat, ContextRules, Level, OmissionReason, Receipt, ReceiptItem, SubjectType},
    id::{AgentId, MessageId},
};

use super::{Item, News, Why, brief, lines};
use crate::{
    Failure, Fault,
    context::{Workshop, told},
};

/// How often room is made for the line at the beginning, when a table counts the whole higher than its parts.
const ROUNDS_MAX: usize = 4;

/// Everything that a text is made of.
pub(super) struct Draft {
    pub(super) reader: (AgentId, String),
    pub(super) context: ContextRules,
    pub(super) tokenizer: Tokenizer,
    /// Tokens that all of it may cost.
    pub(super) ceiling: u64,
    pub(super) day: String,
    pub(super) items: Vec<Item>,
    pub(super) lead: Option<String>,
    pub(super) end: Vec<String>,
}

/// What was made.
pub(super) struct Sheet {
    pub(super) text: String,
    /// The text without the lines that count.
    pub(super) kept: String,
    pub(super) receipt: Receipt,
    pub(super) named: Vec<MessageId>,
}

/// How the agent's own questions stand in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Quoted,
    Named,
}

impl Draft {
    /// Makes the text, and all messages in short.
    pub(super) fn make(mut self, workshop: &Workshop) -> Result<(Sheet, Vec<Brief>), Failure> {
        let redactor = workshop.redactor(&self.context.redaction);
        let redactor = redactor.map_err(|bad| Fault::new("use the rules of redaction", bad))?;
        let view = |text: &str| workshop.prepared(text, &redactor).text.clone();
        for item in &mut self.items {
            item.candidate.prepared = workshop.prepared(&item.news.message.body, &redactor);
            item.candidate.wanted = item.candidate.wanted.take().map(|wanted| view(&wanted));
        }
        let briefs = self.items.iter().map(|item| brief(&item.news, view)).collect();
        Ok((self.highest_rung(), briefs))
    }

    /// All of them; then own questions by a line; then fewer of those that block; then no words of any.
    fn highest_rung(&self) -> Sheet {
        let blocks = self.items.iter().filter(|item| item.news.why == Why::Blocks).count();
        let fewer = (1..blocks).rev().map(|count| (count, Own::Named));
        let mut rungs = [(blocks, Own::Quoted), (blocks, Own::Named)].into_iter().chain(fewer);
        rungs.find_map(|(blocks, own)| self.quoted(blocks, own)).unwrap_or_else(|| self.bare())
    }

    /// A text of the engine in which so many of those that block stand, each announced; nothing when that has no room.
    fn quoted(&self, blocks: usize, own: Own) -> Option<Sheet> {
        let (mut quoted, mut named, mut left): (Vec<&Item>, Vec<&Item>, Vec<&Item>) = Default::default();
        let mut blocks_left = blocks;
        for item in &self.items {
            match item.news.why {
                Why::Blocks if blocks_left == 0 => left.push(item),
                Why::Blocks => {
                    blocks_left -= 1;
                    quoted.push(item);
                }
                Why::Asked if own == Own::Named => named.push(item),
                Why::Asked | Why::Unread(_) => quoted.push(item),
            }
        }
        let rest = lines::rest(&left.iter().map(|item| item.news.why).collect::<Vec<_>>(), blocks == 0);
        let notices: Vec<String> =
            named.iter().map(|item| item.asked()).chain(rest.clone()).chain(self.end.iter().cloned()).collect();
        let (text, mut receipt, shown) = self.pack(&quoted, &notices)?;
        let is_shown = |item: &&Item| shown.contains(&item.news.message.id);
        let are_own_shown = quoted.iter().filter(|item| item.news.why == Why::Asked).all(is_shown);
        if shown.is_empty() || !are_own_shown || announced(&text) < blocks {
            return None;
        }
        named.iter().for_each(|item| told::add_row(&mut receipt, item.row(Some(Level::Handle))));
        left.iter().for_each(|item| told::add_row(&mut receipt, item.row(None)));
        let named = shown.into_iter().chain(named.iter().map(|item| item.news.message.id.clone())).collect();
        Some(Sheet { kept: self.kept(&text, rest.as_deref()), text, receipt, named })
    }

    /// What the engine makes of these, with the line at the beginning; nothing when it has no room.
    fn pack(&self, items: &[&Item], notices: &[String]) -> Option<(String, Receipt, Vec<MessageId>)> {
        let candidates: Vec<Candidate> = items.iter().map(|item| item.candidate.clone()).collect();
        let lead = self.lead.as_deref().map(|lead| format!("{}\n", HubLine::of(lead).as_str()));
        let lead = lead.unwrap_or_default();
        let (ceiling, tokenizer) = (self.ceiling, &self.tokenizer);
        let mut room = ceiling.checked_sub(tokenizer.count(&lead))?;
        for _ in 0..ROUNDS_MAX {
            let made = pack::make(&Wish {
                reader: (&self.reader.0, &self.reader.1),
                format: ContextFormat::Injection,
                budget: room,
                tokenizer,
                query: &Query::default(),
                candidates: &candidates,
                reranked: &[],
                rules: &self.context,
                day: &self.day,
                notices,
                command: None,
                previous: None,
            });
            let made = made.ok()?;
            // After the first line, so that the whole can still be read back.
            let (first, others) = made.text.split_once('\n')?;
            let text = format!("{first}\n{lead}{others}");
            let used = tokenizer.count(&text);
            if used <= ceiling {
                let frame = made.receipt.frame + used.saturating_sub(made.receipt.used);
                let receipt = Receipt { budget: ceiling, used, frame, ..made.receipt };
                let shown = made.shown.iter().map(|(index, _)| items[*index].news.message.id.clone());
                return Some((text, receipt, shown.collect()));
            }
            room = room.checked_sub(used - ceiling)?;
        }
        None
    }

    /// A text with names, ids and calls of as many as have room; at the end it only counts.
    fn bare(&self) -> Sheet {
        let news: Vec<News> = self.items.iter().map(|item| item.news.clone()).collect();
        let counts = || (1..=news.len()).rev();
        let with_end = counts().map(|count| (count, self.end.as_slice()));
        let without_end = counts().map(|count| (count, [].as_slice()));
        let mut tries = with_end.chain(without_end).chain([(0, self.end.as_slice())]);
        let found = tries.find(|(count, end)| self.tokenizer.fits(&self.bare_text(&news, *count, end), self.ceiling));
        let (count, end) = found.unwrap_or((0, &[]));
        let text = self.bare_text(&news, count, end);
        let used = self.tokenizer.count(&text);
        let mut receipt = Receipt {
            budget: self.ceiling,
            used,
            frame: used,
            counting: self.tokenizer.counting(),
            sections: Vec::new(),
            items: Vec::new(),
            unlisted: 0,
            redactions: Vec::new(),
            invisible: 0,
        };
        for (place, item) in self.items.iter().enumerate() {
            told::add_row(&mut receipt, item.row((place < count).then_some(Level::Handle)));
        }
        let rest = lines::rest(&news[count..].iter().map(|one| one.why).collect::<Vec<_>>(), count == 0);
        let named = news[..count].iter().map(|one| one.message.id.clone()).collect();
        Sheet { kept: self.kept(&text, rest.as_deref()), text, receipt, named }
    }

    fn bare_text(&self, news: &[News], count: usize, end: &[String]) -> String {
        let rest = lines::rest(&news[count..].iter().map(|one| one.why).collect::<Vec<_>>(), count == 0);
        let end: Vec<String> = rest.into_iter().chain(end.iter().cloned()).collect();
        let tag = Tag::of(self.reader.0.as_str(), &self.day, "");
        lines::bare(&news[..count], tag, self.lead.as_deref(), &end)
    }

    /// The text without the lines that count. No quoted line can be one of them: it begins with a mark.
    fn kept(&self, text: &str, rest: Option<&str>) -> String {
        let counting: Vec<HubLine> = [self.lead.as_deref(), rest].into_iter().flatten().map(HubLine::of).collect();
        let is_kept = |line: &&str| !counting.iter().any(|counting| counting.as_str() == *line);
        text.split('\n').filter(is_kept).collect::<Vec<_>>().join("\n")
    }
}

/// How many messages a text announces. In few tokens the engine does without: fewer that are announced are better here.
fn announced(text: &str) -> usize {
    text.split('\n').filter(|line| line.starts_with("You received a message from ")).count()
}

impl Item {
    fn asked(&self) -> String {
        lines::asked(&self.news.message.id, self.candidate.place.as_deref().map(|place| place.name.as_str()))
    }

    /// Its row in a receipt, where the engine does not write one.
    fn row(&self, level: Option<Level>) -> ReceiptItem {
        ReceiptItem {
            subject_type: SubjectType::Message,
            id: self.candidate.id.clone(),
            section: self.candidate.section,
            conversation_id: Some(self.news.message.to.clone()),
            seq: Some(self.news.message.seq),
            from: Some(self.news.message.from.clone()),
            reasons: self.candidate.reasons.clone(),
            score: 0,
            level,
            left_out: level.is_none().then_some(OmissionReason::NoRoom),
            same_as: None,
            tokens: 0,
            text: String::new(),
            redactions: 0,
            quotes: Vec::new(),
        }
    }
}
