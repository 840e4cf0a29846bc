//! Blocking messages and a real command: it stands still at its next checkpoint, the question is answered beside it, and
//! it goes on. A process that is killed on the way leaves nothing open for ever, and the question is answered once.

use std::{fs, path::Path};

use parlour_agent::PageAt;
use parlour_core::{
    context::ReceiptItem,
    delivery::DeliveryPath,
    event::Change,
    id::{MessageId, RunId},
    message::{Message, State},
    policy::{Policy, StreamRules},
    post::PostMessage,
    question::QuestionState,
    run::{Run, RunState},
    timeline::TimelineEntryKind,
};

use crate::{
    fixture::{AgentFixture, LiveWatcher, is_running, new_message, state_of},
    support::running::RunningProcess,
};

/// Looks at the state of a process before a test gives up: many seconds, and hardly ever more than a few of them.
const LOOKS_MAX: usize = 1_000_000;

/// A hub that soon notices when a process is gone.
async fn fixture() -> AgentFixture {
    let fixture = AgentFixture::make();
    let policy = Policy { streams: StreamRules { lease_seconds: 1, ..StreamRules::default() }, ..Policy::default() };
    fixture.change_project(&serde_json::json!({ "policy": policy })).await;
    fixture
}

/// An agent that answers `yes` from the moment there is a file `brief`, half of it when the file `gate` is gone. Before
/// that it works: it writes `one`, and `two` when the file `hold` is gone; the first to do so notes its number in `pid`.
/// A command ends with the folder of the test, whatever becomes of its process.
fn worker(fixture: &AgentFixture) -> RunningProcess {
    let folder = fixture.folder.path().display();
    fixture.agent(&format!(
        "--name Coder --exec 'cat >/dev/null; cd {folder}; \
         if [ -e brief ]; then printf y; while [ -e gate ]; do sleep 0.05; done; echo es; exit; fi; \
         [ -e pid ] || echo $$ > pid; echo one; while [ -e hold ]; do sleep 0.05; done; echo two'"
    ))
}

/// A hub, such an agent that will stand at `one` while the file `hold` is there, and somebody who watches.
async fn at_work() -> (AgentFixture, RunningProcess, LiveWatcher) {
    let fixture = fixture().await;
    begin(&fixture, "hold");
    let agent = worker(&fixture);
    let watch = fixture.watch().await;
    (fixture, agent, watch)
}

fn begin(fixture: &AgentFixture, name: &str) {
    fs::write(fixture.path(name), "").expect("written");
}

fn end(fixture: &AgentFixture, name: &str) {
    fs::remove_file(fixture.path(name)).expect("removed");
}

async fn block(fixture: &AgentFixture, body: &str) -> Message {
    let request = PostMessage {
        channel_id: Some(fixture.general.clone()),
        body: body.into(),
        blocking: true,
        ..PostMessage::default()
    };
    fixture.client.post_message(&new_message(), &request).await.expect("posted").message
}

async fn paused(watch: &mut LiveWatcher) -> Run {
    watch.change(|change| if let Change::RunPaused(run) = change { Some(*run) } else { None }).await
}

async fn ended(watch: &mut LiveWatcher, id: &RunId) -> Run {
    let wanted = |change| match change {
        Change::RunEnded(run) if run.id == *id => Some(*run),
        _ => None,
    };
    watch.change(wanted).await
}

/// The question as soon as it is closed, with the answers that the agent has begun.
async fn closed(fixture: &AgentFixture, id: &MessageId) -> (Message, Vec<Message>) {
    let closed = fixture.client.await_answer(id, 25).await.expect("a message");
    let answers = fixture.answers().await.into_iter().filter(|answer| answer.reply_to.as_ref() == Some(id));
    (closed, answers.collect())
}

