//! `parlour audit`: what an administrator sees of the log, and what a verifier finds in it.

mod support;

use std::fs;

use support::{Hub, parlour, run};

/// A hub on which a few things have happened.
fn busy(folder: &std::path::Path) -> Hub {
    let hub = Hub::start(folder);
    for line in ["project create Voyage", "channel create deck --project Voyage", "person create Mara"] {
        hub.json(line);
    }
    for body in ["xyzzy one", "xyzzy two"] {
        hub.json(&format!("post deck '{body}' --project Voyage"));
    }
    hub
}

fn head(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("Head: "));
    line.expect("a head").to_owned()
}

#[test]
fn the_log_is_listed_newest_first_and_filtered() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = busy(folder.path());
    let listed = hub.run("audit list --limit 3");
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let rows: Vec<&str> = listed.stdout.lines().collect();
    assert!(rows[0].starts_with("NO") && rows[1].contains("messaging.posted"), "{}", listed.stdout);
    assert!(rows[3].contains("people.created"), "{}", listed.stdout);
    assert!(listed.stdout.contains("More entries exist"), "{}", listed.stdout);
    let found = hub.json("audit list --action messaging.posted --result done --project Voyage");
    assert_eq!(found["items"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["items"][0]["surface"], "http");
    assert_eq!(hub.run("audit list --result refused").stdout, "No entries found.\n");
    assert_eq!(hub.run("audit list --actor Mara").stdout, "No entries found.\n");
    assert_eq!(hub.run("audit list --result maybe").code, Some(2));
}

#[test]
fn an_export_contains_no_message_text_and_verifies_offline() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = busy(folder.path());
    let export = hub.run("audit export");
    assert_eq!(export.code, Some(0), "{}", export.stderr);
    assert!(!export.stdout.contains("xyzzy") && !export.stdout.contains(&hub.token), "{}", export.stdout);
    let on_hub = hub.run("audit verify");
    assert_eq!(on_hub.code, Some(0), "{}", on_hub.stderr);
    fs::write(folder.path().join("audit.jsonl"), &export.stdout).expect("written");
    drop(hub);

    // A file needs neither a hub nor a token.
    let of_file = run(parlour(folder.path()).args(["audit", "verify", "audit.jsonl"]), "");
    assert_eq!((of_file.code, &of_file.stdout), (Some(0), &on_hub.stdout));
    let of_stdin = run(parlour(folder.path()).args(["audit", "verify", "-", "--json"]), &export.stdout);
    let answer: serde_json::Value = serde_json::from_str(&of_stdin.stdout).expect("JSON");
    assert_eq!(answer["head"], head(&on_hub.stdout));
    assert_eq!(answer["entries"], export.stdout.lines().count());
}

#[test]
fn a_changed_export_is_detected() {
    let folder = tempfile::tempdir().expect("folder");
    let export = busy(folder.path()).run("audit export").stdout;
    let verify = |text: &str| run(parlour(folder.path()).args(["audit", "verify", "-"]), text);
    let last = export.lines().count();
    let changed = verify(&export.replacen("messaging.posted", "messaging.edited", 1));
    assert_eq!(changed.code, Some(1));
    assert!(changed.stderr.contains("was changed: the hash of the chain"), "{}", changed.stderr);
    let without_third: Vec<&str> =
        export.lines().enumerate().filter(|(place, _)| *place != 2).map(|(_, line)| line).collect();
    let missing = verify(&without_third.join("\n"));
    assert!(missing.stderr.contains("entry 3 is missing: entry 4 is in its place"), "{}", missing.stderr);
    assert!(verify("no log").stderr.contains("is not an audit entry"));
    assert_eq!(verify(&export).code, Some(0), "{last} lines are whole");
}

#[test]
fn a_noted_head_verifies_until_the_log_is_recreated() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = busy(folder.path());
    let noted = head(&hub.run("audit verify").stdout);
    hub.json("post deck more --project Voyage");
    let again = hub.run(&format!("audit verify --head {noted}"));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_ne!(head(&again.stdout), noted);

    let (no, _) = noted.split_once(':').expect("a head");
    let rest = hub.run(&format!("audit export --after {no}")).stdout;
    let of_rest = run(parlour(folder.path()).args(["audit", "verify", "-", "--head", &noted]), &rest);
    assert_eq!((of_rest.code, head(&of_rest.stdout)), (Some(0), head(&again.stdout)));

    let forged = format!("{no}:{}", "0".repeat(64));
    let other = hub.run(&format!("audit verify --head {forged}"));
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("the log was rewritten"), "{}", other.stderr);
    let later = hub.run(&format!("audit verify --head 9999:{}", "0".repeat(64)));
    assert!(later.stderr.contains("the log ends with entry"), "{}", later.stderr);
    assert_eq!(hub.run("audit verify --head 7").code, Some(2));
}

#[test]
fn only_an_administrator_reads_the_audit_log() {
    let folder = tempfile::tempdir().expect("folder");
    let hub = busy(folder.path());
    let token = hub.json("person token Mara")["token"].as_str().expect("a token").to_owned();
    for words in [&["audit", "list"][..], &["audit", "export"], &["audit", "verify"]] {
        let refused = run(hub.command().env("PARLOUR_TOKEN", &token).args(words), "");
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "{words:?}");
        assert!(refused.stderr.contains("PARLOUR-A0"), "{words:?}: {}", refused.stderr);
    }
}
