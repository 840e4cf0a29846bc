//! pynchy's database.

use std::fs;

use rusqlite::Connection;

use crate::fixture::{ImportFixture, Row, add_rows, database, row, rows};

/// Two chats, one of them with a name, and every kind of row.
fn sample() -> Vec<Row> {
    let mut rows: Vec<Row> = (0..10).map(|number| row(number, "1203@g.us", &format!("Hello {number}"))).collect();
    for (number, sender, kind, metadata) in [
        (10, "bot", "assistant", None),
        (11, "system", "system", None),
        (12, "command_output", "tool_result", Some("{\"exit_code\": 1}")),
        (13, "host", "host", None),
    ] {
        let mut special = row(number, "1203@g.us", "Something special");
        (special.2, special.3, special.6, special.7) = (sender.into(), sender.into(), 1, kind.into());
        special.8 = metadata.map(str::to_owned);
        rows.push(special);
    }
    rows.extend((20..25).map(|number| row(number, "4917@s.whatsapp.net", "Elsewhere")));
    rows
}

fn fixture() -> ImportFixture {
    let fixture = ImportFixture::new();
    let connection = database(&fixture.path("messages.db"), &sample());
    connection.execute("INSERT INTO chats VALUES ('1203@g.us', 'Family', NULL)", []).expect("a chat");
    connection
        .execute("INSERT INTO chats VALUES ('4917@s.whatsapp.net', '4917@s.whatsapp.net', NULL)", [])
        .expect("a chat");
    fixture
}

