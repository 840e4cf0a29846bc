//! Reads what is open at the hub, however long that takes.

use std::{sync::Arc, time::Duration};

use parlour_core::{call::Call, message::Message, run::Run, task::Task};
use tokio::time::sleep;

use super::{Report, shared::Shared};
use crate::{
    link::LinkError,
    live::{Backoff, draw},
};

/// What an agent is to do, oldest first.
pub(super) struct OpenWork {
    pub(super) calls: Vec<Call>,
    pub(super) tasks: Vec<Task>,
    /// Messages with questions that wait for the agent.
    pub(super) questions: Vec<Message>,
    /// Runs of the agent, whoever began them.
    pub(super) runs: Vec<Run>,
    /// Whether something could not be read for the moment.
    pub(super) is_partial: bool,
}

/// Reads what is open, after a pause. It is tried until the hub answers; an error is the end.
pub(super) async fn read(shared: Arc<Shared>, pause: Duration) -> Result<OpenWork, LinkError> {
    sleep(pause).await;
    until_reached(|why| shared.tell(Report::Lost(why)), || read_once(&shared)).await
}

async fn read_once(shared: &Shared) -> Result<OpenWork, LinkError> {
    let calls = shared.link.open_calls().await?;
    let tasks = if shared.options.picks_up_tasks { shared.link.open_tasks().await? } else { Vec::new() };
    let (questions, runs) = (shared.link.open_questions().await, shared.link.open_runs().await);
    // A hub that does not tell of these is no reason not to answer; one that cannot for the moment is asked again.
    let is_partial = is_away(&questions) || is_away(&runs);
    let (questions, runs) = (questions.unwrap_or_default(), runs.unwrap_or_default());
    Ok(OpenWork { calls, tasks, questions, runs, is_partial })
}

fn is_away<T>(read: &Result<T, LinkError>) -> bool {
    read.as_ref().is_err_and(LinkError::is_retryable)
}

/// Asks until the hub answers, and tells each time that it does not.
pub(super) async fn until_reached<T, F>(tell: impl Fn(String), mut ask: impl FnMut() -> F) -> Result<T, LinkError>
where
    F: Future<Output = Result<T, LinkError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Err(error) if error.is_retryable() => {
                tell(error.to_string());
                sleep(backoff.pause_after_failure(draw())).await;
            }
            outcome => return outcome,
        }
    }
}
