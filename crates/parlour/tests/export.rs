//! `parlour export` as a user sees it: where it writes, what it leaves alone, and what it refuses. What comes back of an
//! import is tested with imports.

mod support;

use std::fs;

use serde_json::Value;
use support::{Hub, running::RunningProcess};
use tempfile::TempDir;

/// A hub with a project `Deck` of two channels and three messages.
fn hub() -> (TempDir, Hub) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    for line in [
        "project create Deck",
        "channel create design --project Deck",
        "channel create ops --project Deck",
        "post design 'One' --project Deck",
        "post design 'Two @Nobody' --importance high --project Deck",
        "post ops 'Three' --project Deck",
    ] {
        hub.json(line);
    }
    (folder, hub)
}

/// The texts of the messages; channel records have none.
fn bodies(text: &str) -> Vec<String> {
    let body =
        |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["body"].as_str().expect("a text").to_owned();
    messages(text).map(body).collect()
}

fn messages(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.contains("\"frame\":"))
}

#[test]
fn channels_are_exported_one_by_one_oldest_first() {
    let (folder, hub) = hub();
    let run = hub.run("export native deck.jsonl --project Deck");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "Exported 3 messages of 2 channels to deck.jsonl.\n"));
    let text = fs::read_to_string(folder.path().join("deck.jsonl")).expect("a file");
    assert_eq!(bodies(&text), ["One", "Two @Nobody", "Three"]);
    let told = hub.json("export native deck2.jsonl --channel ops --project Deck");
    assert_eq!((&told["messages"], &told["channels"], &told["path"]), (&1.into(), &1.into(), &"deck2.jsonl".into()));
}

#[test]
fn many_messages_are_read_page_by_page() {
    let (folder, hub) = hub();
    let lines: String = (0..450)
        .map(|number| {
            serde_json::json!({
                "id": format!("m{number}"), "type": "text", "timestamp": "2025-05-02T12:00:00.000Z", "session_id": "long",
                "from_user": true, "content": format!("Number {number}"),
            })
            .to_string()
                + "\n"
        })
        .collect();
    fs::write(folder.path().join("long.jsonl"), lines).expect("written");
    assert_eq!(hub.json("import tkr long.jsonl --project Deck")["stored"], 450);
    let run = hub.run("export native - --channel long --project Deck");
    let expected: Vec<String> = (0..450).map(|number| format!("Number {number}")).collect();
    assert_eq!(bodies(&run.stdout), expected);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let (folder, hub) = hub();
    for (system, name) in [("native", "a.jsonl"), ("tkr", "a.json"), ("pynchy", "a.db")] {
        fs::write(folder.path().join(name), "precious").expect("written");
        let refused = hub.run(&format!("export {system} {name} --project Deck"));
        assert_eq!(refused.code, Some(1), "{name}");
        assert_eq!(refused.stderr, format!("parlour: {name} already exists\n  try: overwrite it with --force\n"));
        assert_eq!(fs::read_to_string(folder.path().join(name)).expect("a file"), "precious");
        let forced = hub.run(&format!("export {system} {name} --force --project Deck"));
        assert_eq!(forced.code, Some(0), "{name}: {}", forced.stderr);
        assert_ne!(fs::read(folder.path().join(name)).expect("a file"), b"precious");
    }
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    assert_eq!(left.len(), 5, "nothing but the files, the data and the log: {left:?}");
}

#[test]
fn native_messages_survive_export_and_import_of_every_system() {
    let (folder, hub) = hub();
    let native = |text: &str| -> Vec<Value> {
        let mut values: Vec<Value> = messages(text).map(|line| serde_json::from_str(line).expect("JSON")).collect();
        values.sort_by_key(|value| value["id"].as_str().map(str::to_owned));
        values
    };
    let as_it_is = native(&hub.run("export native - --project Deck").stdout);
    for system in ["jaibber", "tkr", "zen"] {
        let lines = hub.run(&format!("export {system} - --project Deck"));
        assert_eq!(lines.code, Some(0), "{}", lines.stderr);
        let mut command = support::parlour(folder.path());
        let back = support::run(command.args(["convert", "--from", system, "--to", "native"]), &lines.stdout);
        assert_eq!(native(&back.stdout), as_it_is, "{system}: {}", back.stderr);
    }
}

#[test]
fn invalid_targets_are_refused_with_a_remedy() {
    let (folder, hub) = hub();
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    for (line, code, said) in [
        ("export pynchy - --project Deck", 2, "pynchy has no line format"),
        ("export caco - --project Deck", 2, "caco has no line format"),
        ("export native folder --project Deck", 2, "folder is a folder, not a file"),
        ("export native no/such/file.jsonl --project Deck", 1, "no/such: No such file"),
        ("export native x.jsonl --channel nowhere --project Deck", 1, "no channel named \"nowhere\" is visible to you"),
        ("export icq x.jsonl --project Deck", 2, "possible values: pynchy, jaibber, caco, tkr, zen, native"),
    ] {
        let refused = hub.run(line);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(code), ""), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{line}: {}", refused.stderr);
    }
    assert!(!folder.path().join("x.jsonl").exists());
}

#[test]
fn a_closed_pipe_ends_the_export_quietly() {
    let (_folder, hub) = hub();
    let mut running = RunningProcess::start_unread(hub.command().args(["export", "native", "-", "--project", "Deck"]));
    running.close_stdout();
    let (code, _, _) = running.finish();
    assert_eq!(code, Some(0));
}

#[test]
fn other_files_in_the_folder_are_not_changed() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, hub) = hub();
    let path = |name: &str| folder.path().join(name);
    for name in ["deck.jsonl.probe", "deck.db.probe"] {
        fs::write(path(name), "somebody's own").expect("written");
    }
    fs::write(path("usual"), "").expect("written");
    let mode = |name: &str| fs::metadata(path(name)).expect("a file").permissions().mode();
    hub.json("export native deck.jsonl --project Deck");
    hub.json("export pynchy deck.db --project Deck");
    for name in ["deck.jsonl", "deck.db"] {
        assert_eq!(fs::read_to_string(path(&format!("{name}.probe"))).expect("still there"), "somebody's own");
        assert_eq!(mode(name), mode("usual"), "others may read it as they may read any new file");
    }
}
