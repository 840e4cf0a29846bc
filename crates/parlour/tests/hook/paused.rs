//! A paused run: no tool runs before the message is handled, and the stored injections are what the model was given.

use serde_json::{Value, json};

use crate::{
    fixture::{HookFixture, TOOLS, input, told},
    support,
};

/// The event of a tool that comes before its tools run.
fn before(tool: &str) -> &'static str {
    match tool {
        "gemini" => "BeforeTool",
        "cursor" => "preToolUse",
        _ => "PreToolUse",
    }
}

fn prompt(tool: &str) -> &'static str {
    match tool {
        "gemini" => "BeforeAgent",
        "cursor" => "beforeSubmitPrompt",
        _ => "UserPromptSubmit",
    }
}

/// The reply to a shell command that the model wants to run.
fn wants_to_run(fixture: &HookFixture, tool: &str, command: &str) -> Value {
    let mut input = input(tool, before(tool));
    input["tool_input"] = json!({ "command": command });
    fixture.call(tool, &input)
}

fn is_denied(answer: &Value) -> bool {
    let decisions = ["/hookSpecificOutput/permissionDecision", "/decision", "/permission"];
    decisions.iter().any(|place| answer.pointer(place) == Some(&json!("deny")))
}

fn current_run(fixture: &HookFixture) -> (String, String) {
    let run = fixture.runs().remove(0);
    let field = |name: &str| run[name].as_str().expect("a text").to_owned();
    (field("id"), field("state"))
}

/// The command after this word, of a text for a model.
fn handle<'a>(text: &'a str, word: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.split_once(word)).map(|(_, command)| command);
    assert!(found.is_some(), "no {word:?} in {text}");
    found.unwrap_or_default()
}

fn shell(fixture: &HookFixture, line: &str) {
    let run = support::run(fixture.home.shell().arg(line), "");
    assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
}

#[test]
fn no_tool_runs_while_the_run_is_paused() {
    let fixture = HookFixture::make();
    for tool in TOOLS {
        fixture.install(tool);
        fixture.call(tool, &input(tool, prompt(tool)));
        assert_eq!(wants_to_run(&fixture, tool, "cargo test"), json!({}), "{tool}: nothing pauses it");
        let asked = fixture.json(&format!("ask @Coder 'Which database, {tool}?'"));
        let question = asked["id"].as_str().expect("an id").to_owned();
        let answer = wants_to_run(&fixture, tool, "cargo test");
        assert!(is_denied(&answer), "{tool}: {answer}");
        let text = told(&answer).to_owned();
        assert!(text.contains(&format!("Admin: Which database, {tool}?")), "{text}");
        let (run, state) = current_run(&fixture);
        assert_eq!(state, "paused", "{tool}");
        assert_eq!(fixture.injections(&run).pop().expect("an injection")["text"], text.as_str(), "{tool}");
        let delivery = fixture.delivery(&question);
        assert_eq!((&delivery["state"], &delivery["run_id"]), (&json!("injected"), &json!(run)), "{tool}");
        let reply = handle(&text, "Answer: ").replace("your answer", "It is Postgres");
        for other in ["cargo test", &format!("{reply}; cargo test"), "parlour inbox"] {
            assert!(is_denied(&wants_to_run(&fixture, tool, other)), "{tool}: {other}");
        }
        assert_eq!(wants_to_run(&fixture, tool, &reply), json!({}), "{tool}: the model may answer");
        assert_eq!(current_run(&fixture).1, "paused");
        shell(&fixture, &reply);
        assert_eq!(wants_to_run(&fixture, tool, "cargo test"), json!({}), "{tool}: it goes on");
        assert_eq!(
            (current_run(&fixture), &fixture.delivery(&question)["state"]),
            ((run.clone(), "running".to_owned()), &json!("answered"))
        );
        assert_eq!(fixture.timeline(&run), ["run_started", "paused", "resumed"], "{tool}");
    }
}

