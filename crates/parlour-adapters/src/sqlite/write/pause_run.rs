use parlour_core::{
    event::Change,
    id::RunId,
    run::{Pause, PauseReason},
    timeline::TimelineEntryKind,
    write::Appended,
};

use super::{find, scope::Scope};
use crate::sqlite::{
    deliveries,
    error::StoreResult,
    questions,
    rows::run::StoredRun,
    runs,
    timeline::{self, NewMoment},
};

/// Pauses a run. What has ended, or was handled, since the pause was decided no longer pauses it: nobody would resume it.
pub(super) fn pause_run(scope: &Scope<'_>, id: &RunId, pauses: &[Pause]) -> StoreResult<Appended> {
    let stored = find::run(scope, id)?;
    let mut membership = Vec::new();
    for pause in pauses {
        if let Some(message_no) = standing_pause(scope, &stored, pause)? {
            membership.push((message_no, pause));
        }
    }
    let wanted: Vec<Pause> = membership.iter().map(|(_, pause)| (*pause).clone()).collect();
    let Some(paused) = stored.run.paused(&wanted, scope.at)? else {
        return scope.repeated(Change::RunPaused(Box::new(stored.run.told())));
    };
    runs::update(scope.tx, stored.no, &paused)?;
    for (message_no, pause) in membership {
        let is_new = stored.run.pauses.iter().all(|known| known.message_id != pause.message_id);
        if is_new {
            runs::pause(scope.tx, message_no, stored.no)?;
            note_pause(scope, &stored, message_no, pause)?;
        }
    }
    scope.record(Change::RunPaused(Box::new(paused.told())))
}

/// The number of the message, if it still is a reason to pause.
fn standing_pause(scope: &Scope<'_>, stored: &StoredRun, pause: &Pause) -> StoreResult<Option<i64>> {
    let message = find::message(scope, &pause.message_id)?;
    let Some(question) = message.message.question.as_ref().filter(|question| question.is_open()) else {
        return Ok(None);
    };
    let stands = match pause.reason {
        PauseReason::Asked => true,
        PauseReason::Message => {
            questions::awaits(scope.tx, message.no, question, stored.agent_no)?
                && !deliveries::is_handled(scope.tx, message.spot(scope.project_no()), stored.agent_no)?
        }
    };
    Ok(stands.then_some(message.no))
}

fn note_pause(scope: &Scope<'_>, stored: &StoredRun, message_no: i64, pause: &Pause) -> StoreResult<()> {
    let kind = match pause.reason {
        PauseReason::Message => TimelineEntryKind::Paused,
        PauseReason::Asked => TimelineEntryKind::Asked,
    };
    let moment = NewMoment { message_no: Some(message_no), ..stored.moment(kind, &pause.from) };
    timeline::note(scope.tx, scope.at, &moment)
}
