//! Commands that fail.

use parlour_agent::engines::ExecEngine;
use parlour_core::limits;

use crate::{
    fixture::{AnswerHandle, answer, trouble_of},
    prompts::mention,
};

async fn trouble(command: &str) -> String {
    trouble_of(ExecEngine::new(command), mention("hi")).await
}

#[tokio::test]
async fn a_failed_command_is_reported_with_its_last_error_lines() {
    assert_eq!(trouble("exit 3").await, "the command ended with status 3");
    let command = "echo part; echo 'warning: old' >&2; printf '\\033[31mno key\\033[0m\\n' >&2; exit 3";
    let (text, outcome) = answer(ExecEngine::new(command), mention("hi")).await;
    assert_eq!(text, "part", "what was written stays");
    assert_eq!(outcome.expect_err("failed").reason, "the command ended with status 3: warning: old\nno key");
}

#[tokio::test]
async fn long_error_output_is_cut_to_its_end() {
    let reason = trouble("yes trouble | head -c 5000000 >&2; echo 'and so it failed' >&2; exit 1").await;
    assert!(reason.starts_with("the command ended with status 1: … trouble\n"), "{reason}");
    assert!(reason.ends_with("trouble\nand so it failed"), "{reason}");
    assert!(reason.len() <= limits::REASON_CHARS_MAX, "{}", reason.len());
}

#[tokio::test]
async fn a_signal_is_named() {
    assert_eq!(trouble("kill -KILL $$").await, "the command was ended by the signal SIGKILL");
    let reason = trouble("sh -c 'kill -SEGV $$'; exit $?").await;
    assert!(reason.starts_with("the command ended with status 139 (as after the signal SIGSEGV)"), "{reason}");
}

#[tokio::test]
async fn a_missing_command_is_explained() {
    let reason = trouble("no-such-command-here -p").await;
    assert!(reason.starts_with("the command was not found (status 127); is it installed"), "{reason}");
    assert!(reason.contains("no-such-command-here"), "{reason}");
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let engine = ExecEngine { folder: Some("no/such/folder".into()), ..ExecEngine::new("echo hi") };
    let reason = trouble_of(engine, mention("hi")).await;
    assert_eq!(reason, "the working folder no/such/folder does not exist");
}

#[tokio::test]
async fn endless_output_is_stopped_at_its_limit() {
    let (leash, engine) = AnswerHandle::on("yes | cat");
    let (text, outcome) = answer(ExecEngine { output_bytes_max: 100_001, ..engine }, mention("hi")).await;
    assert_eq!(text.len(), 100_001);
    assert_eq!(outcome.expect_err("too much").reason, "the command wrote more than 100001 bytes and was stopped");
    leash.all_gone().await;
}

#[tokio::test]
async fn an_answer_exactly_as_long_as_the_limit_is_whole() {
    let engine = ExecEngine { output_bytes_max: 100, ..ExecEngine::new("yes | head -c 100") };
    let (text, outcome) = answer(engine, mention("hi")).await;
    assert_eq!((text.len(), outcome.is_ok()), (99, true));
}

#[tokio::test]
async fn endless_white_space_is_stopped_too() {
    let engine = ExecEngine { output_bytes_max: 50_000, ..ExecEngine::new("yes ''") };
    assert!(trouble_of(engine, mention("hi")).await.contains("more than 50000 bytes"));
}
