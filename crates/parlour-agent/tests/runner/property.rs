//! A law: whatever happens on the way, every call is answered, passed or failed, and none twice; and no question is left
//! because its answer broke off.

use std::time::Duration;

use parlour_agent::{engine::Prompt, runner::RunnerOptions};
use parlour_core::{
    call::{CallReason, CallState},
    id::{ConversationId, MessageId, RunId},
    message::{Message, State},
    question::NewQuestion,
    run::Run,
};
use proptest::prelude::*;
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, FakeHubState, RequestFate, channel, thread},
    interrupted::TRIES_MAX,
    process::RunnerFixture,
};

/// What happens next.
#[derive(Clone, Debug)]
enum StoryStep {
    /// The agent is called there; what the engine does with it follows from the number.
    Call { place: u8, is_optional: bool, manner: u8 },
    /// The agent is asked something that blocks it.
    Block { place: u8, manner: u8 },
    /// Time passes.
    Wait(u16),
    /// Calls to the hub get lost.
    Lose(Vec<bool>),
    /// The hub is away for so long.
    Away(u16),
    /// Somebody stops an answer.
    Cancel,
    /// The process dies, and another one is started.
    Kill,
    /// The process is stopped, and another one is started.
    Stop,
    /// A second process is started.
    Another,
}

fn turn() -> impl Strategy<Value = StoryStep> {
    prop_oneof![
        6 => (0_u8..3, any::<bool>(), 0_u8..7)
            .prop_map(|(place, is_optional, manner)| StoryStep::Call { place, is_optional, manner }),
        2 => (0_u8..3, 0_u8..7).prop_map(|(place, manner)| StoryStep::Block { place, manner }),
        3 => (0_u16..3_000).prop_map(StoryStep::Wait),
        2 => proptest::collection::vec(any::<bool>(), 1..6).prop_map(StoryStep::Lose),
        1 => (0_u16..20_000).prop_map(StoryStep::Away),
        1 => Just(StoryStep::Cancel),
        1 => Just(StoryStep::Kill),
        1 => Just(StoryStep::Stop),
        1 => Just(StoryStep::Another),
    ]
}

/// What an engine does with a message: its body says it.
fn manner(prompt: &Prompt) -> Vec<EngineAct> {
    let last = prompt.calls.last().and_then(|call| prompt.history.iter().find(|one| one.id == call.message_id));
    match last.map(|message| message.body.as_str()).unwrap_or_default() {
        "0" => vec![write("at once")],
        "1" => vec![think(800), write("slowly "), think(2_500), write("but surely")],
        "2" => vec![think(300)],
        "3" => vec![write("half"), EngineAct::Fail("no model")],
        "4" => vec![think(100), EngineAct::Panic],
        "5" => vec![think(700), write("on and on"), EngineAct::WorkOn],
        _ => vec![EngineAct::Fail("no model")],
    }
}

fn place(number: u8) -> ConversationId {
    if number == 2 { thread(1) } else { channel(u128::from(number)) }
}

struct Story {
    hub: FakeHub,
    engine: ScriptedEngine,
    processes: Vec<RunnerFixture>,
    required: Vec<MessageId>,
    /// Whether two processes ever ran at the same time.
    had_two: bool,
}

impl Story {
    fn start(&mut self) {
        let options = RunnerOptions { answer_time_max: Duration::from_secs(30), ..RunnerOptions::default() };
        self.processes.push(RunnerFixture::start_with(&self.hub, &self.engine, options));
    }

    async fn go_on(&mut self, turn: StoryStep) {
        match turn {
            StoryStep::Call { place: number, is_optional, manner } => {
                let reason = if is_optional { CallReason::Follow } else { CallReason::Mention };
                let id = self.hub.say(&place(number), &manner.to_string(), Some(reason));
                self.required.extend((!is_optional).then_some(id));
            }
            StoryStep::Block { place: number, manner } => {
                self.hub.block(&place(number), &manner.to_string(), NewQuestion::default());
            }
            StoryStep::Wait(millis) => sleep(Duration::from_millis(millis.into())).await,
            StoryStep::Lose(fates) => {
                let fate = |is_request| if is_request { RequestFate::RequestLost } else { RequestFate::AnswerLost };
                self.hub.with(|hub| hub.fates = fates.into_iter().map(fate).collect());
            }
            StoryStep::Away(millis) => {
                self.hub.go_away();
                sleep(Duration::from_millis(millis.into())).await;
                self.hub.come_back();
            }
            StoryStep::Cancel => {
                let answers = self.hub.answers();
                let running = answers.iter().find(|answer| answer.state == State::Streaming);
                running.into_iter().for_each(|answer| self.hub.cancel(&answer.id));
            }
            StoryStep::Kill => {
                self.processes.drain(..).for_each(drop);
                self.hub.with(|hub| {
                    hub.interrupt_all();
                    hub.expire_runs();
                });
                self.start();
            }
            StoryStep::Stop => {
                for process in self.processes.drain(..) {
                    process.stop().await.expect("a clean end");
                }
                self.start();
            }
            StoryStep::Another => {
                self.had_two = true;
                self.start();
            }
        }
    }
}

