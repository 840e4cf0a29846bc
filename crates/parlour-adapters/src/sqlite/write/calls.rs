//! Call records: one row for each agent that a message calls, written with the message and never deleted.

use parlour_core::{
    Refusal, Timestamp,
    answer_effects::CallOrder,
    call::{NewCall, PassedCall, callable},
    cause::depth_of,
    event::Change,
    id::{AgentId, MemberId, MessageId},
    message::Message,
    write::Appended,
};
use rusqlite::{OptionalExtension, params};

use crate::sqlite::{
    error::StoreResult,
    inbox::{DeliveredMessage, can_read},
    lookup::{as_i64, number},
    message_key::MessageKey,
    rows::{codes::call_reason_code, event::About},
    tx::Tx,
    write::{
        find::{self, agent_no},
        log::LogWriter,
    },
};

/// An agent that is to be called.
pub(in crate::sqlite) struct Callee {
    agent_no: i64,
    call: NewCall,
}

/// The calls that can be made, with the numbers of their agents.
pub(in crate::sqlite) fn callees(
    tx: &Tx<'_>,
    project_no: i64,
    conversation_no: i64,
    called: Vec<NewCall>,
) -> StoreResult<Vec<Callee>> {
    let mut readers = Vec::with_capacity(called.len());
    for call in &called {
        let agent_no = agent_no(tx, project_no, &call.agent_id)?;
        if can_read(tx, agent_no, project_no, conversation_no)? {
            readers.push(call.agent_id.clone());
        }
    }
    let with_number = |call: NewCall| Ok(Callee { agent_no: agent_no(tx, project_no, &call.agent_id)?, call });
    callable(called, &readers).into_iter().map(with_number).collect()
}

/// Their ids, as the message names them.
pub(in crate::sqlite) fn ids(callees: &[Callee]) -> Vec<AgentId> {
    callees.iter().map(|callee| callee.call.agent_id.clone()).collect()
}

/// Records the calls of a message. An agent that the message has called before is not called again.
pub(in crate::sqlite) fn record(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    message: &Message,
    callees: &[Callee],
    order: CallOrder,
) -> StoreResult<()> {
    if callees.is_empty() {
        return Ok(());
    }
    let caller_no = caller_no(tx, delivered.project_no, message)?;
    for callee in callees {
        let is_new = tx.execute(
            "INSERT INTO call (agent_no, message_no, project_no, conversation_no, called_ms, log_offset, reason, depth,
                 caller_no, correlation_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT DO NOTHING",
            params![
                callee.agent_no,
                delivered.message_no,
                delivered.project_no,
                delivered.conversation_no,
                order.called_at.as_millis(),
                as_i64(order.log_offset),
                call_reason_code(callee.call.reason),
                depth_of(message),
                caller_no,
                message.correlation_id
            ],
        )?;
        if is_new > 0 {
            record_last_call(tx, callee.agent_no, delivered.conversation_no, order)?;
        }
    }
    Ok(())
}

/// Records the time of the last call of an agent in a conversation.
fn record_last_call(tx: &Tx<'_>, agent_no: i64, conversation_no: i64, order: CallOrder) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO called_place (agent_no, conversation_no, called_ms, log_offset)
         VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (agent_no, conversation_no) DO UPDATE
         SET called_ms = excluded.called_ms, log_offset = excluded.log_offset
         WHERE (excluded.called_ms, excluded.log_offset) > (called_place.called_ms, called_place.log_offset)",
        params![agent_no, conversation_no, order.called_at.as_millis(), as_i64(order.log_offset)],
    )?;
    Ok(())
}

/// The calling agent; `None` if the author is not an agent.
fn caller_no(tx: &Tx<'_>, project_no: i64, message: &Message) -> StoreResult<Option<i64>> {
    match message.from.member_id() {
        Some(MemberId::Agent(agent)) => agent_no(tx, project_no, &agent).map(Some),
        _ => Ok(None),
    }
}

/// Marks the open calls that an answer takes: by the message that it answers, and by those of `also` in the same
/// conversation.
pub(in crate::sqlite) fn take(
    tx: &Tx<'_>,
    agent_no: i64,
    called_by: &MessageId,
    also: &[MessageId],
    answer_no: i64,
) -> StoreResult<()> {
    let Some((message_no, conversation_no)) = call_by(tx, agent_no, called_by)? else { return Ok(()) };
    tx.execute(TAKE, [agent_no, message_no, answer_no])?;
    for id in also {
        if let Some((message_no, _)) = call_by(tx, agent_no, id)?.filter(|(_, place)| *place == conversation_no) {
            tx.execute(TAKE, [agent_no, message_no, answer_no])?;
        }
    }
    Ok(())
}

