//! The reads, grouped as the port groups them. Each runs on one state of the database.

pub(super) mod accounts;
pub(super) mod beside;
pub(super) mod calls;
pub(super) mod context_records;
pub(super) mod conversations;
pub(super) mod deliveries;
pub(super) mod digests;
pub(super) mod directory;
pub(super) mod find_any;
pub(super) mod graph;
pub(super) mod history;
pub(super) mod inbox_lists;
pub(super) mod inboxes;
pub(super) mod invites;
pub(super) mod log;
pub(super) mod notable;
pub(super) mod private_members;
pub(super) mod questions;
pub(super) mod refs;
pub(super) mod runs;
pub(super) mod search;
mod sight;
pub(super) mod snapshot;
pub(super) mod streams;
pub(super) mod timelines;
pub(super) mod work;

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{
        accounts, beside, calls, context_records, digests, directory, history, inbox_lists, inboxes, invites, notable,
        private_members, questions, runs, snapshot, streams, timelines,
    };
    use crate::sqlite::{
        calls as call_writes, inbox as inbox_writes, injections, migrate::migrate, questions as question_writes,
        rows::delivery, summaries, write,
    };

    /// How SQLite would run a statement.
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
    fn the_cost_of_history_inboxes_and_counts_does_not_grow_with_the_tables() {
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
    fn history_and_inboxes_are_read_in_the_order_of_an_index() {
        for sql in [history::NEWEST_FIRST, history::OLDEST_FIRST, inbox_lists::INBOX] {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn letting_somebody_in_costs_the_same_however_many_tokens_there_are() {
        let statements = [
            accounts::PRINCIPAL_BY_HASH,
            accounts::PRINCIPAL_BY_ID,
            accounts::TOKENS,
            invites::INVITES,
            write::invites::OPEN_INVITES,
            write::tokens::FORGET_EXPIRED,
            write::tokens::FORGET_EXPIRED_OF_MEMBER,
        ];
        for sql in statements {
            let plan = plan(sql);
            let is_bounded = |step: &String| !step.contains("SCAN ") && !step.contains("TEMP B-TREE");
            assert!(plan.iter().all(is_bounded), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn streaming_messages_are_found_by_their_own_index() {
        let plan = plan(streams::STREAMING);
        assert!(plan.iter().any(|step| step.contains("streaming_message")), "{plan:#?}");
        assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
    }

    #[test]
    fn calls_cost_the_same_however_many_there_have_been() {
        let statements = [
            (calls::OPEN_CALLS, "open_call "),
            (calls::RECENT_CALLS, "call_of_agent "),
            (calls::WAITING_CALLS, "open_call_in "),
            (beside::CALLED_PLACES, "called_place_of_agent "),
            (calls::CORRELATED_CALLS, "correlated_call "),
            (call_writes::TAKE, "open_call_in "),
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
    fn what_stands_beside_something_is_found_by_an_index_in_its_order() {
        let statements = [
            (beside::TASKS_BELOW, "task_below "),
            (beside::TASKS_IN_BATCH, "task_in_batch "),
            (beside::ARTIFACTS_IN, "artifact_in "),
            (beside::ARTIFACTS_OF_TASK, "artifact_of_task "),
        ];
        for (sql, index) in statements {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn no_filter_of_an_inbox_costs_more_because_more_is_unread() {
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
            (digests::PLACES, "inbox_in (agent_no=? AND conversation_no=? AND importance=?)"),
            (inbox_writes::TAKE_IN, "inbox_in (agent_no=? AND conversation_no=?)"),
            (inbox_writes::FORGET_DELIVERIES_IN, "PRIMARY KEY (message_no=? AND agent_no=?)"),
            (delivery::STORED_OF_MESSAGE, "PRIMARY KEY (agent_no=? AND importance=? AND message_no=?)"),
        ];
        check_indexed(&statements);
    }

    #[test]
    fn what_a_person_should_not_miss_is_found_by_its_few() {
        let statements = [
            (notable::PLACES, "conversation_of_project (project_no=?)"),
            (notable::BY_SEQ, "(conversation_no=? AND seq=?)"),
            (notable::MENTION_BEFORE, "PRIMARY KEY (member_no=? AND conversation_no=? AND seq>? AND seq<?)"),
            (notable::NOTABLE_BEFORE, "notable_message (conversation_no=? AND seq>? AND seq<?)"),
            (notable::ANY_BEFORE, "(conversation_no=? AND seq>? AND seq<?)"),
        ];
        check_indexed(&statements);
    }

    #[test]
    fn questions_and_runs_cost_the_same_however_many_have_ended() {
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
            (write::start_run::OPEN_OF_AGENT, "open_run_of (agent_no=?)"),
            (write::start_run::OPEN_IN_PROJECT, "open_run_in (project_no=?)"),
            (write::end_run::INJECTED, "injected_delivery (run_no=?)"),
            (write::answers::TAKEN_AND_SHOWN, "call_of_answer (answer_no=?)"),
            (timelines::OF_RUN, "moment_of_run (run_no=? AND no>?)"),
            (timelines::OF_TASK, "moment_of_task (task_no=? AND no>?)"),
            (delivery::MOVED_OF_MESSAGE, "PRIMARY KEY (message_no=?)"),
            (snapshot::RUNS, "open_run_in (project_no=?)"),
        ];
        check_indexed(&statements);
        // These are put in order, but none of them holds more than what is open.
        for (sql, index) in
            [(questions::BLOCKS_OF, "PRIMARY KEY (member_no=?)"), (questions::WAITS, "open_question_by")]
        {
            let plan = plan(sql);
            assert!(plan.iter().any(|step| step.contains(index)), "{sql}\n{plan:#?}");
            assert!(plan.iter().all(|step| !step.contains("SCAN ")), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn what_was_given_to_runs_costs_the_same_however_much_is_kept() {
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

    /// Each statement goes by this index, in its order, and goes through no table.
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
    fn a_snapshot_costs_what_it_holds() {
        let statements = [
            private_members::SEATS,
            snapshot::NEWEST_THREAD,
            snapshot::CHANNEL_MEMBERS,
            snapshot::SUBSCRIPTIONS,
            snapshot::DMS,
            snapshot::READING,
            snapshot::TASKS,
            snapshot::BATCHES,
            snapshot::ARTIFACTS,
        ];
        // Only the list of wanted conversations, and mentions that were found already, are gone through as a whole.
        let is_bounded = |step: &String| step.contains("VIRTUAL TABLE") || step == "SCAN newest";
        for sql in statements {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("SCAN ") || is_bounded(step)), "{sql}\n{plan:#?}");
        }
    }

    #[test]
    fn the_newest_things_of_a_snapshot_are_found_without_sorting() {
        for sql in [snapshot::NEWEST_THREAD, snapshot::TASKS, snapshot::BATCHES, snapshot::ARTIFACTS] {
            let plan = plan(sql);
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
        }
    }
}
