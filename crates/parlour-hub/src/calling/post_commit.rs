//! Side effects of a message after its commit.

use parlour_core::{
    Timestamp,
    attribution::Attribution,
    event::Change,
    id::{MessageId, RunId},
    loop_guard::GuardMark,
    message::Message,
    write::{Appended, Entry, NewMessage, Novelty, Write},
};
use sha2::{Digest, Sha256};

use crate::{Failure, host_message::host_message, keyed_lock::KeyedLockGuard, ports::Store, runs::RunSupervisor};

/// What is due when a message is stored: what the conversation has to be told, the turns that are over then, and the runs
/// that pause or go on.
#[derive(Default)]
pub(crate) struct PostCommit {
    notices: Vec<NewMessage>,
    call_locks: Vec<KeyedLockGuard>,
    run_effect: Option<(RunSupervisor, RunEffect)>,
}

/// What a message does to runs.
pub(crate) enum RunEffect {
    /// It asks: this run of its author waits for the answer.
    Pause(RunId),
    /// It answers the question of this message: whoever waits for it goes on.
    Release(MessageId),
}

impl PostCommit {
    /// Whether nothing is due.
    pub(crate) fn is_empty(&self) -> bool {
        self.notices.is_empty() && self.call_locks.is_empty() && self.run_effect.is_none()
    }

    /// Keeps a turn until all is done.
    pub(crate) fn hold(&mut self, turn: KeyedLockGuard) {
        self.call_locks.push(turn);
    }

    /// Says something in the conversation when the message is there.
    pub(super) fn announce(&mut self, notice: NewMessage) {
        self.notices.push(notice);
    }

    /// Lets runs pause or go on when the message is there.
    pub(crate) fn then(&mut self, run_supervisor: &RunSupervisor, run_effect: RunEffect) {
        self.run_effect = Some((run_supervisor.clone(), run_effect));
    }

    /// Runs the side effects of a message after the attempt to store it.
    pub(crate) async fn run(
        mut self,
        store: &dyn Store,
        attribution: Attribution,
        outcome: &Result<Appended, Failure>,
    ) {
        self.move_runs(attribution, outcome).await;
        self.post_notices(store, outcome).await;
    }

    /// Lets runs pause or go on, also when the message was there before: an earlier try may have come no further. That it
    /// cannot be done takes nothing back; whoever posts the message again tries again.
    async fn move_runs(&mut self, attribution: Attribution, outcome: &Result<Appended, Failure>) {
        let (Some((run_supervisor, run_effect)), Ok(appended)) = (self.run_effect.take(), outcome) else { return };
        match (run_effect, &appended.change) {
            (RunEffect::Release(asked), _) => run_supervisor.release(&asked).await,
            (RunEffect::Pause(run), Change::MessagePosted(message)) => {
                if let Err(failure) = run_supervisor.pause_asker(attribution, &message.id, &run).await {
                    tracing::warn!(%run, cause = %failure, "a run that has asked could not be paused");
                }
            }
            (RunEffect::Pause(_), _) => {}
        }
    }

    /// Says what is to be said, unless the message was there before. That it cannot be said takes nothing back: it is
    /// said the next time that the rule stands against somebody.
    async fn post_notices(self, store: &dyn Store, outcome: &Result<Appended, Failure>) {
        if !outcome.as_ref().is_ok_and(|appended| appended.novelty == Novelty::New) {
            return;
        }
        for notice in self.notices {
            let (project_id, at) = (notice.message.project_id.clone(), notice.message.created_at);
            let conversation = notice.message.to.clone();
            let entry = Entry { project_id, attribution: Attribution::of_host(at), write: Write::PostMessage(notice) };
            if let Err(failure) = store.append(entry).await {
                tracing::warn!(%conversation, cause = %failure, "it could not be told what the loop guard stopped");
            }
        }
    }
}

/// The host message that tells what the guard has stopped. Its id follows from the message and the rule, so that it
/// exists once.
pub(super) fn notice(message: &Message, mark: &GuardMark, text: String, at: Timestamp) -> NewMessage {
    let rule = match mark {
        GuardMark::Tripped { rule, .. } => Some(*rule as u8),
        GuardMark::Reset { .. } => None,
    };
    let digest =
        Sha256::new().chain_update(message.id.as_str()).chain_update([0]).chain_update(rule.as_slice()).finalize();
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    let id = MessageId::from_bits(u128::from_be_bytes(bits));
    host_message(id, &message.project_id, &message.to, text, Some(mark.content()), at)
}
