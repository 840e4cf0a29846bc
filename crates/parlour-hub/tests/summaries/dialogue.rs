//! A long dialogue in which an agent gets a pack in each turn.

use parlour_core::{
    context::{ContextFormat, ContextRequest, Level, OmissionReason, ReceiptItem, SubjectType},
    id::{MessageId, RunId},
    run::StartRun,
};
use parlour_hub::use_cases::{BuiltContext, EditMessage};

use crate::fixture::ContextFixture;

/// Tokens of each pack.
pub(crate) const BUDGET: u64 = 1_024;
/// Messages before the first turn.
const BEFORE: usize = 200;

pub(crate) struct Dialogue {
    pub(crate) fixture: ContextFixture,
    /// All messages, oldest first; a removed one has no text.
    pub(crate) said: Vec<(MessageId, Option<String>)>,
    format: ContextFormat,
    run: RunId,
}

impl Dialogue {
    pub(crate) async fn new(format: ContextFormat) -> Self {
        Self::on(ContextFixture::new().await, format).await
    }

    pub(crate) async fn on(fixture: ContextFixture, format: ContextFormat) -> Self {
        let request = StartRun { channel_id: Some(fixture.general.clone()), ..StartRun::default() };
        let run = fixture.test.hub.start_run(&fixture.coder, request).await.expect("a run").id;
        let mut dialogue = Self { fixture, said: Vec::new(), format, run };
        for _ in 0..BEFORE {
            dialogue.post_next().await;
        }
        dialogue
    }

    /// Posts the next message; every third one is the agent's.
    pub(crate) async fn post_next(&mut self) -> MessageId {
        let words = unique_words(self.said.len());
        self.post_text(&words).await
    }

    pub(crate) async fn post_text(&mut self, body: &str) -> MessageId {
        let who = if self.said.len() % 3 == 2 { &self.fixture.coder } else { &self.fixture.mara };
        let id = self.fixture.say(who, body).await;
        self.said.push((id.clone(), Some(body.to_owned())));
        id
    }

    /// Posts a message, builds the pack for it, and posts the answer.
    pub(crate) async fn take_turn(&mut self) -> BuiltContext {
        let asked = self.post_next().await;
        let made = self.pack(&asked).await;
        self.post_next().await;
        made
    }

    /// Builds the pack to answer a message.
    pub(crate) async fn pack(&self, asked: &MessageId) -> BuiltContext {
        self.build(&self.ask(asked)).await
    }

    pub(crate) async fn build(&self, ask: &ContextRequest) -> BuiltContext {
        let made = self.fixture.context(&self.fixture.coder, ask).await;
        self.check(&made);
        made
    }

    pub(crate) fn ask(&self, asked: &MessageId) -> ContextRequest {
        let (run_id, message_id) = (Some(self.run.clone()), Some(asked.clone()));
        ContextRequest { format: self.format, budget: Some(BUDGET), message_id, run_id, ..self.fixture.here() }
    }

    pub(crate) async fn edit(&mut self, index: usize, body: &str) {
        let (id, said) = &mut self.said[index];
        let edit = EditMessage { body: body.to_owned() };
        self.fixture.test.hub.edit_message(&self.fixture.mara, id, edit).await.expect("edited");
        *said = Some(body.to_owned());
    }

    pub(crate) async fn remove(&mut self, index: usize) {
        let (id, said) = &mut self.said[index];
        self.fixture.test.hub.remove_message(&self.fixture.mara, id).await.expect("removed");
        *said = None;
    }

    /// The index of a message in `said`.
    pub(crate) fn index(&self, id: &str) -> usize {
        self.said.iter().position(|(known, _)| known.as_str() == id).expect("it was said")
    }

    /// The indexes of Mara's messages that are quoted.
    pub(crate) fn quoted(&self, made: &BuiltContext) -> Vec<usize> {
        let here = self.fixture.here().conversation_id;
        let quotes =
            summaries_shown(made).into_iter().filter(|sum| sum.conversation_id == here).flat_map(|sum| &sum.quotes);
        quotes.map(|id| self.index(id)).filter(|index| index % 3 != 2).collect()
    }

    /// Checks a pack: it keeps its budget, its quotes are current and appear once, and its receipt is true.
    fn check(&self, made: &BuiltContext) {
        let (text, receipt) = (&made.pack.text, &made.pack.receipt);
        assert!(receipt.used <= BUDGET, "{}", receipt.used);
        let messages = || receipt.items.iter().filter(|item| item.subject_type == SubjectType::Message);
        let here = self.fixture.here().conversation_id;
        let of_here =
            summaries_shown(made).into_iter().filter(|sum| sum.conversation_id == here && !sum.quotes.is_empty());
        for sum in of_here.filter(|sum| sum.level == Some(Level::Full)) {
            let lines: Vec<&str> = sum.text.lines().filter(|line| line.contains(": ")).collect();
            assert_eq!(lines.len(), sum.quotes.len(), "{}", sum.text);
            for (line, id) in lines.into_iter().zip(&sum.quotes) {
                let (index, (_, quote)) = (self.index(id), line.split_once(": ").expect("a name"));
                assert!(line.starts_with(&format!("{} ", index + 1)), "{line}");
                assert!(self.said[index].1.as_deref().is_some_and(|body| body.contains(quote)), "{line}");
                assert_eq!(text.matches(quote).count(), 1, "{line}: {text}");
                assert!(made.messages.iter().all(|message| message.id.as_str() != id), "{line}");
            }
        }
        let quotes: Vec<&String> = summaries_shown(made).into_iter().flat_map(|sum| &sum.quotes).collect();
        let end = summaries_shown(made).into_iter().filter_map(|sum| sum.seq).max();
        for item in messages() {
            let is_summed = item.left_out == Some(OmissionReason::Summarised);
            let is_known = is_summed || item.left_out == Some(OmissionReason::Duplicate);
            assert!(item.level.is_none() && is_known || !quotes.contains(&&item.id), "{item:?}");
            assert!(!is_summed || item.seq <= end, "{item:?}");
        }
    }
}

pub(crate) fn summaries_shown(made: &BuiltContext) -> Vec<&ReceiptItem> {
    crate::summaries(&made.pack.receipt)
}

/// The share of the later text, in bytes, that is a common prefix with the earlier one.
pub(crate) fn shared_prefix(before: &BuiltContext, after: &BuiltContext) -> f64 {
    let (before, after) = (&before.pack.text, &after.pack.text);
    let shared = before.bytes().zip(after.bytes()).take_while(|(left, right)| left == right).count();
    shared as f64 / after.len() as f64
}

/// A text of random words; two messages rarely have words in common.
fn unique_words(number: usize) -> String {
    let stems = ["cedar", "harbour", "ledger", "granite", "lamp", "paper", "river", "stone"];
    let mut dice = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let mut word = || format!("{}{}", stems[roll(8) as usize], roll(9_000));
    let words: Vec<String> = (0..8).map(|_| word()).collect();
    words.join(" ") + "."
}
