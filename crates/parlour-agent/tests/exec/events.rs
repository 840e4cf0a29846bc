//! Event streams of coding programs as answers. The fixtures hold the events of one answer each, in the form of the program:
//! text, reasoning, a tool call that succeeds, one that fails, and more text.

use std::{fs, path::PathBuf};

use parlour_agent::{
    engine::{Completion, EngineError},
    engines::{CodingCli, ExecEngine, OutputFormat},
};
use parlour_core::{engine::Usage, limits};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    fixture::{AnswerHandle, RunningAnswer, answer, give_leave, text_of, waiting_at},
    prompts::{follow, mention},
};

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "coding_cli", name].iter().collect()
}

/// A command that prints these lines, in a folder that must be kept.
fn printing(lines: &str, then: &str) -> (TempDir, ExecEngine) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("lines"), lines).expect("written");
    let engine = ExecEngine { folder: Some(folder.path().into()), ..ExecEngine::new(format!("cat lines; {then}")) };
    (folder, engine)
}

/// The text and the end of an answer with these lines.
async fn answer_of(lines: &str, then: &str) -> (String, Result<Completion, EngineError>) {
    let (_folder, engine) = printing(lines, then);
    answer(engine, mention("hi")).await
}

async fn failure_of(lines: &str, then: &str) -> (String, String) {
    let (text, outcome) = answer_of(lines, then).await;
    (text, outcome.expect_err("a failure").reason)
}

const CODEX_BEGIN: &str = r#"{"type":"thread.started","thread_id":"t"}"#;
const CODEX_END: &str = r#"{"type":"turn.completed","usage":{"input_tokens":2,"output_tokens":1}}"#;

fn codex_text(text: &str) -> String {
    json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}}).to_string()
}

/// A complete answer of Codex with these lines in it.
fn codex(lines: &str) -> String {
    format!("{CODEX_BEGIN}\n{lines}\n{CODEX_END}\n")
}

const CLAUDE_BEGIN: &str = r#"{"type":"system","subtype":"init","model":"m","session_id":"s"}"#;
const CLAUDE_MESSAGE: &str = r#"{"type":"stream_event","event":{"type":"message_start","message":{"model":"m"}}}"#;

fn claude_piece(text: &str) -> String {
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    json!({"type": "stream_event", "event": delta, "parent_tool_use_id": null}).to_string()
}

fn claude_block(text: &str) -> String {
    let message = json!({"model": "m", "content": [{"type": "text", "text": text}]});
    json!({"type": "assistant", "message": message, "parent_tool_use_id": null}).to_string()
}

fn claude_result(is_error: bool, text: &str) -> String {
    json!({"type": "result", "subtype": "success", "is_error": is_error, "result": text, "modelUsage": {}}).to_string()
}

#[tokio::test]
async fn text_steps_and_usage_of_each_program_are_shown_and_nothing_else() {
    for (name, model, steps) in [
        (
            "claude_code",
            "claude-test",
            ["> step-1 Bash: ls", "< step-1 a.rs", "> step-2 Bash: cat b.rs", "! step-2 no such file"],
        ),
        (
            "codex",
            "Codex",
            [
                "> step-1 command: ls",
                "< step-1 a.rs",
                "> step-2 command: cat b.rs",
                "! step-2 exit status 1\nno such file",
            ],
        ),
        (
            "gemini_cli",
            "gemini-test",
            ["> step-1 run_shell_command: ls", "< step-1 a.rs", "> step-2 read_file: b.rs", "! step-2 no such file"],
        ),
        (
            "opencode",
            "opencode",
            ["> step-1 bash: ls", "< step-1 a.rs", "> step-2 read: b.rs", "! step-2 no such file"],
        ),
    ] {
        let engine = ExecEngine::new(format!("cat '{}'", fixture(&format!("{name}.jsonl")).display()));
        let answering = RunningAnswer::begin(engine, mention("hi"));
        let shown = answering.steps.clone();
        let (text, outcome) = answering.end().await;
        assert_eq!(text, "Let me look.\n\nThere is only **a.rs**.", "{name}");
        assert_eq!(*shown.lock().expect("steps"), steps, "{name}");
        let usage = outcome.expect("complete").usage.expect("usage");
        let counted = Usage {
            model: model.to_owned(),
            input_tokens: 300,
            cached_tokens: Some(40),
            output_tokens: 60,
            tries: None,
            duration_ms: usage.duration_ms,
        };
        assert_eq!(usage, counted, "{name}");
        assert_eq!(usage.check(), Ok(()));
    }
}

