//! Prompts as arguments.

use std::fs;

use parlour_agent::{
    engine::Prompt,
    engines::{ExecEngine, PromptBy, TranscriptForm, transcript},
};
use parlour_core::limits;

use crate::{
    fixture::{text_of, trouble_of},
    prompts::{agent, mention, said},
};

fn by_argument(command: &str) -> ExecEngine {
    ExecEngine { prompt_by: PromptBy::Argument, form: TranscriptForm::Seed, ..ExecEngine::new(command) }
}

/// The prompt for an agent with so many bytes of instructions.
fn with_instructions(prompt: Prompt, bytes: usize) -> Prompt {
    let mut agent = agent();
    agent.instructions = Some("x".repeat(bytes));
    Prompt { agent, ..prompt }
}

#[tokio::test]
async fn the_prompt_is_the_last_argument() {
    let text = text_of(by_argument("printf '%s|'"), mention("Hello")).await;
    assert_eq!(text, transcript(&mention("Hello"), TranscriptForm::Seed, usize::MAX) + "|");
}

#[tokio::test]
async fn the_prompt_replaces_its_placeholder() {
    let text = text_of(by_argument("printf '<%s> ' \"$1\" end"), mention("Hello")).await;
    assert!(text.ends_with("User: Hello> <end>"), "{text}");
}

#[tokio::test]
async fn the_input_of_a_command_with_an_argument_is_empty() {
    assert!(text_of(by_argument("cat; printf '%s'"), mention("Hello")).await.ends_with("User: Hello"));
}

#[tokio::test]
async fn nothing_in_a_prompt_is_interpreted() {
    let body = "'; touch a; \"; touch b; `touch c` $(touch d) ${HOME} $1 \\ \\n %s !! & | > e\n*";
    for engine in [by_argument("printf %s"), ExecEngine::new("cat")] {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = ExecEngine { folder: Some(folder.path().into()), ..engine };
        let text = text_of(engine, mention(body)).await;
        let marked = body.replace('\n', "\n| ");
        assert!(text.ends_with(body) || text.ends_with(&marked), "{text}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}

#[tokio::test]
async fn a_prompt_is_never_an_option_of_the_command() {
    let mut prompt = mention("Hello");
    prompt.agent.instructions = Some("--version".into());
    assert!(text_of(by_argument("printf '(%s)'"), prompt).await.starts_with("( --version"));
}

#[tokio::test]
async fn old_messages_are_left_out_of_a_full_argument() {
    let history = (1..=20).map(|number| said(number, "Mara", &"x".repeat(20_000))).collect();
    let text = text_of(by_argument("printf %s"), Prompt { history, ..mention("") }).await;
    assert!(text.len() <= limits::ARGUMENT_BYTES_MAX, "{}", text.len());
    assert!(text.contains("[The oldest 14 messages are left out.]"), "{:.300}", text);
}

#[tokio::test]
async fn an_argument_beyond_the_limit_is_refused() {
    let bare = with_instructions(mention("hi"), 1);
    let bytes = transcript(&bare, TranscriptForm::Seed, usize::MAX).len();
    let room = limits::ARGUMENT_BYTES_MAX - bytes + 1;
    let longest = text_of(by_argument("printf %s"), with_instructions(mention("hi"), room)).await;
    assert_eq!(longest.len(), limits::ARGUMENT_BYTES_MAX);
    let reason = trouble_of(by_argument("printf %s"), with_instructions(mention("hi"), room + 1)).await;
    assert_eq!(reason, "the prompt has 131072 bytes, which is too long for an argument; pass it on standard input");
}
