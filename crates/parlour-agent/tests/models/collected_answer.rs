//! Where the answers of tests are written.

use async_trait::async_trait;
use parlour_agent::{
    engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError},
    engines::models::ModelEngine,
};
use parlour_core::step::{FinishStep, StartStep};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::question;

/// Keeps what is written; nobody wants more than `bytes_max`.
pub(crate) struct CollectedAnswer {
    text: watch::Sender<String>,
    steps: Vec<(String, FinishStep)>,
    bytes_max: usize,
}

impl CollectedAnswer {
    pub(crate) fn new() -> Self {
        Self::of(usize::MAX)
    }

    pub(crate) fn of(bytes_max: usize) -> Self {
        Self { text: watch::Sender::new(String::new()), steps: Vec::new(), bytes_max }
    }

    pub(crate) fn text(&self) -> String {
        self.text.borrow().clone()
    }

    /// Lets somebody else see the text grow.
    pub(crate) fn watch(&self) -> watch::Receiver<String> {
        self.text.subscribe()
    }

    pub(crate) fn steps(&self) -> &[(String, FinishStep)] {
        &self.steps
    }
}

#[async_trait]
impl AnswerSink for CollectedAnswer {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.text.send_modify(|all| all.push_str(text));
        if self.text.borrow().len() > self.bytes_max { Err(AnswerStopped) } else { Ok(()) }
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        step.check().expect("a step that the hub takes");
        self.steps.push((step.name, FinishStep::default()));
        Ok(())
    }

    async fn finish_step(&mut self, _: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        end.check().expect("an end that the hub takes");
        self.steps.last_mut().expect("a step").1 = end;
        Ok(())
    }
}

/// The answer of an engine to a plain question: what was written, and how it ended.
pub(crate) async fn answer_of(engine: &ModelEngine) -> (String, Result<Completion, EngineError>) {
    let mut page = CollectedAnswer::new();
    let end = engine.answer(&question::plain(), &mut page, CancellationToken::new()).await;
    (page.text(), end)
}

/// Why there is no whole answer to a plain question, and what was written before.
pub(crate) async fn trouble_of(engine: &ModelEngine) -> (String, String) {
    let (text, end) = answer_of(engine).await;
    (text, end.expect_err("no whole answer").reason)
}
