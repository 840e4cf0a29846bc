//! The link of an agent, over a real hub in this process.

use parlour_agent::link::{FollowUpTask, HubEvent, RunCalls as _};
use parlour_core::{
    Code,
    context::ContextFormat,
    delivery::DeliveryPath,
    event::Change,
    message::State,
    paging::PageRequest,
    presence::{PresenceState, PresenceUpdate},
    run::StartRun,
    task::{TaskPatch, TaskStatus},
};
use parlour_hub::use_cases::NewTask;

use super::*;
use crate::hosting::fixture::InProcessHub;

async fn link() -> (InProcessHub, LocalLink) {
    let fixture = InProcessHub::make().await;
    let link = LocalLink::new(&fixture.hub, &fixture.guide().await);
    (fixture, link)
}

/// A request to answer in `#general`.
fn answer(fixture: &InProcessHub, body: &str) -> PostMessage {
    PostMessage { channel_id: Some(fixture.general.clone()), body: body.into(), ..PostMessage::default() }
}

/// The next message that the news tell of.
async fn next_message(news: &mut Box<dyn HubEvents>) -> Message {
    loop {
        if let HubEvent::Event(event) = news.next().await.expect("news")
            && let Change::MessagePosted(message) = event.change
        {
            return *message;
        }
    }
}

#[tokio::test]
async fn the_agent_and_its_project_are_read() {
    let (fixture, link) = link().await;
    fixture.host("Coder").await;
    assert_eq!(link.agent().await.expect("read").name.as_str(), "Guide");
    let mut names: Vec<_> =
        link.agents().await.expect("read").into_iter().map(|agent| agent.name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["Coder", "Guide"]);
    let policy = fixture.hub.project(&fixture.admin, &fixture.project).await.expect("read").policy;
    assert_eq!(link.lease_seconds().await, Ok(policy.streams.lease_seconds));
}

#[tokio::test]
async fn a_call_is_open_until_it_is_answered_or_passed() {
    let (fixture, link) = link().await;
    let (first, second) = (fixture.say("@Guide one").await, fixture.say("@Guide two").await);
    let open =
        async || link.open_calls().await.expect("read").into_iter().map(|call| call.message_id).collect::<Vec<_>>();
    assert_eq!(open().await, [first.id.clone(), second.id.clone()]);
    link.pass(&first.id, Some("nothing to say".into())).await.expect("passed");
    assert_eq!(open().await, std::slice::from_ref(&second.id));
    let request = PostMessage { reply_to: Some(second.id.clone()), ..answer(&fixture, "Two.") };
    let id = InProcessHub::fresh_id();
    let posted = link.post(&id, &request).await.expect("posted");
    assert_eq!((posted.id, posted.from.name.as_str()), (id.clone(), "Guide"));
    assert_eq!(open().await, []);
    assert_eq!(link.post(&id, &request).await.expect("the first result again").seq, posted.seq);
    let other = link.post(&id, &answer(&fixture, "Three.")).await.expect_err("another text");
    assert!(other.is(Code::ClientIdReused), "{other}");
}

#[tokio::test]
async fn an_answer_is_streamed_with_steps_and_completed() {
    let (fixture, link) = link().await;
    let id = InProcessHub::fresh_id();
    link.post(&id, &PostMessage { stream: true, ..answer(&fixture, "") }).await.expect("opened");
    let step = StartStep { id: "look".into(), name: "look".into(), input: None };
    link.start_step(&id, step).await.expect("begun");
    link.finish_step(&id, "look", FinishStep::default()).await.expect("ended");
    link.add_chunk(&id, AddChunk { start: Some(0), text: "Hello".into() }).await.expect("added");
    link.beat(&id).await.expect("renewed");
    assert_eq!(link.message(&id).await.expect("read").body, "Hello");
    let ended = link.complete(&id, Complete::default()).await.expect("ended").message;
    assert_eq!((ended.state, ended.body.as_str(), ended.steps.len()), (State::Complete, "Hello", 1));
    let late = link.add_chunk(&id, AddChunk { start: Some(5), text: "!".into() }).await.expect_err("ended");
    assert!(late.is(Code::StreamEnded), "{late}");
}

