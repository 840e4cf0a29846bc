//! The project that a write belongs to, and the way into its log.

use std::cell::RefCell;

use parlour_core::{
    Refusal, Timestamp,
    attribution::Attribution,
    audit::DONE,
    author::Author,
    event::Change,
    id::ProjectId,
    position::Position,
    write::{Appended, Novelty},
};
use parlour_hub::ports::AuditNote;
use rusqlite::params;

use crate::sqlite::{
    audit::Pending,
    error::StoreResult,
    lookup::{self, as_i64},
    read::log::{find_log, log_end},
    rows::{
        author::author_ref,
        event::{About, LogName, event_data},
    },
    tx::Tx,
};

/// What every write of an entry knows.
pub(super) struct Scope<'a> {
    pub(super) tx: &'a Tx<'a>,
    pub(super) log: LogName,
    pub(super) actor: &'a Author,
    pub(super) at: Timestamp,
    attribution: &'a Attribution,
    /// What was recorded after the event of the write itself.
    more: RefCell<Vec<(Position, Change)>>,
}

impl<'a> Scope<'a> {
    /// Opens the log of a project that must exist.
    pub(super) fn open(tx: &'a Tx<'a>, project: &ProjectId, attribution: &'a Attribution) -> StoreResult<Self> {
        let log = find_log(tx.db(), project)?.ok_or_else(|| Refusal::not_found("project", project))?;
        Ok(Self { tx, log, actor: &attribution.actor, at: attribution.at, attribution, more: RefCell::default() })
    }

    /// The number of the project.
    pub(super) fn project_no(&self) -> i64 {
        self.log.project_no
    }

    /// The offset of the next event.
    pub(super) fn next_offset(&self) -> StoreResult<u64> {
        Ok(log_end(self.tx.db(), self.log.project_no)? + 1)
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

    /// Records a further event, of what follows from the write at once.
    pub(super) fn record_more(&self, about: About, change: Change) -> StoreResult<()> {
        let Appended { change, position, .. } = self.record_about(about, change)?;
        self.more.borrow_mut().push((position, change));
        Ok(())
    }

    /// The further events, in order.
    pub(super) fn take_more(&self) -> Vec<(Position, Change)> {
        self.more.take()
    }

    /// Writes the event's row. Without moment and actor they are those of its message.
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
                self.log.project_no,
                as_i64(offset),
                row.kind,
                at_ms,
                actor_no,
                row.message_no,
                row.member_no,
                row.data
            ],
        )?;
        self.audit(&change, about.message_no.filter(|_| actor.is_none()));
        Ok(Appended { change, position: self.log.position(offset)?, novelty: Novelty::New })
    }

    /// Puts the entry for the audit log off until the group commits; `posted_no` is the message of a plain post.
    fn audit(&self, change: &Change, posted_no: Option<i64>) {
        let note = AuditNote {
            attribution: self.attribution.clone(),
            action: change.name().to_owned(),
            project_id: Some(self.log.project_id.clone()),
            subject: Some(change.subject()),
            result: DONE.to_owned(),
        };
        self.tx.audit_pending(Pending { note, posted_no });
    }

    /// Answers that everything is as wanted.
    pub(super) fn repeated(&self, change: Change) -> StoreResult<Appended> {
        let position = self.log.position(log_end(self.tx.db(), self.log.project_no)?)?;
        Ok(Appended { change, position, novelty: Novelty::Repeated })
    }

    /// Whether a statement finds anything.
    pub(super) fn finds(&self, sql: &str, params: impl rusqlite::Params) -> StoreResult<bool> {
        lookup::exists(self.tx.db(), sql, params)
    }
}
