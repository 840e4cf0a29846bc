//! An engine that does what a test says, and remembers what it was asked.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use parlour_agent::engine::{AnswerSink, Completion, Engine, EngineError, EngineQuestion, Prompt};
use parlour_core::{
    engine::Usage,
    id::{MessageId, PersonId},
    question::NewQuestion,
    step::{FinishStep, StartStep},
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// One thing that the engine does.
#[derive(Clone, Debug)]
pub(crate) enum EngineAct {
    Write(String),
    /// Thinks for so long, unless it is stopped.
    Think(Duration),
    /// Works until it is stopped.
    WorkOn,
    /// Works on, whatever it is told.
    BeDeaf,
    Step(&'static str),
    /// A step that takes so long.
    LongStep(&'static str, Duration),
    /// Asks Mara, and writes what it was told.
    Ask(NewQuestion),
    /// Says that it was given the prompt.
    TakePrompt,
    Fail(&'static str),
    Panic,
    Use(u64),
}

pub(crate) fn write(text: &str) -> EngineAct {
    EngineAct::Write(text.into())
}

pub(crate) fn think(millis: u64) -> EngineAct {
    EngineAct::Think(Duration::from_millis(millis))
}

/// How many answers are made at once, and how many at the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineLoad {
    pub(crate) now: usize,
    pub(crate) most: usize,
}

type EngineScript = dyn Fn(&Prompt) -> Vec<EngineAct> + Send + Sync;

/// The engine.
#[derive(Clone)]
pub(crate) struct ScriptedEngine {
    script: Arc<EngineScript>,
    prompts: Arc<Mutex<Vec<Prompt>>>,
    stops: Arc<Mutex<usize>>,
    load: Arc<Mutex<EngineLoad>>,
}

impl ScriptedEngine {
    /// An engine that does this for each prompt.
    pub(crate) fn new(script: impl Fn(&Prompt) -> Vec<EngineAct> + Send + Sync + 'static) -> Self {
        let (prompts, stops, load) = Default::default();
        Self { script: Arc::new(script), prompts, stops, load }
    }

    /// An engine that always does the same.
    pub(crate) fn does(acts: Vec<EngineAct>) -> Self {
        Self::new(move |_| acts.clone())
    }

    /// An engine that says back what it was asked, at its leisure.
    pub(crate) fn echo(millis: u64) -> Self {
        Self::new(move |prompt| vec![think(millis), write(&asked(prompt).join(" + "))])
    }

    /// What it was asked, oldest first.
    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().expect("sound").clone()
    }

    /// The called messages of each prompt.
    pub(crate) fn asked(&self) -> Vec<Vec<String>> {
        self.prompts().iter().map(asked).collect()
    }

    /// How often it was asked about a message.
    pub(crate) fn times_asked(&self, id: &MessageId) -> usize {
        let is_asked = |prompt: &&Prompt| prompt.calls.iter().any(|call| call.message_id == *id);
        self.prompts().iter().filter(is_asked).count()
    }

    /// How often it was stopped.
    pub(crate) fn stops(&self) -> usize {
        *self.stops.lock().expect("sound")
    }

    pub(crate) fn load(&self) -> EngineLoad {
        *self.load.lock().expect("sound")
    }

    async fn act(
        &self,
        act: EngineAct,
        out: &mut dyn AnswerSink,
        stop: &CancellationToken,
    ) -> Result<Completion, EngineError> {
        match act {
            EngineAct::Write(text) => out.write(&text).await?,
            EngineAct::Think(time) => tokio::select! {
                () = sleep(time) => {}
                () = stop.cancelled() => return Err(self.stopped()),
            },
            EngineAct::WorkOn => {
                stop.cancelled().await;
                return Err(self.stopped());
            }
            EngineAct::BeDeaf => std::future::pending().await,
            EngineAct::Step(name) => {
                out.start_step(StartStep { id: name.into(), name: name.into(), input: None }).await?;
                out.finish_step(name, FinishStep::default()).await?;
            }
            EngineAct::LongStep(name, time) => {
                out.start_step(StartStep { id: name.into(), name: name.into(), input: None }).await?;
                sleep(time).await;
                out.finish_step(name, FinishStep::default()).await?;
            }
            EngineAct::Ask(ask) => {
                let question = EngineQuestion { whom: PersonId::from_bits(1).into(), body: "Which?".into(), ask };
                let told = match out.ask(question).await {
                    Ok(reply) => reply.option.or(reply.text).unwrap_or_else(|| format!("{:?}", reply.state)),
                    Err(cannot) => cannot.to_string(),
                };
                out.write(&told).await?;
            }
            EngineAct::TakePrompt => out.signals().mark_prompt_delivered(),
            EngineAct::Fail(reason) => return Err(EngineError::new(reason)),
            EngineAct::Panic => panic!("a fault of this engine"),
            EngineAct::Use(output_tokens) => {
                let usage = Usage { model: "small".into(), output_tokens, ..Usage::default() };
                return Ok(Completion { usage: Some(usage) });
            }
        }
        Ok(Completion::default())
    }

    fn stopped(&self) -> EngineError {
        *self.stops.lock().expect("sound") += 1;
        EngineError::new("stopped")
    }
}

/// The bodies of the called messages of a prompt, or the title of its task.
fn asked(prompt: &Prompt) -> Vec<String> {
    let body = |id: &MessageId| prompt.history.iter().find(|message| message.id == *id).map(|found| found.body.clone());
    match &prompt.task {
        Some(task) => vec![task.title.clone()],
        None => prompt.calls.iter().filter_map(|call| body(&call.message_id)).collect(),
    }
}

/// Counts an answer as long as it is made, also when it is dropped or panics.
struct LoadGuard(Arc<Mutex<EngineLoad>>);

impl LoadGuard {
    fn new(load: &Arc<Mutex<EngineLoad>>) -> Self {
        let mut counts = load.lock().expect("sound");
        counts.now += 1;
        counts.most = counts.most.max(counts.now);
        drop(counts);
        Self(load.clone())
    }
}

impl Drop for LoadGuard {
    fn drop(&mut self) {
        self.0.lock().expect("sound").now -= 1;
    }
}

#[async_trait]
impl Engine for ScriptedEngine {
    fn runtime(&self) -> String {
        "scripted".into()
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        let _counted = LoadGuard::new(&self.load);
        self.prompts.lock().expect("sound").push(prompt.clone());
        let mut outcome = Completion::default();
        for act in (self.script)(prompt) {
            let done = self.act(act, out, &stop).await?;
            outcome = if done.usage.is_some() { done } else { outcome };
        }
        Ok(outcome)
    }
}