#[tokio::test]
async fn a_failed_answer_has_a_reason() {
    let (fixture, link) = link().await;
    let id = InProcessHub::fresh_id();
    link.post(&id, &PostMessage { stream: true, ..answer(&fixture, "") }).await.expect("opened");
    let end = Fail { reason: "no model".into(), ..Fail::default() };
    let ended = link.fail(&id, end).await.expect("ended");
    assert_eq!((ended.state, ended.reason.as_deref()), (State::Failed, Some("no model")));
}

#[tokio::test]
async fn the_context_is_redacted_and_stored_with_the_run() {
    let (fixture, link) = link().await;
    fixture.say("the password is hunter2hunter2").await;
    let asked = fixture.say("@Guide did you see it?").await;
    let run = link.start_run(&StartRun::default()).await.expect("begun");
    let ask = ContextRequest {
        format: ContextFormat::Native,
        message_id: Some(asked.id.clone()),
        run_id: Some(run.id.clone()),
        messages_max: Some(2),
        ..ContextRequest::default()
    };
    let pack = link.context(&ask).await.expect("made");
    let bodies: Vec<_> = pack.messages.iter().map(|message| message.body.as_str()).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].starts_with("the password is [") && bodies[1] == "@Guide did you see it?", "{bodies:?}");
    assert!(!format!("{pack:?}").contains("hunter2"));
    let kept = fixture.hub.injections(&fixture.admin, &run.id, &PageRequest::first()).await.expect("kept").items;
    assert_eq!(
        (kept.len(), kept[0].delivered_via, Some(&kept[0].id)),
        (1, DeliveryPath::Prompt, pack.injection_id.as_ref())
    );
}

#[tokio::test]
async fn all_called_messages_are_shown_even_beyond_the_history_limit() {
    let (fixture, link) = link().await;
    let first = fixture.say("@Guide one").await;
    for number in 0..30 {
        fixture.say(&format!("between: {number}")).await;
    }
    let last = fixture.say("@Guide two").await;
    let ask = |messages_max| ContextRequest {
        format: ContextFormat::Native,
        message_id: Some(last.id.clone()),
        together_with: vec![first.id.clone()],
        messages_max: Some(messages_max),
        ..ContextRequest::default()
    };
    let bodies = async |messages_max| {
        let pack = link.context(&ask(messages_max)).await.expect("made");
        pack.messages.into_iter().map(|message| message.body).collect::<Vec<_>>()
    };
    assert_eq!(bodies(1).await, ["@Guide one", "@Guide two"]);
    assert_eq!(bodies(3).await, ["@Guide one", "between: 29", "@Guide two"]);
    let gone = ContextRequest { together_with: vec![MessageId::from_bits(7)], ..ask(3) };
    assert!(link.context(&gone).await.expect_err("there is none").is(Code::NotFound));
}

#[tokio::test]
async fn a_renamed_agent_writes_under_its_new_name() {
    let (fixture, link) = link().await;
    let guide = fixture.guide().await;
    link.renew(&Agent { name: "Helper".parse().expect("a name"), ..guide });
    let posted = link.post(&InProcessHub::fresh_id(), &answer(&fixture, "Hello")).await.expect("posted");
    assert_eq!(posted.from.name, "Helper");
}

#[tokio::test]
async fn files_are_stored_for_the_readers_of_a_conversation() {
    let (fixture, link) = link().await;
    let file = Upload {
        conversation_id: fixture.general.clone().into(),
        filename: "notes.txt".into(),
        media_type: "text/plain".into(),
        content: b"all of it".to_vec(),
    };
    let id = link.upload(file).await.expect("kept");
    let artifact = fixture.hub.artifact(&fixture.admin, &id).await.expect("read");
    assert_eq!((artifact.filename.as_str(), artifact.size), ("notes.txt", 9));
    assert_eq!(artifact.conversation_id, Some(fixture.general.clone().into()));
}

