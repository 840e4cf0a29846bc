//! Rows of authors. All messages of an author share one row.

use parlour_core::author::Author;
use rusqlite::{OptionalExtension, Row, params};

use super::codes::{author_code, author_type};
use crate::sqlite::{error::StoreResult, lookup, tx::Tx};

/// The row numbers of an author.
#[derive(Clone, Copy, Debug)]
pub(in crate::sqlite) struct AuthorRef {
    pub(in crate::sqlite) no: i64,
    /// The member, if the author is one.
    pub(in crate::sqlite) member_no: Option<i64>,
}

/// Finds or creates the row of an author.
pub(in crate::sqlite) fn author_ref(tx: &Tx<'_>, author: &Author) -> StoreResult<AuthorRef> {
    let (code, id) = (author_code(author.author_type), author.id.as_deref().unwrap_or_default());
    let mut known = tx.statement(
        "SELECT no, member_no
         FROM author
         WHERE id = ?1 AND type = ?2 AND name = ?3",
    )?;
    let as_ref = |row: &Row<'_>| Ok(AuthorRef { no: row.get(0)?, member_no: row.get(1)? });
    if let Some(found) = known.query_row(params![id, code, author.name], as_ref).optional()? {
        return Ok(found);
    }
    let member_no = match author.member_id() {
        Some(member) => lookup::member_no(tx.db(), &member)?,
        None => None,
    };
    let no = tx.insert(
        "INSERT INTO author (type, id, name, member_no)
         VALUES (?1, ?2, ?3, ?4)",
        params![code, id, author.name, member_no],
    )?;
    Ok(AuthorRef { no, member_no })
}

/// Reads type, id and name from three consecutive columns.
pub(in crate::sqlite) fn author_from(row: &Row<'_>, column: usize) -> StoreResult<Author> {
    let id: String = row.get(column + 1)?;
    Ok(Author {
        author_type: author_type(row.get(column)?)?,
        id: (!id.is_empty()).then_some(id),
        name: row.get(column + 2)?,
    })
}
