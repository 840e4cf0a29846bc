//! Appends events to the log of one project, and prunes old events.

use std::{cell::RefCell, fmt::Display};

use parlour_core::{
    Refusal, Timestamp,
    attribution::Attribution,
    audit::DONE,
    author::Author,
    event::Change,
    id::ProjectId,
    limits,
    policy::{Policy, Retention},
    position::Position,
    write::{Appended, Novelty},
};
use parlour_hub::ports::AuditNote;
use rusqlite::{Row, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::{self, as_i64},
    read::log::{find_log, log_end},
    rows::{
        author::author_ref,
        event::{About, LogName, event_data},
        from_json,
    },
    tx::Tx,
};

/// The log of one project during one write.
pub(in crate::sqlite) struct LogWriter<'a> {
    pub(super) tx: &'a Tx<'a>,
    pub(super) name: LogName,
    pub(super) actor: &'a Author,
    pub(super) at: Timestamp,
    attribution: &'a Attribution,
    /// The events that were recorded after the event of the write itself.
    more: RefCell<Vec<(Position, Change)>>,
}

impl<'a> LogWriter<'a> {
    /// Opens the log of a project that must exist.
    pub(super) fn open(tx: &'a Tx<'a>, project: &ProjectId, attribution: &'a Attribution) -> StoreResult<Self> {
        let name = find_log(tx.db(), project)?.ok_or_else(|| Refusal::not_found("project", project))?;
        Ok(Self { tx, name, actor: &attribution.actor, at: attribution.at, attribution, more: RefCell::default() })
    }

    /// The number of the project.
    pub(super) fn project_no(&self) -> i64 {
        self.name.project_no
    }

    /// The offset of the next event.
    pub(super) fn next_offset(&self) -> StoreResult<u64> {
        Ok(log_end(self.tx.db(), self.name.project_no)? + 1)
    }

    /// Records an event that is about no message.
    pub(super) fn record(&self, change: Change) -> StoreResult<Appended> {
        self.record_about(About::default(), change)
    }

    /// Records an event about a message.
    pub(super) fn record_about(&self, about: About, change: Change) -> StoreResult<Appended> {
        let actor = author_ref(self.tx, self.actor)?;
        self.insert_event(self.next_offset()?, about, change, Some((self.at, actor.no)))
    }

    /// Records a further event that the write caused.
    pub(super) fn record_more(&self, about: About, change: Change) -> StoreResult<()> {
        let Appended { change, position, .. } = self.record_about(about, change)?;
        self.more.borrow_mut().push((position, change));
        Ok(())
    }

    /// The further events, in order.
    pub(super) fn take_more(&self) -> Vec<(Position, Change)> {
        self.more.take()
    }

    /// Inserts the row of an event. Without time and actor, those of its message apply.
    pub(super) fn insert_event(
        &self,
        offset: u64,
        about: About,
        change: Change,
        actor: Option<(Timestamp, i64)>,
    ) -> StoreResult<Appended> {
        let row = event_data(&change, about);
        let (at_ms, actor_no) = actor.map(|(at, actor_no)| (at.as_millis(), actor_no)).unzip();
        self.tx.execute(
            "INSERT INTO event (project_no, offset, kind, at_ms, actor_no, message_no, member_no, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                self.name.project_no,
                as_i64(offset),
                row.kind,
                at_ms,
                actor_no,
                row.message_no,
                row.member_no,
                row.data
            ],
        )?;
        self.audit(&change, about.message_no.filter(|_| actor.is_none()))?;
        Ok(Appended { change, position: self.name.position(offset)?, novelty: Novelty::New })
    }

    /// Buffers the entry of the audit log until the group commits; `posted_no` is the message of a plain post.
    fn audit(&self, change: &Change, posted_no: Option<i64>) -> StoreResult<()> {
        let note = AuditNote {
            attribution: self.attribution.clone(),
            action: change.name().to_owned(),
            project_id: Some(self.name.project_id.clone()),
            subject: Some(change.subject()),
            result: DONE.to_owned(),
        };
        match posted_no {
            Some(message_no) => {
                self.tx.audit_post(note, message_no);
                Ok(())
            }
            None => self.tx.audit(note),
        }
    }

    /// The result of a write that changes nothing.
    pub(super) fn repeated(&self, change: Change) -> StoreResult<Appended> {
        let position = self.name.position(log_end(self.tx.db(), self.name.project_no)?)?;
        Ok(Appended { change, position, novelty: Novelty::Repeated })
    }

    /// Whether a statement returns a row.
    pub(super) fn finds(&self, sql: &str, params: impl rusqlite::Params) -> StoreResult<bool> {
        lookup::exists(self.tx.db(), sql, params)
    }
}

/// The audit note of a successful action; the subject is an id, or two ids separated by `/`.
pub(super) fn done(
    attribution: Attribution,
    action: &str,
    project_id: Option<ProjectId>,
    subject: impl Display,
) -> AuditNote {
    AuditNote {
        attribution,
        action: action.to_owned(),
        project_id,
        subject: Some(subject.to_string()),
        result: DONE.to_owned(),
    }
}

/// Deletes the oldest events of a log, as far as the policy of its project says, and returns their number.
///
/// It deletes `STORE_PRUNE_LEN_MAX` events at most, so that other writes need not wait long.
pub(in crate::sqlite) fn prune_log(tx: &Tx<'_>, project_no: i64, now: Timestamp) -> StoreResult<u64> {
    let retention = retention_of(tx, project_no)?;
    let Some(last) = retention.prune_up_to(&oldest_events(tx, project_no)?, now) else { return Ok(0) };
    let deleted = tx.execute(
        "DELETE FROM event
         WHERE project_no = ?1 AND offset <= ?2",
        [project_no, as_i64(last)],
    )?;
    Ok(deleted as u64)
}

fn retention_of(tx: &Tx<'_>, project_no: i64) -> StoreResult<Retention> {
    let mut policy = tx.statement(
        "SELECT policy
         FROM project
         WHERE no = ?1",
    )?;
    let policy: String = policy.query_row([project_no], |row| row.get(0))?;
    Ok(from_json::<Policy>(&policy)?.retention)
}

/// Offsets and times of the oldest events, one more than may be deleted.
fn oldest_events(tx: &Tx<'_>, project_no: i64) -> StoreResult<Vec<(u64, Timestamp)>> {
    let mut oldest = tx.statement(
        "SELECT event.offset, COALESCE(event.at_ms, message.created_ms)
         FROM event
         LEFT JOIN message ON message.no = event.message_no
         WHERE event.project_no = ?1
         ORDER BY event.offset
         LIMIT ?2",
    )?;
    let one_more = as_i64(limits::STORE_PRUNE_LEN_MAX as u64 + 1);
    let as_pair = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.unsigned_abs(), Timestamp::from_millis(row.get(1)?)));
    let rows = oldest.query_map([project_no, one_more], as_pair)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
