//! What people see of an agent that answers.

use parlour_core::{
    live::Cancel,
    message::{Kind, State},
    presence::PresenceState,
};

use crate::{
    fixture::{AgentFixture, is_running},
    support::{self, running::RunningProcess, transcript::words},
};

#[tokio::test]
async fn a_command_answers_in_the_conversation_of_the_mention() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --exec 'printf \"the answer is \"; echo 42'");
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Coder what is the answer?").await;
    assert_eq!(question.calls, [fixture.id_of("Coder").await]);
    let answer = watch.ended().await;
    assert_eq!((answer.body.trim_end(), answer.state), ("the answer is 42", State::Complete));
    assert_eq!((answer.reply_to, answer.kind), (Some(question.id), Kind::Assistant));
    let cause = answer.cause.expect("what led to it");
    assert_eq!((cause.depth, cause.chain), (1, vec!["coder".to_owned()]));
    assert!(agent.line().starts_with("Answering Admin"));
    assert!(agent.line().starts_with("Answered"));
    agent.interrupt();
    assert_eq!(agent.finish().0, Some(0));
}

#[tokio::test]
async fn an_answer_is_visible_while_the_command_writes() {
    let fixture = AgentFixture::make();
    let gate = fixture.path("gate");
    let command = format!("echo first; while [ ! -e {0} ]; do sleep 0.05; done; echo second", gate.display());
    let _agent = fixture.agent(&format!("--name Coder --exec '{command}'"));
    let mut watch = fixture.watch().await;
    fixture.say("@Coder go").await;
    assert_eq!(watch.piece().await.trim_end(), "first");
    std::fs::write(&gate, "").expect("opened");
    assert_eq!(watch.ended().await.body.trim_end(), "first\nsecond");
}

#[tokio::test]
async fn cancelling_an_answer_stops_the_command_and_its_children() {
    let fixture = AgentFixture::make();
    let (parent, child) = (fixture.path("parent"), fixture.path("child"));
    let command = format!(
        "echo $$ > {}; sh -c \"echo \\$\\$ > {}; sleep 600\" & echo working; wait",
        parent.display(),
        child.display()
    );
    let agent = fixture.agent(&format!("--name Coder --exec '{command}'"));
    let mut watch = fixture.watch().await;
    fixture.say("@Coder go").await;
    let answer = watch.begun().await;
    assert_eq!(watch.piece().await.trim_end(), "working");
    assert!(is_running(&parent));
    fixture.client.cancel_stream(&answer.id, &Cancel::default()).await.expect("stopped");
    assert_eq!(watch.ended().await.state, State::Cancelled);
    assert!(agent.line().starts_with("Answering"));
    assert!(agent.line().starts_with("Stopped"));
    assert!(!is_running(&parent) && !is_running(&child));
}

#[tokio::test]
async fn an_agent_is_present_with_its_machine_and_runtime() {
    let fixture = AgentFixture::make();
    let agent = fixture.agent("--name Coder --exec 'cat' --machine build-7 --instructions 'Be brief.'");
    let coder = fixture.presence_of("Coder").await.expect("there");
    assert_eq!((coder.machine_name.as_deref(), coder.runtime.as_deref()), (Some("build-7"), Some("exec: cat")));
    assert_eq!((coder.state, coder.instructions.as_deref()), (PresenceState::Idle, Some("Be brief.")));
    assert!(coder.abilities.can_be_woken && coder.abilities.can_stream);
    agent.interrupt();
    assert_eq!(agent.finish().0, Some(0));
    assert_eq!(fixture.presence_of("Coder").await, None, "whoever has left is not there");
}

#[tokio::test]
async fn a_command_gets_the_earlier_messages() {
    let fixture = AgentFixture::make();
    let _agent = fixture.agent("--name Coder --exec 'cat' --instructions 'Be brief.'");
    fixture.say("the code word is heron").await;
    let mut watch = fixture.watch().await;
    fixture.say("@Coder what is the code word?").await;
    let answer = watch.ended().await;
    for part in ["Be brief.", "heron", "what is the code word?"] {
        assert!(answer.body.contains(part), "{part}: {}", answer.body);
    }
}

