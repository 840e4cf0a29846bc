//! Lists and counts of calls: open, recent, waiting and correlated ones.

use std::slice;

use parlour_core::{
    Timestamp,
    call::{Call, CallReason, CallState, Calls},
    id::{AgentId, ChannelId, MessageId, ProjectId},
    member::Agent,
    message::Message,
    paging::PageRequest,
    write::StreamEnding,
};

use super::calls::new_call;
use super::fixtures::ProjectFixture;
use crate::test_store::{PostTarget, TestMember, TestStore, check_pages, read_all};

/// A time before all calls.
fn epoch() -> Timestamp {
    Timestamp::from_millis(0)
}

async fn open_since(test_store: &TestStore, agent: &Agent, after: Timestamp) -> Vec<MessageId> {
    let calls = read_all(2, async |page| test_store.store().open_calls(&agent.id, after, &page).await).await;
    assert!(calls.iter().all(|call| call.state == CallState::Open && call.agent_id == agent.id));
    calls.into_iter().map(|call| call.message_id).collect()
}

fn ids(messages: &[&Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id.clone()).collect()
}

/// Posts a message with a correlation id that calls this agent.
async fn call_with_correlation(
    test_store: &TestStore,
    fixture: &ProjectFixture,
    author: &dyn TestMember,
    agent: &Agent,
    id: &str,
) -> Message {
    let mut draft = test_store.draft(author, &fixture.general, "go on").calling(agent, CallReason::Mention);
    draft.message.correlation_id = Some(id.to_owned());
    test_store.send(author, &draft).await
}

async fn correlated_message_ids(test_store: &TestStore, project: &ProjectId, id: &str, limit: usize) -> Vec<MessageId> {
    let calls = test_store.store().correlated_calls(project, id, limit).await.expect("calls");
    assert!(calls.iter().all(|call| call.correlation_id.as_deref() == Some(id) && call.project_id == *project));
    calls.into_iter().map(|call| call.message_id).collect()
}

/// Open calls are ordered by creation, independent of client-chosen ids and of the duration of a stream, on pages of
/// any size.
pub async fn open_calls_are_listed_by_creation(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let streamed = test_store.stream(&fixture.mara, &fixture.general, "").await;
    let mut expected = Vec::new();
    for id in ["msg_zzz", "msg_aaa", "msg_mmm"] {
        let id: MessageId = id.parse().expect("id");
        let draft = test_store.draft(&fixture.mara, &fixture.general, "hi").with_id(&id);
        test_store.send(&fixture.mara, &draft.calling(&fixture.coder, CallReason::Mention)).await;
        test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
        expected.push(id.to_string());
    }
    let calls = Calls { called: vec![new_call(&fixture.coder)], held: Vec::new() };
    test_store.finish(&fixture.mara, &streamed, StreamEnding { calls, ..test_store.ending("done") }).await;
    expected.push(streamed.id.to_string());
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    expected.push(test_store.call(&fixture.mara, &dm, &fixture.coder).await.id.to_string());
    let key = |call: &Call| call.message_id.to_string();
    check_pages(&expected, key, async |page| test_store.store().open_calls(&fixture.coder.id, epoch(), &page).await)
        .await;
}

/// Calls that are answered or passed during the listing do not stop it.
pub async fn paging_open_calls_continues_after_the_last_one_was_answered(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for _ in 0..5 {
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    }
    let seen = read_all(2, async |page| {
        let page = test_store.store().open_calls(&fixture.coder.id, epoch(), &page).await?;
        for call in &page.items {
            let message = test_store.store().message(&call.message_id).await?.expect("a message");
            test_store.answer(&fixture.coder, &fixture.general, &message).await;
        }
        Ok(page)
    });
    assert_eq!(seen.await.len(), 5);
    assert_eq!(open_since(&test_store, &fixture.coder, epoch()).await, []);
}

/// Only calls after the given time are listed, also when the page key is an older call.
pub async fn open_calls_are_listed_after_the_given_time(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let old = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let at = test_store.now();
    let new = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    assert_eq!(
        open_since(&test_store, &fixture.coder, Timestamp::from_millis(at.as_millis() - 1)).await,
        ids(&[&old, &new])
    );
    assert_eq!(open_since(&test_store, &fixture.coder, at).await, ids(&[&new]));
    assert_eq!(open_since(&test_store, &fixture.coder, test_store.now()).await, []);
    let after_old = PageRequest::new(Some(old.id.to_string()), None).expect("page");
    let rest = test_store.store().open_calls(&fixture.coder.id, test_store.now(), &after_old).await.expect("page");
    assert_eq!(rest.items, []);
}

