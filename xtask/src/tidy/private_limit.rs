//! Limits that clients can reach are in the table of limits, which `GET /limits` returns.

use super::Finding;
use super::tree::{TextFile, Tree};

/// The crates that handle requests of clients.
const FOLDERS: &[&str] = &["crates/parlour-core/src/", "crates/parlour-hub/src/", "crates/parlour-server/src/"];
/// The table itself, and code for tests only.
const EXCEPT: &[&str] =
    &["crates/parlour-core/src/limits.rs", "crates/parlour-core/src/fuzz", "crates/parlour-testkit/"];
/// Internal limits that clients cannot observe: the file and the name.
const INNER: &[(&str, &str)] = &[
    ("core/src/graph.rs", "LABEL_CHARS_MAX"),
    ("core/src/mention/closeness.rs", "DISTANCE_MAX"),
    ("core/src/name.rs", "KEY_ROUNDS_MAX"),
    ("core/src/search_query.rs", "SNIPPET_CHARS_MAX"),
    ("core/src/search_query.rs", "SNIPPET_LEAD_CHARS_MAX"),
    ("hub/src/calling.rs", "NOTICE_PAGES_MAX"),
    ("hub/src/live/fanout.rs", "BATCH_LEN_MAX"),
    ("hub/src/live/fanout.rs", "REQUESTS_MAX"),
    ("hub/src/use_cases/history.rs", "SEQ_MAX"),
    ("hub/src/context/caches.rs", "BLOCKING_JOBS_MAX"),
    ("hub/src/context/caches.rs", "REDACTORS_MAX"),
    ("hub/src/context/caches.rs", "PREPARED_BYTES_MAX"),
    ("hub/src/context/caches.rs", "PACKS_MAX"),
    ("hub/src/context/caches.rs", "OBSERVED_AGENTS_MAX"),
    ("hub/src/context/caches.rs", "LAST_TEXTS_MAX"),
    ("hub/src/context/checkpoint_text/fit.rs", "ROUNDS_MAX"),
    ("hub/src/context/gather.rs", "HISTORY_MAX"),
    ("hub/src/context/gather.rs", "QUERY_CHARS_MAX"),
    ("hub/src/context/gather.rs", "BLOCKS_MAX"),
    ("hub/src/context/gather.rs", "LOOKED_UP_MAX"),
    ("hub/src/context/gather.rs", "REPLIES_MAX"),
    ("hub/src/context/gather/files.rs", "FILES_MAX"),
    ("hub/src/context/gather/files.rs", "CACHED_FILES_MAX"),
    ("hub/src/context/gather/related.rs", "UNREAD_MAX"),
    ("hub/src/context/gather/related.rs", "MENTIONS_MAX"),
    ("hub/src/context/gather/related.rs", "UNREAD_CONVERSATIONS_MAX"),
    ("hub/src/context/gather/related.rs", "UNREAD_PER_CONVERSATION_MAX"),
    ("hub/src/context/gather/related.rs", "SUBJECT_WORDS_MAX"),
    ("hub/src/context/gather/related.rs", "WORDS_MAX"),
    ("hub/src/context/gather/related.rs", "TASK_WORDS_MAX"),
    ("hub/src/context/gather/related.rs", "FOUND_MAX"),
    ("hub/src/context/gather/related.rs", "NEIGHBOURED_MAX"),
    ("hub/src/context/gather/related.rs", "NEIGHBOURS_MAX"),
    ("hub/src/context/gather/related.rs", "CHANNELS_MAX"),
    ("hub/src/context/gather/related.rs", "CONVERSATIONS_MAX"),
    ("hub/src/context/gather/related.rs", "CONVERSATION_MESSAGES_MAX"),
    ("hub/src/context/gather/related.rs", "TASK_MESSAGES_MAX"),
    ("hub/src/context/gather/related.rs", "CALLED_CONVERSATIONS_MAX"),
    ("hub/src/context/gather/related.rs", "AGENTS_MAX"),
    ("hub/src/context/gather/related.rs", "SIBLING_TASKS_MAX"),
    ("hub/src/context/list.rs", "CUTS_MAX"),
    ("hub/src/context/list_text.rs", "NUMBERED_CHARS_MAX"),
    ("hub/src/context/pack_builder.rs", "SHORTLIST_MAX"),
    ("hub/src/context/pack_builder.rs", "TEXT_CHARS_MAX"),
    ("hub/src/context/question_outcomes.rs", "ANSWER_CHARS_MAX"),
    ("hub/src/context/question_outcomes.rs", "QUESTION_CHARS_MAX"),
    ("hub/src/context/pack_builder.rs", "RERANK_TIME_MAX"),
    ("hub/src/context/summaries.rs", "HERE_MAX"),
    ("hub/src/context/summaries.rs", "ELSEWHERE_MESSAGES_MAX"),
    ("hub/src/context/summaries.rs", "ELSEWHERE_MAX"),
    ("hub/src/context/summaries.rs", "UNSEEN_MAX"),
    ("hub/src/context/usage.rs", "TEXT_BYTES_MAX"),
    ("hub/src/context/requests.rs", "TRIES_MAX"),
    ("server/src/extract.rs", "DETAIL_CHARS_MAX"),
    ("server/src/extract/request_value.rs", "EXACT_MAX"),
    ("server/src/live/ws_transport.rs", "CLOSE_TIME_MAX"),
    ("server/src/live/ws_transport.rs", "FRAGMENT_BYTES_MAX"),
    ("server/src/routes/audit.rs", "NO_MAX"),
    ("server/src/routes/history.rs", "SEQ_MAX"),
    ("server/src/serve/connection.rs", "CLOSE_TIME_MAX"),
    ("server/src/serve/accept.rs", "PLAIN_BYTES_MAX"),
    ("server/src/serve/tls.rs", "FILE_BYTES_MAX"),
    ("hub/src/questions/schema.rs", "PROBLEMS_MAX"),
    ("hub/src/questions/schema.rs", "PROBLEM_CHARS_MAX"),
    ("hub/src/runs.rs", "ANSWER_CHARS_MAX"),
    ("hub/src/runs.rs", "PASSED_OVER_MAX"),
    ("hub/src/runs/background.rs", "EXPIRING_MAX"),
    ("hub/src/summaries.rs", "MODEL_TIME_MAX"),
    ("hub/src/summaries.rs", "WRITING_MAX"),
    ("hub/src/summaries.rs", "WAITING_MAX"),
    ("hub/src/summaries.rs", "MODEL_CHARS_MAX"),
    ("hub/src/summaries.rs", "SOURCE_CHARS_MAX"),
    ("hub/src/summaries.rs", "FAILED_TIME_MAX"),
    ("hub/src/summaries.rs", "FAILED_MAX"),
];

