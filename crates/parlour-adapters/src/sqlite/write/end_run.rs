use parlour_core::{
    delivery::{DeliveryState, DeliveryStep},
    event::Change,
    id::RunId,
    limits,
    run::{RunEnd, RunState},
    timeline::TimelineEntryKind,
    write::Appended,
};

use super::{
    find,
    report_deliveries::{Moved, tell_moved},
    scope::Scope,
};
use crate::sqlite::{
    deliveries::{self, Happened},
    error::StoreResult,
    rows::{message::load_message_by_no, run::StoredRun},
    runs,
    timeline::{self, NewMoment},
};

/// Ends a run. When it failed or was stopped, what it was shown and had not gone on from has failed with it.
pub(super) fn end_run(scope: &Scope<'_>, id: &RunId, end: &RunEnd) -> StoreResult<Appended> {
    let stored = find::run(scope, id)?;
    let Some(ended) = stored.run.ended(end, scope.at)? else {
        return scope.repeated(Change::RunEnded(Box::new(stored.run.told())));
    };
    runs::update(scope.tx, stored.no, &ended)?;
    for pause in &stored.run.pauses {
        runs::resume(scope.tx, find::message(scope, &pause.message_id)?.no, stored.no)?;
    }
    note_end(scope, &stored, end)?;
    let failed = if end.state == RunState::Done { Vec::new() } else { fail_injected(scope, &stored, end)? };
    let appended = scope.record(Change::RunEnded(Box::new(ended.told())))?;
    tell_moved(scope, failed)?;
    Ok(appended)
}

fn note_end(scope: &Scope<'_>, stored: &StoredRun, end: &RunEnd) -> StoreResult<()> {
    let kind = match end.state {
        RunState::Failed => TimelineEntryKind::RunFailed,
        RunState::Cancelled => TimelineEntryKind::RunCancelled,
        _ => TimelineEntryKind::RunDone,
    };
    let moment = NewMoment { detail: end.reason.as_deref(), ..stored.moment(kind, scope.actor) };
    timeline::note(scope.tx, scope.at, &moment)
}

/// Whoever was to read it broke off before. Why is told where the run is: who reads a message elsewhere need not know of it.
fn fail_injected(scope: &Scope<'_>, stored: &StoredRun, end: &RunEnd) -> StoreResult<Moved> {
    let mut failed = Moved::new();
    for (message_no, agent_no) in injected(scope, stored.no)? {
        let message = load_message_by_no(scope.tx.db(), message_no)?;
        let is_told = stored.conversation_no.is_none_or(|place| place == message.conversation_no);
        let why = Some(broke_off(end.reason.as_deref().filter(|_| is_told)));
        let step = DeliveryStep { why, ..DeliveryStep::to(DeliveryState::Failed) };
        let happened = Happened { step: &step, at: scope.at, run_no: None, answer_no: None };
        deliveries::advance(scope.tx, message.spot(scope.project_no()), agent_no, &happened)?;
        failed.push((message, agent_no));
    }
    Ok(failed)
}

fn broke_off(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => {
            format!("the run ended before it went on: {reason}").chars().take(limits::REASON_CHARS_MAX).collect()
        }
        None => "the run ended before it went on".to_owned(),
    }
}

fn injected(scope: &Scope<'_>, run_no: i64) -> StoreResult<Vec<(i64, i64)>> {
    let mut shown = scope.tx.statement(INJECTED)?;
    let shown = shown.query_map([run_no], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(shown.collect::<Result<_, _>>()?)
}

pub(in crate::sqlite) const INJECTED: &str = "SELECT message_no, agent_no
     FROM delivery
     WHERE run_no = ?1 AND state = 2";
