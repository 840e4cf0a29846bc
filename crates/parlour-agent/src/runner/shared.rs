//! State that all tasks of one runner share, and small helpers for them.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parlour_core::{
    call::Call,
    id::MessageId,
    limits,
    member::Agent,
    message::{Importance, Message},
    presence::{Abilities, PresenceState, PresenceUpdate},
    run::Run,
    task::Task,
};
use tokio::{sync::mpsc, time::sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{RunnerEvent, RunnerOptions, work_queue::RecentSet};
use crate::{
    engine::Engine,
    link::{HubLink, LinkError},
    live::{Backoff, draw},
};

/// Capacity of the channel of blocking questions. A paused run repeats a question that found no room.
const QUESTIONS_LEN_MAX: usize = 256;
/// Own questions of the agent that are remembered.
const ASKED_LEN_MAX: usize = 1_000;

/// A message that pauses a run and is answered at once.
#[derive(Clone, Debug)]
pub(super) struct BlockingQuestion {
    pub(super) message_id: MessageId,
    pub(super) importance: Importance,
    /// Whether an earlier process started an answer. Only an interrupted answer is then written again.
    pub(super) is_begun: bool,
}

pub(super) struct SharedState {
    pub(super) link: Arc<dyn HubLink>,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) options: RunnerOptions,
    /// Marks the answers of this process: several processes may run the same agent.
    pub(super) claim: String,
    /// Cancelled when the grace period of a shutdown is over.
    pub(super) stopping: CancellationToken,
    on_event: Box<dyn Fn(RunnerEvent) + Send + Sync>,
    agent: Mutex<Agent>,
    questions: mpsc::Sender<BlockingQuestion>,
    /// Questions that the agent asked from this process. Their answers need no answer in turn.
    asked: Mutex<RecentSet<MessageId>>,
    has_emitted_without_runs: AtomicBool,
}

impl SharedState {
    pub(super) fn new(
        link: Arc<dyn HubLink>,
        engine: Arc<dyn Engine>,
        options: RunnerOptions,
        on_event: Box<dyn Fn(RunnerEvent) + Send + Sync>,
        agent: Agent,
    ) -> (Self, mpsc::Receiver<BlockingQuestion>) {
        let (questions, receiver) = mpsc::channel(QUESTIONS_LEN_MAX);
        let shared = Self {
            link,
            engine,
            options,
            claim: Uuid::now_v7().to_string(),
            stopping: CancellationToken::new(),
            on_event,
            agent: Mutex::new(agent),
            questions,
            asked: Mutex::new(RecentSet::new(ASKED_LEN_MAX)),
            has_emitted_without_runs: AtomicBool::new(false),
        };
        (shared, receiver)
    }

    /// The current settings of the agent.
    pub(super) fn agent(&self) -> Agent {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the settings of the agent; later answers use them.
    pub(super) fn change_agent(&self, agent: Agent) {
        *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = agent;
    }

    pub(super) fn emit(&self, event: RunnerEvent) {
        (self.on_event)(event);
    }

    /// Emits once that the hub rejects runs.
    pub(super) fn emit_without_runs(&self, error: &LinkError) {
        if !self.has_emitted_without_runs.swap(true, Ordering::Relaxed) {
            self.emit(RunnerEvent::WithoutRuns(error.to_string()));
        }
    }

    /// Requests an answer to a message that pauses a run. Drops the request if the channel is full: the run repeats
    /// it.
    pub(super) fn request_answer(&self, question: BlockingQuestion) {
        let _ = self.questions.try_send(question);
    }

    pub(super) fn remember_asked(&self, id: MessageId) {
        self.asked().insert(id);
    }

    pub(super) fn has_asked(&self, id: &MessageId) -> bool {
        self.asked().contains(id)
    }

    fn asked(&self) -> MutexGuard<'_, RecentSet<MessageId>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new message id.
pub(super) fn fresh_id() -> MessageId {
    MessageId::from_bits(Uuid::now_v7().as_u128())
}

/// Open work of the agent at the hub, oldest first.
pub(super) struct OpenWork {
    pub(super) calls: Vec<Call>,
    pub(super) tasks: Vec<Task>,
    /// Messages with open questions to the agent.
    pub(super) questions: Vec<Message>,
    /// Open runs of the agent, from all processes.
    pub(super) runs: Vec<Run>,
    /// Whether questions or runs could not be read for the moment.
    pub(super) is_partial: bool,
}

/// Reads the open work after a pause. Repeats the request while the hub cannot be reached; any other error is final.
pub(super) async fn read_open_work(shared: Arc<SharedState>, pause: Duration) -> Result<OpenWork, LinkError> {
    sleep(pause).await;
    retry_until_reached(|why| shared.emit(RunnerEvent::Lost(why)), || read_once(&shared)).await
}

async fn read_once(shared: &SharedState) -> Result<OpenWork, LinkError> {
    let calls = shared.link.open_calls().await?;
    let tasks = if shared.options.picks_up_tasks { shared.link.open_tasks().await? } else { Vec::new() };
    let (questions, runs) = (shared.link.open_questions().await, shared.link.open_runs().await);
    // A hub that does not emit of these is no reason not to answer; one that cannot for the moment is asked again.
    let is_partial = is_away(&questions) || is_away(&runs);
    let (questions, runs) = (questions.unwrap_or_default(), runs.unwrap_or_default());
    Ok(OpenWork { calls, tasks, questions, runs, is_partial })
}

fn is_away<T>(read: &Result<T, LinkError>) -> bool {
    read.as_ref().is_err_and(LinkError::is_retryable)
}

/// Repeats a request until the hub can be reached and reports each failure.
pub(super) async fn retry_until_reached<T, F>(emit: impl Fn(String), mut ask: impl FnMut() -> F) -> Result<T, LinkError>
where
    F: Future<Output = Result<T, LinkError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Err(error) if error.is_retryable() => {
                emit(error.to_string());
                sleep(backoff.pause_after_failure(draw())).await;
            }
            outcome => return outcome,
        }
    }
}