/// Finds limits that are defined anywhere else.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_met = |file: &&TextFile| {
        let begins = |folders: &[&str]| folders.iter().any(|folder| file.path.starts_with(folder));
        begins(FOLDERS) && !begins(EXCEPT)
    };
    tree.with_extension(&["rs"]).filter(is_met).flat_map(findings).collect()
}

fn findings(file: &TextFile) -> Vec<Finding> {
    let found = file.numbered_lines().filter_map(|(number, line)| Some((number, private_limit(line)?)));
    let text = |name| format!("name {name} in limits.rs when clients can run into it, otherwise among the inner ones");
    let is_inner = |name: &str| INNER.iter().any(|(path, inner)| *inner == name && file.path.ends_with(path));
    found
        .filter(|(_, name)| !is_inner(name))
        .map(|(number, name)| Finding::at_line(&file.path, number, text(name)))
        .collect()
}

/// The name of the limit that a line defines. Limits derived from the table are skipped, and those of tests are
/// indented.
fn private_limit(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("const ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))?;
    let (name, value) = rest.split_once(':')?;
    (name.ends_with("_MAX") && !value.contains("limits::")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn findings_in(path: &str, line: &str) -> usize {
        findings_of(check, &[(path, line)]).len()
    }

    #[test]
    fn a_bound_outside_the_table_is_found_with_its_line() {
        let files = [("crates/parlour-server/src/odd.rs", "//! Odd.\npub(crate) const TAIL_CHARS_MAX: usize = 9;")];
        let text = "crates/parlour-server/src/odd.rs:2: name TAIL_CHARS_MAX in limits.rs when clients can run into it, \
                    otherwise among the inner ones";
        assert_eq!(findings_of(check, &files), [text]);
    }

    #[test]
    fn a_limit_derived_from_the_table_is_fine() {
        let line = "const TIME_MAX: Duration = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);";
        assert_eq!(findings_in("crates/parlour-server/src/odd.rs", line), 0);
    }

    #[test]
    fn table_tests_and_clients_are_not_checked() {
        let line = "const A_MAX: usize = 1;";
        for path in ["crates/parlour-core/src/limits.rs", "crates/parlour-testkit/src/a.rs", "crates/parlour/src/a.rs"]
        {
            assert_eq!(findings_in(path, line), 0, "{path}");
        }
        assert_eq!(findings_in("crates/parlour-hub/src/a.rs", &format!("    {line}")), 0);
    }

    #[test]
    fn an_internal_limit_is_allowed_only_in_its_own_file() {
        let line = "const SEQ_MAX: u64 = 1;";
        assert_eq!(findings_in("crates/parlour-hub/src/use_cases/history.rs", line), 0);
        assert_eq!(findings_in("crates/parlour-hub/src/use_cases/inbox.rs", line), 1);
    }
}
