//! Commands that are stopped, and what they leave behind: nothing.

use std::time::Duration;

use parlour_agent::{engine::Completion, engines::ExecEngine};

use crate::{
    fixture::{AnswerHandle, PATIENCE, RunningAnswer, answer, is_gone},
    prompts::mention,
};

/// Longer than any test waits: who is not stopped is found.
const FOR_EVER: &str = "sleep 100000";
/// The same for a shell with a trap: it looks between two commands whether it was asked to end.
const ATTENTIVE: &str = "while :; do sleep 1; done";
/// In a child that was given the number of its command as `$0`: waits until the command is gone.
const OUTLIVE: &str = "while kill -0 $0; do :; done 2>/dev/null";

#[tokio::test]
async fn a_silent_command_is_stopped_with_its_whole_process_group() {
    let command = format!("sh -c 'echo grandchild $$; {FOR_EVER} & wait' & {FOR_EVER} & echo child $!; wait");
    let (leash, engine) = AnswerHandle::on(&command);
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("grandchild").await;
    answering.until_written("child ").await;
    answering.stop.cancel();
    let (text, outcome) = answering.end().await;
    assert_eq!(outcome.expect_err("stopped").reason, "the answer was stopped");
    leash.all_gone().await;
    for pid in text.split_whitespace().filter(|word| word.parse::<u32>().is_ok()) {
        assert!(is_gone(pid), "{pid} of {text}");
    }
}

#[tokio::test]
async fn a_command_may_write_much_output_while_it_is_stopped() {
    let farewell = "yes bye | head -c 200000; yes bye | head -c 200000 >&2; echo bye >said; exit 0";
    let command = format!("trap '{farewell}' TERM; echo ready; {ATTENTIVE}");
    let (leash, engine) = AnswerHandle::on(&command);
    let mut answering =
        RunningAnswer::begin(ExecEngine { stop_grace: Duration::from_secs(5), ..engine }, mention("hi"));
    answering.until_written("ready").await;
    answering.stop.cancel();
    answering.end().await.1.expect_err("stopped");
    let folder = leash.all_gone().await;
    assert!(folder.path().join("said").exists());
}

#[tokio::test]
async fn children_have_the_same_grace_period() {
    let farewell = format!("{OUTLIVE}; echo bye >said; exit 0");
    let child = format!("sh -c 'trap \"{farewell}\" TERM; echo ready; {ATTENTIVE}' $$");
    let (leash, engine) = AnswerHandle::on(&format!("trap 'exit 0' TERM; {child} & {ATTENTIVE}"));
    let mut answering =
        RunningAnswer::begin(ExecEngine { stop_grace: Duration::from_secs(5), ..engine }, mention("hi"));
    answering.until_written("ready").await;
    answering.stop.cancel();
    answering.end().await.1.expect_err("stopped");
    let folder = leash.all_gone().await;
    assert!(folder.path().join("said").exists());
}

#[tokio::test]
async fn a_command_that_ignores_its_stop_signal_is_killed() {
    let (leash, engine) = AnswerHandle::on(&format!("trap '' TERM; echo ready; {FOR_EVER} | {FOR_EVER}; echo never"));
    let engine = ExecEngine { stop_grace: Duration::from_millis(50), ..engine };
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("ready").await;
    answering.stop.cancel();
    assert_eq!(answering.end().await.0, "ready");
    leash.all_gone().await;
}

#[tokio::test]
async fn a_command_whose_answer_was_stopped_is_ended() {
    let (leash, engine) = AnswerHandle::on("yes");
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("y").await;
    answering.refuse();
    assert_eq!(answering.end().await.1.expect_err("stopped").reason, "the answer was stopped");
    leash.all_gone().await;
}

#[tokio::test]
async fn a_dropped_answer_leaves_no_process_behind() {
    let (leash, engine) = AnswerHandle::on(&format!("trap '' TERM; {FOR_EVER} & echo ready; {ATTENTIVE}"));
    let mut answering = RunningAnswer::begin(engine, mention("hi"));
    answering.until_written("ready").await;
    answering.task.abort();
    leash.all_gone().await;
}

#[tokio::test]
async fn children_that_hold_the_output_open_are_ended_soon_after_the_command() {
    let (leash, engine) = AnswerHandle::on(&format!("{FOR_EVER} & {FOR_EVER} >/dev/null & echo done"));
    let engine = ExecEngine { rest_time: Duration::from_millis(10), ..engine };
    assert_eq!(answer(engine, mention("hi")).await, ("done".into(), Ok(Completion::default())));
    leash.all_gone().await;
}

#[tokio::test]
async fn children_without_open_output_are_ended_too() {
    let (leash, engine) = AnswerHandle::on(&format!("{FOR_EVER} >/dev/null 2>&1 & echo done"));
    assert_eq!(answer(engine, mention("hi")).await.0, "done");
    leash.all_gone().await;
}

#[tokio::test]
async fn output_of_a_child_after_the_command_belongs_to_the_answer() {
    let (leash, engine) = AnswerHandle::on("sh -c 'sleep 1; echo late' & echo early");
    let engine = ExecEngine { rest_time: PATIENCE, ..engine };
    assert_eq!(answer(engine, mention("hi")).await.0, "early\nlate");
    leash.all_gone().await;
}

#[tokio::test]
async fn an_endlessly_writing_child_is_ended_soon_after_the_command() {
    let (leash, engine) = AnswerHandle::on("yes more & echo done");
    let engine = ExecEngine { output_bytes_max: usize::MAX, ..engine };
    let (text, outcome) = answer(engine, mention("hi")).await;
    assert_eq!(outcome, Ok(Completion::default()));
    assert!(text.contains("done"));
    leash.all_gone().await;
}

/// A process that leaves the group by its own will is out of reach, but nobody waits for it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_does_not_keep_the_answer_open() {
    use rustix::process::{Pid, Signal, kill_process};

    let daemon = format!("setsid sh -c 'echo $$; echo on >go; exec {FOR_EVER}'");
    let (leash, engine) = AnswerHandle::on(&format!("{daemon} & read line <go"));
    leash.make_pipe("go");
    let (pid, outcome) = answer(engine, mention("hi")).await;
    assert_eq!(outcome, Ok(Completion::default()));
    let pid = pid.parse().ok().and_then(Pid::from_raw).expect("its number");
    kill_process(pid, Signal::KILL).expect("it is alive");
    leash.all_gone().await;
}
