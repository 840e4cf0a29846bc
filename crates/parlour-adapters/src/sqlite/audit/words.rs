//! Texts that repeat in entries, each written once.

use std::collections::HashMap;

use parlour_core::{
    id::TokenId,
    limits,
    origin::{Origin, Surface},
};
use rusqlite::{Connection, OptionalExtension};

use crate::sqlite::{
    error::{StoreError, StoreResult},
    lookup::number,
    tx::Tx,
};

/// The numbers of texts, as far as they were used.
#[derive(Default)]
pub(super) struct Words(HashMap<String, i64>);

impl Words {
    /// The number of a text; a new text gets one.
    pub(super) fn number(&mut self, tx: &Tx<'_>, text: &str) -> StoreResult<i64> {
        if let Some(no) = self.0.get(text) {
            return Ok(*no);
        }
        let no = match number(tx.db(), "SELECT no\nFROM audit_word\nWHERE text = ?1", [text])? {
            Some(no) => no,
            None => tx.insert("INSERT INTO audit_word (text)\nVALUES (?1)", [text])?,
        };
        if self.0.len() >= limits::AUDIT_WORDS_LEN_MAX {
            // Rare, and cheaper than keeping an order.
            self.0.clear();
        }
        self.0.insert(text.to_owned(), no);
        Ok(no)
    }
}

/// The text with this number.
pub(super) fn text(db: &Connection, no: i64) -> StoreResult<Option<String>> {
    let mut statement = db.prepare_cached("SELECT text\nFROM audit_word\nWHERE no = ?1")?;
    Ok(statement.query_row([no], |row| row.get(0)).optional()?)
}

/// A surface with the token as one text.
pub(super) fn way(origin: &Origin) -> String {
    match &origin.token {
        Some(token) => format!("{} {token}", origin.surface),
        None => origin.surface.to_string(),
    }
}

/// The surface and the token that a text stands for.
pub(super) fn origin(way: &str) -> StoreResult<Origin> {
    let (surface, token) = way.split_once(' ').map_or((way, None), |(surface, token)| (surface, Some(token)));
    let unreadable = |_| StoreError::Unreadable(format!("{way:?} is no way"));
    let surface: Surface = surface.parse().map_err(unreadable)?;
    let token: Option<TokenId> = token.map(str::parse).transpose().map_err(unreadable)?;
    Ok(Origin { surface, token })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_comes_back() {
        for surface in Surface::ALL {
            for token in [None, Some("tok_1".parse().expect("id"))] {
                let one = Origin { surface: *surface, token };
                assert_eq!(origin(&way(&one)).expect("own form"), one);
            }
        }
        assert!(origin("nowhere").is_err() && origin("http nobody").is_err());
    }
}