#[tokio::test]
async fn the_model_of_the_engine_is_named_if_the_program_names_none() {
    for (name, model) in [("codex", "gpt-test"), ("claude_code", "claude-test")] {
        let engine = ExecEngine::new(format!("cat '{}'", fixture(&format!("{name}.jsonl")).display()));
        let (_, outcome) = answer(ExecEngine { model: Some("gpt-test".into()), ..engine }, mention("hi")).await;
        assert_eq!(outcome.expect("complete").usage.expect("usage").model, model);
    }
}

#[tokio::test]
async fn pieces_and_steps_are_shown_before_the_program_has_ended() {
    let lines = fs::read_to_string(fixture("claude_code.jsonl")).expect("read");
    let (before, after) = lines
        .split_at(lines.find(r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id""#).expect("there"));
    let (folder, engine) = waiting_at(&["one"], "cat before; read line <one; cat after");
    for (name, part) in [("before", before), ("after", after)] {
        fs::write(folder.path().join(name), part).expect("written");
    }
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    assert_eq!(answering.next_piece().await.as_deref(), Some("Let me"));
    assert_eq!(answering.next_piece().await.as_deref(), Some(" look."));
    while answering.steps.lock().expect("steps").is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*answering.steps.lock().expect("steps"), ["> step-1 Bash: ls"]);
    give_leave(&folder, "one").await;
    assert_eq!(answering.end().await.0, "Let me look.\n\nThere is only **a.rs**.");
}

#[tokio::test]
async fn a_line_may_be_split_anywhere() {
    let lines = codex(&codex_text("Grüße, 世界 👋"));
    let cut = lines.find('世').expect("there") + 1;
    let (folder, engine) = waiting_at(&["one"], "cat before; read line <one; cat after");
    for (name, part) in [("before", &lines.as_bytes()[..cut]), ("after", &lines.as_bytes()[cut..])] {
        fs::write(folder.path().join(name), part).expect("written");
    }
    let answering = RunningAnswer::begin(engine, mention("hi"));
    give_leave(&folder, "one").await;
    let (text, outcome) = answering.end().await;
    assert_eq!((text.as_str(), outcome.is_ok()), ("Grüße, 世界 👋", true));
}

#[tokio::test]
async fn a_repeated_text_is_shown_once() {
    let lines = [
        CLAUDE_BEGIN,
        CLAUDE_MESSAGE,
        &claude_piece("Hello w"),
        // The connection breaks, and the request is repeated: once more in pieces, then as a whole.
        CLAUDE_MESSAGE,
        &claude_piece("Hello "),
        &claude_block("Hello world"),
        &claude_result(false, "Hello world"),
    ];
    let (text, outcome) = answer_of(&lines.join("\n"), "").await;
    assert_eq!((text.as_str(), outcome.is_ok()), ("Hello world", true));
}

#[tokio::test]
async fn the_text_of_the_result_is_shown_if_there_is_no_other() {
    let lines = [CLAUDE_BEGIN, &claude_result(false, "Compacted.")];
    let (text, outcome) = answer_of(&lines.join("\n"), "").await;
    assert_eq!((text.as_str(), outcome.is_ok()), ("Compacted.", true));
}

#[tokio::test]
async fn an_error_fails_the_answer_whatever_the_status() {
    let lines = [CLAUDE_BEGIN, &claude_piece("Hel"), &claude_result(true, "Credit balance is too low")].join("\n");
    for then in ["exit 0", "exit 1"] {
        let (text, reason) = failure_of(&lines, then).await;
        assert_eq!((text.as_str(), reason.as_str()), ("Hel", "Claude Code: Credit balance is too low"), "{then}");
    }
}

#[tokio::test]
async fn a_stream_without_a_final_event_is_not_a_complete_answer() {
    let lines = format!("{CODEX_BEGIN}\n{}\n", codex_text("Half of it"));
    let (text, reason) = failure_of(&lines, "echo 'out of memory' >&2").await;
    assert_eq!(text, "Half of it");
    assert_eq!(reason, "Codex ended without a final event, so the answer may be incomplete: out of memory");
    let trouble = r#"{"type":"error","message":"Reconnecting... 1/5"}"#;
    let (_, reason) = failure_of(&format!("{lines}{trouble}\n"), "echo panic >&2; exit 7").await;
    assert_eq!(reason, "the command ended with status 7: Reconnecting... 1/5\npanic");
    let (_, reason) = failure_of(&lines, "kill -KILL $$").await;
    assert_eq!(reason, "the command was ended by the signal SIGKILL");
}

#[tokio::test]
async fn a_status_other_than_0_fails_a_finished_answer() {
    let (text, reason) = failure_of(&codex(&codex_text("Done.")), "echo 'cannot save' >&2; exit 2").await;
    assert_eq!((text.as_str(), reason.as_str()), ("Done.", "the command ended with status 2: cannot save"));
}

#[tokio::test]
async fn usage_is_reported_for_a_failed_answer_too() {
    let (_, outcome) = answer_of(&codex(&codex_text("Done.")), "exit 2").await;
    assert_eq!(outcome.expect_err("failed").usage.expect("usage").input_tokens, 2);
}

#[tokio::test]
async fn silence_is_valid_only_for_optional_calls() {
    let (_folder, engine) = printing(&codex(""), "");
    let (text, outcome) = answer(engine.clone(), follow("thanks")).await;
    assert_eq!((text.as_str(), outcome.is_ok()), ("", true));
    let reason = answer(engine, mention("hi")).await.1.expect_err("silence").reason;
    assert_eq!(reason, "the command succeeded but wrote no answer");
}

#[tokio::test]
async fn lines_that_are_no_events_are_shown_as_text() {
    let lines = [
        &codex_text("One."),
        "warning: old",
        "  version",
        r#"{"type":"item.completed","item":{"id":"i2","type":"agent_mess"#,
        r#"{"answer":42}"#,
        "",
        r#"{"type":"from.the.future","text":"passed by"}"#,
        &codex_text("Two."),
    ];
    let (text, outcome) = answer_of(&codex(&lines.join("\n")), "").await;
    let odd = r#"{"type":"item.completed","item":{"id":"i2","type":"agent_mess"#;
    assert_eq!(text, format!("One.\n\nwarning: old\n  version\n{odd}\n{{\"answer\":42}}\n\nTwo."));
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[tokio::test]
async fn invalid_utf_8_and_control_characters_are_replaced() {
    let (folder, engine) = printing("", "cat raw");
    let mut raw = codex(&codex_text("a?b \u{1b}[31mred\u{1b}[0m\r\nc\u{7}")).into_bytes();
    let at = raw.iter().position(|byte| *byte == b'?').expect("there");
    raw[at] = 0xff;
    fs::write(folder.path().join("raw"), raw).expect("written");
    let (text, outcome) = answer(engine, mention("hi")).await;
    assert_eq!((text.as_str(), outcome.is_ok()), ("a\u{FFFD}b red\nc", true));
}

#[tokio::test]
async fn a_line_of_a_megabyte_arrives_whole_and_one_over_the_limit_is_noted() {
    let long = "x".repeat(1_000_000);
    let (text, outcome) = answer_of(&codex(&codex_text(&long)), "").await;
    assert_eq!((text == long, outcome.is_ok()), (true, true));
    let started = json!({"type": "item.started", "item": {"id": "c", "type": "command_execution", "command": "ls"}});
    let too_long = "x".repeat(limits::COMMAND_EVENT_BYTES_MAX + 1);
    let (_folder, engine) = printing(&codex(&format!("{started}\n{too_long}\n{}", codex_text("After."))), "");
    let answering = RunningAnswer::begin(engine, mention("hi"));
    let steps = answering.steps.clone();
    let (text, outcome) = answering.end().await;
    let note = format!("(a line of more than {} bytes was left out)", limits::COMMAND_EVENT_BYTES_MAX);
    assert_eq!((text, outcome.is_ok()), (format!("{note}\n\nAfter."), true));
    assert_eq!(
        *steps.lock().expect("steps"),
        ["> step-1 command: ls", &format!("< step-1 {note}")],
        "no step stays open"
    );
}

#[tokio::test]
async fn events_are_recognised_by_the_first_line_or_not_at_all() {
    let shown = async |lines: &str, output| {
        let (_folder, engine) = printing(lines, "");
        text_or_failure(ExecEngine { output, ..engine }).await
    };
    let events = codex(&codex_text("Hi"));
    assert_eq!(shown(&format!("\n \n{events}"), OutputFormat::Auto).await, "Hi");
    assert_eq!(shown(&events, OutputFormat::Events(CodingCli::Codex)).await, "Hi");
    assert_eq!(shown(&events, OutputFormat::Text).await, events.trim_end());
    for text in ["{", "{\"type\":\"init\"}", "{\"type\":\"thread.started\"}\n{}", "Hello\n{}", "{}\n", "{a}\nb"] {
        assert_eq!(shown(text, OutputFormat::Auto).await, text.trim_end());
        assert_eq!(shown(&format!("\n{text}"), OutputFormat::Auto).await, text.trim_end());
    }
    let late = format!("Loading\n{events}");
    assert_eq!(shown(&late, OutputFormat::Auto).await, late.trim_end());
    assert_eq!(shown(&late, OutputFormat::Events(CodingCli::Codex)).await, "Loading\n\nHi");
    let wide = format!("{{{}", "x".repeat(300_000));
    assert_eq!(shown(&wide, OutputFormat::Auto).await, wide);
}

async fn text_or_failure(engine: ExecEngine) -> String {
    let (text, outcome) = answer(engine, mention("hi")).await;
    outcome.map(|_| text).unwrap_or_else(|error| error.reason)
}

#[tokio::test]
async fn plain_text_is_shown_before_its_first_line_ends() {
    let (folder, engine) = waiting_at(&["one"], "printf Hel; read line <one; echo lo");
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    assert_eq!(answering.next_piece().await.as_deref(), Some("Hel"));
    give_leave(&folder, "one").await;
    assert_eq!(answering.end().await.0, "Hello");
    assert_eq!(text_of(ExecEngine::new("printf '{\\n'; echo b"), mention("hi")).await, "{\nb");
}

#[tokio::test]
async fn a_text_that_begins_like_events_is_bounded_too() {
    let engine = ExecEngine { output_bytes_max: 1_000, ..ExecEngine::new("printf '{'; yes | tr -d '\\n'") };
    let (text, outcome) = answer(engine, mention("hi")).await;
    assert_eq!(text.len(), 1_000);
    assert_eq!(outcome.expect_err("too much").reason, "the command wrote more than 1000 bytes and was stopped");
}

#[tokio::test]
async fn a_program_that_reports_events_is_stopped_like_any_other() {
    let (leash, engine) = AnswerHandle::on(&format!("echo '{CODEX_BEGIN}'; echo '{}'; sleep 600", codex_text("Hi")));
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("Hi").await;
    answering.stop.cancel();
    assert_eq!(answering.end().await.1.expect_err("stopped").reason, "the answer was stopped");
    leash.all_gone().await;
}
