use super::*;
use std::collections::VecDeque;

use async_trait::async_trait;

use crate::engine::AnswerStopped;

/// Keeps what is shown; nobody wants more than `room` pieces.
#[derive(Default)]
struct Page {
    texts: Vec<String>,
    steps: VecDeque<String>,
    is_closed: bool,
}

#[async_trait]
impl AnswerSink for Page {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.texts.push(text.to_owned());
        if self.is_closed { Err(AnswerStopped) } else { Ok(()) }
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        step.check().expect("a step that the hub takes");
        self.steps.push_back(step.name);
        Ok(())
    }

    async fn finish_step(&mut self, _: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        end.check().expect("an end that the hub takes");
        Ok(())
    }
}

/// What is shown of these pieces, and how it ends.
async fn shown(pieces: &[&str], may_be_silent: bool) -> (Vec<String>, Result<(), Failure>) {
    let mut page = Page::default();
    let mut written = Written::new(&mut page, may_be_silent);
    for piece in pieces {
        written.add_text(piece).await.expect("wanted");
    }
    let end = written.finish().await;
    (page.texts, end)
}

#[tokio::test]
async fn text_is_shown_piece_by_piece_without_a_blank_beginning() {
    assert_eq!(
        shown(&["\n", " Hel", "lo\n", "NOTHING"], false).await,
        (vec!["Hel".into(), "lo\n".into(), "NOTHING".into()], Ok(()))
    );
}

#[tokio::test]
async fn the_word_for_silence_is_silence_for_who_may_be_silent() {
    for pieces in [&["NOTHING"][..], &[" NOT", "HING\n"], &[], &["  \n"]] {
        assert_eq!(shown(pieces, true).await, (vec![], Ok(())), "{pieces:?}");
    }
    assert_eq!(shown(&["NOTHING"], false).await.0, ["NOTHING"]);
}

#[tokio::test]
async fn what_only_begins_like_silence_is_shown_whole() {
    assert_eq!(shown(&["NOTH", "ING", " is lost."], true).await.0, ["NOTHING is lost."]);
    assert_eq!(shown(&["NOT"], true).await.0, ["NOT"]);
    let blanks = format!("NOTHING{}", " ".repeat(HELD_BYTES_MAX));
    assert_eq!(shown(&[&blanks], true).await.0.concat(), blanks);
}

#[tokio::test]
async fn an_empty_answer_is_a_failure_for_who_must_answer() {
    assert_eq!(shown(&["", " \n"], false).await, (vec![], Err(Failure::Empty)));
}

#[tokio::test]
async fn control_characters_are_not_shown() {
    assert_eq!(shown(&["a\0b\u{1b}", "\u{7}"], false).await.0, ["ab"]);
}

#[tokio::test]
async fn a_wish_for_a_tool_is_a_step_and_no_failure() {
    let mut page = Page::default();
    let mut written = Written::new(&mut page, false);
    for _ in 0..TOOLS_TOLD_MAX + 3 {
        written.tell_tool(&"grep\n".repeat(100)).await.expect("told");
    }
    assert!(written.has_begun());
    assert_eq!(written.finish().await, Ok(()));
    assert_eq!(page.steps.len(), TOOLS_TOLD_MAX);
    assert!(page.steps[0].starts_with("tool: grep grep"));
    assert!(page.texts.concat().contains("No tools are offered"));
}

#[tokio::test]
async fn a_refusal_in_own_words_is_a_failure_with_them() {
    let mut page = Page::default();
    let mut written = Written::new(&mut page, true);
    written.add_refusal("I can");
    written.add_refusal(&"n".repeat(5_000));
    assert!(matches!(written.finish().await, Err(Failure::Declined(words)) if words.len() == REFUSAL_CHARS_MAX));
}

#[tokio::test]
async fn another_try_forgets_what_was_held_back() {
    let mut page = Page::default();
    let mut written = Written::new(&mut page, true);
    written.add_text("NOTH").await.expect("held");
    assert!(!written.has_begun());
    written.begin_again();
    written.add_text("Yes").await.expect("shown");
    assert_eq!(page.texts, ["Yes"]);
}

#[tokio::test]
async fn a_page_that_is_closed_stops_the_answer() {
    let mut page = Page { is_closed: true, ..Page::default() };
    assert_eq!(Written::new(&mut page, false).add_text("a").await, Err(Failure::Stopped));
}
