//! Settings of the real program: which source counts, and what is refused.

mod support;

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path, process::Command};

use support::{Hub, Run, parlour, run};

/// Where `doctor` says that the data folder is, given settings.
fn data_folder(folder: &Path, set_up: impl FnOnce(&mut Command) -> &mut Command) -> String {
    let output = run(set_up(parlour(folder).args(["doctor", "--json"])), "");
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks").clone();
    let check = checks.iter().find(|check| check["name"] == "data folder").expect("a check").clone();
    check["detail"].as_str().expect("text").to_owned()
}

fn refused(folder: &Path, set_up: impl FnOnce(&mut Command) -> &mut Command) -> Run {
    let refused = run(set_up(&mut parlour(folder)), "");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{}", refused.stderr);
    refused
}

#[test]
fn flags_override_the_environment_the_file_and_the_defaults() {
    let folder = tempfile::tempdir().expect("folder");
    let names = |detail: String| detail.split(' ').next().expect("a word").to_owned();
    let place = |set_up: fn(&mut Command) -> &mut Command| names(data_folder(folder.path(), set_up));
    assert_eq!(place(|command| command), "./parlour-data");
    fs::write(folder.path().join("parlour.toml"), "data = \"from-file\"\n").expect("file");
    assert_eq!(place(|command| command), "from-file");
    assert_eq!(place(|command| command.env("PARLOUR_DATA", "from-variable")), "from-variable");
    assert_eq!(place(|command| command.env("PARLOUR_DATA", "")), "from-file");
    assert_eq!(place(|command| command.env("PARLOUR_DATA", "x").args(["--data", "from-flag"])), "from-flag");
}

#[test]
fn another_settings_file_can_be_named() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("other.toml"), "data = \"elsewhere\"\n").expect("file");
    let by_flag = data_folder(folder.path(), |command| command.args(["--config", "other.toml"]));
    let by_variable = data_folder(folder.path(), |command| command.env("PARLOUR_CONFIG", "other.toml"));
    assert!(by_flag.starts_with("elsewhere ") && by_variable.starts_with("elsewhere "), "{by_flag} {by_variable}");
    let missing = refused(folder.path(), |command| command.args(["serve", "--config", "none.toml"]));
    assert_eq!(missing.stderr, "parlour: --config: file \"none.toml\" does not exist\n");
}

#[test]
fn an_unknown_key_is_refused_with_the_known_keys() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("parlour.toml"), "lisen = \"127.0.0.1:0\"\n").expect("file");
    let refused = refused(folder.path(), |command| command.arg("serve"));
    let expected = "parlour: parlour.toml: lisen: unknown key; valid keys: listen, data, ";
    assert!(refused.stderr.starts_with(expected) && refused.stderr.contains(", token, "), "{}", refused.stderr);
}

#[test]
fn an_invalid_value_is_refused_with_its_source() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, value, word) in [
        ("PARLOUR_LISTEN", "4870", "PARLOUR_LISTEN: \"4870\" is not an IP address with a port"),
        ("PARLOUR_LOG", "a=loud", "PARLOUR_LOG: "),
        ("PARLOUR_LOG_FORMAT", "xml", "PARLOUR_LOG_FORMAT: \"xml\" is invalid; use text or json"),
        ("PARLOUR_ADMIN_TOKEN", "with blanks in it", "PARLOUR_ADMIN_TOKEN: a token consists of"),
    ] {
        let refused = refused(folder.path(), |command| command.arg("serve").env(name, value));
        assert!(refused.stderr.contains(word), "{}", refused.stderr);
        assert!(!folder.path().join("parlour-data").exists(), "nothing was made");
    }
}

#[test]
fn clients_read_the_file_too() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = Hub::start(folder.path());
    let file = format!("url = {:?}\ntoken = {:?}\nproject = \"tour\"\n", hub.url, hub.token);
    fs::write(folder.path().join("parlour.toml"), file).expect("file");
    let history = run(parlour(folder.path()).args(["history", "general", "--limit", "1"]), "");
    assert_eq!(history.code, Some(0), "{}", history.stderr);
}

#[test]
fn the_project_setting_has_the_same_precedence() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = Hub::start(folder.path());
    for name in ["Apollo", "Borea", "Ceres"] {
        hub.json(&format!("project create {name}"));
    }
    fs::write(folder.path().join("parlour.toml"), "project = \"Apollo\"\n").expect("file");
    let chosen = |set_up: fn(&mut Command) -> &mut Command| {
        let mut command = hub.command();
        let shown = run(set_up(command.args(["project", "show", "--json"])), "");
        let project: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
        project["name"].as_str().expect("a name").to_owned()
    };
    assert_eq!(chosen(|command| command), "Apollo");
    assert_eq!(chosen(|command| command.env("PARLOUR_PROJECT", "borea")), "Borea");
    assert_eq!(chosen(|command| command.env("PARLOUR_PROJECT", "borea").args(["--project", "CERES"])), "Ceres");
}

#[test]
fn a_variable_with_invalid_utf_8_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let value = OsStr::from_bytes(b"\xff\xfe");
    let refused = refused(folder.path(), |command| command.arg("serve").env("PARLOUR_DATA", value));
    assert_eq!(refused.stderr, "parlour: PARLOUR_DATA: the value is not valid UTF-8\n");
}

#[test]
fn a_broken_file_is_refused_with_the_line() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("parlour.toml"), "listen = \"127.0.0.1:0\"\ndata = \n").expect("file");
    let refused = refused(folder.path(), |command| command.arg("serve"));
    assert!(refused.stderr.contains("parlour.toml: TOML parse error at line 2"), "{}", refused.stderr);
}

#[test]
fn a_token_cannot_be_given_as_a_flag() {
    let folder = tempfile::tempdir().expect("folder");
    refused(folder.path(), |command| command.args(["history", "general", "--token", "x"]));
    refused(folder.path(), |command| command.args(["serve", "--admin-token", "x"]));
}

#[test]
fn the_settings_reference_is_printed() {
    let folder = tempfile::tempdir().expect("folder");
    let page = run(parlour(folder.path()).args(["reference", "settings"]), "");
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.starts_with("# Settings\n") && page.stdout.contains("`PARLOUR_ADMIN_TOKEN`"));
}

#[test]
fn the_api_description_and_the_error_pages_are_printed() {
    let folder = tempfile::tempdir().expect("folder");
    let openapi = run(parlour(folder.path()).args(["reference", "openapi"]), "");
    let document: serde_json::Value = serde_json::from_str(&openapi.stdout).expect("JSON");
    assert!(document["paths"]["/messages"]["post"].is_object());
    let errors = run(parlour(folder.path()).args(["reference", "errors", "--out", "pages"]), "");
    assert_eq!(errors.code, Some(0), "{}", errors.stderr);
    assert!(folder.path().join("pages/PARLOUR-C01.md").exists());
}