/// The presence of the agent: it answers mentions, streams its answers and can be paused.
pub(super) fn presence_update(options: &RunnerOptions, runtime: &str, is_working: bool) -> PresenceUpdate {
    let text = |text: &str| cut_chars(&strip_control_chars(text), limits::PRESENCE_TEXT_CHARS_MAX);
    PresenceUpdate {
        state: if is_working { PresenceState::Working } else { PresenceState::Idle },
        machine_name: options.machine_name.as_deref().map(text),
        runtime: Some(text(runtime)),
        abilities: Abilities { can_stream: true, can_be_woken: true, can_be_paused: true },
    }
}

/// Removes control characters, which the hub rejects, except line breaks and tabs.
pub(super) fn strip_control_chars(text: &str) -> Cow<'_, str> {
    let is_bad = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t');
    if text.contains(is_bad) { Cow::Owned(text.replace(is_bad, "")) } else { Cow::Borrowed(text) }
}

/// A reason that the hub accepts: without control characters, not blank, and bounded.
pub(super) fn clean_reason(text: &str) -> String {
    let cut = cut_chars(strip_control_chars(text).trim(), limits::REASON_CHARS_MAX);
    if is_blank(&cut) { "something went wrong, and nobody said what".to_owned() } else { cut }
}

/// A run label that the hub accepts: one line, not blank, and bounded.
pub(super) fn clean_label(text: &str) -> String {
    let line = strip_control_chars(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = cut_chars(&line, limits::TITLE_CHARS_MAX);
    if is_blank(&cut) { "an answer".to_owned() } else { cut }
}

/// Cuts the text to `chars_max` characters; a cut text ends with `…`.
pub(super) fn cut_chars(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Whether the text contains no visible character.
pub(super) fn is_blank(text: &str) -> bool {
    parlour_core::text::check_not_blank(text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presence_is_always_valid() {
        let options = RunnerOptions { machine_name: Some("\u{1b}x".repeat(200)), ..RunnerOptions::default() };
        assert_eq!(presence_update(&options, &"exec ".repeat(100), true).check(), Ok(()));
    }

    #[test]
    fn presence_is_working_or_idle() {
        let state = |is_working| presence_update(&RunnerOptions::default(), "echo", is_working).state;
        assert_eq!((state(true), state(false)), (PresenceState::Working, PresenceState::Idle));
    }

    #[test]
    fn control_characters_are_left_out_and_line_breaks_stay() {
        assert_eq!(strip_control_chars("\u{1b}[1mbold\u{1b}[0m\r\n\tx\0"), "[1mbold[0m\r\n\tx");
        assert!(matches!(strip_control_chars("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_label_is_one_nonblank_line() {
        assert_eq!(clean_label("answer\n Mara\u{0}"), "answer Mara");
        assert_eq!(clean_label(" \n"), "an answer");
        assert_eq!(clean_label(&"x".repeat(900)).chars().count(), limits::TITLE_CHARS_MAX);
    }

    #[test]
    fn a_reason_is_bounded_and_never_blank() {
        assert_eq!(clean_reason(" no model \n"), "no model");
        assert_eq!(clean_reason("\u{0}\n"), "something went wrong, and nobody said what");
        let long = clean_reason(&"é".repeat(limits::REASON_CHARS_MAX + 1));
        assert_eq!((long.chars().count(), long.ends_with('…')), (limits::REASON_CHARS_MAX, true));
        assert!(!clean_reason(&"é".repeat(limits::REASON_CHARS_MAX)).ends_with('…'));
    }
}
