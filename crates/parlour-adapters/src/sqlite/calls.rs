//! The records of calls: one row for each agent that a message calls, written with the message and kept for ever.

use parlour_core::{
    Timestamp,
    call::NewCall,
    cause::depth_of,
    id::{AgentId, MemberId, MessageId},
    message::Message,
};
use rusqlite::{OptionalExtension, Row, params};

use super::{
    error::StoreResult,
    inbox::{Spot, can_read},
    lookup::{as_i64, number},
    message_key::MessageKey,
    rows::codes::call_reason_code,
    tx::Tx,
    write::find::agent_no,
};

/// An agent that is to be called.
pub(super) struct Callee {
    agent_no: i64,
    call: NewCall,
}

/// When calls are made.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// The time.
    pub(super) at: Timestamp,
    /// The offset of the event that calls.
    pub(super) offset: u64,
}

/// Those who can be called, each once: who cannot read the conversation may have lost its place since it was chosen.
pub(super) fn callees(
    tx: &Tx<'_>,
    project_no: i64,
    conversation_no: i64,
    called: Vec<NewCall>,
) -> StoreResult<Vec<Callee>> {
    let mut callees: Vec<Callee> = Vec::with_capacity(called.len());
    for call in called {
        let agent_no = agent_no(tx, project_no, &call.agent_id)?;
        let is_new = callees.iter().all(|callee| callee.agent_no != agent_no);
        if is_new && can_read(tx, agent_no, project_no, conversation_no)? {
            callees.push(Callee { agent_no, call });
        }
    }
    Ok(callees)
}

/// Their ids, as the message names them.
pub(super) fn ids(callees: &[Callee]) -> Vec<AgentId> {
    callees.iter().map(|callee| callee.call.agent_id.clone()).collect()
}

/// Records the calls of a message; who was called by it before is not called again.
pub(super) fn record(
    tx: &Tx<'_>,
    spot: Spot,
    message: &Message,
    callees: &[Callee],
    moment: Moment,
) -> StoreResult<()> {
    if callees.is_empty() {
        return Ok(());
    }
    let caller_no = caller_no(tx, spot.project_no, message)?;
    for callee in callees {
        let is_new = tx.execute(
            "INSERT INTO call (agent_no, message_no, project_no, conversation_no, called_ms, log_offset, reason, depth,
                 caller_no, correlation_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT DO NOTHING",
            params![
                callee.agent_no,
                spot.message_no,
                spot.project_no,
                spot.conversation_no,
                moment.at.as_millis(),
                as_i64(moment.offset),
                call_reason_code(callee.call.reason),
                depth_of(message),
                caller_no,
                message.correlation_id
            ],
        )?;
        if is_new > 0 {
            record_place(tx, callee.agent_no, spot.conversation_no, moment)?;
        }
    }
    Ok(())
}

/// Notes where an agent was called last.
fn record_place(tx: &Tx<'_>, agent_no: i64, conversation_no: i64, moment: Moment) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO called_place (agent_no, conversation_no, called_ms, log_offset)
         VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (agent_no, conversation_no) DO UPDATE
         SET called_ms = excluded.called_ms, log_offset = excluded.log_offset
         WHERE (excluded.called_ms, excluded.log_offset) > (called_place.called_ms, called_place.log_offset)",
        params![agent_no, conversation_no, moment.at.as_millis(), as_i64(moment.offset)],
    )?;
    Ok(())
}

/// The agent that calls; none when a person or somebody else does.
fn caller_no(tx: &Tx<'_>, project_no: i64, message: &Message) -> StoreResult<Option<i64>> {
    match message.from.member_id() {
        Some(MemberId::Agent(agent)) => agent_no(tx, project_no, &agent).map(Some),
        _ => Ok(None),
    }
}

/// Lets an answer take the call of its agent by this message, and what was called before it in the same conversation.
pub(super) fn take(tx: &Tx<'_>, agent_no: i64, called_by: &MessageId, answer_no: i64) -> StoreResult<()> {
    let mut ticket = tx.statement(
        "SELECT call.conversation_no, call.called_ms, call.log_offset
         FROM message
         JOIN call ON call.message_no = message.no
         WHERE message.id = ?1 AND call.agent_no = ?2",
    )?;
    let place = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let ticket: Option<(i64, i64, i64)> =
        ticket.query_row(params![MessageKey(called_by), agent_no], place).optional()?;
    if let Some((conversation_no, called_ms, offset)) = ticket {
        tx.execute(TAKE, [agent_no, conversation_no, called_ms, offset, answer_no])?;
    }
    Ok(())
}

pub(super) const TAKE: &str = "UPDATE call
     SET answer_no = ?5
     WHERE agent_no = ?1 AND conversation_no = ?2 AND (called_ms, log_offset) <= (?3, ?4)
         AND answer_no IS NULL AND closed_ms IS NULL";