#[tokio::test]
async fn an_echo_agent_needs_no_settings() {
    let fixture = AgentFixture::make();
    let _agent = fixture.agent("--name Parrot --echo");
    let mut watch = fixture.watch().await;
    fixture.say("@Parrot hello there").await;
    let answer = watch.ended().await;
    assert!(answer.body.contains("hello there") && answer.state == State::Complete, "{}", answer.body);
}

#[test]
fn a_post_can_wait_for_its_answers() {
    let fixture = AgentFixture::make();
    let _parrot = fixture.agent("--name Parrot --echo");
    let _broken = fixture.agent("--name Broken --exec 'echo half; exit 3'");
    let one = fixture.hub.run("post general '@Parrot say it' --wait");
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    let (told, answer) = one.stdout.split_once("\nParrot\n").expect("who answers, and what");
    assert!(told.ends_with("1 agent called."), "{told}");
    assert!(answer.contains("say it"), "{answer}");
    let both = fixture.hub.run("post general '@Parrot @Broken say it' --wait");
    assert_eq!(both.code, Some(1), "one of them has failed");
    assert!(both.stdout.contains("\nBroken\nhalf\n! the command ended with status 3"), "{}", both.stdout);
    let answers = fixture.hub.json("post general '@Parrot once more' --wait");
    assert_eq!(answers[0]["state"], "complete");
    assert_eq!(answers.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_waiting_post_names_agents_that_nobody_runs_and_ends_at_its_time_limit() {
    let fixture = AgentFixture::make();
    fixture.hub.json("agent create Coder");
    let run = fixture.hub.run("post general '@Coder hello' --wait --timeout 1s");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.starts_with("! No runner of Coder is connected;"), "{}", run.stderr);
    assert!(run.stderr.contains("parlour agent --name Coder --claude-code"), "{}", run.stderr);
    assert!(run.stderr.contains("no complete answer within 1s"), "{}", run.stderr);
}

/// An agent without a runner, and a post that waits for it.
fn waiting_post(fixture: &AgentFixture, line: &str) -> (String, RunningProcess, serde_json::Value) {
    let token = fixture.hub.json("agent create Coder")["token"].as_str().expect("a token").to_owned();
    let earlier = fixture.hub.json("post general '@Coder the earlier one'");
    let wait = RunningProcess::start(fixture.hub.command().args(words(line)));
    assert!(wait.line().starts_with("Posted to"));
    // The note about the missing runner is written after the wait has begun.
    assert!(wait.note().contains("No runner of Coder"));
    (token, wait, earlier)
}

fn as_agent(fixture: &AgentFixture, token: &str, line: &str) {
    let run = support::run(fixture.hub.command().env("PARLOUR_TOKEN", token).args(words(line)), "");
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
}

#[test]
fn a_waiting_post_ignores_the_answer_to_an_earlier_message() {
    let fixture = AgentFixture::make();
    let id = "msg_00000000000000000000000001";
    let (token, wait, earlier) = waiting_post(&fixture, &format!("post general '@Coder and this?' --wait --id {id}"));
    let earlier = earlier["id"].as_str().expect("an id");
    as_agent(&fixture, &token, &format!("post general 'to the earlier' --reply-to {earlier}"));
    as_agent(&fixture, &token, &format!("post general 'to this one' --reply-to {id}"));
    let (code, stdout, stderr) = wait.finish();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("to this one") && !stdout.contains("to the earlier"), "{stdout}");
}

#[test]
fn a_waiting_post_ends_with_the_answer_to_its_question() {
    let fixture = AgentFixture::make();
    let id = "msg_00000000000000000000000001";
    let line = format!("post general '@Coder which database?' --blocking --wait --id {id}");
    let (token, wait, _) = waiting_post(&fixture, &line);
    as_agent(&fixture, &token, &format!("answer {id} Postgres"));
    let (code, stdout, stderr) = wait.finish();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("Postgres"), "{stdout}");
}

#[test]
fn a_post_that_calls_nobody_does_not_wait_and_says_so() {
    let fixture = AgentFixture::make();
    let run = fixture.hub.run("post general 'just so' --wait");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{}", run.stdout);
    assert!(run.stderr.starts_with("! No agent was called"), "{}", run.stderr);
}
