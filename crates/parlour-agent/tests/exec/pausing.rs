//! Commands that are paused: all their processes stand still, and can still be ended.
#![cfg(target_os = "linux")]

use std::{fs, time::Duration};

use parlour_agent::{
    engine::{Completion, EngineProcesses},
    engines::ExecEngine,
};

use crate::{
    fixture::{AnswerHandle, RunningAnswer, until_still},
    prompts::mention,
};

/// A shell with a trap looks between two commands whether it was asked to end.
const ATTENTIVE: &str = "while :; do sleep 1; done";

/// The number after this word in a text.
fn number_after(text: &str, word: &str) -> String {
    let mut words = text.split_whitespace().skip_while(|one| *one != word);
    words.nth(1).expect("a number").to_owned()
}

#[tokio::test]
async fn a_paused_command_and_its_children_are_stopped_and_continued() {
    let child = "sh -c 'echo child $$; read line <go; echo $line'";
    let (leash, engine) = AnswerHandle::on(&format!("{child} & echo parent $$; wait"));
    leash.make_pipe("go");
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("child ").await;
    answering.until_written("parent ").await;
    let processes = ["child", "parent"].map(|word| number_after(&answering.text, word));
    answering.pause(true);
    for process in &processes {
        until_still(process).await;
    }
    let go = leash.path("go");
    let writing = std::thread::spawn(move || fs::write(go, "on\n"));
    for process in &processes {
        until_still(process).await;
    }
    assert!(!answering.text.contains("on\n"));
    answering.pause(false);
    answering.until_written("on").await;
    assert_eq!(answering.end().await.1, Ok(Completion::default()));
    writing.join().expect("no panic").expect("written");
    leash.all_gone().await;
}

#[tokio::test]
async fn a_command_is_stopped_before_the_hub_is_asked_at_a_checkpoint() {
    let (leash, engine) = AnswerHandle::on(&format!("echo me $$; {ATTENTIVE}"));
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("me ").await;
    let mut processes = answering.processes.subscribe();
    assert_eq!(*processes.borrow_and_update(), EngineProcesses::Running);
    answering.hold();
    processes.wait_for(|state| *state == EngineProcesses::Stopped).await.expect("a report");
    until_still(&number_after(&answering.text, "me")).await;
    answering.stop.cancel();
    answering.end().await.1.expect_err("stopped");
    assert_eq!(*processes.borrow(), EngineProcesses::None);
    leash.all_gone().await;
}

#[tokio::test]
async fn a_paused_command_can_end_on_its_stop_signal() {
    let (leash, engine) = AnswerHandle::on(&format!("trap 'echo bye >said; exit 0' TERM; echo me $$; {ATTENTIVE}"));
    let mut answering =
        RunningAnswer::begin(ExecEngine { stop_grace: Duration::from_secs(20), ..engine }, mention("hi"));
    answering.until_written("me ").await;
    answering.pause(true);
    until_still(&number_after(&answering.text, "me")).await;
    answering.stop.cancel();
    answering.end().await.1.expect_err("stopped");
    let folder = leash.all_gone().await;
    assert!(folder.path().join("said").exists());
}

#[tokio::test]
async fn a_paused_command_that_ignores_its_stop_signal_is_killed() {
    let (leash, engine) = AnswerHandle::on(&format!("trap '' TERM; echo me $$; {ATTENTIVE}"));
    let mut answering =
        RunningAnswer::begin(ExecEngine { stop_grace: Duration::from_millis(50), ..engine }, mention("hi"));
    answering.until_written("me ").await;
    answering.pause(true);
    until_still(&number_after(&answering.text, "me")).await;
    answering.stop.cancel();
    answering.end().await.1.expect_err("stopped");
    leash.all_gone().await;
}

#[tokio::test]
async fn a_paused_command_whose_answer_is_dropped_leaves_no_process_behind() {
    let (leash, engine) = AnswerHandle::on(&format!("sh -c '{ATTENTIVE}' & echo me $$; {ATTENTIVE}"));
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("me ").await;
    answering.pause(true);
    until_still(&number_after(&answering.text, "me")).await;
    answering.task.abort();
    leash.all_gone().await;
}

#[tokio::test]
async fn the_prompt_is_reported_as_given_after_it_was_written() {
    let (leash, engine) = AnswerHandle::on("cat >said");
    let answering = RunningAnswer::begin(engine, mention("hi"));
    let given = answering.given.clone();
    answering.end().await.1.expect_err("it says nothing");
    assert!(given.is_cancelled());
    leash.all_gone().await;
}

#[tokio::test]
async fn a_command_that_cannot_be_started_gets_no_prompt() {
    let engine = ExecEngine { folder: Some("/no/such/folder".into()), ..ExecEngine::new("cat") };
    let answering = RunningAnswer::begin(engine, mention("hi"));
    let given = answering.given.clone();
    answering.end().await.1.expect_err("it does not run");
    assert!(!given.is_cancelled());
}
