//! Writes that start, pause, resume and end runs, and the timeline rows of runs and tasks.

use parlour_core::{
    Timestamp,
    author::Author,
    event::Change,
    id::{MessageId, RunId},
    limits,
    run::{Pause, PauseFacts, Run, RunEnd},
    timeline::TimelineEntryKind,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    rows::{
        author::author_ref,
        codes::{run_code, timeline_entry_code},
        message::load_message_by_no,
        run::{StoredRun, load_run},
        to_json,
    },
    tx::Tx,
    write::{
        deliveries::{self, Happened, Moved, record_moved},
        find,
        log::LogWriter,
        questions,
    },
};

/// Starts a run; a repeated id of the same agent returns the existing run.
pub(super) fn start_run(log: &LogWriter<'_>, run: Run) -> StoreResult<Appended> {
    if let Some(known) = load_run(log.tx.db(), &run.id)? {
        return repeated_start(log, known.run, &run);
    }
    let run = run.started(log.name.project_id.clone());
    let agent_no = find::agent_no(log.tx, log.project_no(), &run.agent_id)?;
    let conversation_no = run.conversation_id.as_ref().map(|id| find::conversation_no(log, id)).transpose()?;
    let task_no = run.task_id.as_ref().map(|id| find::task_no(log, id)).transpose()?;
    let no = log.tx.insert(
        "INSERT INTO run (id, project_no, agent_no, conversation_no, task_no, state, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            run.id.as_str(),
            log.project_no(),
            agent_no,
            conversation_no,
            task_no,
            run_code(run.state),
            to_json(&run)
        ],
    )?;
    check_run_count(log, agent_no)?;
    note_start(log, &StoredRun { no, agent_no, task_no, run: run.clone() })?;
    log.record(Change::RunStarted(Box::new(run)))
}

fn repeated_start(log: &LogWriter<'_>, known: Run, requested: &Run) -> StoreResult<Appended> {
    known.check_repeated_start(requested, &log.name.project_id)?;
    log.repeated(Change::RunStarted(Box::new(known.published())))
}

fn check_run_count(log: &LogWriter<'_>, agent_no: i64) -> StoreResult<()> {
    let (per_agent, per_project) = (limits::RUNS_PER_AGENT_MAX, limits::RUNS_PER_PROJECT_MAX);
    find::check_count(log.tx, OPEN_OF_AGENT, [agent_no], per_agent, "an agent", "runs that have not ended")?;
    find::check_count(log.tx, OPEN_IN_PROJECT, [log.project_no()], per_project, "a project", "runs that have not ended")
}

pub(in crate::sqlite) const OPEN_OF_AGENT: &str = "SELECT COUNT(*)
     FROM run
     WHERE agent_no = ?1 AND state < 2";

pub(in crate::sqlite) const OPEN_IN_PROJECT: &str = "SELECT COUNT(*)
     FROM run
     WHERE project_no = ?1 AND state < 2";

/// Adds the timeline entry of the start. It names the message that caused the run only if everybody who can see the run
/// may read the message.
fn note_start(log: &LogWriter<'_>, started: &StoredRun) -> StoreResult<()> {
    let cause = started.run.message_id.as_ref().map(|id| find::message(log, id)).transpose()?;
    let cause = cause.filter(|message| started.run.may_name(&message.message.to));
    let entry = NewTimelineEntry {
        message_no: cause.map(|message| message.no),
        detail: started.run.label.as_deref(),
        ..started.timeline_entry(TimelineEntryKind::RunStarted, log.actor)
    };
    add_timeline_row(log.tx, log.at, &entry)
}