/// The latest calls of each agent are returned in the order of the agents, newest first, in any state.
pub async fn recent_calls_come_by_agent_newest_first(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let streamed = test_store.stream(&fixture.mara, &fixture.general, "").await;
    let (one, two) = (
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await,
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await,
    );
    let other = test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
    let calls = Calls { called: vec![new_call(&fixture.coder)], held: Vec::new() };
    test_store.finish(&fixture.mara, &streamed, StreamEnding { calls, ..test_store.ending("late") }).await;
    test_store.answer(&fixture.coder, &fixture.general, &two).await;
    let recent = async |agents: &[&Agent], limit| {
        let agents: Vec<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        test_store.store().recent_calls(&agents, limit).await.expect("calls")
    };
    let names = |calls: Vec<Call>| calls.into_iter().map(|call| call.message_id).collect::<Vec<_>>();
    let all = recent(&[&fixture.tester, &fixture.coder], 9).await;
    let states: Vec<_> = all.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Open, CallState::Open, CallState::Answered, CallState::Open]);
    assert_eq!(names(all), ids(&[&other, &streamed, &two, &one]));
    assert_eq!(names(recent(&[&fixture.coder, &fixture.tester], 2).await), ids(&[&streamed, &two, &other]));
    assert_eq!(names(recent(&[], 2).await), []);
}

/// Open calls after the given time in one conversation are counted for each agent, in the order of the agents.
pub async fn waiting_calls_are_counted_per_agent(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    let waiting = async |after| {
        let agents = [fixture.tester.id.clone(), fixture.coder.id.clone()];
        let conversation = fixture.general.conversation_id();
        test_store.store().waiting_calls(&conversation, &agents, after).await.expect("counts")
    };
    assert_eq!(waiting(epoch()).await, [0, 0]);
    let first = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let after_first = test_store.now();
    test_store.call(&fixture.mara, &random, &fixture.coder).await;
    test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
    assert_eq!(waiting(epoch()).await, [1, 2]);
    assert_eq!(waiting(after_first).await, [1, 1]);
    test_store.answer(&fixture.coder, &fixture.general, &first).await;
    assert_eq!(waiting(epoch()).await, [1, 1]);
}

/// The calls with a correlation id are those made by agents of the project, in any state; not those of people, of other
/// projects or with other ids.
pub async fn correlated_calls_are_made_by_agents_of_the_project(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    call_with_correlation(&test_store, &fixture, &fixture.mara, &fixture.coder, "job").await;
    let first = call_with_correlation(&test_store, &fixture, &fixture.coder, &fixture.tester, "job").await;
    let second = call_with_correlation(&test_store, &fixture, &fixture.tester, &fixture.coder, "job").await;
    call_with_correlation(&test_store, &fixture, &fixture.coder, &fixture.tester, "jobs").await;
    test_store.call(&fixture.coder, &fixture.general, &fixture.tester).await;
    test_store.answer(&fixture.tester, &fixture.general, &first).await;
    test_store.remove(&fixture.mara, &second).await;
    assert_eq!(correlated_message_ids(&test_store, &fixture.tour.id, "job", 9).await, ids(&[&first, &second]));
    assert_eq!(correlated_message_ids(&test_store, &fair.id, "job", 9).await, []);
    assert_eq!(correlated_message_ids(&test_store, &fixture.tour.id, "Job", 9).await, [], "the id is case-sensitive");
}

/// Of many correlated calls the oldest are returned, oldest first.
pub async fn correlated_calls_are_limited_to_the_oldest(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(call_with_correlation(&test_store, &fixture, &fixture.coder, &fixture.tester, "job").await.id);
    }
    for limit in 1..=5 {
        assert_eq!(correlated_message_ids(&test_store, &fixture.tour.id, "job", limit).await, made[..limit.min(4)]);
    }
}

/// An unknown agent, an unknown conversation and an agent that was never called have no calls.
pub async fn an_agent_that_was_never_called_has_no_calls(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
    let store = test_store.store();
    for agent in [fixture.coder.id.clone(), AgentId::from_bits(test_store.bits())] {
        assert_eq!(store.call(&agent, &message.id).await.expect("read"), None);
        assert_eq!(store.open_calls(&agent, epoch(), &PageRequest::first()).await.expect("list").items, []);
        assert_eq!(store.recent_calls(slice::from_ref(&agent), 9).await.expect("read"), []);
        let counts = store.waiting_calls(&fixture.general.conversation_id(), &[agent], epoch()).await;
        assert_eq!(counts.expect("counts"), [0]);
    }
    assert_eq!(store.call(&fixture.tester.id, &MessageId::from_bits(test_store.bits())).await.expect("read"), None);
    let nowhere = ChannelId::from_bits(test_store.bits()).into();
    assert_eq!(store.waiting_calls(&nowhere, &[fixture.tester.id], epoch()).await.expect("counts"), [0]);
    let elsewhere = ProjectId::from_bits(test_store.bits());
    assert_eq!(store.correlated_calls(&elsewhere, "job", 9).await.expect("read"), []);
}