#[tokio::test]
async fn open_tasks_belong_to_the_agent_and_follow_ups_have_a_parent() {
    let (fixture, link) = link().await;
    let (guide, coder) = (fixture.guide().await, fixture.host("Coder").await);
    let give = async |title: &str, to: &Agent| {
        let request = NewTask {
            project_id: fixture.project.clone(),
            title: title.into(),
            description: None,
            status: TaskStatus::Open,
            assignee: Some(to.id.clone().into()),
            parent_id: None,
            batch_id: None,
            thread_id: None,
        };
        fixture.hub.create_task(&fixture.admin, request).await.expect("given")
    };
    let (first, second) = (give("first", &guide).await, give("second", &guide).await);
    give("of another", &coder).await;
    let titles = async || link.open_tasks().await.expect("read").into_iter().map(|task| task.title).collect::<Vec<_>>();
    assert_eq!(titles().await, ["first", "second"]);
    let patch = TaskPatch { status: Some(TaskStatus::Working), ..TaskPatch::default() };
    link.update_task(&first.id, patch).await.expect("changed");
    assert_eq!(titles().await, ["second"]);
    let request =
        FollowUpTask { parent: second.clone(), title: "next".into(), description: None, assignee: coder.id.into() };
    assert_eq!(link.follow_up(request).await.expect("given").parent_id, Some(second.id));
}

#[tokio::test]
async fn a_subscription_starts_with_live_and_delivers_only_events() {
    let (fixture, link) = link().await;
    let mut news = link.follow();
    assert_eq!(news.next().await, Ok(HubEvent::Live));
    let said = fixture.say("Hello").await;
    let HubEvent::Event(event) = news.next().await.expect("news") else { panic!("not an event") };
    assert_eq!(event.change, Change::MessagePosted(Box::new(said)));
}

#[tokio::test]
async fn presence_is_set_by_the_session_and_ends_with_it() {
    let (fixture, link) = link().await;
    let there = async || {
        let page =
            fixture.hub.presence(&fixture.admin, Some(&fixture.project), &PageRequest::first()).await.expect("list");
        page.items.into_iter().next().map(|one| (one.name.to_string(), one.state, one.runtime))
    };
    let mut news = link.follow();
    let request = |state| PresenceUpdate { state, runtime: Some("built-in".into()), ..PresenceUpdate::default() };
    news.set_presence(request(PresenceState::Idle));
    assert_eq!(news.next().await, Ok(HubEvent::Live));
    while there().await.is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(there().await, Some(("Guide".into(), PresenceState::Idle, Some("built-in".into()))));
    news.set_presence(request(PresenceState::Working));
    while there().await.is_some_and(|(_, state, _)| state == PresenceState::Idle) {
        tokio::task::yield_now().await;
    }
    drop(news);
    while there().await.is_some() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_closed_session_is_reopened_and_starts_with_live() {
    let (fixture, link) = link().await;
    let mut news = link.follow();
    assert_eq!(news.next().await, Ok(HubEvent::Live));
    // A new token ends all sessions of the agent, also that which needed none.
    fixture.hub.renew_agent_token(&fixture.admin, &fixture.guide().await.id).await.expect("renewed");
    let mut items = vec![news.next().await.expect("news")];
    while !items.contains(&HubEvent::Live) {
        items.push(news.next().await.expect("news"));
    }
    assert!(items.iter().any(|item| matches!(item, HubEvent::Lost(_))), "{items:?}");
    let said = fixture.say("still there?").await;
    assert_eq!(next_message(&mut news).await.id, said.id);
}

#[tokio::test]
async fn a_subscription_ends_when_the_hub_stops() {
    let (fixture, link) = link().await;
    let mut news = link.follow();
    assert_eq!(news.next().await, Ok(HubEvent::Live));
    fixture.stop.cancel();
    assert!(matches!(news.next().await, Err(LinkError::Away(_))));
}