/// The question was answered by the last of these, and by nothing else.
fn check_answered_once(question: &Message, answers: &[Message], states: &[State]) {
    let closed = question.question.as_ref().expect("a question");
    let told: Vec<_> = answers.iter().map(|answer| answer.state).collect();
    assert_eq!((closed.state, told.as_slice()), (QuestionState::Answered, states), "{answers:#?}");
    let answer = answers.last().expect("an answer");
    assert_eq!(closed.answer.as_ref().and_then(|given| given.message_id.as_ref()), Some(&answer.id));
    assert_eq!(answers.iter().filter(|answer| answer.answer_to.is_some()).count(), 1);
    assert_eq!(answer.body.trim_end(), "yes");
}

/// Waits until a process is in this state; nothing tells when it comes there.
fn until_state(pid: &Path, wanted: char) {
    let is_so = (0..LOOKS_MAX).any(|_| {
        std::thread::yield_now();
        state_of(pid) == Some(wanted)
    });
    assert!(is_so, "it is in the state {:?}", state_of(pid));
}

#[tokio::test]
async fn a_blocking_message_pauses_a_command_until_it_is_answered() {
    let (fixture, agent, mut watch) = at_work().await;
    let pid = fixture.path("pid");
    let asked = fixture.say("@Coder work").await;
    assert_eq!(watch.piece().await.trim_end(), "one");
    for name in ["brief", "gate"] {
        begin(&fixture, name);
    }
    let mut beside = fixture.watch().await;
    let question = block(&fixture, "@Coder ship it?").await;
    let run = paused(&mut watch).await;
    assert_eq!((run.message_id.as_ref(), run.state), (Some(&asked.id), RunState::Paused));
    assert_eq!(run.pauses[0].message_id, question.id);
    until_state(&pid, 'T');
    while beside.piece().await.trim_end() != "y" {}
    end(&fixture, "hold");
    assert_eq!(state_of(&pid), Some('T'), "a command that stands still does not see that it could go on");
    end(&fixture, "gate");
    let done = ended(&mut watch, &run.id).await;
    assert_eq!(done.state, RunState::Done);
    let (question, answers) = closed(&fixture, &question.id).await;
    check_answered_once(&question, &answers, &[State::Complete]);
    let work = fixture.answers().await.into_iter().find(|answer| answer.reply_to.as_ref() == Some(&asked.id));
    assert_eq!(work.expect("the work").body.trim_end(), "one\ntwo");
    let told = fixture.client.run_timeline(&run.id, &PageAt::first(50)).await.expect("a timeline");
    let kinds: Vec<_> = told.items.iter().map(|moment| moment.kind).collect();
    assert_eq!(
        kinds,
        [
            TimelineEntryKind::RunStarted,
            TimelineEntryKind::Paused,
            TimelineEntryKind::Resumed,
            TimelineEntryKind::RunDone
        ]
    );
    assert!(run.pauses[0].answered_separately);
    assert_eq!(told.items[1].detail.as_deref(), Some("a separate run answers; this run does not get the message"));
    let given = fixture.client.injections(&run.id, &PageAt::first(50)).await.expect("injections").items;
    let is_asked = |item: &ReceiptItem| item.id == question.id.as_str();
    assert!(given.iter().all(|injection| !injection.receipt.items.iter().any(is_asked)), "{given:#?}");
    let delivered = fixture.client.deliveries(&question.id).await.expect("deliveries").remove(0);
    assert_eq!(delivered.delivered_via, Some(DeliveryPath::Prompt));
    assert!(delivered.run_id.is_some_and(|answering| answering != run.id), "the paused run was not given it");
    let lines: Vec<String> = std::iter::repeat_with(|| agent.line()).take(6).collect();
    let of = |what: &str| lines.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!(["Answering", "Paused by Admin", "Resumed", "Answered"].map(of), [2, 1, 1, 2], "{lines:?}");
}

