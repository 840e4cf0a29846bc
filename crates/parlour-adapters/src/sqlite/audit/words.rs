//! The table `audit_word`: texts that repeat in entries, each stored once.

use std::collections::HashMap;

use parlour_core::{
    attribution::{Origin, Surface},
    id::TokenId,
    limits,
};
use rusqlite::{Connection, OptionalExtension};

use crate::sqlite::{
    error::{StoreError, StoreResult},
    lookup::number,
    tx::Tx,
};

/// A cache of the numbers of texts.
#[derive(Default)]
pub(super) struct WordNumbers(HashMap<String, i64>);

impl WordNumbers {
    /// The number of a text; adds a row for a new text.
    pub(super) fn number(&mut self, tx: &Tx<'_>, text: &str) -> StoreResult<i64> {
        if let Some(no) = self.0.get(text) {
            return Ok(*no);
        }
        let no = match number(tx.db(), "SELECT no\nFROM audit_word\nWHERE text = ?1", [text])? {
            Some(no) => no,
            None => tx.insert("INSERT INTO audit_word (text)\nVALUES (?1)", [text])?,
        };
        if self.0.len() >= limits::AUDIT_WORDS_LEN_MAX {
            // Rare, and cheaper than tracking the order of use.
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

/// The surface and the token of an origin as one text.
pub(super) fn origin_text(origin: &Origin) -> String {
    match &origin.token {
        Some(token) => format!("{} {token}", origin.surface),
        None => origin.surface.to_string(),
    }
}

/// Reads the text of `origin_text`.
pub(super) fn origin(text: &str) -> StoreResult<Origin> {
    let (surface, token) = text.split_once(' ').map_or((text, None), |(surface, token)| (surface, Some(token)));
    let unreadable = |_| StoreError::Unreadable(format!("{text:?} is not an origin"));
    let surface: Surface = surface.parse().map_err(unreadable)?;
    let token: Option<TokenId> = token.map(str::parse).transpose().map_err(unreadable)?;
    Ok(Origin { surface, token })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_round_trips() {
        for surface in Surface::ALL {
            for token in [None, Some("tok_1".parse().expect("id"))] {
                let one = Origin { surface: *surface, token };
                assert_eq!(origin(&origin_text(&one)).expect("own form"), one);
            }
        }
        assert!(origin("nowhere").is_err() && origin("http nobody").is_err());
    }
}
