//! Reads of questions.

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    id::{AgentId, MemberId, MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    question::Question,
    waiting::PendingQuestion,
};
use parlour_hub::{Failure, ports::Questions};
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, join_access, readable},
    error::StoreResult,
    lookup::{as_i64, bad_page_key, member_no, number, probe, project_no},
    message_key::{MessageKey, StoredMessageId},
    rows::{ReadColumn, message::load_message_by_no},
    write::questions::{OPEN_BY, OPEN_IN},
};

#[async_trait]
impl Questions for SqliteStore {
    async fn questions_to(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        let (caller, project, page) = (caller.clone(), project.cloned(), page.clone());
        self.read("list questions", move |db| questions_to(db, &caller, project.as_ref(), &page)).await
    }

    async fn open_questions(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list open questions", move |db| open_questions(db, &project, &caller, &page)).await
    }

    async fn expiring_questions(&self, until: Timestamp, limit: usize) -> Result<Vec<MessageId>, Failure> {
        self.read("list expiring questions", move |db| expiring_questions(db, until, limit)).await
    }

    async fn next_expiry(&self) -> Result<Option<Timestamp>, Failure> {
        self.read("find the next expiry", next_expiry).await
    }

    async fn blocks_of(&self, agent: &AgentId, limit: usize) -> Result<Vec<Message>, Failure> {
        let agent = agent.clone();
        self.read("list the questions that block an agent", move |db| blocks_of(db, &agent, limit)).await
    }

    async fn waits(&self, project: &ProjectId) -> Result<Vec<PendingQuestion>, Failure> {
        let project = project.clone();
        self.read("list waiting agents", move |db| waits(db, &project)).await
    }

    async fn open_question_counts(&self, project: &ProjectId, asker: &MemberId) -> Result<(u64, u64), Failure> {
        let (project, asker) = (project.clone(), asker.clone());
        self.read("count open questions", move |db| open_question_counts(db, &project, &asker)).await
    }
}

/// The sort key of an open question: its expiry and its message.
type QuestionOrder = (i64, i64);

/// Lists the open questions that address the caller, the soonest to expire first.
pub(in crate::sqlite) fn questions_to(
    db: &Connection,
    caller: &Principal,
    project: Option<&ProjectId>,
    page: &PageRequest,
) -> StoreResult<Page<Message>> {
    let viewer = ReaderRow::of(db, caller)?;
    let project_no = project.map(|id| project_no(db, id)).transpose()?.map(|found| found.unwrap_or(0));
    let addressed = |question: &Question| question.addressees.contains(&caller.member);
    let (expires_ms, message_no) = start(db, viewer, project_no, page, addressed)?;
    let params = named_params! {
        ":viewer": viewer.no, ":is_admin": viewer.is_admin, ":project": project_no, ":expires": expires_ms,
        ":message": message_no, ":limit": probe(page)
    };
    list(db, QUESTIONS_TO, params, page)
}

pub(super) const QUESTIONS_TO: &str = concat!(
    "SELECT question_addressee.message_no
     FROM question_addressee
     JOIN message ON message.no = question_addressee.message_no
     JOIN conversation ON conversation.no = message.conversation_no\n",
    join_access!(),
    "WHERE question_addressee.member_no = :viewer
         AND (question_addressee.expires_ms, question_addressee.message_no) > (:expires, :message)
         AND (:project IS NULL OR conversation.project_no = :project) AND ",
    readable!("conversation.project_no"),
    "
     ORDER BY question_addressee.expires_ms, question_addressee.message_no
     LIMIT :limit"
);

