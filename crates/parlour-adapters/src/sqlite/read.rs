//! The reads, grouped as the port groups them. Each runs on one state of the database.

pub(super) mod accounts;
pub(super) mod calls;
pub(super) mod chronicles;
pub(super) mod conversations;
pub(super) mod deliveries;
pub(super) mod directory;
pub(super) mod graph;
pub(super) mod history;
pub(super) mod inboxes;
pub(super) mod invites;
pub(super) mod log;
pub(super) mod questions;
pub(super) mod refs;
pub(super) mod runs;
pub(super) mod search;
pub(super) mod seats;
pub(super) mod snapshot;
pub(super) mod streams;
pub(super) mod work;

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{accounts, calls, directory, history, inboxes, invites, seats, snapshot, streams};
    use crate::sqlite::{calls as call_writes, migrate::migrate, write};

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
            inboxes::INBOX,
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
        for sql in [history::NEWEST_FIRST, history::OLDEST_FIRST, inboxes::INBOX] {
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
    fn a_snapshot_costs_what_it_holds() {
        let statements = [
            seats::SEATS,
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
