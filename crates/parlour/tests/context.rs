//! `parlour context` and `parlour run injections`: what people see of what a model sees.

mod support;

use support::Hub;
use tempfile::TempDir;

/// A hub with an agent that was asked something.
fn start_hub() -> (TempDir, Hub, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let token = hub.json("agent create Coder")["token"].as_str().expect("a token").to_owned();
    for number in 1..=6 {
        assert_eq!(hub.run(&format!("post general 'Gauge {number} shows {number}0 bar.'")).code, Some(0));
    }
    assert_eq!(
        hub.run("post general '@Coder which gauge shows 40 bar? The key is AKIAIOSFODNN7EXAMPLX.'").code,
        Some(0)
    );
    (folder, hub, token)
}

/// What a command that fails says.
fn failing(hub: &Hub, line: &str) -> String {
    let run = hub.run(line);
    assert!(run.code.is_some_and(|code| code != 0), "{line}: {}", run.stdout);
    assert_eq!(run.stdout, "", "{line}");
    run.stderr
}

#[test]
fn a_pack_is_shown_and_explained_without_secrets() {
    let (_folder, hub, _) = start_hub();
    let plain = hub.run("context --agent Coder --in general");
    assert_eq!(plain.code, Some(0), "{}", plain.stderr);
    assert!(plain.stdout.contains("which gauge shows 40 bar?") && !plain.stdout.contains("AKIA"), "{}", plain.stdout);
    let explained = hub.run("context --agent Coder --in general --explain").stdout;
    assert!(explained.starts_with(plain.stdout.trim_end()), "{explained}");
    assert!(
        explained.len() > plain.stdout.len() && explained.contains("1024") && explained.contains("Gauge"),
        "{explained}"
    );
    let pack = hub.json("context --agent Coder --in general");
    assert!(pack["receipt"]["used"].as_u64() <= pack["receipt"]["budget"].as_u64());
    assert_eq!(pack["text"].as_str().map(str::trim_end), Some(plain.stdout.trim_end()));
}

#[test]
fn invalid_pack_requests_are_refused_with_a_remedy() {
    let (_folder, hub, _) = start_hub();
    let small = failing(&hub, "context --agent Coder --in general --budget 1");
    assert!(small.contains("too few here: at least ") && small.contains("PARLOUR-M06"), "{small}");
    assert!(failing(&hub, "context --agent Coder --budget 1000001").contains("1000000"), "a budget that is too large");
    assert!(failing(&hub, "context --agent Coder --budget lots").contains("--budget"));
    assert!(failing(&hub, "context --agent Nobody").contains("Nobody"));
    assert!(failing(&hub, "context").contains("--agent"));
    assert!(failing(&hub, "context --agent Coder --format verse").contains("verse"));
    assert!(failing(&hub, "context --agent Coder --in nowhere").contains("nowhere"));
    assert!(failing(&hub, "agent create Other --context '{\"pack\": 1}'").contains("pack"));
}

#[test]
fn the_latest_messages_come_from_the_named_conversation() {
    let (_folder, hub, _) = start_hub();
    let unnamed = hub.run("context --agent Coder --format last-20");
    assert!(unnamed.stdout.contains("--in CHANNEL"), "{}", unnamed.stdout);
    let named = hub.run("context --agent Coder --format last_20 --in general");
    assert!(named.stdout.contains("Gauge 6 shows 60 bar."), "{}{}", named.stdout, named.stderr);
}

#[test]
fn tokens_of_an_unknown_model_are_an_upper_bound() {
    let (_folder, hub, _) = start_hub();
    let count =
        |model: &str| hub.json(&format!("context --agent Coder --in general --model {model}"))["receipt"].clone();
    assert_eq!(
        (count("gpt-4o")["counting"]["is_exact"].as_bool(), count("frob-1")["counting"]["is_exact"].as_bool()),
        (Some(true), Some(false))
    );
}

#[test]
fn injections_of_runs_are_listed_and_compared() {
    let (_folder, mut hub, token) = start_hub();
    hub.token = token;
    let run = |hub: &Hub| hub.json("run start")["id"].as_str().expect("an id").to_owned();
    let (first, second) = (run(&hub), run(&hub));
    assert_eq!(hub.run(&format!("context --in general --run {first} --notice 'The harbour is closed.'")).code, Some(0));
    assert_eq!(hub.run(&format!("context --in general --run {second} --budget 300")).code, Some(0));
    let listed = hub.run(&format!("run injections {first}"));
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(listed.stdout.contains("pack") && listed.stdout.contains("1024"), "{}", listed.stdout);
    let texts = hub.run(&format!("run injections {first} --texts")).stdout;
    assert!(texts.contains("which gauge shows 40 bar?"), "{texts}");
    assert!(!texts.contains("harbour") && !texts.contains("AKIA"), "{texts}");
    let compared = hub.run(&format!("run injections {first} --with {second}"));
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    assert!(!compared.stdout.trim().is_empty());
    let same = hub.json(&format!("run injections {first} --with {first}"));
    assert!(same["same"].as_u64() > Some(0) && same["changed"] == serde_json::json!([]), "{same}");
    assert!(failing(&hub, "run injections run_none").contains("run_none"));
}
