//! Counts and indexes are consistent with the rows after any sequence of writes.

mod random_writes;
mod sqlite_fixture;
mod sqlite_invariants;

use parlour_core::delivery::DeliveryState;
use proptest::prelude::*;
use random_writes::{RandomWrites, steps};
use sqlite_fixture::{SqliteFixture, number};
use sqlite_invariants::violated_invariants;

#[tokio::test]
async fn the_checks_detect_wrong_questions_runs_and_deliveries() {
    let fixture = SqliteFixture::new().await;
    let coder = fixture.test_store.agent("Coder", &fixture.tour).await;
    fixture.test_store.task("Ship it", &fixture.tour).await;
    let asked = fixture.test_store.ask(&fixture.mara, &fixture.general, &[&coder]).await;
    let run = fixture.test_store.start(&coder, None).await;
    fixture.test_store.pause_run(&coder, &run, &asked).await;
    fixture.test_store.reach(&coder, &asked, DeliveryState::Queued).await;
    let db = fixture.connection();
    assert_eq!(violated_invariants(&db), Vec::<&str>::new());
    for (sabotage, broken) in [
        ("UPDATE message SET importance = 1", &["an inbox row has the importance and conversation of its message"][..]),
        ("UPDATE delivery SET state = 3", &["a delivery is seen exactly if its message is not in the inbox"]),
        ("DELETE FROM run_pause", &["the pause rows of a run equal its data"]),
        (
            "UPDATE run SET state = 0",
            &["the state column of a run equals its data", "exactly the paused runs have a pause"],
        ),
        ("DELETE FROM moment WHERE kind = 0", &["every run has a start entry, and every ended run an end entry"]),
        ("DELETE FROM moment WHERE kind = 7", &["every task has a creation entry"]),
        (
            "DELETE FROM question_addressee",
            &[
                "an inbox row is blocking if its question awaits the agent",
                "an open question awaits the addressees that have neither ignored nor handled it",
            ],
        ),
        (
            "UPDATE question SET state = 1",
            &["a closed question awaits no member", "the state column of a question equals its data"],
        ),
    ] {
        db.execute_batch(&format!("BEGIN; {sabotage}")).expect(sabotage);
        assert_eq!(violated_invariants(&db), broken, "{sabotage}");
        db.execute_batch("ROLLBACK").expect("undone");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_invariants_hold_after_any_writes(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        let broken = runtime.block_on(async {
            let mut random = RandomWrites::new().await;
            for step in steps {
                random.apply(step).await;
            }
            violated_invariants(&random.fixture.connection())
        });
        prop_assert_eq!(broken, Vec::<&str>::new());
    }
}

#[tokio::test]
async fn the_checks_detect_wrong_counts() {
    let fixture = SqliteFixture::new().await;
    let coder = fixture.test_store.agent("Coder", &fixture.tour).await;
    fixture.test_store.call(&fixture.mara, &fixture.general, &coder).await;
    let db = fixture.connection();
    assert_eq!(violated_invariants(&db), Vec::<&str>::new());
    db.execute_batch("UPDATE inbox_count SET mentions = 7; DELETE FROM event WHERE offset = 2").expect("sabotage");
    assert_eq!(violated_invariants(&db).len(), 4);
    db.execute_batch("INSERT INTO stream (message_no, text) VALUES (1, 'late')").expect("sabotage");
    assert_eq!(violated_invariants(&db).len(), 5);
    assert_eq!(number(&db, "SELECT COUNT(*) FROM inbox"), 1);
}

#[tokio::test]
async fn the_checks_detect_wrong_calls() {
    let fixture = SqliteFixture::new().await;
    let coder = fixture.test_store.agent("Coder", &fixture.tour).await;
    fixture.test_store.call(&fixture.mara, &fixture.general, &coder).await;
    let removed = fixture.test_store.call(&fixture.mara, &fixture.general, &coder).await;
    fixture.test_store.change(&fixture.tour.id, &coder, fixture.test_store.passing(&coder, &removed)).await;
    fixture.test_store.remove(&fixture.mara, &removed).await;
    let db = fixture.connection();
    for (sabotage, broken) in [
        ("UPDATE call SET depth = 9", &["a call has the depth, correlation id and caller of its message"][..]),
        ("UPDATE call SET caller_no = agent_no", &["a call has the depth, correlation id and caller of its message"]),
        (
            "UPDATE call SET log_offset = 3",
            &["the last call per conversation follows from the calls", "a call has the log offset of its message"],
        ),
        ("UPDATE call SET answer_no = 1 WHERE closed_ms IS NULL", &["the author of an answer is the called agent"]),
        ("DELETE FROM call WHERE closed_ms IS NULL", &["every call in a message has a row"]),
        (
            "UPDATE message SET extra = NULL WHERE removed_ms IS NULL",
            &[
                "every call row is named in its message, unless an edit closed it",
                "exactly the messages of the graph are linked",
            ],
        ),
        (
            "UPDATE call SET closed_ms = NULL",
            &["the message of an open call is readable by its agent", "a passed call is closed"],
        ),
        ("UPDATE member SET engine = '{}'", &["only agents have an engine"]),
    ] {
        db.execute_batch(&format!("BEGIN; {sabotage}")).expect(sabotage);
        assert_eq!(violated_invariants(&db), broken, "{sabotage}");
        db.execute_batch("ROLLBACK").expect("undone");
    }
    assert_eq!(violated_invariants(&db), Vec::<&str>::new());
}
