//! A long talk in which an agent is given a pack at each turn.

use parlour_core::{
    context::{ContextFormat, ContextRequest, Level, OmissionReason, ReceiptItem, SubjectType},
    id::{MessageId, RunId},
    run::StartRun,
};
use parlour_hub::use_cases::{BuiltContext, EditMessage};

use crate::stage::Stage;

/// Tokens of each pack.
pub(crate) const BUDGET: u64 = 1_024;
/// Messages before the first turn.
const BEFORE: usize = 200;

pub(crate) struct Turns {
    pub(crate) stage: Stage,
    /// What was said, the first one first; nothing of what was removed.
    pub(crate) said: Vec<(MessageId, Option<String>)>,
    format: ContextFormat,
    run: RunId,
}

impl Turns {
    pub(crate) async fn new(format: ContextFormat) -> Self {
        Self::on(Stage::new().await, format).await
    }

    pub(crate) async fn on(stage: Stage, format: ContextFormat) -> Self {
        let request = StartRun { channel_id: Some(stage.general.clone()), ..StartRun::default() };
        let run = stage.test.hub.start_run(&stage.coder, request).await.expect("a run").id;
        let mut turns = Self { stage, said: Vec::new(), format, run };
        for _ in 0..BEFORE {
            turns.say().await;
        }
        turns
    }

    /// Somebody says something new.
    pub(crate) async fn say(&mut self) -> MessageId {
        let words = words(self.said.len());
        self.say_this(&words).await
    }

    pub(crate) async fn say_this(&mut self, body: &str) -> MessageId {
        let who = if self.said.len() % 3 == 2 { &self.stage.coder } else { &self.stage.mara };
        let id = self.stage.say(who, body).await;
        self.said.push((id.clone(), Some(body.to_owned())));
        id
    }

    /// What the agent is given to answer the next message; then it answers.
    pub(crate) async fn go_on(&mut self) -> BuiltContext {
        let asked = self.say().await;
        let made = self.pack(&asked).await;
        self.say().await;
        made
    }

    /// What the agent is given to answer a message.
    pub(crate) async fn pack(&self, asked: &MessageId) -> BuiltContext {
        self.given(&self.ask(asked)).await
    }

    pub(crate) async fn given(&self, ask: &ContextRequest) -> BuiltContext {
        let made = self.stage.context(&self.stage.coder, ask).await;
        self.check(&made);
        made
    }

    pub(crate) fn ask(&self, asked: &MessageId) -> ContextRequest {
        let (run_id, message_id) = (Some(self.run.clone()), Some(asked.clone()));
        ContextRequest { format: self.format, budget: Some(BUDGET), message_id, run_id, ..self.stage.here() }
    }

    pub(crate) async fn edit(&mut self, index: usize, body: &str) {
        let (id, said) = &mut self.said[index];
        let edit = EditMessage { body: body.to_owned() };
        self.stage.test.hub.edit_message(&self.stage.mara, id, edit).await.expect("edited");
        *said = Some(body.to_owned());
    }

    pub(crate) async fn remove(&mut self, index: usize) {
        let (id, said) = &mut self.said[index];
        self.stage.test.hub.remove_message(&self.stage.mara, id).await.expect("removed");
        *said = None;
    }

    /// The place of a message among all.
    pub(crate) fn index(&self, id: &str) -> usize {
        self.said.iter().position(|(known, _)| known.as_str() == id).expect("it was said")
    }

    /// Mara's messages that are quoted, by their places.
    pub(crate) fn quoted(&self, made: &BuiltContext) -> Vec<usize> {
        let here = self.stage.here().conversation_id;
        let quotes = sums(made).into_iter().filter(|sum| sum.conversation_id == here).flat_map(|sum| &sum.quotes);
        quotes.map(|id| self.index(id)).filter(|index| index % 3 != 2).collect()
    }

    /// What holds for every pack: it keeps its budget, what it quotes is still said and stands there once, and its
    /// receipt is true.
    fn check(&self, made: &BuiltContext) {
        let (text, receipt) = (&made.pack.text, &made.pack.receipt);
        assert!(receipt.used <= BUDGET, "{}", receipt.used);
        let messages = || receipt.items.iter().filter(|item| item.subject_type == SubjectType::Message);
        let here = self.stage.here().conversation_id;
        let of_here = sums(made).into_iter().filter(|sum| sum.conversation_id == here && !sum.quotes.is_empty());
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
        let quotes: Vec<&String> = sums(made).into_iter().flat_map(|sum| &sum.quotes).collect();
        let end = sums(made).into_iter().filter_map(|sum| sum.seq).max();
        for item in messages() {
            let is_summed = item.left_out == Some(OmissionReason::Summarised);
            let is_known = is_summed || item.left_out == Some(OmissionReason::Duplicate);
            assert!(item.level.is_none() && is_known || !quotes.contains(&&item.id), "{item:?}");
            assert!(!is_summed || item.seq <= end, "{item:?}");
        }
    }
}

/// The summaries that are shown.
pub(crate) fn sums(made: &BuiltContext) -> Vec<&ReceiptItem> {
    crate::summaries(&made.pack.receipt)
}

/// The share of a text, by bytes, that begins it as the other begins.
pub(crate) fn same(before: &BuiltContext, after: &BuiltContext) -> f64 {
    let (before, after) = (&before.pack.text, &after.pack.text);
    let same = before.bytes().zip(after.bytes()).take_while(|(left, right)| left == right).count();
    same as f64 / after.len() as f64
}

/// What is said of many things: two messages seldom have words in common.
fn words(number: usize) -> String {
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
