//! Ends runs of the agent that nobody works on any more.
//!
//! A run that goes on has a lease and ends by itself when its process dies. One that is paused has none: it would wait
//! for its question and then find nobody. Every run of a runner has the id of the message that it writes, and that
//! message is kept open only by a living process. So a run whose message has ended is over, whichever process wrote it;
//! one whose message is still open is left until it ends. Runs without such a message are not a runner's (a tool or a
//! hook began them), or belong to a task without a thread: they are left to those who began them, and to their lease.

use parlour_core::{
    id::{MemberId, RunId},
    message::State,
    run::FinishRun,
};

use super::{shared::Shared, turn::answer_of};
use crate::streaming::patiently;

/// Why such a run has failed.
const RESTARTED: &str = "its process was restarted";

/// Ends this run if the message that it writes has ended.
pub(super) async fn tidy(shared: &Shared, run: &RunId) {
    let Some(answer) = answer_of(run) else { return };
    let Ok(message) = patiently(|| shared.link.message(&answer)).await else { return };
    if message.from.member_id() != Some(MemberId::from(shared.agent().id)) {
        return;
    }
    let failed = match message.state {
        State::Streaming => return,
        State::Complete => None,
        State::Failed | State::Cancelled | State::Interrupted => Some(RESTARTED.to_owned()),
    };
    let end = FinishRun { failed, usage: None };
    // It may have ended meanwhile, which is as well.
    let _ = patiently(|| shared.link.finish_run(run, &end)).await;
}