/// Pauses a run for those messages that still apply.
pub(super) fn pause_run(log: &LogWriter<'_>, id: &RunId, pauses: &[Pause]) -> StoreResult<Appended> {
    let stored = find::run(log, id)?;
    let mut applying = Vec::new();
    for pause in pauses {
        if let Some(message_no) = applying_pause(log, &stored, pause)? {
            applying.push((message_no, pause));
        }
    }
    let pauses: Vec<Pause> = applying.iter().map(|(_, pause)| (*pause).clone()).collect();
    let Some(paused) = stored.run.paused(&pauses, log.at)? else {
        return log.repeated(Change::RunPaused(Box::new(stored.run.published())));
    };
    update_run_row(log.tx, stored.no, &paused)?;
    for (message_no, pause) in applying {
        let is_new = stored.run.pauses.iter().all(|known| known.message_id != pause.message_id);
        if is_new {
            add_pause_row(log.tx, message_no, stored.no)?;
            note_pause(log, &stored, message_no, pause)?;
        }
    }
    log.record(Change::RunPaused(Box::new(paused.published())))
}

/// The number of the message, if the pause still applies.
fn applying_pause(log: &LogWriter<'_>, stored: &StoredRun, pause: &Pause) -> StoreResult<Option<i64>> {
    let message = find::message(log, &pause.message_id)?;
    let open = message.message.question.as_ref().filter(|question| question.is_open());
    let awaits_agent = match open {
        Some(question) => questions::awaits(log.tx, message.no, question, stored.agent_no)?,
        None => false,
    };
    let is_handled = deliveries::is_handled(log.tx, message.as_delivered(log.project_no()), stored.agent_no)?;
    let facts = PauseFacts { is_question_open: open.is_some(), awaits_agent, is_handled };
    Ok(pause.applies(facts).then_some(message.no))
}

fn note_pause(log: &LogWriter<'_>, stored: &StoredRun, message_no: i64, pause: &Pause) -> StoreResult<()> {
    let entry = NewTimelineEntry {
        message_no: Some(message_no),
        detail: pause.timeline_detail(),
        ..stored.timeline_entry(pause.timeline_kind(), &pause.from)
    };
    add_timeline_row(log.tx, log.at, &entry)
}

/// Lifts one pause of a run, or all of them, and marks the deliveries of the messages behind them as handled.
pub(super) fn resume_run(
    log: &LogWriter<'_>,
    id: &RunId,
    message: Option<&MessageId>,
    how: &str,
) -> StoreResult<Appended> {
    let stored = find::run(log, id)?;
    let resumed = stored.run.resumed(message, log.at)?;
    update_run_row(log.tx, stored.no, &resumed)?;
    let mut handled = Vec::new();
    for pause in stored.run.pauses.iter().filter(|pause| !resumed.pauses.contains(pause)) {
        let message = find::message(log, &pause.message_id)?;
        delete_pause_row(log.tx, message.no, stored.no)?;
        note_resumption(log, &stored, message.no, how)?;
        if let Some(by) = stored.run.resumption_of(pause, &message.message, log.actor)
            && deliveries::handle(log, &message, (stored.agent_no, &stored.run.agent_id), by)?
        {
            handled.push((message, stored.agent_no));
        }
    }
    let appended = log.record(Change::RunResumed(Box::new(resumed.published())))?;
    record_moved(log, handled)?;
    Ok(appended)
}

fn note_resumption(log: &LogWriter<'_>, stored: &StoredRun, message_no: i64, how: &str) -> StoreResult<()> {
    let entry = NewTimelineEntry {
        message_no: Some(message_no),
        detail: Some(how),
        ..stored.timeline_entry(TimelineEntryKind::Resumed, log.actor)
    };
    add_timeline_row(log.tx, log.at, &entry)
}

/// Ends a run, and fails the deliveries that end with it.
pub(super) fn end_run(log: &LogWriter<'_>, id: &RunId, end: &RunEnd) -> StoreResult<Appended> {
    let stored = find::run(log, id)?;
    let Some(ended) = stored.run.ended(end, log.at)? else {
        return log.repeated(Change::RunEnded(Box::new(stored.run.published())));
    };
    update_run_row(log.tx, stored.no, &ended)?;
    for pause in &stored.run.pauses {
        delete_pause_row(log.tx, find::message(log, &pause.message_id)?.no, stored.no)?;
    }
    note_end(log, &stored, end)?;
    let failed = fail_injected(log, &stored, end)?;
    let appended = log.record(Change::RunEnded(Box::new(ended.published())))?;
    record_moved(log, failed)?;
    Ok(appended)
}

