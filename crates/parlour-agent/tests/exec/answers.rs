//! What commands write, as answers.

use parlour_agent::{
    engine::{Completion, Engine},
    engines::{ExecEngine, TranscriptForm},
};

use crate::{
    fixture::{RunningAnswer, answer, give_leave, text_of, waiting_at},
    prompts::{follow, mention},
};

#[tokio::test]
async fn a_command_reads_the_conversation_and_writes_the_answer() {
    let engine = ExecEngine { form: TranscriptForm::Seed, ..ExecEngine::new("cat") };
    let text = text_of(engine, mention("Hello")).await;
    assert_eq!(text, "Respond ONLY to the final user message. Previous messages are for context.\n\nUser: Hello");
}

#[tokio::test]
async fn pieces_are_shown_before_the_command_has_ended() {
    let command = "printf Hel; read line <one; printf lo; read line <two; echo !";
    let (folder, engine) = waiting_at(&["one", "two"], command);
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    for (piece, pipe) in [("Hel", "one"), ("lo", "two")] {
        assert_eq!(answering.next_piece().await.as_deref(), Some(piece));
        give_leave(&folder, pipe).await;
    }
    assert_eq!(answering.end().await, ("Hello!".into(), Ok(Completion::default())));
}

#[tokio::test]
async fn characters_may_be_split_between_two_chunks() {
    let (folder, engine) = waiting_at(&["one"], r"printf 'a\360\237'; read line <one; printf '\221\213b'");
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    assert_eq!(answering.next_piece().await.as_deref(), Some("a"));
    give_leave(&folder, "one").await;
    assert_eq!(answering.end().await.0, "a👋b");
}

#[tokio::test]
async fn invalid_utf_8_becomes_replacement_characters() {
    let command = r"printf 'a\377b\000c\033[31mred\033[0m\r\nd\303'";
    assert_eq!(text_of(ExecEngine::new(command), mention("hi")).await, "a\u{FFFD}bcred\nd\u{FFFD}");
}

#[tokio::test]
async fn an_answer_of_ten_megabytes_arrives_whole() {
    let command = "yes 0123456789abcde | head -c 10000000";
    let text = text_of(ExecEngine::new(command), mention("hi")).await;
    assert_eq!(text.len(), 9_999_999, "all but the last line break");
    assert!(text.lines().all(|line| line == "0123456789abcde"));
}

#[tokio::test]
async fn a_command_need_not_read_its_input() {
    let long = mention(&"long ".repeat(50_000));
    assert_eq!(text_of(ExecEngine::new("echo hi"), long.clone()).await, "hi");
    assert_eq!(text_of(ExecEngine::new("exec <&-; echo hi"), long).await, "hi");
}

#[tokio::test]
async fn long_input_and_long_output_do_not_wait_for_each_other() {
    let body = "long ".repeat(40_000);
    let text = text_of(ExecEngine::new("cat"), mention(&body)).await;
    assert!(text.ends_with(body.trim_end()), "{} bytes", text.len());
}

#[tokio::test]
async fn much_error_output_does_not_affect_the_answer() {
    let command = "yes trouble | head -c 5000000 >&2; echo fine";
    assert_eq!(text_of(ExecEngine::new(command), mention("hi")).await, "fine");
}

#[tokio::test]
async fn the_answer_ends_with_the_command_and_not_with_its_output() {
    let command = "echo hi; exec >&- 2>&-; cat >/dev/null";
    assert_eq!(text_of(ExecEngine::new(command), mention("hi")).await, "hi");
}

#[tokio::test]
async fn empty_output_is_valid_only_for_optional_calls() {
    let engine = || ExecEngine::new("echo; echo 'nothing found' >&2");
    assert_eq!(answer(engine(), follow("thanks")).await, (String::new(), Ok(Completion::default())));
    let (_, outcome) = answer(engine(), mention("hi")).await;
    let reason = outcome.expect_err("silence").reason;
    assert_eq!(reason, "the command succeeded but wrote no answer: nothing found");
}

#[test]
fn the_runtime_is_the_command_on_one_short_line() {
    assert_eq!(ExecEngine::new("claude  -p\n").runtime(), "exec: claude -p");
    assert_eq!(ExecEngine::new("x".repeat(500)).runtime().chars().count(), 128);
}
