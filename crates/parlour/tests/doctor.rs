//! `parlour doctor` on folders in different states.

mod support;

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use support::{Hub, Run, parlour, run, transcript::steady};

/// What doctor says, on a port and a folder of the test's own.
fn doctor(folder: &Path, words: &[&str]) -> Run {
    let mut command = parlour(folder);
    command.args(["doctor", "--data", "data", "--listen", "127.0.0.1:0", "--url", "http://127.0.0.1:1"]);
    run(command.args(words), "")
}

/// The text without what differs between machines and runs.
fn told(folder: &Path, run: &Run) -> String {
    let place = fs::canonicalize(folder).expect("there");
    let text = run.stdout.replace(place.to_str().expect("UTF-8"), "FOLDER");
    let lines = text.lines().map(|line| match line.split_once("MiB free") {
        Some(_) => "✓ disk          … MiB free".to_owned(),
        None => line.to_owned(),
    });
    steady(&lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn an_empty_folder_is_ready_for_a_first_start() {
    let folder = tempfile::tempdir().expect("folder");
    let run = doctor(folder.path(), &[]);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(told(folder.path(), &run), @r"
    Parlour 0.1.0

    ✓ environment   no PARLOUR_ variable is set
    ✓ settings      no parlour.toml; flags, environment and defaults apply
    · data folder   data does not exist yet; the first start creates it
    · files         none yet
    ✓ disk          … MiB free
    ✓ hub           no hub is running on this folder
    · database      none yet; the first start creates it
    · keys          none yet; the first start creates one
    · providers     none configured; hosted agents can use the built-in engine (docs/agents.md)
    ✓ port          127.0.0.1:0 is free
    · address       no hub answers at http://127.0.0.1:1
    · token         not signed in; run: parlour login

    Next: parlour serve
    ");
}

#[test]
fn a_running_hub_is_found_and_not_disturbed() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = Hub::start(folder.path());
    let run = run(hub.command().args(["doctor", "--data", "data"]), "");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    for line in [
        &format!("is running on this folder at {}", hub.url),
        "· database      not checked: the running hub uses it",
        "✓ token         you are Admin (per_",
        "Next: parlour history general",
    ] {
        assert!(run.stdout.contains(line), "{line} in {}", run.stdout);
    }
}

/// Every file and folder below, with its rights.
fn rights(folder: &Path) -> Vec<(String, u32)> {
    let entries = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let below = entries.flat_map(|path| {
        let own = (path.display().to_string(), fs::metadata(&path).expect("there").permissions().mode() & 0o777);
        let deeper = if path.is_dir() { rights(&path) } else { Vec::new() };
        std::iter::once(own).chain(deeper)
    });
    below.collect()
}

#[test]
fn all_files_of_a_hub_are_private() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = Hub::start(folder.path());
    hub.run("post general hello");
    hub.run("key rotate");
    let data = folder.path().join("data");
    let found = rights(&data);
    for name in ["lock", "parlour.db", "parlour.db-wal", "keys", "keys/keys.json", "blobs"] {
        assert!(found.iter().any(|(path, _)| path.ends_with(&format!("data/{name}"))), "{name} in {found:?}");
    }
    assert_eq!(found.iter().filter(|(_, mode)| mode & 0o077 != 0).collect::<Vec<_>>(), Vec::<&(String, u32)>::new());
    let run = run(hub.command().args(["doctor", "--data", "data"]), "");
    assert!(run.stdout.contains("✓ files         accessible to you only"), "{}", run.stdout);
    assert!(run.stdout.contains("✓ keys          signing key is 0 days old, 1 older keys are kept"), "{}", run.stdout);
}

#[test]
fn a_key_readable_by_others_is_named_with_a_remedy() {
    let folder = tempfile::tempdir().expect("folder");
    Hub::start(folder.path()).stop();
    let file = folder.path().join("data/keys/keys.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("rights");
    let found = doctor(folder.path(), &[]).stdout;
    assert!(
        found.contains("! files         other users can access keys/keys.json; run: chmod -R go-rwx '/"),
        "{found}"
    );
}

#[test]
fn a_damaged_key_is_reported() {
    let folder = tempfile::tempdir().expect("folder");
    Hub::start(folder.path()).stop();
    fs::write(folder.path().join("data/keys/keys.json"), "{}").expect("damage");
    let found = doctor(folder.path(), &[]);
    assert_eq!(found.code, Some(1));
    assert!(found.stdout.contains("✗ keys          read ") && found.stdout.contains("keys.json"), "{}", found.stdout);
}

#[test]
fn a_stopped_hub_leaves_an_intact_database() {
    let folder = tempfile::tempdir().expect("folder");
    Hub::start(folder.path()).stop();
    let run = doctor(folder.path(), &[]);
    assert!(
        run.stdout.contains("✓ database      version ") && run.stdout.contains(", integrity check passed"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_killed_hub_leaves_an_intact_database() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = Hub::start(folder.path());
    hub.run("post general hello");
    hub.kill();
    let run = doctor(folder.path(), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains(", integrity check passed"), "{}", run.stdout);
}

#[test]
fn a_damaged_database_has_exit_code_1() {
    let folder = tempfile::tempdir().expect("folder");
    Hub::start(folder.path()).stop();
    fs::write(folder.path().join("data/parlour.db"), "no database at all. ".repeat(1000)).expect("damage");
    let run = doctor(folder.path(), &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("✗ database"), "{}", run.stdout);
    assert!(run.stdout.contains("Next: fix \"database\""), "{}", run.stdout);
}

#[test]
fn the_report_is_available_as_json() {
    let folder = tempfile::tempdir().expect("folder");
    let run = doctor(folder.path(), &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["next"], "parlour serve");
    assert_eq!(report["checks"][0]["name"], "environment");
    assert!(report["checks"].as_array().expect("checks").iter().all(|check| check["verdict"].is_string()));
}

#[test]
fn a_token_in_a_file_readable_by_others_is_a_warning() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("parlour.toml");
    fs::write(&file, "token = \"a-secret-of-mine\"\n").expect("file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("rights");
    let run = doctor(folder.path(), &[]);
    assert!(
        run.stdout.contains("! settings      parlour.toml contains a token and other users can read it"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("a-secret-of-mine"));
}

#[test]
fn invalid_settings_are_reported() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("parlour.toml"), "lisen = \"x\"\n").expect("file");
    let run = doctor(folder.path(), &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("✗ settings      parlour.toml: lisen: unknown key"), "{}", run.stdout);
}

#[test]
fn a_hub_of_another_folder_on_the_port_is_named() {
    let (folder, other) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let hub = Hub::start(other.path());
    let address = hub.url.trim_start_matches("http://");
    let run = run(parlour(folder.path()).args(["doctor", "--listen", address, "--url", &hub.url]), "");
    let expected = format!("! port          Parlour 0.1.0 is running on {address} with another data folder");
    assert!(run.stdout.contains(&expected), "{}", run.stdout);
    assert!(run.stdout.contains("Next: parlour login"), "{}", run.stdout);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_mistyped_variable_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let run = run(parlour(folder.path()).args(["doctor", "--listen", "127.0.0.1:0"]).env("PARLOUR_LISTN", "x"), "");
    assert!(run.stdout.contains("! environment   PARLOUR_LISTN: set, but"), "{}", run.stdout);
}

#[test]
fn doctor_changes_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    doctor(folder.path(), &[]);
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 0);
}

#[test]
fn a_wrong_token_is_reported() {
    let folder = tempfile::tempdir().expect("folder");
    let mut hub = Hub::start(folder.path());
    hub.token = "not-the-right-one".to_owned();
    let run = run(hub.command().args(["doctor", "--data", "data"]), "");
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("✗ token") && run.stdout.contains("PARLOUR-A01"), "{}", run.stdout);
}

#[test]
fn providers_are_checked_and_their_keys_are_never_shown() {
    let folder = tempfile::tempdir().expect("folder");
    let looked = |providers: &str| {
        let mut command = parlour(folder.path());
        command.args(["doctor", "--listen", "127.0.0.1:0", "--url", "http://127.0.0.1:1", "--providers", providers]);
        run(command.env("MY_KEY", "sk-very-secret"), "")
    };
    let good = looked("work anthropic key_env=MY_KEY model=small");
    assert_eq!(good.code, Some(0), "{}", good.stdout);
    assert!(good.stdout.contains("✓ providers     work (anthropic at https://api.anthropic.com, model small)"));
    let missing = looked("work anthropic key_env=MY_OTHER_KEY");
    assert_eq!(missing.code, Some(1), "{}", missing.stdout);
    assert!(
        missing.stdout.contains("the environment variable MY_OTHER_KEY for its API key is not set"),
        "{}",
        missing.stdout
    );
    assert!(!format!("{good:?}{missing:?}").contains("sk-very-secret"));
}
