//! Reads a project as one reader may see it. The cost of each statement follows the size of its result, not the size of the project; only hidden channels and artifacts are skipped one by one.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    audience::PrivateChannelMembers,
    id::{ChannelId, MemberId, ProjectId},
    member::{Agent, Person},
    project::Project,
    snapshot::Snapshot,
};
use parlour_hub::{
    Failure,
    ports::{PrivateChannelMembersAt, Snapshots},
};
use rusqlite::{Connection, named_params};

use crate::sqlite::{
    SqliteStore,
    access::{Viewer, sees_project},
    error::{StoreError, StoreResult},
    lookup::exists,
    read::log,
    rows::{
        ReadColumn,
        member::{agent_from, person_from, select_agent, select_person},
        project::load_project,
    },
};

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self, project: &ProjectId, caller: &Principal) -> Result<Option<Snapshot>, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("read a snapshot", move |db| snapshot(db, &project, &caller)).await
    }

    async fn private_members(&self, project: &ProjectId) -> Result<Option<PrivateChannelMembersAt>, Failure> {
        let project = project.clone();
        self.read("read who sits where", move |db| private_members(db, &project)).await
    }
}

mod conversations;
mod reading;
mod runs;
mod work;

#[cfg(test)]
pub(super) use self::{
    conversations::{CHANNEL_MEMBERS, DMS, NEWEST_THREAD, SUBSCRIPTIONS},
    reading::READING,
    runs::RUNS,
    work::{ARTIFACTS, BATCHES, TASKS},
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

/// Every private channel, with a row for each of its members or one for none.
pub(super) const SEATS: &str = "SELECT conversation.id, member.id
     FROM conversation
     LEFT JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     LEFT JOIN member ON member.no = conversation_member.member_no
     WHERE conversation.project_no = ?1 AND conversation.type = 0 AND conversation.is_private = 1";

/// Reads who sits in the private channels of a project.
pub(in crate::sqlite) fn private_members(
    db: &Connection,
    project: &ProjectId,
) -> StoreResult<Option<PrivateChannelMembersAt>> {
    let Some(log) = log::find_log(db, project)? else { return Ok(None) };
    let mut private: HashMap<ChannelId, HashSet<MemberId>> = HashMap::new();
    let mut statement = db.prepare_cached(SEATS)?;
    let mut rows = statement.query([log.project_no])?;
    while let Some(row) = rows.next()? {
        private.entry(row.parsed(0)?).or_default().extend(row.parsed_opt::<MemberId>(1)?);
    }
    let position = log.position(log::log_end(db, log.project_no)?)?;
    Ok(Some(PrivateChannelMembersAt { position, private_members: PrivateChannelMembers::new(private) }))
}