/// Lists the open questions of a project that the caller may read, the soonest to expire first.
pub(in crate::sqlite) fn open_questions(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<Message>> {
    let viewer = ReaderRow::of(db, caller)?;
    let project_no = project_no(db, project)?.unwrap_or(0);
    let (expires_ms, message_no) = start(db, viewer, Some(project_no), page, |_| true)?;
    let params = named_params! {
        ":viewer": viewer.no, ":is_admin": viewer.is_admin, ":project": project_no, ":expires": expires_ms,
        ":message": message_no, ":limit": probe(page)
    };
    list(db, OPEN_QUESTIONS, params, page)
}

pub(super) const OPEN_QUESTIONS: &str = concat!(
    "SELECT question.message_no
     FROM question INDEXED BY open_question_in
     JOIN message ON message.no = question.message_no
     JOIN conversation ON conversation.no = message.conversation_no\n",
    join_access!(),
    "WHERE question.project_no = :project AND question.state = 0
         AND (question.expires_ms, question.message_no) > (:expires, :message) AND ",
    readable!(),
    "
     ORDER BY question.expires_ms, question.message_no
     LIMIT :limit"
);

/// The sort key after which a page begins. The question of the page key may have ended meanwhile.
fn start(
    db: &Connection,
    viewer: ReaderRow,
    project_no: Option<i64>,
    page: &PageRequest,
    is_listed: impl Fn(&Question) -> bool,
) -> StoreResult<QuestionOrder> {
    let Some(key) = page.after() else { return Ok((i64::MIN, i64::MIN)) };
    let Ok(id) = key.parse::<MessageId>() else { return Err(bad_page_key(key)) };
    let mut statement = db.prepare_cached(concat!(
        "SELECT question.expires_ms, question.message_no, question.data
         FROM message
         JOIN question ON question.message_no = message.no
         JOIN conversation ON conversation.no = message.conversation_no\n",
        join_access!(),
        "WHERE message.id = :id AND (:project IS NULL OR conversation.project_no = :project) AND ",
        readable!("conversation.project_no")
    ))?;
    let params = named_params! {
        ":id": MessageKey(&id), ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    let order = |row: &Row<'_>| StoreResult::Ok(((row.get(0)?, row.get(1)?), row.json::<Question>(2)?));
    let found = statement.query_and_then(params, order)?.next().transpose()?;
    let found = found.filter(|(_, question)| is_listed(question)).map(|(order, _)| order);
    found.ok_or_else(|| bad_page_key(key))
}

fn list(db: &Connection, sql: &str, params: impl Params, page: &PageRequest) -> StoreResult<Page<Message>> {
    let found = messages(db, sql, params)?;
    Ok(Page::from_probe(found, page.limit(), |message: &Message| message.id.to_string()))
}

fn messages(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Vec<Message>> {
    let mut statement = db.prepare_cached(sql)?;
    let numbers = statement.query_map(params, |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    numbers.into_iter().map(|no| load_message_by_no(db, no).map(|stored| stored.message)).collect()
}

/// The open questions that expire at or before this time, the soonest first.
pub(in crate::sqlite) fn expiring_questions(
    db: &Connection,
    until: Timestamp,
    limit: usize,
) -> StoreResult<Vec<MessageId>> {
    let mut statement = db.prepare_cached(EXPIRING)?;
    let id = |row: &Row<'_>| row.get::<_, StoredMessageId>(0).map(|id| id.0);
    let found = statement.query_map([until.as_millis(), as_i64(limit as u64)], id)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) const EXPIRING: &str = "SELECT message.id
     FROM question INDEXED BY open_question
     JOIN message ON message.no = question.message_no
     WHERE question.state = 0 AND question.expires_ms <= ?1
     ORDER BY question.expires_ms, question.message_no
     LIMIT ?2";

/// When the next open question expires.
pub(in crate::sqlite) fn next_expiry(db: &Connection) -> StoreResult<Option<Timestamp>> {
    let found: Option<i64> = db.prepare_cached(NEXT_EXPIRY)?.query_row([], |row| row.get(0)).optional()?;
    Ok(found.map(Timestamp::from_millis))
}

pub(super) const NEXT_EXPIRY: &str = "SELECT expires_ms
     FROM question
     WHERE state = 0
     ORDER BY expires_ms
     LIMIT 1";

/// The open questions that are to pause this agent, the most important first, then the oldest.
pub(in crate::sqlite) fn blocks_of(db: &Connection, agent: &AgentId, limit: usize) -> StoreResult<Vec<Message>> {
    let agent_no = member_no(db, &agent.clone().into())?.unwrap_or(0);
    let params = named_params! { ":viewer": agent_no, ":is_admin": false, ":limit": as_i64(limit as u64) };
    messages(db, BLOCKS_OF, params)
}

pub(super) const BLOCKS_OF: &str = concat!(
    "SELECT message.no
     FROM question_addressee
     JOIN message ON message.no = question_addressee.message_no
     JOIN conversation ON conversation.no = message.conversation_no\n",
    join_access!(),
    "WHERE question_addressee.member_no = :viewer AND NOT EXISTS (
             SELECT 1
             FROM delivery
             WHERE delivery.message_no = message.no AND delivery.agent_no = :viewer
                 AND delivery.handled_ms IS NOT NULL
         ) AND ",
    readable!("conversation.project_no"),
    "
     ORDER BY message.importance DESC, message.no
     LIMIT :limit"
);

/// The open questions of the agents of a project, with the awaited members, oldest first.
pub(in crate::sqlite) fn waits(db: &Connection, project: &ProjectId) -> StoreResult<Vec<PendingQuestion>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let wait = |row: &Row<'_>| {
        let (asker, question): (AgentId, Question) = (row.parsed(0)?, row.json(1)?);
        Ok(PendingQuestion { asker, awaited: question.awaited().cloned().collect() })
    };
    db.prepare_cached(WAITS)?.query_and_then([project_no], wait)?.collect()
}

pub(super) const WAITS: &str = "SELECT member.id, question.data
     FROM question INDEXED BY open_question_by
     JOIN member ON member.no = question.asker_no
     WHERE question.project_no = ?1 AND question.state = 0 AND member.home_no IS NOT NULL
     ORDER BY question.message_no";

/// How many open questions a member has asked in a project, and how many are open there in all.
pub(in crate::sqlite) fn open_question_counts(
    db: &Connection,
    project: &ProjectId,
    asker: &MemberId,
) -> StoreResult<(u64, u64)> {
    let (project_no, asker_no) = (project_no(db, project)?.unwrap_or(0), member_no(db, asker)?.unwrap_or(0));
    let own = number(db, OPEN_BY, [project_no, asker_no])?.unwrap_or(0).unsigned_abs();
    let all = number(db, OPEN_IN, [project_no])?.unwrap_or(0).unsigned_abs();
    Ok((own, all))
}
