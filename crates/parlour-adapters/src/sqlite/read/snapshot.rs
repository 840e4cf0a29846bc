//! A project as one reader sees it. Every statement costs what it brings into the snapshot, not what the project holds;
//! only channels and artifacts that are hidden from the reader are passed over one by one.

mod conversations;
mod reading;
mod runs;
mod work;

use parlour_core::{
    access::Principal,
    id::ProjectId,
    member::{Agent, Person},
    project::Project,
    snapshot::Snapshot,
};
use rusqlite::{Connection, named_params};

#[cfg(test)]
pub(super) use self::{
    conversations::{CHANNEL_MEMBERS, DMS, NEWEST_THREAD, SUBSCRIPTIONS},
    reading::READING,
    runs::RUNS,
    work::{ARTIFACTS, BATCHES, TASKS},
};
use super::log;
use crate::sqlite::{
    access::{Viewer, sees_project},
    error::{StoreError, StoreResult},
    lookup::exists,
    rows::{
        member::{agent_from, person_from, select_agent, select_person},
        project::load_project,
    },
};

/// Where the reading takes place, as the statements need it.
#[derive(Clone, Copy)]
struct Sight<'db> {
    db: &'db Connection,
    project_no: i64,
    viewer: Viewer,
}

/// Reads a project as the caller sees it; who does not see it gets nothing.
pub(in crate::sqlite) fn snapshot(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
) -> StoreResult<Option<Snapshot>> {
    let Some(log) = log::find_log(db, project)? else { return Ok(None) };
    let sight = Sight { db, project_no: log.project_no, viewer: Viewer::of(db, caller)? };
    if !sight.sees_project()? {
        return Ok(None);
    }
    let channels = sight.channels()?;
    let threads = sight.threads(&channels)?;
    let dms = sight.dms()?;
    let places: Vec<i64> = channels
        .iter()
        .map(|one| one.no)
        .chain(threads.iter().map(|one| one.no))
        .chain(dms.iter().map(|one| one.no))
        .collect();
    Ok(Some(Snapshot {
        position: log.position(log::log_end(db, log.project_no)?)?,
        reader: caller.member.clone(),
        project: sight.project(project)?,
        people: sight.people()?,
        agents: sight.agents()?,
        channel_members: sight.channel_members()?,
        subscriptions: sight.subscriptions(&channels)?,
        tasks: sight.tasks(&threads)?,
        channels: values(channels),
        threads: values(threads),
        dms: values(dms),
        batches: sight.batches()?,
        artifacts: sight.artifacts()?,
        runs: sight.runs()?,
        reading: if caller.member.person().is_some() { sight.reading(&places)? } else { Vec::new() },
        streams: Vec::new(),
        presence: Vec::new(),
    }))
}

/// A value with its number inside the database.
struct Numbered<T> {
    no: i64,
    value: T,
}

fn values<T>(numbered: Vec<Numbered<T>>) -> Vec<T> {
    numbered.into_iter().map(|one| one.value).collect()
}

/// Numbers as one parameter of a statement, which takes them with `json_each`.
fn as_json(numbers: &[i64]) -> String {
    serde_json::to_string(numbers).expect("numbers are plain data")
}

impl Sight<'_> {
    fn sees_project(&self) -> StoreResult<bool> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        exists(self.db, concat!("SELECT 1\nWHERE ", sees_project!()), params)
    }

    fn project(&self, id: &ProjectId) -> StoreResult<Project> {
        load_project(self.db, id)?.ok_or_else(|| StoreError::Unreadable(format!("{id} has a log and no row")))
    }

    fn people(&self) -> StoreResult<Vec<Person>> {
        let mut statement = self.db.prepare_cached(select_person!(
            "JOIN project_member ON project_member.member_no = member.no
             WHERE project_member.project_no = ?1 AND member.home_no IS NULL
             ORDER BY member.id"
        ))?;
        statement.query_and_then([self.project_no], person_from)?.collect()
    }

    fn agents(&self) -> StoreResult<Vec<Agent>> {
        let mut statement = self.db.prepare_cached(select_agent!(
            "WHERE member.home_no = ?1
             ORDER BY member.no"
        ))?;
        statement.query_and_then([self.project_no], agent_from)?.collect()
    }
}
