//! Whether what a post refers to is there for its author.

use parlour_core::{
    access::Principal,
    id::{ArtifactId, ConversationId},
};
use parlour_hub::ports::{MissingRef, PostRefs};
use rusqlite::{Connection, OptionalExtension, named_params, params};

use crate::sqlite::{
    access::{Viewer, readable, sees_project},
    error::StoreResult,
    lookup::{exists, message_no},
};

/// Those of the things a post refers to that are not there for its author.
pub(in crate::sqlite) fn missing_refs(
    db: &Connection,
    conversation: &ConversationId,
    author: &Principal,
    refs: &PostRefs,
) -> StoreResult<Vec<MissingRef>> {
    let place = place(db, conversation)?;
    let viewer = Viewer::of(db, author)?;
    let mut missing = Vec::new();
    if let Some(id) = &refs.reply_to
        && !is_reply_target(db, place, message_no(db, id)?)?
    {
        missing.push(MissingRef { field: "reply_to", id: id.to_string() });
    }
    for id in &refs.artifacts {
        if !sees_artifact(db, place, viewer, id)? {
            missing.push(MissingRef { field: "artifacts", id: id.to_string() });
        }
    }
    if let Some(id) = &refs.task_id
        && !exists(
            db,
            "SELECT 1\nFROM task\nWHERE id = ?1 AND project_no = ?2",
            params![id.as_str(), place.project_no],
        )?
    {
        missing.push(MissingRef { field: "context.task_id", id: id.to_string() });
    }
    if let Some(id) = &refs.batch_id
        && !exists(
            db,
            "SELECT 1\nFROM batch\nWHERE id = ?1 AND project_no = ?2",
            params![id.as_str(), place.project_no],
        )?
    {
        missing.push(MissingRef { field: "context.batch_id", id: id.to_string() });
    }
    Ok(missing)
}

/// Where the post is to stand; an unknown conversation has no number, so nothing is found from it.
#[derive(Clone, Copy, Default)]
struct Place {
    conversation_no: i64,
    project_no: i64,
    root_no: Option<i64>,
}

fn place(db: &Connection, id: &ConversationId) -> StoreResult<Place> {
    let mut statement = db.prepare_cached("SELECT no, project_no, root_no\nFROM conversation\nWHERE id = ?1")?;
    let place = statement.query_row([id.as_str()], |row| {
        Ok(Place { conversation_no: row.get(0)?, project_no: row.get(1)?, root_no: row.get(2)? })
    });
    Ok(place.optional()?.unwrap_or_default())
}

/// Whether a message stands in the same conversation, or above the thread.
fn is_reply_target(db: &Connection, place: Place, message_no: Option<i64>) -> StoreResult<bool> {
    let Some(message_no) = message_no else { return Ok(false) };
    if place.root_no == Some(message_no) {
        return Ok(true);
    }
    let sql = "SELECT 1\nFROM message\nWHERE no = ?1 AND conversation_no = ?2";
    exists(db, sql, [message_no, place.conversation_no])
}

fn sees_artifact(db: &Connection, place: Place, viewer: Viewer, id: &ArtifactId) -> StoreResult<bool> {
    let sql = concat!(
        "SELECT 1
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.id = :id AND artifact.project_no = :project AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")"
    );
    let params = named_params! {
        ":id": id.as_str(), ":project": place.project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    exists(db, sql, params)
}