fn note_end(log: &LogWriter<'_>, stored: &StoredRun, end: &RunEnd) -> StoreResult<()> {
    let entry =
        NewTimelineEntry { detail: end.reason.as_deref(), ..stored.timeline_entry(end.timeline_kind(), log.actor) };
    add_timeline_row(log.tx, log.at, &entry)
}

/// Fails the deliveries that were injected into the run and that its model had not yet read.
fn fail_injected(log: &LogWriter<'_>, stored: &StoredRun, end: &RunEnd) -> StoreResult<Moved> {
    let mut failed = Moved::new();
    for (message_no, agent_no) in injected(log, stored.no)? {
        let message = load_message_by_no(log.tx.db(), message_no)?;
        let Some(step) = stored.run.failed_injection(end, &message.message.to) else { continue };
        let happened = Happened { step: &step, at: log.at, run_no: None, answer_no: None };
        deliveries::advance(log.tx, message.as_delivered(log.project_no()), agent_no, &happened)?;
        failed.push((message, agent_no));
    }
    Ok(failed)
}

fn injected(log: &LogWriter<'_>, run_no: i64) -> StoreResult<Vec<(i64, i64)>> {
    let mut statement = log.tx.statement(INJECTED)?;
    let rows = statement.query_map([run_no], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(in crate::sqlite) const INJECTED: &str = "SELECT message_no, agent_no
     FROM delivery
     WHERE run_no = ?1 AND state = 2
     ORDER BY message_no, agent_no";

pub(in crate::sqlite) fn update_run_row(tx: &Tx<'_>, run_no: i64, run: &Run) -> StoreResult<()> {
    tx.execute(
        "UPDATE run
         SET state = ?2, data = ?3
         WHERE no = ?1",
        params![run_no, run_code(run.state), to_json(run)],
    )?;
    Ok(())
}

pub(in crate::sqlite) fn add_pause_row(tx: &Tx<'_>, message_no: i64, run_no: i64) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO run_pause (message_no, run_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [message_no, run_no],
    )?;
    Ok(())
}

pub(in crate::sqlite) fn delete_pause_row(tx: &Tx<'_>, message_no: i64, run_no: i64) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM run_pause
         WHERE message_no = ?1 AND run_no = ?2",
        [message_no, run_no],
    )?;
    Ok(())
}

impl StoredRun {
    /// A timeline entry of the run and its task.
    pub(in crate::sqlite) fn timeline_entry<'a>(
        &self,
        kind: TimelineEntryKind,
        by: &'a Author,
    ) -> NewTimelineEntry<'a> {
        NewTimelineEntry { kind, by, run_no: Some(self.no), task_no: self.task_no, message_no: None, detail: None }
    }
}

/// A timeline entry before it is stored.
pub(in crate::sqlite) struct NewTimelineEntry<'a> {
    pub(in crate::sqlite) kind: TimelineEntryKind,
    pub(in crate::sqlite) by: &'a Author,
    pub(in crate::sqlite) run_no: Option<i64>,
    pub(in crate::sqlite) task_no: Option<i64>,
    pub(in crate::sqlite) message_no: Option<i64>,
    pub(in crate::sqlite) detail: Option<&'a str>,
}

pub(in crate::sqlite) fn add_timeline_row(tx: &Tx<'_>, at: Timestamp, entry: &NewTimelineEntry<'_>) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO moment (run_no, task_no, at_ms, kind, author_no, message_no, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            entry.run_no,
            entry.task_no,
            at.as_millis(),
            timeline_entry_code(entry.kind),
            author_ref(tx, entry.by)?.no,
            entry.message_no,
            entry.detail
        ],
    )?;
    Ok(())
}
