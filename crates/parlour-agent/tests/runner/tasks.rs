//! Tasks that are given to the agent.

use std::time::Duration;

use parlour_agent::runner::{RunnerEvent, RunnerOptions};
use parlour_core::{
    Code,
    id::{AgentId, TaskId, ThreadId},
    limits,
    message::State,
    task::{TaskPatch, TaskStatus},
};
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, agent_id, thread},
    process::RunnerFixture,
};

async fn moved(hub: &FakeHub, id: &TaskId) {
    let is_moved = |status| !matches!(status, TaskStatus::Open | TaskStatus::Working);
    let found =
        |hub: &crate::fake_hub::FakeHubState| hub.tasks.iter().any(|task| task.id == *id && is_moved(task.status));
    hub.until("the task has ended", found).await;
}

fn patch(status: TaskStatus) -> TaskPatch {
    TaskPatch { status: Some(status), ..TaskPatch::default() }
}

#[tokio::test(start_paused = true)]
async fn a_task_is_started_and_done_in_its_thread() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(1_000));
    hub.say(&thread(1), "it must be blue", None);
    let process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    hub.until("it is open", |hub| hub.messages.len() == 3).await;
    assert_eq!(hub.task(&task).status, TaskStatus::Working);
    moved(&hub, &task).await;
    let (notice, answer) = (&hub.notices()[0], &hub.answers()[0]);
    assert_eq!(
        (notice.body.as_str(), &notice.context.task_id),
        ("Coder has taken up “Paint it”.", &Some(task.clone()))
    );
    assert_eq!((answer.body.as_str(), answer.state, &answer.to), ("Paint it", State::Complete, &thread(1)));
    assert_eq!((&answer.reply_to, &answer.context.task_id), (&Some(notice.id.clone()), &Some(task.clone())));
    assert_eq!((hub.task(&task).status, hub.task(&task).description), (TaskStatus::Done, None));
    let prompt = &engine.prompts()[0];
    assert_eq!((prompt.task.as_ref().map(|task| task.status), prompt.calls.len()), (Some(TaskStatus::Working), 0));
    assert_eq!(prompt.history[0].body, "it must be blue");
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    let told: Vec<_> = process.reports().into_iter().filter(|report| matches!(report, RunnerEvent::Task(_))).collect();
    assert_eq!(told, [RunnerEvent::Task("taken up: Paint it".into()), RunnerEvent::Task("done: Paint it".into())]);
}

#[tokio::test(start_paused = true)]
async fn the_result_of_a_task_without_a_thread_is_stored_in_the_task() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("It is blue now.")]));
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", None);
    moved(&hub, &task).await;
    let task = hub.task(&task);
    assert_eq!(
        (task.status, task.description.as_deref()),
        (TaskStatus::Done, Some("Done by Coder:\n\nIt is blue now."))
    );
    assert!(hub.answers().is_empty() && hub.notices().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_result_of_a_task_is_cut_to_its_limit() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write(&"é".repeat(limits::DESCRIPTION_CHARS_MAX))]));
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Write a lot", None);
    moved(&hub, &task).await;
    let description = hub.task(&task).description.expect("one");
    assert_eq!((description.chars().count(), description.ends_with('…')), (limits::DESCRIPTION_CHARS_MAX, true));
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_has_a_reason() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("I tried."), EngineAct::Fail("no paint")]));
    let _process = RunnerFixture::start(&hub, &engine);
    let tasks = [hub.give("Paint it", None), hub.give("Paint it there", Some(ThreadId::from_bits(1)))];
    for task in &tasks {
        moved(&hub, task).await;
        assert_eq!(hub.task(task).status, TaskStatus::Failed);
    }
    let description = hub.task(&tasks[0]).description;
    assert_eq!(description.as_deref(), Some("Coder has failed: no paint\n\nI tried."));
    assert_eq!((hub.answers()[0].state, hub.answers()[0].reason.as_deref()), (State::Failed, Some("no paint")));
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_one_starts_a_task() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(100));
    let processes = [RunnerFixture::start(&hub, &engine), RunnerFixture::start(&hub, &engine)];
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    moved(&hub, &task).await;
    let elsewhere = RunnerEvent::Passed("somebody else has taken up the task: Paint it".into());
    assert_eq!(processes.iter().filter(|process| process.reports().contains(&elsewhere)).count(), 1);
    assert_eq!((engine.prompts().len(), hub.answers().len(), hub.notices().len()), (1, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn only_open_tasks_of_an_agent_that_accepts_tasks_are_done() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let others = hub.give("Not for Coder", None);
    let critic = Some(AgentId::from_bits(2).into());
    let working = hub.give("Under way somewhere", None);
    hub.with(|hub| {
        hub.update_task(&others, &TaskPatch { assignee: critic, ..TaskPatch::default() }).expect("given away");
        hub.update_task(&working, &patch(TaskStatus::Working)).expect("begun");
    });
    let options = RunnerOptions { picks_up_tasks: false, ..RunnerOptions::default() };
    let lazy = RunnerFixture::start_with(&hub, &engine, options);
    let task = hub.give("Paint it", None);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(hub.task(&task).status, TaskStatus::Open);
    lazy.stop().await.expect("a clean end");
    let _process = RunnerFixture::start(&hub, &engine);
    moved(&hub, &task).await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(engine.asked(), [["Paint it"]]);
}

#[tokio::test(start_paused = true)]
async fn a_reopened_task_is_done_again() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", None);
    moved(&hub, &task).await;
    hub.with(|hub| hub.update_task(&task, &patch(TaskStatus::Open))).expect("opened");
    moved(&hub, &task).await;
    assert_eq!(engine.prompts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_task_is_stopped() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("First "), EngineAct::WorkOn]));
    let process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.with(|hub| hub.update_task(&task, &patch(TaskStatus::Cancelled))).expect("taken back");
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    assert_eq!((hub.task(&task).status, engine.stops()), (TaskStatus::Cancelled, 1));
    assert_eq!(hub.answers()[0].state, State::Failed);
    let last = process.reports().pop();
    assert!(matches!(&last, Some(RunnerEvent::Task(told)) if told.contains("it stays as it is")), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_task_and_a_call_in_one_thread_wait_for_each_other() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(1_000));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.until("the agent is there", |hub| !hub.presences.is_empty()).await;
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    hub.mention(&thread(1), "what colour?");
    moved(&hub, &task).await;
    settled(&hub).await;
    assert_eq!((engine.asked(), engine.load().most), (vec![vec!["Paint it".into()], vec!["what colour?".into()]], 1));
}