#[test]
fn a_dry_run_reports_everything_and_writes_nothing() {
    let fixture = fixture();
    let shown = fixture.shown("import pynchy messages.db --dry-run");
    insta::assert_snapshot!(shown, @r"
    CHANNEL            MESSAGES  CONVERSATION
    #Family       new  14        1203@g.us
    #pynchy-4917  new  5         4917@s.whatsapp.net

    19 messages from 2026-02-15 09:00 to 2026-02-15 09:00: 1 assistant, 1 host, 1 system, 1 tool_result, 15 user
    Authors: Mara, bot, system, command_output, host
    Dry run: nothing was written.
    Next: parlour import pynchy messages.db --project Move
    ");
    assert!(fixture.channels().is_empty());
    let told = fixture.json("import pynchy messages.db --dry-run");
    assert_eq!((&told["is_dry_run"], &told["messages"], &told["stored"]), (&true.into(), &19.into(), &0.into()));
    assert_eq!(told["kinds"]["tool_result"], 1);
    assert!(fixture.channels().is_empty());
}

#[test]
fn chats_become_channels_with_their_authors_kinds_and_times() {
    let fixture = fixture();
    let shown = fixture.shown("import pynchy messages.db");
    assert!(shown.contains("Imported 19, already present 0, skipped 0.\n"), "{shown}");
    assert!(shown.ends_with("Next: parlour history Family --project Move\n"), "{shown}");
    assert_eq!(fixture.channels(), ["Family", "pynchy-4917"]);
    let history = fixture.history("Family");
    assert_eq!(history.len(), 14);
    assert_eq!((&history[0]["body"], &history[0]["from"]["name"]), (&"Hello 0".into(), &"Mara".into()));
    assert_eq!(history[0]["from"]["id"], "pynchy:491701234567@s.whatsapp.net");
    assert_eq!(history[0]["created_at"], "2026-02-15T09:00:00.123Z");
    let kinds: Vec<_> = history[10..].iter().map(|message| message["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["assistant", "system", "tool_result", "host"]);
}

#[test]
fn imported_messages_are_marked_as_read_and_call_nobody() {
    let fixture = fixture();
    fixture.json("agent create Coder");
    let connection = Connection::open(fixture.path("messages.db")).expect("a database");
    add_rows(&connection, &[row(30, "1203@g.us", "@Coder are you there?")]);
    fixture.shown("import pynchy messages.db");
    assert_eq!(fixture.json("inbox")["total"], 0);
    assert_eq!(fixture.json("agent calls Coder")["items"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_second_import_stores_only_new_rows() {
    let fixture = fixture();
    fixture.shown("import pynchy messages.db");
    let channel = fixture.json("channel list")["items"][0]["id"].as_str().expect("an id").to_owned();
    let connection = Connection::open(fixture.path("messages.db")).expect("a database");
    add_rows(&connection, &[row(40, "1203@g.us", "Later")]);
    let told = fixture.json("import pynchy messages.db");
    assert_eq!((&told["stored"], &told["known"], &told["changed"]), (&1.into(), &19.into(), &0.into()));
    assert_eq!(told["channels"][0]["channel_id"], channel.as_str());
    assert_eq!(fixture.channels().len(), 2);
    assert_eq!(fixture.bodies(&channel).last().map(String::as_str), Some("Later"));
}

#[test]
fn a_changed_row_is_reported_and_not_imported_again() {
    let fixture = fixture();
    fixture.shown("import pynchy messages.db");
    let connection = Connection::open(fixture.path("messages.db")).expect("a database");
    connection.execute("UPDATE messages SET content = 'Other words' WHERE id = 'm-3'", []).expect("changed");
    add_rows(&connection, &[row(41, "1203@g.us", "Later")]);
    let shown = fixture.shown("import pynchy messages.db");
    assert!(shown.contains("Imported 1, already present 18, skipped 0.\n"), "{shown}");
    assert!(shown.contains("1 message changed in the source since the last import; it was not updated.\n"), "{shown}");
    assert_eq!(fixture.bodies("Family")[3], "Hello 3");
}

#[test]
fn nothing_is_written_beside_a_database() {
    let fixture = fixture();
    let names = || {
        let entries = fs::read_dir(fixture.folder.path()).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), fs::read(fixture.path("messages.db")).expect("a file"));
    fixture.shown("import pynchy messages.db");
    assert_eq!((names(), fs::read(fixture.path("messages.db")).expect("a file")), (before, bytes));
}

#[test]
fn an_export_has_the_same_rows_and_later_messages() {
    let fixture = fixture();
    fixture.shown("import pynchy messages.db");
    assert_eq!(fixture.shown("export pynchy out.db"), "Exported 19 messages of 2 channels to out.db.\n");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
    fixture.shown("post Family 'Said here'");
    fixture.shown("export pynchy more.db --channel Family");
    let more = rows(&fixture.path("more.db"));
    assert_eq!(more.len(), 15);
    let said = more.iter().find(|row| row.4 == "Said here").expect("the new one");
    assert_eq!((said.1.as_str(), said.3.as_str(), said.7.as_str()), ("1203@g.us", "Admin", "user"));
    let chats = Connection::open(fixture.path("more.db")).expect("a database");
    let name: String = chats.query_row("SELECT name FROM chats", [], |row| row.get(0)).expect("one chat");
    assert_eq!(name, "Family");
}

#[test]
fn databases_with_the_first_schema_are_read() {
    let fixture = ImportFixture::new();
    let connection = Connection::open(fixture.path("old.db")).expect("a database");
    let table = "
        CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, content TEXT, timestamp TEXT,
            is_from_me INTEGER, PRIMARY KEY (id, chat_jid));
        INSERT INTO messages VALUES ('1', 'team@g.us', 'a', 'Ann', 'Second', '2026-02-15T09:00:02.000Z', 0),
            ('2', 'team@g.us', 'a', 'Ann', 'First', '2026-02-15T09:00:01.000Z', 0);";
    connection.execute_batch(table).expect("a table");
    fixture.shown("import pynchy old.db");
    assert_eq!(fixture.bodies("team"), ["First", "Second"]);
    assert_eq!(fixture.history("team")[0]["kind"], "user");
}

#[test]
fn everything_can_go_into_one_channel() {
    let fixture = fixture();
    fixture.json("channel create archive");
    let told = fixture.json("import pynchy messages.db --channel archive");
    assert_eq!((&told["stored"], &told["known"]), (&19.into(), &0.into()));
    assert_eq!((fixture.channels(), fixture.history("archive").len()), (vec!["archive".to_owned()], 19));
    assert_eq!(fixture.json("import pynchy messages.db --channel archive")["known"], 19);
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}

#[test]
fn rows_are_ordered_by_time_in_any_notation() {
    let fixture = ImportFixture::new();
    let of = |number: usize, at: &str, content: &str| {
        let mut row = row(number, "team@g.us", content);
        row.5 = at.into();
        row
    };
    let rows = [
        of(1, "2026-02-15T09:30:00Z", "Third"),
        of(2, "2026-02-15T10:00:00+01:00", "First"),
        of(3, "2026-02-15T09:30:00.000002+00:00", "Fifth"),
        of(4, "2026-02-15T09:30:00.000001", "Fourth"),
        of(5, "2026-02-15 09:00:00+00:00", "Second"),
    ];
    database(&fixture.path("messages.db"), &rows);
    fixture.shown("import pynchy messages.db");
    assert_eq!(fixture.bodies("team"), ["First", "Second", "Third", "Fourth", "Fifth"]);
}

#[test]
fn a_chat_name_that_is_no_valid_channel_name_is_restored() {
    let fixture = ImportFixture::new();
    let connection = database(&fixture.path("messages.db"), &[row(1, "1203@g.us", "Hello")]);
    connection.execute("INSERT INTO chats VALUES ('1203@g.us', 'Family & friends', NULL)", []).expect("a chat");
    fixture.shown("import pynchy messages.db");
    assert_eq!(fixture.channels(), ["Family - friends"]);
    assert_eq!(fixture.json("import pynchy messages.db")["known"], 1, "the channel is found again");
    fixture.shown("export pynchy out.db");
    let name = |file: &str| -> String {
        let chats = Connection::open(fixture.path(file)).expect("a database");
        chats.query_row("SELECT name FROM chats", [], |row| row.get(0)).expect("one chat")
    };
    assert_eq!(name("out.db"), "Family & friends");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}

#[test]
fn parts_of_a_long_text_are_recognised() {
    let fixture = ImportFixture::new();
    database(&fixture.path("messages.db"), &[row(1, "team@g.us", &"x".repeat(100_000)), row(2, "team@g.us", "Short")]);
    let shown = fixture.shown("import pynchy messages.db");
    assert!(shown.contains("2 messages from "), "{shown}");
    let told = "Imported 3, already present 0, skipped 0.\nIncluded continuations of long texts: 1 message.\n";
    assert!(shown.contains(told), "{shown}");
}

#[test]
fn a_damaged_encoding_is_repaired_in_the_json_column() {
    let fixture = ImportFixture::new();
    let mut damaged = row(1, "team@g.us", "Hello");
    damaged.8 = Some("{\"place\": \"caf\\u00c3\\u00a9\"}".into());
    database(&fixture.path("messages.db"), &[damaged]);
    fixture.shown("import pynchy messages.db --repair-encoding");
    assert_eq!(fixture.history("team")[0]["metadata"]["place"], "café");
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db"))[0].8.as_deref(), Some("{\"place\": \"caf\\u00e9\"}"));
}

#[test]
fn a_lenient_import_keeps_messages_with_unreadable_metadata() {
    let fixture = ImportFixture::new();
    let mut damaged = row(1, "team@g.us", "Hello");
    damaged.8 = Some("{\"exit_code\": ".into());
    let connection =
        database(&fixture.path("messages.db"), &[damaged, row(2, "team@g.us", "Blob"), row(3, "team@g.us", "Fine")]);
    connection.execute("UPDATE messages SET metadata = x'7bff7d' WHERE id = 'm-2'", []).expect("changed");
    let refused = fixture.run("import pynchy messages.db");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("2 rows cannot be imported; nothing was written"), "{}", refused.stderr);
    let lenient = fixture.run("import pynchy messages.db --lenient");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    for row in ["row 1: field metadata: ", "row 2: field metadata: "] {
        assert!(lenient.stderr.contains(row), "{}", lenient.stderr);
    }
    let told = "Imported 3, already present 0, skipped 0.\nIncluded with an unreadable field: 2 messages.\n";
    assert!(lenient.stdout.contains(told), "{}", lenient.stdout);
    assert_eq!(fixture.bodies("team"), ["Hello", "Blob", "Fine"]);
    let history = fixture.history("team");
    assert_eq!(history[0]["metadata"]["unreadable_metadata"], "{\"exit_code\": ");
    assert_eq!(history[1]["metadata"]["unreadable_metadata"], "{\u{FFFD}}");
    assert_eq!(fixture.json("import pynchy messages.db --lenient")["known"], 3);
}

#[test]
fn a_chat_without_a_title_has_none_after_an_export() {
    let fixture = fixture();
    let connection = Connection::open(fixture.path("messages.db")).expect("a database");
    add_rows(&connection, &[row(50, "nameless@g.us", "Hello"), row(51, "absent@g.us", "Hello")]);
    connection.execute("INSERT INTO chats VALUES ('nameless@g.us', NULL, NULL)", []).expect("a chat");
    fixture.shown("import pynchy messages.db");
    fixture.shown("post absent 'Said here'");
    fixture.shown("export pynchy out.db");
    let chats = Connection::open(fixture.path("out.db")).expect("a database");
    let mut query = chats.prepare("SELECT jid, name FROM chats ORDER BY jid").expect("a query");
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let titles: Vec<(String, Option<String>)> =
        query.query_map([], read).expect("rows").collect::<Result<_, _>>().expect("rows");
    let title = |jid: &str, name: Option<&str>| (jid.to_owned(), name.map(str::to_owned));
    let expected = [
        title("1203@g.us", Some("Family")),
        title("4917@s.whatsapp.net", Some("4917@s.whatsapp.net")),
        title("absent@g.us", None),
        title("nameless@g.us", None),
    ];
    assert_eq!(titles, expected);
}
