//! Reads a project as one reader may see it. The cost of each statement grows with its result, not with the project;
//! only hidden channels and artifacts are skipped one by one.

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
    access::{ReaderRow, sees_project},
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
        self.read("read the members of private channels", move |db| private_members(db, &project)).await
    }
}

mod conversations;
mod work;

#[cfg(test)]
pub(super) use self::{
    conversations::{CHANNEL_MEMBERS, DMS, NEWEST_THREAD, READ_STATES, SUBSCRIPTIONS},
    work::{ARTIFACTS, BATCHES, RUNS, TASKS},
};

/// The parameters that all statements of a snapshot share.
#[derive(Clone, Copy)]
struct SnapshotReader<'db> {
    db: &'db Connection,
    project_no: i64,
    viewer: ReaderRow,
}

/// Reads a project as the caller sees it; `None` if the caller cannot see the project.
pub(in crate::sqlite) fn snapshot(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
) -> StoreResult<Option<Snapshot>> {
    let Some(log) = log::find_log(db, project)? else { return Ok(None) };
    let reader = SnapshotReader { db, project_no: log.project_no, viewer: ReaderRow::of(db, caller)? };
    if !reader.sees_project()? {
        return Ok(None);
    }
    let channels = reader.channels()?;
    let threads = reader.threads(&channels)?;
    let dms = reader.dms()?;
    let conversation_nos: Vec<i64> = channels
        .iter()
        .map(|one| one.no)
        .chain(threads.iter().map(|one| one.no))
        .chain(dms.iter().map(|one| one.no))
        .collect();
    Ok(Some(Snapshot {
        position: log.position(log::log_end(db, log.project_no)?)?,
        reader: caller.member.clone(),
        project: reader.project(project)?,
        people: reader.people()?,
        agents: reader.agents()?,
        channel_members: reader.channel_members()?,
        subscriptions: reader.subscriptions(&channels)?,
        tasks: reader.tasks(&threads)?,
        channels: values(channels),
        threads: values(threads),
        dms: values(dms),
        batches: reader.batches()?,
        artifacts: reader.artifacts()?,
        runs: reader.runs()?,
        reading: if caller.member.person().is_some() { reader.read_states(&conversation_nos)? } else { Vec::new() },
        streams: Vec::new(),
        presence: Vec::new(),
    }))
}

/// A value with its row number.
struct NumberedRow<T> {
    no: i64,
    value: T,
}

fn values<T>(numbered: Vec<NumberedRow<T>>) -> Vec<T> {
    numbered.into_iter().map(|one| one.value).collect()
}

/// Numbers as one parameter for `json_each`.
fn as_json(numbers: &[i64]) -> String {
    serde_json::to_string(numbers).expect("numbers are plain data")
}

impl SnapshotReader<'_> {
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

/// The members of all private channels. A channel without members has one row with NULL.
pub(super) const PRIVATE_MEMBERS: &str = "SELECT conversation.id, member.id
     FROM conversation
     LEFT JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     LEFT JOIN member ON member.no = conversation_member.member_no
     WHERE conversation.project_no = ?1 AND conversation.type = 0 AND conversation.is_private = 1";

/// Reads the members of the private channels of a project.
pub(in crate::sqlite) fn private_members(
    db: &Connection,
    project: &ProjectId,
) -> StoreResult<Option<PrivateChannelMembersAt>> {
    let Some(log) = log::find_log(db, project)? else { return Ok(None) };
    let mut private: HashMap<ChannelId, HashSet<MemberId>> = HashMap::new();
    let mut statement = db.prepare_cached(PRIVATE_MEMBERS)?;
    let mut rows = statement.query([log.project_no])?;
    while let Some(row) = rows.next()? {
        private.entry(row.parsed(0)?).or_default().extend(row.parsed_opt::<MemberId>(1)?);
    }
    let position = log.position(log::log_end(db, log.project_no)?)?;
    Ok(Some(PrivateChannelMembersAt { position, private_members: PrivateChannelMembers::new(private) }))
}