async fn tell(turns: Vec<StoryStep>) -> Result<(), TestCaseError> {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::new(manner));
    let mut story =
        Story { hub: hub.clone(), engine: engine.clone(), processes: Vec::new(), required: Vec::new(), had_two: false };
    story.start();
    for turn in turns {
        story.go_on(turn).await;
    }
    settled(&hub).await;
    hub.until("no question is left that was only broken off", |hub| {
        hub.messages.iter().all(|one| !is_cut_off(hub, one))
    })
    .await;
    hub.until("no run that a message tells of stays open", |hub| hub.work.runs.iter().all(|run| !is_left(hub, run)))
        .await;
    let answers = hub.answers();
    for call in hub.with(|hub| hub.calls.clone()) {
        let is_ended = matches!(call.state, CallState::Answered | CallState::Failed | CallState::Passed);
        prop_assert!(is_ended, "{call:?}");
        let of_call = |answer: &&Message| answer.reply_to.as_ref() == Some(&call.message_id);
        let replies = answers.iter().filter(of_call).count();
        let cut_off = answers.iter().filter(of_call).filter(|answer| answer.state == State::Interrupted).count();
        let is_question = hub.with(|hub| hub.message(&call.message_id)).is_ok_and(|one| one.question.is_some());
        let (again, tries_max) = if is_question { (cut_off, TRIES_MAX) } else { (0, 1) };
        prop_assert!(replies - again <= 1 && replies <= tries_max, "{} answers to {}", replies, call.message_id);
        // Whether to answer what need not be answered is up to each process: one may pass while another already writes.
        let may_disagree = story.had_two && call.reason.is_optional();
        prop_assert!(call.state != CallState::Passed || replies == 0 || may_disagree, "answered and passed: {call:?}");
    }
    Ok(())
}

/// Whether a question waits for an answer of which there are only beginnings.
fn is_cut_off(hub: &FakeHubState, message: &Message) -> bool {
    let is_open = message.question.as_ref().is_some_and(|question| question.is_open());
    let tries = hub.messages.iter().filter(|answer| answer.reply_to.as_ref() == Some(&message.id));
    let states: Vec<State> = tries.map(|answer| answer.state).collect();
    is_open && states.len() < TRIES_MAX && states.iter().all(|state| matches!(state, State::Interrupted))
}

/// Whether a run is open though the message that it writes is known. Without one it may be that of a dead process, which
/// ends with its lease.
fn is_left(hub: &FakeHubState, run: &Run) -> bool {
    let answer = run.id.as_str().replacen(RunId::PREFIX, MessageId::PREFIX, 1).parse::<MessageId>();
    run.state.is_open() && answer.is_ok_and(|id| hub.message(&id).is_ok())
}

/// With one process at a time an engine is asked about a call that needs an answer exactly once.
async fn tell_of_one_process(turns: Vec<StoryStep>) -> Result<(), TestCaseError> {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::new(manner));
    let mut story =
        Story { hub: hub.clone(), engine: engine.clone(), processes: Vec::new(), required: Vec::new(), had_two: false };
    story.start();
    for turn in turns.into_iter().filter(|turn| !matches!(turn, StoryStep::Another)) {
        story.go_on(turn).await;
    }
    settled(&hub).await;
    for id in &story.required {
        prop_assert!(engine.times_asked(id) <= 1, "{} was asked {} times", id, engine.times_asked(id));
    }
    Ok(())
}

fn on_a_moved_clock(story: impl Future<Output = Result<(), TestCaseError>>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(story)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_call_ends_exactly_once_under_any_faults(turns in proptest::collection::vec(turn(), 1..25)) {
        on_a_moved_clock(tell(turns))?;
    }

    #[test]
    fn no_required_call_reaches_an_engine_twice(turns in proptest::collection::vec(turn(), 1..25)) {
        on_a_moved_clock(tell_of_one_process(turns))?;
    }
}
