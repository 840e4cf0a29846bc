//! An import that is killed goes on where it was.

use std::{
    collections::HashSet,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::fixture::{ImportFixture, Row, database, row, rows};

/// A test that waits longer for the first messages has failed.
const BEGIN_TIME_MAX: Duration = Duration::from_secs(60);

#[test]
fn a_killed_import_is_resumed_and_stores_each_message_once() {
    let fixture = ImportFixture::new();
    let source: Vec<Row> = (0..2_000).map(|number| row(number, "home@g.us", &format!("Number {number}"))).collect();
    database(&fixture.path("messages.db"), &source);
    let mut kills = 0;
    // The channel is made right before the first messages are sent.
    let taken = || (!fixture.channels().is_empty()).then(|| fixture.bodies("home").len());
    loop {
        let before = taken();
        let mut command = fixture.hub.command();
        let words = ["import", "pynchy", "messages.db", "--project", "Move"];
        let mut child = command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let started = Instant::now();
        // As soon as something new is there it is killed, until there is nothing left to do.
        let ended = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break Some(status);
            }
            if taken() > before {
                child.kill().expect("it runs");
                child.wait().expect("the end");
                break None;
            }
            assert!(started.elapsed() < BEGIN_TIME_MAX, "nothing is taken over");
        };
        match ended {
            Some(status) if status.success() => break,
            _ => kills += 1,
        }
        if kills >= 3 {
            break;
        }
    }
    assert!(kills > 0, "it was over before it could be killed");
    let told = fixture.json("import pynchy messages.db");
    let (stored, known) = (told["stored"].as_u64().expect("a count"), told["known"].as_u64().expect("a count"));
    assert_eq!(stored + known, 2_000, "after {kills} kills");
    assert_eq!(fixture.channels(), ["home"], "the channel was made once");
    let expected: Vec<String> = (0..2_000).map(|number| format!("Number {number}")).collect();
    let bodies: HashSet<String> = fixture.bodies("home").into_iter().collect();
    assert_eq!(bodies, expected.iter().cloned().collect());
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}
