//! Reads, grouped by port. Each read sees one state of the database.

pub(super) mod accounts;
pub(super) mod calls;
pub(super) mod context_records;
pub(super) mod conversations;
pub(super) mod deliveries;
pub(super) mod digests;
pub(super) mod directory;
pub(super) mod find_any;
pub(super) mod history;
pub(super) mod inbox_lists;
pub(super) mod inboxes;
pub(super) mod invites;
pub(super) mod log;
pub(super) mod notable;
pub(super) mod questions;
mod readable_conversations;
pub(super) mod related_lookups;
pub(super) mod runs;
pub(super) mod search;
pub(super) mod snapshot;
pub(super) mod work;

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{
        accounts, calls, context_records, digests, directory, history, inbox_lists, inboxes, invites, notable,
        questions, related_lookups, runs, snapshot,
    };
    use crate::sqlite::{
        inbox as inbox_writes, injections,
        migrate::migrate,
        rows::delivery,
        summaries,
        write::{self, calls as call_writes, questions as question_writes},
    };

    /// The query plan of a statement.
    fn plan(sql: &str) -> Vec<String> {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(sql);
        let mut rows = statement.raw_query();
        let mut plan = Vec::new();
        while let Some(row) = rows.next().expect("row") {
            plan.push(row.get(3).expect("detail"));
        }
        plan
    }

    #[test]
    fn history_inboxes_and_counts_scan_no_table() {
        let statements = [
            history::NEWEST_FIRST,
            history::OLDEST_FIRST,
            inbox_lists::INBOX,
            inbox_lists::COUNTS,
            inboxes::UNREAD_OF_PERSON,
            inboxes::UNREAD_OF_AGENT,
            inboxes::UNREAD_OF_PERSON_IN,
            inboxes::UNREAD_OF_AGENT_IN,
        ];
        for sql in statements {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("SCAN ")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn history_and_inboxes_are_read_in_index_order() {
        for sql in [history::NEWEST_FIRST, history::OLDEST_FIRST, inbox_lists::INBOX] {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn authentication_uses_indexes_for_tokens_and_invites() {
        let statements = [
            accounts::PRINCIPAL_BY_HASH,
            accounts::PRINCIPAL_BY_ID,
            accounts::TOKENS,
            invites::INVITES,
            write::invites::OPEN_INVITES,
            write::accounts::DELETE_EXPIRED,
            write::accounts::DELETE_EXPIRED_OF_MEMBER,
        ];
        for sql in statements {
            let plan = plan(sql);
            let is_bounded = |step: &String| !step.contains("SCAN ") && !step.contains("TEMP B-TREE");
            assert!(plan.iter().all(is_bounded), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn streaming_messages_are_found_by_their_own_index() {
        let plan = plan(crate::sqlite::streams::STREAMING);
        assert!(plan.iter().any(|step| step.contains("streaming_message")), "{plan:#?}");
        assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
    }

    #[test]
    fn call_lookups_use_indexes_and_do_not_sort() {
        let statements = [
            (calls::OPEN_CALLS, "open_call "),
            (calls::RECENT_CALLS, "call_of_agent "),
            (calls::WAITING_CALLS, "open_call_in "),
            (related_lookups::CONVERSATIONS_WITH_CALLS, "called_place_of_agent "),
            (calls::CORRELATED_CALLS, "correlated_call "),
            (call_writes::CLOSE_CHANNEL, "open_call "),
            (directory::HOSTED_AGENTS, "hosted_agent "),
        ];
        for (sql, index) in statements {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            let is_bounded = |step: &String| !step.contains("SCAN ") && !step.contains("TEMP B-TREE");
            assert!(plan.iter().all(is_bounded), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn related_tasks_and_artifacts_are_read_in_index_order() {
        let statements = [
            (related_lookups::TASKS_BELOW, "task_below "),
            (related_lookups::TASKS_IN_BATCH, "task_in_batch "),
            (related_lookups::ARTIFACTS_IN, "artifact_in "),
            (related_lookups::ARTIFACTS_OF_TASK, "artifact_of_task "),
        ];
        for (sql, index) in statements {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn every_inbox_filter_uses_an_index() {
        let statements = [
            (inbox_lists::INBOX, "PRIMARY KEY (agent_no=? AND importance=? AND message_no>?)"),
            (inbox_lists::INBOX_IN, "inbox_in (agent_no=? AND conversation_no=? AND importance=? AND message_no>?)"),
            (inbox_lists::MENTIONS, "mention_in_inbox (agent_no=? AND importance=? AND message_no>?)"),
            (inbox_lists::MENTIONS_IN, "mention_in_inbox_in (agent_no=? AND conversation_no=? AND importance=? AND"),
            (inbox_lists::BLOCKS, "block_in_inbox (agent_no=? AND importance=? AND message_no>?)"),
            (
                inboxes::UNREAD_OF_AGENT_UP_TO,
                "COVERING INDEX inbox_in (agent_no=? AND conversation_no=? AND importance=? AND",
            ),
            (digests::OLDEST, "inbox_in (agent_no=? AND conversation_no=? AND importance=?)"),
            (digests::NEWEST, "inbox_in (agent_no=? AND conversation_no=? AND importance=?)"),
            (digests::AUTHORS, "inbox_in (agent_no=? AND conversation_no=? AND importance=?)"),
            (digests::UNREAD_CONVERSATIONS, "inbox_in (agent_no=? AND conversation_no=? AND importance=?)"),
            (inbox_writes::REMOVE_IN, "inbox_in (agent_no=? AND conversation_no=?)"),
            (inbox_writes::DELETE_DELIVERIES_IN, "PRIMARY KEY (message_no=? AND agent_no=?)"),
            (delivery::STORED_OF_MESSAGE, "PRIMARY KEY (agent_no=? AND importance=? AND message_no=?)"),
        ];
        check_indexed(&statements);
    }

    #[test]
    fn notable_messages_are_found_by_indexes() {
        let statements = [
            (notable::UNREAD_CONVERSATIONS, "conversation_of_project (project_no=?)"),
            (notable::BY_SEQ, "(conversation_no=? AND seq=?)"),
            (notable::MENTION_BEFORE, "PRIMARY KEY (member_no=? AND conversation_no=? AND seq>? AND seq<?)"),
            (notable::NOTABLE_BEFORE, "notable_message (conversation_no=? AND seq>? AND seq<?)"),
            (notable::ANY_BEFORE, "(conversation_no=? AND seq>? AND seq<?)"),
        ];
        check_indexed(&statements);
    }

    #[test]
    fn questions_and_runs_are_found_by_indexes() {
        let statements = [
            (questions::QUESTIONS_TO, "PRIMARY KEY (member_no=?"),
            (questions::OPEN_QUESTIONS, "open_question_in (project_no=?"),
            (questions::EXPIRING, "open_question (expires_ms<?)"),
            (questions::NEXT_EXPIRY, "open_question"),
            (question_writes::OPEN_BY, "open_question_by (project_no=? AND asker_no=?)"),
            (question_writes::OPEN_IN, "open_question_"),
            (runs::RUNS_OF_PROJECT, "run_of_project (project_no=? AND no<?)"),
            (runs::RUNS_OF_AGENT, "run_of_agent (agent_no=? AND no<?)"),
            (runs::RUNS_OF_TASK, "run_of_task (task_no=? AND no<?)"),
            (runs::RUNS_OF_AGENT_FOR_TASK, "run_of_agent_for (task_no=? AND agent_no=? AND no<?)"),
            (runs::OPEN_RUNS_OF_PROJECT, "open_run_in (project_no=? AND no<?)"),
            (runs::OPEN_RUNS_OF_AGENT, "open_run_of (agent_no=? AND no<?)"),
            (runs::OPEN_RUNS, "open_run (id>?)"),
            (runs::OPEN_RUNS_OF, "open_run_of (agent_no=?)"),
            (runs::PAUSED_BY, "PRIMARY KEY (message_no=?)"),
            (write::runs::OPEN_OF_AGENT, "open_run_of (agent_no=?)"),
            (write::runs::OPEN_IN_PROJECT, "open_run_in (project_no=?)"),
            (write::runs::INJECTED, "injected_delivery (run_no=?)"),
            (write::questions::TAKEN, "call_of_answer (answer_no=?)"),
            (runs::OF_RUN, "moment_of_run (run_no=? AND no>?)"),
            (runs::OF_TASK, "moment_of_task (task_no=? AND no>?)"),
            (delivery::MOVED_OF_MESSAGE, "PRIMARY KEY (message_no=?)"),
            (snapshot::RUNS, "open_run_in (project_no=?)"),
        ];
        check_indexed(&statements);
        // These statements sort, but only open questions.
        for (sql, index) in
            [(questions::BLOCKS_OF, "PRIMARY KEY (member_no=?)"), (questions::WAITS, "open_question_by")]
        {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            assert!(plan.iter().all(|step| !step.contains("SCAN ")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn injections_and_summaries_are_found_by_indexes() {
        let statements = [
            (context_records::OF_RUN, "injection_of_run (run_no=? AND no>?)"),
            (context_records::TEXTS, "PRIMARY KEY (injection_no=?)"),
            (context_records::SUMMARY, "(conversation_no=? AND first_seq=? AND last_seq=?)"),
            (injections::COUNT, "injection_of_run (run_no=?)"),
            (injections::OLDEST, "injection_of_run (run_no=?)"),
            (injections::KEEP_SUMMARY, "removed_message (conversation_no=? AND seq<?)"),
            (injections::CLEAR_BY_MESSAGE, "injected_message (message_no=?)"),
            (injections::CLEAR_BY_SUMMARY, "injected_summary (conversation_no=? AND last_seq>?)"),
            (injections::FORGET_MESSAGE, "injected_message (message_no=?)"),
            (injections::FORGET_SUMMARY, "injected_summary (conversation_no=? AND last_seq>?)"),
            (summaries::COUNT, "(conversation_no=?)"),
            (summaries::FORGET_OLDEST, "summary_of_conversation (conversation_no=?)"),
            (summaries::FORGET_SPANS, "(conversation_no=? AND first_seq<?)"),
        ];
        check_indexed(&statements);
    }

    /// Asserts that each statement uses this index, scans no table and does not sort.
    fn check_indexed(statements: &[(&str, &str)]) {
        for (sql, index) in statements {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            let is_bounded = |step: &String| {
                let is_scan = step.contains("SCAN ") && !step.contains("open_question");
                !is_scan && !step.contains("TEMP B-TREE")
            };
            assert!(plan.iter().all(is_bounded), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn a_snapshot_scans_no_table() {
        let statements = [
            snapshot::PRIVATE_MEMBERS,
            snapshot::NEWEST_THREAD,
            snapshot::CHANNEL_MEMBERS,
            snapshot::SUBSCRIPTIONS,
            snapshot::DMS,
            snapshot::READ_STATES,
            snapshot::TASKS,
            snapshot::BATCHES,
            snapshot::ARTIFACTS,
        ];
        // Only the parameter list and the mentions that were already found are scanned.
        let is_bounded = |step: &String| step.contains("VIRTUAL TABLE") || step == "SCAN newest";
        for sql in statements {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("SCAN ") || is_bounded(step)), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn the_newest_items_of_a_snapshot_are_found_without_sorting() {
        for sql in [snapshot::NEWEST_THREAD, snapshot::TASKS, snapshot::BATCHES, snapshot::ARTIFACTS] {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }
}
