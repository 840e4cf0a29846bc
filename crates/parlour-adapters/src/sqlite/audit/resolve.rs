//! Converts packed entries back to audit entries.

use std::collections::HashMap;

use parlour_core::{
    Timestamp,
    attribution::Origin,
    audit::{AuditEntry, AuditFilter, DONE},
    author::{Author, AuthorType},
};
use rusqlite::{Connection, Row};

use super::{
    pack::{Packed, PackedNote},
    parts, words,
};
use crate::sqlite::{
    error::StoreResult,
    message_key::StoredMessageId,
    rows::{ReadColumn, author::author_from},
};

/// The action of a plain post.
const POSTED: &str = "messaging.posted";

/// Replaces a text whose row no longer exists. No entry was ever written with it, so an entry that contains it does not
/// match the hash chain.
const LOST: &str = "(lost)";

/// Reads the rows that entries refer to, with a cache for one read.
pub(super) struct Resolver<'db> {
    db: &'db Connection,
    words: HashMap<i64, String>,
    authors: HashMap<i64, Author>,
}

impl<'db> Resolver<'db> {
    pub(super) fn new(db: &'db Connection) -> Self {
        Self { db, words: HashMap::new(), authors: HashMap::new() }
    }

    /// The entry with this number, if it matches the filter.
    ///
    /// A reference to a missing row becomes `LOST`: only a manual change of the database deletes such rows, and the log
    /// must show that.
    pub(super) fn matching(
        &mut self,
        no: u64,
        packed: &Packed,
        filter: &AuditFilter,
    ) -> StoreResult<Option<AuditEntry>> {
        let (action, result) = self.action_and_result(packed)?;
        if !filter.matches_outcome(&action, &result) {
            return Ok(None);
        }
        let entry = match packed {
            Packed::Posted { origin_no, message_no } => {
                let origin = self.origin(*origin_no)?;
                self.posted(*message_no, no, &origin)?
            }
            Packed::Noted(note) => self.noted(note, no, action, result)?,
        };
        Ok(Some(entry).filter(|entry| filter.matches(entry)))
    }

    /// The entry with this number.
    pub(super) fn entry(&mut self, no: u64, packed: &Packed) -> StoreResult<AuditEntry> {
        let found = self.matching(no, packed, &AuditFilter::default())?;
        Ok(found.expect("a filter without conditions matches every entry"))
    }

    fn action_and_result(&mut self, packed: &Packed) -> StoreResult<(String, String)> {
        let Packed::Noted(note) = packed else { return Ok((POSTED.to_owned(), DONE.to_owned())) };
        let result = note.result_no.map_or_else(|| Ok(DONE.to_owned()), |no| self.word(no))?;
        Ok((self.word(note.action_no)?, result))
    }

    fn posted(&self, message_no: i64, no: u64, origin: &Origin) -> StoreResult<AuditEntry> {
        let mut statement = self.db.prepare_cached(
            "SELECT message.id, message.created_ms, project.id, author.type, author.id, author.name
             FROM message
             JOIN conversation ON conversation.no = message.conversation_no
             JOIN project ON project.no = conversation.project_no
             JOIN author ON author.no = message.author_no
             WHERE message.no = ?1",
        )?;
        let entry = |row: &Row<'_>| {
            StoreResult::Ok(AuditEntry {
                at: row.time(1)?,
                actor: author_from(row, 3)?,
                project_id: row.parsed_opt(2)?,
                subject: Some(row.get::<_, StoredMessageId>(0)?.0.to_string()),
                ..lost(no, origin.clone())
            })
        };
        let found = statement.query_and_then([message_no], entry)?.next().transpose()?;
        Ok(found.unwrap_or_else(|| lost(no, origin.clone())))
    }

    fn noted(&mut self, note: &PackedNote, no: u64, action: String, result: String) -> StoreResult<AuditEntry> {
        let project = parts::subject(self.db, &note.project)?;
        let origin = self.origin(note.origin_no)?;
        Ok(AuditEntry {
            at: Timestamp::from_millis(note.at_ms),
            actor: self.author(note.author_no)?,
            action,
            project_id: project.and_then(|id| id.parse().ok()),
            subject: parts::subject(self.db, &note.subject)?,
            result,
            ..lost(no, origin)
        })
    }

    fn author(&mut self, no: i64) -> StoreResult<Author> {
        if let Some(author) = self.authors.get(&no) {
            return Ok(author.clone());
        }
        let mut statement = self.db.prepare_cached("SELECT type, id, name\nFROM author\nWHERE no = ?1")?;
        let found = statement.query_and_then([no], |row| author_from(row, 0))?.next().transpose()?;
        let author = found.unwrap_or_else(lost_author);
        self.authors.insert(no, author.clone());
        Ok(author)
    }

    fn origin(&mut self, origin_no: i64) -> StoreResult<Origin> {
        Ok(words::origin(&self.word(origin_no)?).unwrap_or_default())
    }

    fn word(&mut self, no: i64) -> StoreResult<String> {
        if let Some(text) = self.words.get(&no) {
            return Ok(text.clone());
        }
        let text = words::text(self.db, no)?.unwrap_or_else(|| LOST.to_owned());
        self.words.insert(no, text.clone());
        Ok(text)
    }
}

/// The entry of a post whose message no longer exists.
fn lost(no: u64, origin: Origin) -> AuditEntry {
    AuditEntry {
        no,
        at: Timestamp::from_millis(0),
        actor: lost_author(),
        surface: origin.surface,
        token_id: origin.token,
        action: POSTED.to_owned(),
        project_id: None,
        subject: None,
        result: DONE.to_owned(),
    }
}

fn lost_author() -> Author {
    Author { author_type: AuthorType::System, id: None, name: LOST.to_owned() }
}
