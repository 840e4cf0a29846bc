//! Whole sessions against a real hub: runs, deliveries, questions and holds.

use std::thread;

use serde_json::{Value, json};

use crate::{
    fixture::{HookFixture, input, told},
    support,
};

fn fixture() -> HookFixture {
    let fixture = HookFixture::make();
    fixture.install("claude-code");
    fixture
}

#[test]
fn a_shown_message_is_injected_and_then_seen_when_the_model_continues() {
    let fixture = fixture();
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    let message = fixture.post("@Coder 'The build is red'");
    assert_eq!(fixture.delivery(&message)["state"], "stored");
    assert_eq!(call("SessionStart"), json!({}), "there is no run yet that could store the text");
    assert_eq!(told(&call("UserPromptSubmit")).matches("Admin: The build is red").count(), 1);
    assert_eq!(
        (&fixture.delivery(&message)["state"], &fixture.delivery(&message)["delivered_via"]),
        (&"injected".into(), &"hook".into())
    );
    assert_eq!(told(&call("UserPromptSubmit")), "", "nothing is told twice");
    assert_eq!(fixture.delivery(&message)["state"], "injected", "a prompt proves nothing");
    let second = fixture.post("@Coder 'And the tests too'");
    assert!(told(&call("PostToolUse")).contains("Admin: And the tests too"));
    assert_eq!(fixture.delivery(&message)["state"], "seen");
    let run = fixture.runs().remove(0);
    assert_eq!((&run["label"], &run["state"]), (&"Claude Code in shop".into(), &"running".into()));
    assert_eq!(told(&call("PostToolUse")), "");
    assert_eq!(fixture.delivery(&second)["state"], "injected", "another tool of the same step proves nothing");
    assert_eq!(call("Stop"), json!({}));
    assert_eq!(fixture.delivery(&second)["state"], "seen");
    assert_eq!(fixture.runs().remove(0)["state"], "done");
    assert_eq!(call("SessionEnd"), json!({}));
}

#[test]
fn an_open_question_holds_a_turn_a_limited_number_of_times() {
    let fixture = fixture();
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    let again = || {
        let mut input = input("claude-code", "Stop");
        input["stop_hook_active"] = Value::from(true);
        fixture.call("claude-code", &input)
    };
    call("UserPromptSubmit");
    let asked = fixture.json("ask @Coder 'Which database?'");
    let question = asked["id"].as_str().expect("an id").to_owned();
    let text = told(&call("PostToolUse")).to_owned();
    assert!(text.contains("Answer it first") && text.contains(&format!("answer {question} 'your answer'")), "{text}");
    assert_eq!(fixture.runs().remove(0)["state"], "paused");
    assert_eq!(told(&call("PostToolUse")), "", "nothing is told twice");
    for hold in [call("Stop"), again(), again()] {
        assert_eq!(hold["decision"], "block");
        assert!(told(&hold).contains("Admin: Which database?"), "{hold}");
    }
    assert_eq!(again(), json!({}), "three holds for one question");
    assert_eq!(fixture.runs().remove(0)["state"], "done");
}

#[test]
fn the_shown_answer_command_acts_as_the_agent_despite_other_settings() {
    let fixture = fixture();
    let asked = fixture.json("ask @Coder 'Which database?'");
    let question = asked["id"].as_str().expect("an id").to_owned();
    let answer = fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    let line = told(&answer).lines().find_map(|line| line.strip_prefix("Answer: ")).expect("a handle").to_owned();
    // The shell of a model has whatever its user has set: here another token.
    let mut shell = std::process::Command::new("sh");
    shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", fixture.home.folder.path());
    shell.env("PARLOUR_TOKEN", &fixture.hub.token).env("PARLOUR_URL", "http://127.0.0.1:1");
    let run = support::run(shell.args(["-c", &line.replace("your answer", "Postgres")]), "");
    assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
    assert_eq!(
        fixture.call("claude-code", &input("claude-code", "Stop")),
        json!({}),
        "nothing holds the turn any more"
    );
    assert_eq!(fixture.delivery(&question)["state"], "answered");
}

#[test]
fn each_shown_reply_command_answers_exactly_its_message() {
    let fixture = fixture();
    let messages = ["general '@Coder one'", "general '@Coder two'", "general '@Coder three'", "@Coder 'four'"];
    let messages = messages.map(|line| fixture.post(line));
    // The budget of one injection is too small for all; the end of the turn marks all of them as seen.
    let events = ["UserPromptSubmit", "PostToolUse", "PostToolUse", "PostToolUse", "Stop"];
    let text = events.map(|event| told(&fixture.call("claude-code", &input("claude-code", event))).to_owned() + "\n");
    let text = text.concat();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Reply: ")).collect();
    assert_eq!(commands.len(), messages.len(), "{text}");
    for (done, message) in messages.iter().enumerate().rev() {
        let command = commands.iter().find(|command| command.contains(message.as_str())).expect("a reply command");
        let run = support::run(fixture.home.shell().arg(command), "");
        assert_eq!(run.code, Some(0), "{command}: {}{}", run.stdout, run.stderr);
        let states = messages.each_ref().map(|message| fixture.delivery(message)["state"].clone());
        let expected = [0, 1, 2, 3].map(|at| Value::from(if at < done { "seen" } else { "answered" }));
        assert_eq!(states, expected);
    }
    assert_eq!(fixture.json("agent calls Coder")["items"], json!([]), "every call is settled");
}

