use parlour_core::{
    Code, Refusal,
    event::Change,
    limits,
    run::{Run, RunState},
    timeline::TimelineEntryKind,
    write::Appended,
};
use rusqlite::params;

use super::{find, private_members::check_count, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    rows::{
        codes::run_code,
        run::{StoredRun, load_run},
        to_json,
    },
    timeline::{self, NewMoment},
};

/// Begins a run; a repeated id of the same agent gets the run as it is now.
pub(super) fn start_run(scope: &Scope<'_>, run: Run) -> StoreResult<Appended> {
    if let Some(known) = load_run(scope.tx.db(), &run.id)? {
        return first_result(scope, known.run, &run);
    }
    let run = Run { state: RunState::Running, pauses: Vec::new(), project_id: scope.log.project_id.clone(), ..run };
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &run.agent_id)?;
    let conversation_no = run.conversation_id.as_ref().map(|id| find::conversation_no(scope, id)).transpose()?;
    let task_no = run.task_id.as_ref().map(|id| find::task_no(scope, id)).transpose()?;
    let no = scope.tx.insert(
        "INSERT INTO run (id, project_no, agent_no, conversation_no, task_no, state, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            run.id.as_str(),
            scope.project_no(),
            agent_no,
            conversation_no,
            task_no,
            run_code(run.state),
            to_json(&run)
        ],
    )?;
    check_room(scope, agent_no)?;
    note_start(scope, &StoredRun { no, agent_no, conversation_no, task_no, run: run.clone() })?;
    scope.record(Change::RunStarted(Box::new(run)))
}

fn first_result(scope: &Scope<'_>, known: Run, wanted: &Run) -> StoreResult<Appended> {
    if known.agent_id != wanted.agent_id || known.project_id != scope.log.project_id {
        let detail = format!("{} is the id of another run", known.id);
        return Err(Refusal::new(Code::ClientIdReused, detail).at("id").into());
    }
    scope.repeated(Change::RunStarted(Box::new(known.told())))
}

fn check_room(scope: &Scope<'_>, agent_no: i64) -> StoreResult<()> {
    let (per_agent, per_project) = (limits::RUNS_PER_AGENT_MAX, limits::RUNS_PER_PROJECT_MAX);
    check_count(scope.tx, OPEN_OF_AGENT, [agent_no], per_agent, "an agent", "runs that have not ended")?;
    check_count(scope.tx, OPEN_IN_PROJECT, [scope.project_no()], per_project, "a project", "runs that have not ended")
}

pub(in crate::sqlite) const OPEN_OF_AGENT: &str = "SELECT COUNT(*)
     FROM run
     WHERE agent_no = ?1 AND state < 2";

pub(in crate::sqlite) const OPEN_IN_PROJECT: &str = "SELECT COUNT(*)
     FROM run
     WHERE project_no = ?1 AND state < 2";

/// The message that led to the run is named where all who see the run may read it.
fn note_start(scope: &Scope<'_>, started: &StoredRun) -> StoreResult<()> {
    let cause = started.run.message_id.as_ref().map(|id| find::message(scope, id)).transpose()?;
    let cause = cause.filter(|message| Some(message.conversation_no) == started.conversation_no);
    let moment = NewMoment {
        message_no: cause.map(|message| message.no),
        detail: started.run.label.as_deref(),
        ..started.moment(TimelineEntryKind::RunStarted, scope.actor)
    };
    timeline::note(scope.tx, scope.at, &moment)
}
