//! The index of words: how texts are cut for it, and how it is asked.
//!
//! The core cuts and folds the words, of messages and of searches alike, so both mean the same by a word and no text
//! can make the index's own query language trip.

use std::{collections::BTreeSet, fmt::Write};

use parlour_core::search_query::{Term, fold, words};
use rusqlite::{Connection, OptionalExtension, params};

/// Longer words count as their beginning: endless runs of letters are data, not language.
const WORD_CHARS_MAX: usize = 40;

/// Starts the word that marks a message's project. No text holds it, because private characters separate words.
const PROJECT_MARK: char = '\u{E000}';

/// Starts the word that marks the conversation whose readers may read a message; for a thread that is its channel.
const PLACE_MARK: char = '\u{E001}';

/// A change to the index that is made when the group commits.
pub(super) enum TextChange {
    /// These words are now those of the message.
    Put {
        /// The project that the message belongs to.
        project_no: i64,
        /// The message.
        message_no: i64,
        /// Its words, as `index_words` gives them.
        words: String,
    },
    /// The message is to be found no more.
    Drop {
        /// The message.
        message_no: i64,
    },
}

/// The words of a text, each once. It is work for the caller's thread, not for the one that writes.
pub(super) fn index_words(body: &str) -> String {
    let folded = fold(body);
    let words: BTreeSet<&str> = short_words(&folded).collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// The question that finds all messages of the project with these terms.
pub(super) fn index_query(terms: &[Term], project_no: i64) -> String {
    let mut query = format!("\"{PROJECT_MARK}{project_no}\"");
    for term in terms {
        let folded = fold(&term.word);
        for word in short_words(&folded) {
            let star = if term.is_prefix { "*" } else { "" };
            write!(query, " AND \"{word}\"{star}").expect("a String takes everything");
        }
    }
    query
}

/// The words of these texts as the index has them, each once, in their order.
pub(super) fn cut_words(texts: &[String]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let folded: Vec<String> = texts.iter().map(|text| fold(text)).collect();
    let words = folded.iter().flat_map(|text| short_words(text));
    words.filter(|word| known.insert(*word)).map(str::to_owned).collect()
}

/// The question that finds all messages of the project with this word, which is one of `cut_words`.
pub(super) fn word_query(word: &str, project_no: i64) -> String {
    format!("\"{PROJECT_MARK}{project_no}\" AND \"{word}\"")
}

/// The question that finds all messages with this word, which is one of `cut_words`, of all projects.
pub(super) fn word_query_anywhere(word: &str) -> String {
    format!("\"{word}\"")
}

/// The question that finds all messages with this word, which is one of `cut_words`, that are read where these are.
pub(super) fn place_query(word: &str, access_nos: &[i64]) -> String {
    let places: Vec<String> = access_nos.iter().map(|no| format!("\"{PLACE_MARK}{no}\"")).collect();
    format!("\"{word}\" AND ({})", places.join(" OR "))
}

/// Puts every message into the index anew, for one that was made without the marks of places.
pub(super) fn index_again(db: &Connection) -> rusqlite::Result<()> {
    let mut messages = db.prepare(
        "SELECT message.no, conversation.project_no, message.body
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.removed_ms IS NULL
         ORDER BY message.no",
    )?;
    let mut rows = messages.query([])?;
    while let Some(row) = rows.next()? {
        let words = index_words(&row.get::<_, String>(2)?);
        apply(db, &[TextChange::Put { project_no: row.get(1)?, message_no: row.get(0)?, words }])?;
    }
    Ok(())
}

/// Makes the changes, in order.
pub(super) fn apply(db: &Connection, changes: &[TextChange]) -> rusqlite::Result<()> {
    let mut put = db.prepare_cached("INSERT OR REPLACE INTO message_text (rowid, words)\nVALUES (?1, ?2)")?;
    let mut drop = db.prepare_cached("DELETE FROM message_text\nWHERE rowid = ?1")?;
    for change in changes {
        match change {
            TextChange::Put { project_no, message_no, words } => {
                let place = place_mark(db, *message_no)?;
                put.execute(params![message_no, format!("{PROJECT_MARK}{project_no} {place}{words}")])?
            }
            TextChange::Drop { message_no } => drop.execute([message_no])?,
        };
    }
    Ok(())
}

/// The word for the place of a message, with a blank.
fn place_mark(db: &Connection, message_no: i64) -> rusqlite::Result<String> {
    let mut place = db.prepare_cached(
        "SELECT conversation.access_no
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.no = ?1",
    )?;
    let access_no: Option<i64> = place.query_row([message_no], |row| row.get(0)).optional()?;
    Ok(access_no.map(|no| format!("{PLACE_MARK}{no} ")).unwrap_or_default())
}

/// Words as the core cuts them, at most `WORD_CHARS_MAX` long.
fn short_words(folded: &str) -> impl Iterator<Item = &str> {
    words(folded).map(|range| cut(&folded[range]))
}

fn cut(word: &str) -> &str {
    word.char_indices().nth(WORD_CHARS_MAX).map_or(word, |(end, _)| &word[..end])
}

#[cfg(test)]
mod tests {
    use parlour_core::search_query::SearchQuery;
    use proptest::prelude::*;

    use super::*;

    fn index(bodies: &[&str]) -> Connection {
        let db = Connection::open_in_memory().expect("memory");
        super::super::migrate::migrate(&db).expect("migrate");
        let changes: Vec<_> = (1..)
            .zip(bodies)
            .map(|(message_no, body)| TextChange::Put { project_no: 7, message_no, words: index_words(body) })
            .collect();
        apply(&db, &changes).expect("apply");
        db
    }

    fn find(db: &Connection, query: &str, project_no: i64) -> Vec<i64> {
        let query = SearchQuery::parse(query).expect("query");
        let sql = "SELECT rowid FROM message_text WHERE message_text MATCH ?1 ORDER BY rowid DESC";
        let mut statement = db.prepare(sql).expect("statement");
        let rows = statement.query_map([index_query(query.terms(), project_no)], |row| row.get(0)).expect("query");
        rows.collect::<Result<_, _>>().expect("rows")
    }

    #[test]
    fn words_are_found_whatever_their_case_and_accents() {
        let db = index(&["Ärger mit JOSÉ", "arger", "Straße"]);
        assert_eq!(find(&db, "ärger", 7), [2, 1]);
        assert_eq!(find(&db, "jose arger", 7), [1]);
        assert_eq!(find(&db, "STRASSE", 7), [3]);
    }

    #[test]
    fn beginnings_are_found_with_a_star_only() {
        let db = index(&["deployment"]);
        assert_eq!((find(&db, "deploy", 7), find(&db, "deploy*", 7)), (vec![], vec![1]));
    }

    #[test]
    fn words_of_other_scripts_with_marks_stay_whole() {
        let db = index(&["हिन्दी में", "日本語"]);
        assert_eq!((find(&db, "हिन्दी", 7), find(&db, "日本語", 7)), (vec![1], vec![2]));
    }

    #[test]
    fn the_other_project_finds_nothing_and_nobody_can_write_the_mark() {
        let db = index(&["hello \u{E000}8"]);
        assert_eq!((find(&db, "hello", 7), find(&db, "hello", 8)), (vec![1], vec![]));
    }

    #[test]
    fn a_dropped_text_is_found_no_more_and_a_new_one_replaces_the_old() {
        let db = index(&["old", "old"]);
        let put = TextChange::Put { project_no: 7, message_no: 1, words: index_words("new") };
        apply(&db, &[put, TextChange::Drop { message_no: 2 }]).expect("apply");
        assert_eq!((find(&db, "old", 7), find(&db, "new", 7)), (vec![], vec![1]));
    }

    proptest! {
        #[test]
        fn every_word_of_a_text_finds_it(body in "\\PC{0,60}|[a-zA-Z\"*'() éß-]{0,60}") {
            let db = index(&[&body]);
            for word in body.split_whitespace() {
                if let Ok(query) = SearchQuery::parse(word) {
                    let terms = query.terms();
                    prop_assert_eq!(find(&db, word, 7), [1], "{:?}", terms);
                }
            }
        }
    }
}
