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

/// Side effects of a message after its commit: notices of the loop guard, locks to release, and runs to pause or
/// resume.
#[derive(Default)]
pub(crate) struct PostCommit {
    notices: Vec<NewMessage>,
    call_locks: Vec<KeyedLockGuard>,
    run_effect: Option<(RunSupervisor, RunEffect)>,
}

/// The effect of a message on runs.
pub(crate) enum RunEffect {
    /// It asks: this run of its author is paused until the answer.
    Pause(RunId),
    /// It answers the question of this message: waiting runs are resumed.
    Release(MessageId),
}

impl PostCommit {
    /// Whether there are no side effects.
    pub(crate) fn is_empty(&self) -> bool {
        self.notices.is_empty() && self.call_locks.is_empty() && self.run_effect.is_none()
    }

    /// Holds a lock until the side effects are done.
    pub(crate) fn hold(&mut self, lock: KeyedLockGuard) {
        self.call_locks.push(lock);
    }

    /// Posts a notice after the message.
    pub(super) fn announce(&mut self, notice: NewMessage) {
        self.notices.push(notice);
    }

    /// Pauses or resumes runs after the commit.
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

    /// Pauses or resumes runs, also for a repeated post: the first attempt may have stopped before. A failure is only
    /// logged; another repetition tries again.
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

    /// Posts the notices, unless the message is a repetition. A failure is only logged: the notice is posted the next
    /// time the rule applies.
    async fn post_notices(self, store: &dyn Store, outcome: &Result<Appended, Failure>) {
        if !outcome.as_ref().is_ok_and(|appended| appended.novelty == Novelty::New) {
            return;
        }
        for notice in self.notices {
            let (project_id, at) = (notice.message.project_id.clone(), notice.message.created_at);
            let conversation = notice.message.to.clone();
            let entry = Entry { project_id, attribution: Attribution::of_host(at), write: Write::PostMessage(notice) };
            if let Err(failure) = store.append(entry).await {
                tracing::warn!(%conversation, cause = %failure, "the loop guard's host message was not posted");
            }
        }
    }
}

/// The host message about a stop of the loop guard. Its id is derived from the message and the rule, so that it
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
