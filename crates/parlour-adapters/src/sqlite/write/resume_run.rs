use parlour_core::{
    event::Change,
    id::{MemberId, MessageId, RunId},
    run::PauseReason,
    timeline::TimelineEntryKind,
    write::Appended,
};

use super::{find, report_deliveries::tell_moved, scope::Scope};
use crate::sqlite::{
    deliveries,
    error::StoreResult,
    rows::{message::StoredMessage, run::StoredRun},
    runs,
    timeline::{self, NewMoment},
};

/// Lets a run go on from one message or from all. Those that somebody sent are handled by its agent; that they were read
/// is noted when the agent says so itself, or when they had been shown to it.
pub(super) fn resume_run(
    scope: &Scope<'_>,
    id: &RunId,
    message: Option<&MessageId>,
    how: &str,
) -> StoreResult<Appended> {
    let stored = find::run(scope, id)?;
    let resumed = stored.run.resumed(message, scope.at)?;
    runs::update(scope.tx, stored.no, &resumed)?;
    let mut handled = Vec::new();
    for pause in stored.run.pauses.iter().filter(|pause| !resumed.pauses.contains(pause)) {
        let message = find::message(scope, &pause.message_id)?;
        runs::resume(scope.tx, message.no, stored.no)?;
        note_resumption(scope, &stored, message.no, how)?;
        if pause.reason == PauseReason::Message && handle(scope, &stored, &message)? {
            handled.push((message, stored.agent_no));
        }
    }
    let appended = scope.record(Change::RunResumed(Box::new(resumed.told())))?;
    tell_moved(scope, handled)?;
    Ok(appended)
}

fn note_resumption(scope: &Scope<'_>, stored: &StoredRun, message_no: i64, how: &str) -> StoreResult<()> {
    let moment = NewMoment {
        message_no: Some(message_no),
        detail: Some(how),
        ..stored.moment(TimelineEntryKind::Resumed, scope.actor)
    };
    timeline::note(scope.tx, scope.at, &moment)
}

/// Tells whether that was news. What was removed is on no way to anybody.
fn handle(scope: &Scope<'_>, stored: &StoredRun, message: &StoredMessage) -> StoreResult<bool> {
    if message.message.removed_at.is_some() {
        return Ok(false);
    }
    let agent = &stored.run.agent_id;
    let is_read = scope.actor.member_id() == Some(MemberId::Agent(agent.clone()));
    let moment = (scope.at, scope.project_no());
    deliveries::handle(scope.tx, message, (stored.agent_no, agent), is_read, moment)
}