/// Closes the call of an agent by a message, if it is open, and tells whether it was.
pub(super) fn close(tx: &Tx<'_>, agent_no: i64, message_no: i64, at: Timestamp) -> StoreResult<bool> {
    let closed = tx.execute(
        "UPDATE call
         SET closed_ms = ?3
         WHERE agent_no = ?1 AND message_no = ?2 AND answer_no IS NULL AND closed_ms IS NULL",
        [agent_no, message_no, at.as_millis()],
    )?;
    Ok(closed == 1)
}

/// Closes what an agent has open in a channel and its threads, because it may no longer read them.
pub(super) fn close_channel(tx: &Tx<'_>, agent_no: i64, channel_no: i64, at: Timestamp) -> StoreResult<()> {
    tx.execute(CLOSE_CHANNEL, [agent_no, channel_no, at.as_millis()])?;
    Ok(())
}

pub(super) const CLOSE_CHANNEL: &str = "UPDATE call INDEXED BY open_call
     SET closed_ms = ?3
     WHERE agent_no = ?1 AND answer_no IS NULL AND closed_ms IS NULL AND ?2 = (
         SELECT conversation.access_no
         FROM conversation
         WHERE conversation.no = call.conversation_no
     )";

/// Whether the message has ever called the agent.
pub(super) fn is_called(tx: &Tx<'_>, agent_no: i64, message_no: i64) -> StoreResult<bool> {
    let sql = "SELECT 1
         FROM call
         WHERE agent_no = ?1 AND message_no = ?2";
    Ok(number(tx.db(), sql, [agent_no, message_no])?.is_some())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use parlour_core::{
        attribution::Attribution,
        author::{Author, AuthorType},
        call::{CallReason, Calls},
        id::{ChannelId, ProjectId},
        origin::Origin,
        post::PostMessage,
        write::{Entry, NewMessage, Write},
    };
    use rusqlite::{
        Connection,
        hooks::{AuthAction, Authorization},
    };

    use super::*;
    use crate::sqlite::{migrate::migrate, write};

    /// A database with a person, an agent and a channel of one project.
    fn database() -> Connection {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        db.execute_batch(
            "BEGIN;
             PRAGMA defer_foreign_keys = ON;
             INSERT INTO member (no, id, name, name_key, is_admin, created_ms) VALUES (1, 'per_1', 'M', 'm', 0, 0);
             INSERT INTO member (no, id, home_no, name, name_key, is_admin, created_ms, owner_no, capabilities)
             VALUES (2, 'agt_1', 1, 'C', 'c', 0, 0, 1, '[]');
             INSERT INTO project (no, id, name, name_key, owner_no, policy, created_ms, epoch)
             VALUES (1, 'prj_1', 'P', 'p', 1, '{}', 0, 'A');
             INSERT INTO project_member (project_no, member_no) VALUES (1, 1), (1, 2);
             INSERT INTO conversation (no, id, project_no, type, access_no, is_private, created_ms)
             VALUES (1, 'chn_1', 1, 0, 1, 0, 0);
             COMMIT;",
        )
        .expect("rows");
        db
    }

    fn post(calls: Calls) -> Entry {
        let author = Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "M".into() };
        let project_id: ProjectId = "prj_1".parse().expect("id");
        let channel: ChannelId = "chn_1".parse().expect("id");
        let (id, at) = (MessageId::from_bits(1), Timestamp::from_millis(1));
        let message = Message::plain(id, project_id.clone(), channel.into(), author.clone(), "hi".into(), at);
        let digest = PostMessage::default().digest();
        let new = NewMessage { message, digest, deliveries: Vec::new(), calls, answers: None };
        Entry {
            project_id,
            attribution: Attribution { actor: author, at, origin: Origin::default() },
            write: Write::PostMessage(new),
        }
    }

    /// How often statements of a post name the table of calls; all of them are new to the connection.
    fn uses_of_the_table(calls: Calls) -> usize {
        let (mut db, uses) = (database(), Arc::new(Mutex::new(0)));
        let seen = Arc::clone(&uses);
        db.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            let is_use = match context.action {
                AuthAction::Read { table_name, .. } | AuthAction::Update { table_name, .. } => table_name == "call",
                AuthAction::Insert { table_name } | AuthAction::Delete { table_name } => table_name == "call",
                _ => false,
            };
            *seen.lock().expect("count") += usize::from(is_use);
            Authorization::Allow
        }))
        .expect("authorizer");
        write::append(&Tx::new(&db), write::prepare(post(calls))).expect("posted");
        *uses.lock().expect("count")
    }

    #[test]
    fn a_post_that_calls_nobody_runs_no_statement_about_calls() {
        assert_eq!(uses_of_the_table(Calls::default()), 0);
        let agent_id = "agt_1".parse().expect("id");
        let called = vec![NewCall { agent_id, reason: CallReason::Dm }];
        assert_eq!(uses_of_the_table(Calls { called, held: Vec::new() }), 1, "one row is added");
    }
}