#[tokio::test(start_paused = true)]
async fn tasks_beyond_the_queue_limit_are_done_later() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(10));
    let tasks: Vec<_> = (0..45).map(|number| hub.give(&number.to_string(), Some(ThreadId::from_bits(1)))).collect();
    let _process = RunnerFixture::start(&hub, &engine);
    for task in &tasks {
        moved(&hub, task).await;
    }
    assert_eq!(engine.prompts().len(), 45);
}

#[tokio::test(start_paused = true)]
async fn a_hand_off_becomes_a_task_of_the_named_agent() {
    let text = "Done. [HANDOFF: @critic \"Look at it\"] [HANDOFF: @Nobody \"Praise it\"]";
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write(text)]));
    let process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    hub.until("both are told", |hub| hub.messages.len() == 3).await;
    let given = hub.with(|hub| hub.tasks.last().cloned()).expect("a task");
    assert_eq!((given.title.as_str(), &given.parent_id), ("Look at it", &Some(task)));
    assert_eq!((given.assignee, given.thread_id), (Some(AgentId::from_bits(2).into()), Some(ThreadId::from_bits(1))));
    let lines =
        ["“Look at it” was handed on to Critic.", "“Praise it” was not handed on: no agent here is called Nobody."];
    assert_eq!(hub.notices()[1].body, lines.join("\n"));
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    assert!(lines.iter().all(|line| process.reports().contains(&RunnerEvent::Task((*line).into()))));
}

#[tokio::test(start_paused = true)]
async fn only_a_completed_task_can_hand_off() {
    let text = "[HANDOFF: @Critic \"Look at it\"]";
    let script = |prompt: &parlour_agent::engine::Prompt| match prompt.task {
        Some(_) => vec![write(text), EngineAct::Fail("no paint")],
        None => vec![write(text)],
    };
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::new(script));
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    moved(&hub, &task).await;
    hub.mention(&thread(1), "hand it on");
    settled(&hub).await;
    assert_eq!(hub.with(|hub| hub.tasks.len()), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_done_even_if_its_thread_is_read_only() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("It is blue now.")]));
    hub.with(|hub| hub.refuses_posts = Some(Code::Forbidden));
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", Some(ThreadId::from_bits(1)));
    moved(&hub, &task).await;
    assert_eq!(hub.task(&task).description.as_deref(), Some("Done by Coder:\n\nIt is blue now."));
}

#[tokio::test(start_paused = true)]
async fn a_running_task_fails_when_the_agent_is_stopped() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![think(60_000)]));
    let process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Paint it", None);
    hub.until("it works", |hub| hub.tasks[0].status == TaskStatus::Working).await;
    process.stop().await.expect("a clean end");
    assert_eq!(hub.task(&task).description.as_deref(), Some("Coder has failed: Coder was stopped"));
    assert_eq!((hub.task(&task).status, hub.task(&task).assignee), (TaskStatus::Failed, Some(agent_id().into())));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_the_agent_may_not_start_is_tried_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.with(|hub| hub.refused_updates = Some(0));
    let process = RunnerFixture::start(&hub, &engine);
    hub.give("Paint it", None);
    sleep(Duration::from_secs(600)).await;
    assert_eq!((hub.with(|hub| hub.refused_updates), engine.prompts().len()), (Some(1), 0));
    assert!(process.reports().contains(&RunnerEvent::Lost("because (PARLOUR-A02)".into())));
}
