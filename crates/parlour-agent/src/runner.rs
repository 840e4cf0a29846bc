//! The runner: keeps one agent in a project. It waits for calls and tasks, lets an engine answer them, one at a time
//! in each conversation, and tells the hub what became of each.
//!
//! Each answer and each task is a run (`turn`). A question that blocks the agent is answered at once and beside all else
//! (`interjecting`), while the runs that it pauses stand still.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{
    engine::Engine,
    link::{Link, LinkError},
};

mod answering;
mod asking;
mod closing;
mod control;
mod handoffs;
mod interjecting;
mod keeper;
mod known;
mod lanes;
mod link_calls;
mod making;
mod open_work;
mod overflow;
mod pen;
mod presence;
mod prompt;
mod shared;
mod tasks;
mod tidying;
mod tries;
mod turn;
mod whole_text;
mod words;
mod work;

use keeper::Keeper;
use shared::Shared;

/// How an agent is run.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// The machine, as others see it.
    pub machine_name: Option<String>,
    /// How long calls of one conversation are gathered before they are answered together.
    pub debounce: Duration,
    /// How long one answer may take.
    pub answer_time_max: Duration,
    /// How many answers are made at once, in different conversations.
    pub answers_max: usize,
    /// How many messages of a conversation an engine is shown.
    pub history_len: usize,
    /// Whether tasks that are given to the agent are done.
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

/// What a runner tells whoever watches it.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// The agent is there and waits for calls.
    Ready,
    /// The hub cannot be reached; it is tried again.
    Lost(String),
    /// An answer was begun.
    Answering {
        /// The answer.
        answer_id: parlour_core::id::MessageId,
        /// Who asked.
        asker: String,
    },
    /// An answer has ended.
    Ended {
        /// The answer.
        answer_id: parlour_core::id::MessageId,
        /// How.
        state: parlour_core::message::State,
        /// Why, when it is not complete.
        reason: Option<String>,
    },
    /// The agent did not answer: it had nothing to say, or another process has taken the call.
    Passed(String),
    /// A task was taken up, or has ended.
    Task(String),
    /// A run was begun.
    Running {
        /// The run.
        run_id: parlour_core::id::RunId,
        /// What it does.
        label: String,
    },
    /// A run stands still.
    Paused {
        /// The run.
        run_id: parlour_core::id::RunId,
        /// Whose message paused it.
        by: String,
        /// What that says, in short.
        why: String,
    },
    /// A run goes on.
    Resumed {
        /// The run.
        run_id: parlour_core::id::RunId,
    },
    /// The agent has asked something, and waits.
    Asked {
        /// The question.
        message_id: parlour_core::id::MessageId,
        /// What is asked.
        body: String,
    },
    /// What the agent has not read, as the hub tells it at the end of a run.
    Nudge(String),
    /// The hub takes no runs of this agent, so it can be neither paused nor followed; it answers all the same. Told once.
    WithoutRuns(String),
}

/// Runs the agent of this link until `stop` is cancelled (then running answers are let end for a moment) or the hub no
/// longer lets it in.
pub async fn run(
    link: Arc<dyn Link>,
    engine: Arc<dyn Engine>,
    options: RunnerOptions,
    report: impl Fn(Report) + Send + Sync + 'static,
    stop: CancellationToken,
) -> Result<(), LinkError> {
    let report: Box<dyn Fn(Report) + Send + Sync> = Box::new(report);
    let agent = tokio::select! {
        agent = open_work::until_reached(|why| report(Report::Lost(why)), || link.agent()) => agent?,
        () = stop.cancelled() => return Ok(()),
    };
    let (shared, wanted) = Shared::new(link, engine, options, report, agent);
    Keeper::new(Arc::new(shared), wanted, stop).run().await
}