#[test]
fn the_shown_text_is_redacted_and_stored_with_the_run() {
    let fixture = fixture();
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    call("UserPromptSubmit");
    let message = fixture.post("@Coder 'The password is hunter2hunter2'");
    let text = told(&call("PostToolUse")).to_owned();
    assert!(text.contains("Admin: The password is [") && !text.contains("hunter2"), "{text}");
    let run = fixture.runs().remove(0)["id"].as_str().expect("an id").to_owned();
    let given = fixture.injections(&run);
    assert_eq!(
        (given.len(), &given[0]["delivered_via"], &given[0]["text"]),
        (1, &"hook".into(), &text.as_str().into())
    );
    let shown =
        given[0]["receipt"]["items"].as_array().expect("a list").iter().filter(|item| item["level"].is_string());
    let shown: Vec<_> = shown.map(|item| item["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(shown, std::slice::from_ref(&message), "what is reported is what is shown");
    assert_eq!(fixture.delivery(&message)["state"], "injected");
    assert_eq!(told(&call("PostToolUse")), "");
    assert_eq!(fixture.injections(&run).len(), 1, "nothing is given when there is nothing new");
}

#[test]
fn blocking_messages_come_first() {
    let fixture = HookFixture::make();
    // Room for both: the paths in the commands have another length on each machine.
    fixture.json(r#"agent create Coder --context '{"injection_tokens_max":2000}'"#);
    fixture.install("claude-code");
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    call("UserPromptSubmit");
    fixture.post("@Coder 'Lunch?' --importance critical");
    fixture.json("ask @Coder 'Which database?'");
    let text = told(&call("PostToolUse")).to_owned();
    let places = ["Answer it first", "Which database?", "Lunch?"].map(|part| text.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
}

#[test]
fn unread_messages_hold_a_turn_once() {
    let fixture = fixture();
    let call = |event: &str| fixture.call("claude-code", &input("claude-code", event));
    call("UserPromptSubmit");
    fixture.post("@Coder 'By the way'");
    let held = call("Stop");
    assert!(held["decision"] == "block" && told(&held).contains("Admin: By the way"), "{held}");
    fixture.post("@Coder 'One more'");
    let mut again = input("claude-code", "Stop");
    again["stop_hook_active"] = Value::from(true);
    assert_eq!(fixture.call("claude-code", &again), json!({}), "a turn that was held is not held for that again");
    assert!(told(&call("UserPromptSubmit")).contains("Admin: One more"), "it comes with the next prompt");
}

#[test]
fn parallel_tool_calls_show_a_message_once() {
    let fixture = fixture();
    fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    fixture.post("@Coder 'Only once'");
    let answers: Vec<Value> = thread::scope(|scope| {
        let call = || fixture.call("claude-code", &input("claude-code", "PostToolUse"));
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
        calls.into_iter().map(|call| call.join().expect("answered")).collect()
    });
    let telling = answers.iter().filter(|answer| told(answer).contains("Admin: Only once")).count();
    assert_eq!(telling, 1, "{answers:?}");
    let other = json!({"session_id": "another", "hook_event_name": "PostToolUse", "cwd": "/w"});
    assert!(
        told(&fixture.call("claude-code", &other)).contains("Admin: Only once"),
        "another session was not told yet"
    );
}

#[test]
fn a_subagent_gets_no_messages() {
    let fixture = fixture();
    fixture.post("@Coder 'For you'");
    let mut tool = input("claude-code", "PostToolUse");
    tool["agent_id"] = "helper-1".into();
    assert_eq!(fixture.call("claude-code", &tool), json!({}));
}

#[test]
fn the_answer_to_the_agents_question_is_shown() {
    let fixture = fixture();
    fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    let profile = fixture.home.path(".config/parlour/hooks/claude-code.toml");
    let mut ask = fixture.home.command();
    ask.args(["hook", "as", "--config"]).arg(&profile);
    let person = fixture.json("person list")["items"][0]["name"].as_str().expect("a name").to_owned();
    ask.args(["ask", &format!("@{person}"), "Shall I?", "--json"]);
    let run = support::run(&mut ask, "");
    let Ok(asked) = serde_json::from_str::<Value>(&run.stdout) else { panic!("{}{}", run.stdout, run.stderr) };
    let question = asked["id"].as_str().expect("an id");
    assert_eq!(told(&fixture.call("claude-code", &input("claude-code", "PostToolUse"))), "", "nobody has answered");
    fixture.json(&format!("answer {question} 'Yes, the password is hunter2hunter2'"));
    let text = told(&fixture.call("claude-code", &input("claude-code", "PostToolUse"))).to_owned();
    assert!(text.contains("was answered by") && text.contains("> Shall I?\nAnswer:\n> "), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    let next = told(&fixture.call("claude-code", &input("claude-code", "PostToolUse"))).to_owned();
    assert!(!next.contains("was answered by"), "{next}");
}

#[test]
fn unsent_reports_are_sent_later() {
    let fixture = fixture();
    let message = fixture.post("@Coder 'Hello'");
    fixture.call("claude-code", &input("claude-code", "UserPromptSubmit"));
    let HookFixture { hub, home } = fixture;
    let url = hub.url.clone();
    hub.kill();
    let profile = home.path(".config/parlour/hooks/claude-code.toml");
    let run = home.hook("claude-code", &profile, "", &input("claude-code", "PostToolUse").to_string());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "{}\n"));
    let hub = support::Hub::start_again(home.folder.path(), &url);
    let fixture = HookFixture { hub, home };
    assert_eq!(fixture.delivery(&message)["state"], "injected");
    fixture.call("claude-code", &input("claude-code", "PostToolUse"));
    assert_eq!(fixture.delivery(&message)["state"], "seen");
}