#[test]
fn a_paused_run_goes_on_when_the_agent_or_a_person_resumes_it() {
    let fixture = HookFixture::make();
    fixture.install("claude-code");
    fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    for is_person in [true, false] {
        fixture.json("ask @Coder 'Which database?'");
        let denied = wants_to_run(&fixture, "claude-code", "cargo test");
        let resume = handle(told(&denied), "or without one: ").to_owned();
        assert_eq!(wants_to_run(&fixture, "claude-code", &resume), json!({}));
        match is_person {
            true => drop(fixture.json(&format!("run resume {}", current_run(&fixture).0))),
            false => shell(&fixture, &resume),
        }
        assert_eq!(wants_to_run(&fixture, "claude-code", "cargo test"), json!({}), "person: {is_person}");
    }
}

#[test]
fn a_tool_of_a_subagent_does_not_run_either() {
    let fixture = HookFixture::make();
    fixture.install("claude-code");
    fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    fixture.json("ask @Coder 'Which database?'");
    let mut tool = input("claude-code", "PreToolUse");
    tool["agent_id"] = "helper-1".into();
    let answer = fixture.call("claude-code", &tool);
    assert!(is_denied(&answer) && !told(&answer).contains("database"), "{answer}");
    assert_eq!(fixture.injections(&current_run(&fixture).0), [] as [Value; 0], "it was given no message");
}

#[test]
fn without_a_hub_only_a_paused_run_denies_tools_and_only_a_few() {
    let fixture = HookFixture::make();
    fixture.install("codex");
    fixture.call("codex", &input("codex", "UserPromptSubmit"));
    fixture.json("ask @Coder 'Which database?'");
    assert!(is_denied(&wants_to_run(&fixture, "codex", "cargo test")));
    let HookFixture { hub, home } = fixture;
    hub.kill();
    let profile = home.path(".config/parlour/hooks/codex.toml");
    let tool = input("codex", "PreToolUse");
    let call = |input: &Value| {
        let run = home.hook("codex", &profile, "", &input.to_string());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&run.stdout).expect("JSON")
    };
    let denied: Vec<_> = (0..4).map(|_| is_denied(&call(&tool))).collect();
    assert_eq!(denied, [true, true, true, false]);
    assert!(home.journal().contains("the tool is denied"), "{}", home.journal());
    let mut other = tool.clone();
    other["session_id"] = "another".into();
    assert_eq!(call(&other), json!({}), "nothing has paused this session");
}

#[test]
fn every_text_that_the_hook_prints_is_stored_as_it_is() {
    let fixture = HookFixture::make();
    fixture.install("claude-code");
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    let mut printed = vec![told(&call("UserPromptSubmit")).to_owned()];
    let profile = fixture.home.path(".config/parlour/hooks/claude-code.toml");
    let mut ask = fixture.home.command();
    let person = fixture.json("person list")["items"][0]["name"].as_str().expect("a name").to_owned();
    ask.args(["hook", "as", "--config"]).arg(&profile).args(["ask", &format!("@{person}"), "Shall I?", "--json"]);
    let run = support::run(&mut ask, "");
    let asked: Value = serde_json::from_str(&run.stdout).expect("JSON");
    printed.push(told(&call("PostToolUse")).to_owned());
    fixture.json(&format!("answer {} 'Yes, the password is hunter2hunter2'", asked["id"].as_str().expect("an id")));
    fixture.post("@Coder 'One more thing'");
    fixture.json("ask @Coder 'Which database?'");
    for event in ["PostToolUse", "PreToolUse", "PostToolUse", "PostToolUse", "Stop"] {
        printed.push(told(&call(event)).to_owned());
    }
    let run = current_run(&fixture).0;
    let stored = fixture.injections(&run);
    let stored: Vec<_> = stored.iter().map(|injection| injection["text"].as_str().expect("a text")).collect();
    printed.retain(|text| !text.is_empty());
    assert_eq!(printed, stored);
    for part in ["Which database?", "One more thing", "> Shall I?\nAnswer:\n> Yes"] {
        assert!(printed.iter().any(|text| text.contains(part)), "{part}: {printed:#?}");
    }
    assert!(!printed.concat().contains("hunter2"));
}
