//! Coding programs as agents: scripts stand in for them and print their events.

use std::{env, fs, os::unix::fs::PermissionsExt, process::Command};

use parlour_core::message::{Message, State};

use crate::{
    fixture::AgentFixture,
    support::{running::RunningProcess, transcript::words},
};

/// Claude Code that streams a text and calls a tool, and shows its arguments and its prompt in its answer.
const CLAUDE: &str = r#"#!/bin/sh
asked=$(cat | grep -c 'please look')
arguments=$(printf '%s|' "$@")
cat <<EOF
{"type":"system","subtype":"init","model":"claude-test","session_id":"s"}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"asked $asked"}}}
{"type":"assistant","message":{"model":"claude-test","content":[{"type":"text","text":"asked $asked times"}]}}
{"type":"assistant","message":{"model":"claude-test","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.rs"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"no such file","is_error":true}]}}
{"type":"assistant","message":{"model":"claude-test","content":[{"type":"text","text":"$arguments"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"","modelUsage":{"claude-test":{"inputTokens":7,"outputTokens":3}}}
EOF
"#;

/// A PATH in which a script stands in for this program.
fn path_with(fixture: &AgentFixture, program: &str, script: &str) -> String {
    let file = fixture.path(program);
    fs::write(&file, script).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
    format!("{}:{}", fixture.folder.path().display(), env::var("PATH").unwrap_or_default())
}

fn agent_command(fixture: &AgentFixture, path: &str, line: &str) -> Command {
    let mut command = fixture.hub.command();
    command.arg("agent").args(words(line)).env("PATH", path);
    command
}

/// The answer of an agent with this program, and the line of its start.
async fn answer_of(program: &str, script: &str, line: &str) -> (String, Message) {
    let fixture = AgentFixture::make();
    let path = path_with(&fixture, program, script);
    let agent = RunningProcess::start(&mut agent_command(&fixture, &path, line));
    let ready = agent.line();
    let mut watch = fixture.watch().await;
    fixture.say("@Coder please look").await;
    (ready, watch.ended().await)
}

#[tokio::test]
async fn a_coding_program_answers_with_text_steps_and_usage() {
    let line = "--name Coder --claude-code --model opus -- --allowedTools 'Bash(git *)'";
    let (ready, answer) = answer_of("claude", CLAUDE, line).await;
    assert!(ready.contains("engine: Claude Code: opus."), "{ready}");
    assert_eq!((answer.state, answer.reason.as_deref()), (State::Complete, None));
    let flags =
        "-p|--output-format|stream-json|--verbose|--include-partial-messages|--model|opus|--allowedTools|Bash(git *)|";
    assert_eq!(answer.body, format!("asked 1 times\n\n{flags}"));
    let [step] = &answer.steps[..] else { panic!("{:?}", answer.steps) };
    assert_eq!((step.name.as_str(), step.is_error), ("Read: a.rs", true));
    assert_eq!(step.output, Some("no such file".into()));
    let usage = answer.usage.expect("usage");
    assert_eq!((usage.model.as_str(), usage.input_tokens, usage.output_tokens), ("claude-test", 7, 3));
}

#[tokio::test]
async fn the_events_of_a_command_are_recognised() {
    let line = "--name Coder --exec 'claude -p --output-format stream-json --verbose'";
    let (_, answer) = answer_of("claude", CLAUDE, line).await;
    assert_eq!((answer.state, answer.steps.len()), (State::Complete, 1));
    assert!(answer.body.starts_with("asked 1 times\n\n"), "{}", answer.body);
}

#[tokio::test]
async fn an_error_of_a_coding_program_is_the_reason_of_the_failure() {
    let script = r#"#!/bin/sh
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.failed","error":{"message":"{\"error\":{\"message\":\"You are out of credits\"}}"}}'
"#;
    let (_, answer) = answer_of("codex", script, "--name Coder --codex").await;
    assert_eq!(answer.state, State::Failed);
    assert_eq!(answer.reason.as_deref(), Some("Codex: You are out of credits"));
}

#[test]
fn a_missing_program_is_reported_with_the_way_to_install_it() {
    let fixture = AgentFixture::make();
    for (flag, package) in [
        ("--claude-code", "@anthropic-ai/claude-code"),
        ("--codex", "@openai/codex"),
        ("--gemini-cli", "@google/gemini-cli"),
        ("--opencode", "opencode-ai"),
    ] {
        let output = agent_command(&fixture, "/nowhere", &format!("--name Coder {flag}")).output().expect("run");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("is not installed") && stderr.contains(package), "{stderr}");
    }
}
