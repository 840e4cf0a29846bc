//! The serialised form of entries: the golden file of version 1 is read and written byte for byte, random entries are read
//! back as they were, and other forms are refused.

#[path = "entries/random_entry.rs"]
mod random_entry;
#[path = "entries/random_message.rs"]
mod random_message;

use std::collections::BTreeSet;

use parlour_core::write::{ENTRY_VERSION, Entry, EntryError, Write};
use proptest::prelude::*;
use random_entry::{Choices, WRITES, entry};
use serde_json::{Value, json};

/// Entries of version 1. A line is never changed; a new optional field gets a new line.
const GOLDEN: &str = include_str!("golden/entries_v1.jsonl");

/// The serialised name of a write. The match has no wildcard: a new write needs a name here and a line in the golden file.
fn name(write: &Write) -> &'static str {
    match write {
        Write::CreateProject(..) => "create_project",
        Write::UpdateProject(..) => "update_project",
        Write::AddPerson(..) => "add_person",
        Write::RemovePerson(..) => "remove_person",
        Write::CreateAgent(..) => "create_agent",
        Write::UpdateAgent(..) => "update_agent",
        Write::CreateChannel(..) => "create_channel",
        Write::UpdateChannel(..) => "update_channel",
        Write::ArchiveChannel(..) => "archive_channel",
        Write::AddChannelMember(..) => "add_channel_member",
        Write::RemoveChannelMember(..) => "remove_channel_member",
        Write::Subscribe(..) => "subscribe",
        Write::Unsubscribe(..) => "unsubscribe",
        Write::CreateThread(..) => "create_thread",
        Write::CreateDm(..) => "create_dm",
        Write::PostMessage(..) => "post_message",
        Write::EditMessage(..) => "edit_message",
        Write::FinishMessage(..) => "finish_message",
        Write::PassCall(..) => "pass_call",
        Write::RemoveMessage(..) => "remove_message",
        Write::React(..) => "react",
        Write::Unreact(..) => "unreact",
        Write::MarkRead(..) => "mark_read",
        Write::ReportDeliveries(..) => "report_deliveries",
        Write::SettleQuestion(..) => "settle_question",
        Write::StartRun(..) => "start_run",
        Write::PauseRun(..) => "pause_run",
        Write::ResumeRun(..) => "resume_run",
        Write::EndRun(..) => "end_run",
        Write::CreateTask(..) => "create_task",
        Write::UpdateTask(..) => "update_task",
        Write::CreateBatch(..) => "create_batch",
        Write::CreateArtifact(..) => "create_artifact",
    }
}

/// The names of all writes that exist, as the random entries produce them.
fn all_names() -> BTreeSet<&'static str> {
    (0..WRITES).map(|number| name(&entry(number, &mut Choices::new(Vec::new())).write)).collect()
}

#[test]
fn every_golden_entry_is_read_and_written_byte_for_byte() {
    for (number, line) in GOLDEN.lines().enumerate() {
        let entry = Entry::from_json(line).unwrap_or_else(|error| panic!("line {}: {error:?}", number + 1));
        assert_eq!(entry.to_json(), line, "line {}", number + 1);
        let form: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((&form["v"], &form["write"]["type"]), (&json!(ENTRY_VERSION), &json!(name(&entry.write))));
    }
}

#[test]
fn every_write_has_a_golden_entry() {
    let golden: BTreeSet<&str> =
        GOLDEN.lines().map(|line| name(&Entry::from_json(line).expect("an entry").write)).collect();
    assert_eq!(all_names().len() as u64, WRITES, "the generator makes every write once");
    assert_eq!(golden, all_names());
}

#[test]
fn another_version_is_refused_with_both_versions() {
    let newer = GOLDEN.lines().next().expect("a line").replacen(r#"{"v":1,"#, r#"{"v":2,"#, 1);
    let error = Entry::from_json(&newer).expect_err("another version");
    assert!(matches!(error, EntryError::Version { found: 2 }));
    assert_eq!(error.to_string(), "entry has version 2; this program reads version 1");
}

#[test]
fn an_unknown_field_is_refused_with_its_path() {
    let line = GOLDEN.lines().find(|line| line.contains("post_message")).expect("a post");
    for (pointer, path) in [
        ("", "colour"),
        ("/attribution", "attribution.colour"),
        ("/attribution/origin", "attribution.origin.colour"),
        ("/write/data/message", "write.data.message.colour"),
        ("/write/data/message/steps/0", "write.data.message.steps.0.colour"),
    ] {
        let mut form: Value = serde_json::from_str(line).expect("JSON");
        form.pointer_mut(pointer).expect(pointer)["colour"] = json!("red");
        let error = Entry::from_json(&form.to_string()).expect_err(pointer);
        match &error {
            EntryError::UnknownField { path: found } => assert_eq!(found, path),
            // The envelope refuses it by itself.
            EntryError::Malformed(cause) => assert!(cause.to_string().contains("colour"), "{cause}"),
            EntryError::Version { .. } => panic!("{error}"),
        }
        form.pointer_mut(pointer).expect(pointer)["colour"] = Value::Null;
        assert_eq!(Entry::from_json(&form.to_string()).is_ok(), !pointer.is_empty(), "null counts as absent: {path}");
    }
}

#[test]
fn malformed_entries_are_refused() {
    let good = GOLDEN.lines().find(|line| line.contains(r#""add_person""#)).expect("an entry");
    assert!(Entry::from_json(good).is_ok());
    for (old, new) in [
        (r#""v":1,"#, ""),
        (r#""v":1,"#, r#""v":"1","#),
        (r#""v":1,"#, r#""v":1,"v":1,"#),
        ("add_person", "add_ghost"),
        ("per_bela", "agt_bela"),
        (r#""data""#, r#""date""#),
        (r#""surface":"http""#, r#""surface":"fax""#),
        (r#""project_id":"prj_tour","#, ""),
        ("}}", "}"),
    ] {
        assert!(good.contains(old), "{old} in {good}");
        let bad = good.replacen(old, new, 1);
        assert!(matches!(Entry::from_json(&bad), Err(EntryError::Malformed(_))), "{bad}");
    }
    for bad in ["", "null", "[]", "1", "{}", "\u{0}"] {
        assert!(matches!(Entry::from_json(bad), Err(EntryError::Malformed(_))), "{bad}");
    }
}

proptest! {
    #[test]
    fn a_random_entry_is_read_back_as_it_was(
        number in 0..WRITES,
        choices in prop::collection::vec(any::<u64>(), 0..400),
    ) {
        let entry = entry(number, &mut Choices::new(choices));
        let line = entry.to_json();
        prop_assert!(!line.contains('\n'), "one line");
        let read = Entry::from_json(&line);
        prop_assert_eq!(read.expect("own form"), entry);
    }
}