#[tokio::test]
async fn a_paused_script_gets_the_command_to_answer() {
    let mut fixture = AgentFixture::make();
    let token = fixture.hub.json("agent create Coder")["token"].as_str().expect("a token").to_owned();
    let question = block(&fixture, "@Coder ship it? Answer: reply_thread {}").await;
    fixture.hub.token = token;
    fixture.hub.json("run start --in general --id run_script");
    let told = fixture.hub.run("run checkpoint run_script");
    let handle = format!("Answer: parlour answer {} 'your answer'", question.id);
    assert!(told.code == Some(3) && told.stdout.lines().any(|line| line == handle), "{}{}", told.stdout, told.stderr);
    assert!(told.stdout.contains("ship it? Answer: reply_thread {}"), "words of others stay: {}", told.stdout);
    let answered = fixture.hub.run(&handle.replacen("Answer: parlour ", "", 1));
    assert_eq!(answered.code, Some(0), "{}", answered.stderr);
    assert_eq!(fixture.hub.run("run checkpoint run_script").code, Some(0), "it goes on");
}

#[tokio::test]
async fn the_paused_run_of_a_killed_agent_is_ended_by_the_next_process() {
    let (fixture, killed, mut watch) = at_work().await;
    let asked = fixture.say("@Coder work").await;
    let work = watch.begun().await;
    assert_eq!(watch.piece().await.trim_end(), "one");
    let mut beside = fixture.watch().await;
    let question = block(&fixture, "@Coder ship it?").await;
    let run = paused(&mut watch).await;
    assert_eq!(run.message_id, Some(asked.id));
    until_state(&fixture.path("pid"), 'T');
    // The command stands still before its run is paused, and so before the second answer begins.
    while beside.begun().await.reply_to.as_ref() != Some(&question.id) {}
    drop(killed);
    // Both answers have lost their producer; the run waits on.
    let mut broken = [watch.ended().await, watch.ended().await];
    broken.sort_by_key(|message| message.id != work.id);
    assert_eq!(broken.each_ref().map(|message| message.state), [State::Interrupted; 2]);
    assert_eq!(broken[1].reply_to, Some(question.id.clone()));
    let left = fixture.client.run(&run.id, 0).await.expect("a run");
    assert_eq!((left.state, left.pauses.len()), (RunState::Paused, 1), "a paused run has no lease");
    begin(&fixture, "brief");
    let _next = worker(&fixture);
    let end = ended(&mut watch, &run.id).await;
    assert_eq!((end.state, end.reason.as_deref()), (RunState::Failed, Some("its process was restarted")));
    let (question, answers) = closed(&fixture, &question.id).await;
    check_answered_once(&question, &answers, &[State::Interrupted, State::Complete]);
    assert!(!is_running(&fixture.path("pid")), "the command has ended with its process");
}

#[tokio::test]
async fn a_killed_agent_answers_its_question_after_a_restart() {
    let (fixture, killed, mut watch) = at_work().await;
    let question = block(&fixture, "@Coder ship it?").await;
    assert_eq!(watch.piece().await.trim_end(), "one");
    drop(killed);
    begin(&fixture, "brief");
    // At once: the answer of the dead process still seems to be written.
    let next = worker(&fixture);
    let (question, answers) = closed(&fixture, &question.id).await;
    check_answered_once(&question, &answers, &[State::Interrupted, State::Complete]);
    drop(next);
    let _last = worker(&fixture);
    let second = fixture.say("@Coder anything left?").await;
    let reply = loop {
        let message = watch.ended().await;
        if message.reply_to.as_ref() == Some(&second.id) {
            break message;
        }
    };
    assert_eq!(reply.state, State::Complete);
    assert_eq!(closed(&fixture, &question.id).await.1.len(), 2, "nothing is answered a third time");
}

#[tokio::test]
async fn another_process_answers_the_question_of_a_killed_one() {
    let (fixture, killed, mut watch) = at_work().await;
    let question = block(&fixture, "@Coder ship it?").await;
    assert_eq!(watch.piece().await.trim_end(), "one");
    let [one, two] = ["one", "two"]
        .map(|machine| fixture.agent(&format!("--name Coder --exec 'cat >/dev/null; echo yes' --machine {machine}")));
    drop(killed);
    let (question, answers) = closed(&fixture, &question.id).await;
    check_answered_once(&question, &answers, &[State::Interrupted, State::Complete]);
    for agent in [one, two] {
        agent.interrupt();
        assert_eq!(agent.finish().0, Some(0));
    }
}
