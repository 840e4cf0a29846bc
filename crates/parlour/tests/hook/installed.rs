//! Each tool with the very commands that stand in its settings, run by a shell as the tool does it, in a home whose name
//! a shell would take apart.

use serde_json::{Value, json};

use crate::{
    fixture::{AgentHome, HookFixture, TOOLS, recorded, told},
    support,
};

/// The input of a tool for its so-many-th occasion: session begins, prompt, after a tool, end of turn, session ends.
fn occasion(tool: &str, number: usize) -> Value {
    let others = ["PostToolUseFailure", "PreToolUse", "BeforeTool", "preToolUse"].map(Value::from);
    let recorded: Vec<_> =
        recorded(tool).into_iter().filter(|input| !others.contains(&input["hook_event_name"])).collect();
    assert_eq!(recorded.len(), 5, "{tool}");
    recorded[number].clone()
}

/// What an answer says that holds a turn; nothing when it does not.
fn held<'a>(tool: &str, answer: &'a Value) -> Option<&'a str> {
    let (place, is_held) = match tool {
        "cursor" => ("followup_message", true),
        "gemini" => ("reason", answer["decision"] == "deny"),
        _ => ("reason", answer["decision"] == "block"),
    };
    answer[place].as_str().filter(|_| is_held)
}

#[test]
fn installed_commands_handle_whole_sessions_of_every_tool() {
    let fixture = HookFixture::at(AgentHome::called("it's $HOME of mara "));
    for tool in TOOLS {
        fixture.install(tool);
        let call = |number: usize| fixture.call(tool, &occasion(tool, number));
        let message = fixture.post(&format!("@Coder 'The build of {tool} is red'"));
        let (start, prompt) = (told(&call(0)).to_owned(), told(&call(1)).to_owned());
        // A prompt has a run that stores the text. Cursor accepts none with a prompt.
        let (text, other) = if tool == "cursor" { (start, prompt) } else { (prompt, start) };
        assert!(text.contains(&format!("Admin: The build of {tool} is red")), "{tool}: {text}");
        assert_eq!(other, "", "{tool}: nothing is told twice");
        assert_eq!(
            (&fixture.delivery(&message)["state"], &fixture.delivery(&message)["delivered_via"]),
            (&json!("injected"), &json!("hook"))
        );
        let run = fixture.runs().remove(0);
        assert!(
            run["state"] == "running" && run["label"].as_str().is_some_and(|label| label.ends_with(" in shop")),
            "{run}"
        );
        let asked = fixture.json(&format!("ask @Coder 'Which database, {tool}?'"));
        let question = asked["id"].as_str().expect("an id").to_owned();
        let text = told(&call(2)).to_owned();
        assert!(text.contains("Answer it first"), "{tool}: {text}");
        assert_eq!(fixture.runs().remove(0)["state"], "paused", "{tool}");
        assert_eq!(fixture.delivery(&message)["state"], "seen", "{tool}: the model went on");
        let answer = call(3);
        let hold = held(tool, &answer).unwrap_or_else(|| panic!("{tool} is not held: {answer}"));
        // The command that the model is shown is one that a shell takes as it stands.
        let line = hold.lines().find_map(|line| line.strip_prefix("Answer: ")).expect("a handle");
        let run = support::run(fixture.home.shell().arg(line.replace("your answer", "Postgres")), "");
        assert_eq!(run.code, Some(0), "{tool}: {line}: {}{}", run.stdout, run.stderr);
        assert_eq!(fixture.delivery(&question)["state"], "answered", "{tool}");
        assert_eq!(call(3), json!({}), "{tool}: nothing holds the turn any more");
        assert_eq!(fixture.runs().remove(0)["state"], "done", "{tool}");
        assert_eq!(call(4), json!({}), "{tool}");
    }
}

#[test]
fn every_installed_command_is_a_valid_shell_command() {
    let fixture = HookFixture::at(AgentHome::called("it's $HOME of mara "));
    for tool in TOOLS {
        fixture.install(tool);
        for input in recorded(tool) {
            let command = fixture.installed(tool, input["hook_event_name"].as_str().expect("an event"));
            let run = support::run(fixture.home.shell().arg(&command), &input.to_string());
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command}: {}", run.stdout);
            assert!(
                serde_json::from_str::<Value>(&run.stdout).is_ok_and(|answer| answer.is_object()),
                "{}",
                run.stdout
            );
        }
    }
}
