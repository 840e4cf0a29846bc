//! The runner connects one agent to a project: it receives calls and tasks, runs an engine for each, and reports the
//! results to the hub.
//!
//! One answer at a time is written per conversation. Each answer and each task is a run with a lease (`run_lease`). A
//! blocking question is answered at once and in parallel (`questions`); the runs that it pauses wait meanwhile.
//!
//! | file | does |
//! |---|---|
//! | `supervisor` | the event loop: reads hub events, starts queued work, handles results |
//! | `work_queue` | open calls and tasks, one queue per conversation |
//! | `answer` | answers the calls of one conversation: prompt, engine, final state of the message |
//! | `answer_writer` | writes an engine's output to the streamed message |
//! | `answer_control` | cancels, holds or pauses one answer |
//! | `run_lease` | starts, renews, checkpoints and ends the run of an answer |
//! | `questions` | answers blocking questions; asks questions for an engine |
//! | `tasks` | works on tasks that are assigned to the agent |
//! | `prompt` | builds the prompt from the context that the hub provides |

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{
    engine::Engine,
    link::{HubLink, LinkError},
};

mod answer;
mod answer_control;
mod answer_writer;
mod prompt;
mod questions;
mod run_lease;
mod shared;
mod supervisor;
mod tasks;
mod work_queue;

use shared::{SharedState, retry_until_reached};
use supervisor::AgentSupervisor;

/// Settings of a runner.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// The machine name that is shown with the agent's presence.
    pub machine_name: Option<String>,
    /// Calls of one conversation that arrive within this time are answered together.
    pub debounce: Duration,
    /// The time limit of one answer; pauses do not count.
    pub answer_time_max: Duration,
    /// The number of answers that are written in parallel, each in another conversation.
    pub answers_max: usize,
    /// The number of messages of a conversation that the prompt contains.
    pub history_len: usize,
    /// Whether the runner works on tasks that are assigned to the agent.
    pub picks_up_tasks: bool,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        Self {
            machine_name: None,
            debounce: Duration::from_millis(500),
            answer_time_max: Duration::from_secs(600),
            answers_max: 4,
            history_len: 20,
            picks_up_tasks: true,
        }
    }
}

/// A progress event of a runner, for logs and the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum RunnerEvent {
    /// The agent is connected and waits for calls.
    Ready,
    /// The hub cannot be reached, with the cause; the runner tries again.
    Lost(String),
    /// An answer was started.
    Answering {
        /// The message id of the answer.
        answer_id: parlour_core::id::MessageId,
        /// The name of the author of the call.
        asker: String,
    },
    /// An answer has ended.
    Ended {
        /// The message id of the answer.
        answer_id: parlour_core::id::MessageId,
        /// The final state of the message.
        state: parlour_core::message::State,
        /// The reason, unless the answer is complete.
        reason: Option<String>,
    },
    /// The agent did not answer a call, with the reason.
    Passed(String),
    /// A task was claimed or has ended, as one line of text.
    Task(String),
    /// A run was started.
    Running {
        /// The run.
        run_id: parlour_core::id::RunId,
        /// Its label.
        label: String,
    },
    /// A run was paused.
    Paused {
        /// The run.
        run_id: parlour_core::id::RunId,
        /// The author of the message that paused it.
        by: String,
        /// A summary of that message.
        why: String,
    },
    /// A paused run continues.
    Resumed {
        /// The run.
        run_id: parlour_core::id::RunId,
    },
    /// The agent asked a question and waits for the answer.
    Asked {
        /// The message id of the question.
        message_id: parlour_core::id::MessageId,
        /// The text of the question.
        body: String,
    },
    /// The hub's list of unread messages at the end of a run.
    Nudge(String),
    /// The hub rejects runs of this agent, with the cause: answers are written, but cannot be paused or followed.
    /// Emitted once.
    WithoutRuns(String),
}

/// Runs the agent of this link until `stop` is cancelled or the hub revokes its access.
///
/// After `stop`, answers in progress get a few seconds to end; then they end as failed.
pub async fn run(
    link: Arc<dyn HubLink>,
    engine: Arc<dyn Engine>,
    options: RunnerOptions,
    on_event: impl Fn(RunnerEvent) + Send + Sync + 'static,
    stop: CancellationToken,
) -> Result<(), LinkError> {
    let on_event: Box<dyn Fn(RunnerEvent) + Send + Sync> = Box::new(on_event);
    let agent = tokio::select! {
        agent = retry_until_reached(|why| on_event(RunnerEvent::Lost(why)), || link.agent()) => agent?,
        () = stop.cancelled() => return Ok(()),
    };
    let (shared, questions) = SharedState::new(link, engine, options, on_event, agent);
    AgentSupervisor::new(Arc::new(shared), questions, stop).run().await
}
