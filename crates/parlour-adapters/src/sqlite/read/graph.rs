//! The graph of a project, as one caller may see it.

use parlour_core::{
    access::Principal,
    conversation::Conversation,
    graph::{Graph, GraphBuilder},
    id::ProjectId,
    limits,
    message::Message,
};
use rusqlite::{Connection, Row, named_params};

use super::{directory, work};
use crate::sqlite::{
    access::{Viewer, readable},
    error::StoreResult,
    lookup::{as_i64, project_no},
    rows::{
        ReadColumn,
        conversation::{conversation_from, select_conversation},
        message::load_message_by_no,
        project::load_project,
    },
};

/// One more row than the graph can show of a kind, so that the core knows it was cut.
const ROWS_MAX: i64 = limits::GRAPH_NODES_MAX as i64 + 1;

/// The graph of a project. What the caller may not read leaves no node and no edge.
pub(in crate::sqlite) fn graph(db: &Connection, id: &ProjectId, caller: &Principal) -> StoreResult<Graph> {
    let mut sketch = GraphBuilder::default();
    let is_seen = caller.is_admin() || directory::is_member(db, id, &caller.member)?;
    let Some(project) = load_project(db, id)?.filter(|_| is_seen) else { return Ok(sketch.finish()) };
    let (project_no, viewer) = (project_no(db, id)?.unwrap_or(0), Viewer::of(db, caller)?);
    sketch.add_project(&project);
    for (member, name) in directory::roster(db, id)? {
        sketch.add_member(id, &member, &name);
    }
    let batches = "SELECT data\nFROM batch\nWHERE project_no = ?1\nORDER BY no\nLIMIT ?2";
    rows(db, batches, project_no, |row| row.json(0))?.iter().for_each(|batch| sketch.add_batch(batch));
    let tasks = "SELECT data\nFROM task\nWHERE project_no = ?1\nORDER BY no\nLIMIT ?2";
    rows(db, tasks, project_no, |row| row.json(0))?.iter().for_each(|task| sketch.add_task(task));
    let artifacts = work::seen_artifacts(db, id, viewer, 0, ROWS_MAX)?;
    artifacts.iter().for_each(|artifact| sketch.add_artifact(artifact));
    add_conversations(db, &mut sketch, project_no, viewer)?;
    Ok(sketch.finish())
}

/// Adds what the viewer may read, with the newest linked messages in it.
fn add_conversations(db: &Connection, sketch: &mut GraphBuilder, project_no: i64, viewer: Viewer) -> StoreResult<()> {
    let conversations = readable_conversations(db, project_no, viewer)?;
    for (no, conversation) in &conversations {
        sketch.add_conversation(conversation);
        if matches!(conversation, Conversation::Channel(_)) {
            let sql = "SELECT member.id
                 FROM conversation_member
                 JOIN member ON member.no = conversation_member.member_no
                 WHERE conversation_member.conversation_no = ?1
                 ORDER BY conversation_member.member_no
                 LIMIT ?2";
            sketch.add_seats(&conversation.id(), &rows(db, sql, *no, |row| row.parsed(0))?);
        }
    }
    for message in newest_linked(db, conversations.iter().map(|(no, _)| *no))? {
        sketch.add_message(&message);
    }
    Ok(())
}

fn readable_conversations(db: &Connection, project_no: i64, viewer: Viewer) -> StoreResult<Vec<(i64, Conversation)>> {
    let mut statement = db.prepare_cached(select_conversation!(
        "WHERE conversation.project_no = :project AND ",
        readable!(),
        "\nORDER BY conversation.type, conversation.no\nLIMIT :limit"
    ))?;
    let params = named_params! {
        ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin, ":limit": ROWS_MAX
    };
    statement.query_and_then(params, |row| Ok((row.get(0)?, conversation_from(db, row)?)))?.collect()
}

/// The newest messages that open a thread, carry an artifact or mention someone, over all these conversations.
fn newest_linked(db: &Connection, conversation_nos: impl Iterator<Item = i64>) -> StoreResult<Vec<Message>> {
    let mut statement = db.prepare_cached(
        "SELECT no
         FROM message
         WHERE conversation_no = ?1 AND is_linked = 1 AND no > ?2
         ORDER BY no DESC
         LIMIT ?3",
    )?;
    let (mut newest, mut floor): (Vec<i64>, i64) = (Vec::new(), 0);
    for conversation_no in conversation_nos {
        let params = [conversation_no, floor, as_i64(limits::GRAPH_MESSAGES_MAX as u64)];
        for message_no in statement.query_map(params, |row| row.get(0))? {
            newest.push(message_no?);
        }
        newest.sort_unstable_by(|left, right| right.cmp(left));
        newest.truncate(limits::GRAPH_MESSAGES_MAX);
        // Once enough are found, older ones need not be looked at.
        floor = if newest.len() == limits::GRAPH_MESSAGES_MAX { newest[newest.len() - 1] } else { 0 };
    }
    newest.into_iter().map(|no| Ok(load_message_by_no(db, no)?.message)).collect()
}

fn rows<T>(db: &Connection, sql: &str, no: i64, read: impl Fn(&Row<'_>) -> StoreResult<T>) -> StoreResult<Vec<T>> {
    db.prepare_cached(sql)?.query_and_then([no, ROWS_MAX], |row| read(row))?.collect()
}