pub(in crate::sqlite) const TAKE: &str = "UPDATE call
     SET answer_no = ?3
     WHERE agent_no = ?1 AND message_no = ?2 AND answer_no IS NULL AND closed_ms IS NULL";

/// The message and the conversation of the call of an agent by a message.
fn call_by(tx: &Tx<'_>, agent_no: i64, message: &MessageId) -> StoreResult<Option<(i64, i64)>> {
    let mut call = tx.statement(CALL_BY)?;
    let found = call.query_row(params![MessageKey(message), agent_no], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(found.optional()?)
}

pub(in crate::sqlite) const CALL_BY: &str = "SELECT call.message_no, call.conversation_no
     FROM message
     JOIN call ON call.message_no = message.no
     WHERE message.id = ?1 AND call.agent_no = ?2";

/// Closes an open call and returns whether it was open.
pub(in crate::sqlite) fn close(tx: &Tx<'_>, agent_no: i64, message_no: i64, at: Timestamp) -> StoreResult<bool> {
    let closed = tx.execute(
        "UPDATE call
         SET closed_ms = ?3
         WHERE agent_no = ?1 AND message_no = ?2 AND answer_no IS NULL AND closed_ms IS NULL",
        [agent_no, message_no, at.as_millis()],
    )?;
    Ok(closed == 1)
}

/// Closes the open calls of an agent in a channel and its threads, because it may no longer read them.
pub(in crate::sqlite) fn close_channel(tx: &Tx<'_>, agent_no: i64, channel_no: i64, at: Timestamp) -> StoreResult<()> {
    tx.execute(CLOSE_CHANNEL, [agent_no, channel_no, at.as_millis()])?;
    Ok(())
}

pub(in crate::sqlite) const CLOSE_CHANNEL: &str = "UPDATE call INDEXED BY open_call
     SET closed_ms = ?3
     WHERE agent_no = ?1 AND answer_no IS NULL AND closed_ms IS NULL AND ?2 = (
         SELECT conversation.access_no
         FROM conversation
         WHERE conversation.no = call.conversation_no
     )";

/// Whether the message has ever called the agent.
pub(in crate::sqlite) fn is_called(tx: &Tx<'_>, agent_no: i64, message_no: i64) -> StoreResult<bool> {
    let sql = "SELECT 1
         FROM call
         WHERE agent_no = ?1 AND message_no = ?2";
    Ok(number(tx.db(), sql, [agent_no, message_no])?.is_some())
}

/// Closes an open call without an answer; one that is no longer open stays as it is.
pub(super) fn pass_call(log: &LogWriter<'_>, passed: PassedCall) -> StoreResult<Appended> {
    let stored = find::message(log, &passed.message_id)?;
    let agent_no = find::agent_no(log.tx, log.project_no(), &passed.agent_id)?;
    if !is_called(log.tx, agent_no, stored.no)? {
        return Err(Refusal::not_found("call", &passed.message_id).into());
    }
    let change = Change::CallPassed(Box::new(PassedCall { conversation_id: stored.message.to, ..passed }));
    if !close(log.tx, agent_no, stored.no, log.at)? {
        return log.repeated(change);
    }
    log.record_about(About { message_no: Some(stored.no), member_no: Some(agent_no) }, change)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use parlour_core::{
        attribution::{Attribution, Origin},
        author::{Author, AuthorType},
        call::{CallReason, Calls},
        id::{ChannelId, ProjectId},
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
        let new =
            NewMessage { message, digest, deliveries: Vec::new(), calls, answers: None, answers_also: Vec::new() };
        Entry {
            project_id,
            attribution: Attribution { actor: author, at, origin: Origin::default() },
            write: Write::PostMessage(new),
        }
    }

    /// Counts the uses of the call table in the statements of a post. The connection has no statements in its cache.
    fn call_table_uses(calls: Calls) -> usize {
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
        assert_eq!(call_table_uses(Calls::default()), 0);
        let agent_id = "agt_1".parse().expect("id");
        let called = vec![NewCall { agent_id, reason: CallReason::Dm }];
        assert_eq!(call_table_uses(Calls { called, held: Vec::new() }), 1, "one row is added");
    }
}
