//! The full-text index: splitting texts into words, and building queries.
//!
//! The core splits and folds the words of messages and of searches alike, so no text can inject operators of the
//! index's query language.

use std::{collections::BTreeSet, fmt::Write};

use parlour_core::search_query::{self, Term, fold, required_words};
use rusqlite::{Connection, OptionalExtension, params};

/// Longer words are indexed by their beginning: such runs of letters are data, not language.
const WORD_CHARS_MAX: usize = 40;

/// Starts the word that marks a message's project. No text contains it, because private-use characters separate words.
const PROJECT_MARK: char = '\u{E000}';

/// Starts the word that marks the access root of a message: its conversation, or the channel of its thread.
const ACCESS_ROOT_MARK: char = '\u{E001}';

/// A change to the index, applied when the group commits.
pub(super) enum TextChange {
    /// Replaces the words of the message.
    Put {
        /// The project of the message.
        project_no: i64,
        /// The message.
        message_no: i64,
        /// Its words, as `index_words` returns them.
        words: String,
    },
    /// Removes the message from the index.
    Drop {
        /// The message.
        message_no: i64,
    },
}

/// The words of a text, each once. Callers run it on their own thread, so that it does not delay the writer.
pub(super) fn index_words(body: &str) -> String {
    let folded = fold(body);
    let words: BTreeSet<&str> = search_query::index_words(&folded).map(cut).collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// The query for all messages of the project with these terms.
pub(super) fn index_query(terms: &[Term], project_no: i64) -> String {
    let mut query = format!("\"{PROJECT_MARK}{project_no}\"");
    for term in terms {
        let folded = fold(&term.word);
        let mut words = required_words(&folded).peekable();
        while let Some((word, may_be_longer)) = words.next() {
            let is_beginning = may_be_longer || (term.is_prefix && words.peek().is_none());
            let star = if is_beginning { "*" } else { "" };
            write!(query, " AND \"{word}\"{star}", word = cut(word)).expect("a String takes everything");
        }
    }
    query
}

/// The words of these texts as the index stores them, each once, in order.
pub(super) fn cut_words(texts: &[String]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let folded: Vec<String> = texts.iter().map(|text| fold(text)).collect();
    let words = folded.iter().flat_map(|text| required_words(text)).map(|(word, _)| cut(word));
    words.filter(|word| known.insert(*word)).map(str::to_owned).collect()
}

/// The query for all messages of the project with this word of `cut_words`.
pub(super) fn word_query(word: &str, project_no: i64) -> String {
    format!("\"{PROJECT_MARK}{project_no}\" AND \"{word}\"")
}

/// The query for all messages of all projects with this word of `cut_words`.
pub(super) fn word_query_in_all_projects(word: &str) -> String {
    format!("\"{word}\"")
}

/// The query for all messages with this word of `cut_words` below these access roots.
pub(super) fn word_query_in(word: &str, access_nos: &[i64]) -> String {
    let marks: Vec<String> = access_nos.iter().map(|no| format!("\"{ACCESS_ROOT_MARK}{no}\"")).collect();
    format!("\"{word}\" AND ({})", marks.join(" OR "))
}

/// Indexes the messages whose body is chosen again.
pub(super) fn reindex(db: &Connection, is_chosen: impl Fn(&str) -> bool) -> rusqlite::Result<()> {
    let mut messages = db.prepare(
        "SELECT message.no, conversation.project_no, message.body
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.removed_ms IS NULL
         ORDER BY message.no",
    )?;
    let mut rows = messages.query([])?;
    while let Some(row) = rows.next()? {
        let body: String = row.get(2)?;
        if is_chosen(&body) {
            let words = index_words(&body);
            apply(db, &[TextChange::Put { project_no: row.get(1)?, message_no: row.get(0)?, words }])?;
        }
    }
    Ok(())
}

/// Applies the changes, in order.
pub(super) fn apply(db: &Connection, changes: &[TextChange]) -> rusqlite::Result<()> {
    let mut put = db.prepare_cached("INSERT OR REPLACE INTO message_text (rowid, words)\nVALUES (?1, ?2)")?;
    let mut drop = db.prepare_cached("DELETE FROM message_text\nWHERE rowid = ?1")?;
    for change in changes {
        match change {
            TextChange::Put { project_no, message_no, words } => {
                let access_root = access_root_mark(db, *message_no)?;
                put.execute(params![message_no, format!("{PROJECT_MARK}{project_no} {access_root}{words}")])?
            }
            TextChange::Drop { message_no } => drop.execute([message_no])?,
        };
    }
    Ok(())
}

/// The word that marks the access root of a message, with a space after it.
fn access_root_mark(db: &Connection, message_no: i64) -> rusqlite::Result<String> {
    let mut statement = db.prepare_cached(
        "SELECT conversation.access_no
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.no = ?1",
    )?;
    let access_no: Option<i64> = statement.query_row([message_no], |row| row.get(0)).optional()?;
    Ok(access_no.map(|no| format!("{ACCESS_ROOT_MARK}{no} ")).unwrap_or_default())
}

/// The first `WORD_CHARS_MAX` characters of a word.
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
    fn search_ignores_case_and_accents() {
        let db = index(&["Ärger mit JOSÉ", "arger", "Straße"]);
        assert_eq!(find(&db, "ärger", 7), [2, 1]);
        assert_eq!(find(&db, "jose arger", 7), [1]);
        assert_eq!(find(&db, "STRASSE", 7), [3]);
    }

    #[test]
    fn word_beginnings_match_only_with_a_star() {
        let db = index(&["deployment"]);
        assert_eq!((find(&db, "deploy", 7), find(&db, "deploy*", 7)), (vec![], vec![1]));
    }

    #[test]
    fn words_of_other_scripts_with_marks_stay_whole() {
        let db = index(&["हिन्दी में", "日本語"]);
        assert_eq!((find(&db, "हिन्दी", 7), find(&db, "日本語", 7)), (vec![1], vec![2]));
    }

    #[test]
    fn every_part_of_an_unspaced_run_is_found() {
        let db = index(&["これは日本語です", "部署完成", "서버가 내려갔다", "ระบบล่ม"]);
        for (query, expected) in
            [("日本語", 1), ("語", 1), ("す", 1), ("本語で", 1), ("完成", 2), ("서버", 3), ("ล่ม", 4), ("本*", 1)]
        {
            assert_eq!(find(&db, query, 7), [expected], "{query}");
        }
        assert_eq!(find(&db, "語日", 7), [0_i64; 0]);
    }

    #[test]
    fn a_search_finds_no_other_project_and_texts_cannot_forge_the_project_mark() {
        let db = index(&["hello \u{E000}8"]);
        assert_eq!((find(&db, "hello", 7), find(&db, "hello", 8)), (vec![1], vec![]));
    }

    #[test]
    fn dropped_texts_are_not_found_and_new_texts_replace_old_ones() {
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
