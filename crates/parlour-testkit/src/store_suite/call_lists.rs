//! Lists of calls: what is open, what was called last, what waits, and what belongs together.

use std::slice;

use parlour_core::{
    Timestamp,
    call::{Call, CallReason, CallState, Calls},
    id::{AgentId, ChannelId, MessageId, ProjectId},
    member::Agent,
    message::Message,
    paging::PageRequest,
    write::Ending,
};

use super::calls::{Stage, new_call, stage};
use crate::world::{Caller, Place, World, check_pages, read_all};

/// Before all calls.
fn always() -> Timestamp {
    Timestamp::from_millis(0)
}

async fn open_since(world: &World, agent: &Agent, after: Timestamp) -> Vec<MessageId> {
    let calls = read_all(2, async |page| world.store().open_calls(&agent.id, after, &page).await).await;
    assert!(calls.iter().all(|call| call.state == CallState::Open && call.agent_id == agent.id));
    calls.into_iter().map(|call| call.message_id).collect()
}

fn ids(messages: &[&Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id.clone()).collect()
}

/// Posts a message under a correlation id that calls this agent.
async fn correlated(world: &World, stage: &Stage, author: &dyn Caller, agent: &Agent, id: &str) -> Message {
    let mut draft = world.draft(author, &stage.general, "go on").calling(agent, CallReason::Mention);
    draft.message.correlation_id = Some(id.to_owned());
    world.send(author, &draft).await
}

async fn under(world: &World, project: &ProjectId, id: &str, limit: usize) -> Vec<MessageId> {
    let calls = world.store().correlated_calls(project, id, limit).await.expect("calls");
    assert!(calls.iter().all(|call| call.correlation_id.as_deref() == Some(id) && call.project_id == *project));
    calls.into_iter().map(|call| call.message_id).collect()
}

/// Open calls come in the order in which they were made, whatever ids clients have chosen and however long a stream
/// took, on pages of any size.
pub async fn open_calls_are_listed_in_the_order_of_calling(world: World) {
    let stage = stage(&world).await;
    let streamed = world.stream(&stage.mara, &stage.general, "").await;
    let mut expected = Vec::new();
    for id in ["msg_zzz", "msg_aaa", "msg_mmm"] {
        let id: MessageId = id.parse().expect("id");
        let draft = world.draft(&stage.mara, &stage.general, "hi").under_id(&id);
        world.send(&stage.mara, &draft.calling(&stage.coder, CallReason::Mention)).await;
        world.call(&stage.mara, &stage.general, &stage.tester).await;
        expected.push(id.to_string());
    }
    let calls = Calls { called: vec![new_call(&stage.coder)], held: Vec::new() };
    world.finish(&stage.mara, &streamed, Ending { calls, ..world.ending("done") }).await;
    expected.push(streamed.id.to_string());
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.coder]).await;
    expected.push(world.call(&stage.mara, &dm, &stage.coder).await.id.to_string());
    let key = |call: &Call| call.message_id.to_string();
    check_pages(&expected, key, async |page| world.store().open_calls(&stage.coder.id, always(), &page).await).await;
}

/// What was answered or passed while the open calls are being listed does not stop the listing.
pub async fn open_calls_can_be_read_on_after_the_last_was_answered(world: World) {
    let stage = stage(&world).await;
    for _ in 0..5 {
        world.call(&stage.mara, &stage.general, &stage.coder).await;
    }
    let seen = read_all(2, async |page| {
        let page = world.store().open_calls(&stage.coder.id, always(), &page).await?;
        for call in &page.items {
            let message = world.store().message(&call.message_id).await?.expect("a message");
            world.answer(&stage.coder, &stage.general, &message).await;
        }
        Ok(page)
    });
    assert_eq!(seen.await.len(), 5);
    assert_eq!(open_since(&world, &stage.coder, always()).await, []);
}

/// Only calls younger than the given moment are listed, also when a page goes on from an older one.
pub async fn open_calls_are_younger_than_asked(world: World) {
    let stage = stage(&world).await;
    let old = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let at = world.now();
    let new = world.call(&stage.mara, &stage.general, &stage.coder).await;
    assert_eq!(open_since(&world, &stage.coder, Timestamp::from_millis(at.as_millis() - 1)).await, ids(&[&old, &new]));
    assert_eq!(open_since(&world, &stage.coder, at).await, ids(&[&new]));
    assert_eq!(open_since(&world, &stage.coder, world.now()).await, []);
    let after_old = PageRequest::new(Some(old.id.to_string()), None).expect("page");
    let rest = world.store().open_calls(&stage.coder.id, world.now(), &after_old).await.expect("page");
    assert_eq!(rest.items, []);
}

/// The last calls of each agent come in the order of the agents, newest first, whatever became of them.
pub async fn recent_calls_come_by_agent_newest_first(world: World) {
    let stage = stage(&world).await;
    let streamed = world.stream(&stage.mara, &stage.general, "").await;
    let (one, two) = (
        world.call(&stage.mara, &stage.general, &stage.coder).await,
        world.call(&stage.mara, &stage.general, &stage.coder).await,
    );
    let other = world.call(&stage.mara, &stage.general, &stage.tester).await;
    let calls = Calls { called: vec![new_call(&stage.coder)], held: Vec::new() };
    world.finish(&stage.mara, &streamed, Ending { calls, ..world.ending("late") }).await;
    world.answer(&stage.coder, &stage.general, &two).await;
    let recent = async |agents: &[&Agent], limit| {
        let agents: Vec<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        world.store().recent_calls(&agents, limit).await.expect("calls")
    };
    let names = |calls: Vec<Call>| calls.into_iter().map(|call| call.message_id).collect::<Vec<_>>();
    let all = recent(&[&stage.tester, &stage.coder], 9).await;
    let states: Vec<_> = all.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Open, CallState::Open, CallState::Answered, CallState::Answered]);
    assert_eq!(names(all), ids(&[&other, &streamed, &two, &one]));
    assert_eq!(names(recent(&[&stage.coder, &stage.tester], 2).await), ids(&[&streamed, &two, &other]));
    assert_eq!(names(recent(&[], 2).await), []);
}

/// What waits is counted for each agent in the given order: open, in this conversation, and younger than asked.
pub async fn waiting_calls_are_counted_in_the_given_order(world: World) {
    let stage = stage(&world).await;
    let random = world.channel("random", &stage.tour).await;
    let waiting = async |after| {
        let agents = [stage.tester.id.clone(), stage.coder.id.clone()];
        let place = stage.general.conversation_id();
        world.store().waiting_calls(&place, &agents, after).await.expect("counts")
    };
    assert_eq!(waiting(always()).await, [0, 0]);
    let first = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let after_first = world.now();
    world.call(&stage.mara, &random, &stage.coder).await;
    world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.call(&stage.mara, &stage.general, &stage.tester).await;
    assert_eq!(waiting(always()).await, [1, 2]);
    assert_eq!(waiting(after_first).await, [1, 1]);
    world.answer(&stage.coder, &stage.general, &first).await;
    assert_eq!(waiting(always()).await, [1, 1]);
}

/// Under a correlation id stand the calls that agents of the project have made, whatever became of them; not those of
/// people, of other projects, or under other ids.
pub async fn correlated_calls_are_those_that_agents_have_made(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    correlated(&world, &stage, &stage.mara, &stage.coder, "job").await;
    let first = correlated(&world, &stage, &stage.coder, &stage.tester, "job").await;
    let second = correlated(&world, &stage, &stage.tester, &stage.coder, "job").await;
    correlated(&world, &stage, &stage.coder, &stage.tester, "jobs").await;
    world.call(&stage.coder, &stage.general, &stage.tester).await;
    world.answer(&stage.tester, &stage.general, &first).await;
    world.remove(&stage.mara, &second).await;
    assert_eq!(under(&world, &stage.tour.id, "job", 9).await, ids(&[&first, &second]));
    assert_eq!(under(&world, &fair.id, "job", 9).await, []);
    assert_eq!(under(&world, &stage.tour.id, "Job", 9).await, [], "the case counts");
}

/// Of many correlated calls come the first, oldest first.
pub async fn correlated_calls_are_the_first_ones(world: World) {
    let stage = stage(&world).await;
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(correlated(&world, &stage, &stage.coder, &stage.tester, "job").await.id);
    }
    for limit in 1..=5 {
        assert_eq!(under(&world, &stage.tour.id, "job", limit).await, made[..limit.min(4)]);
    }
}

/// An agent or a place that is unknown, and an agent that was never called, has no calls.
pub async fn who_was_never_called_has_no_calls(world: World) {
    let stage = stage(&world).await;
    let message = world.call(&stage.mara, &stage.general, &stage.tester).await;
    let store = world.store();
    for agent in [stage.coder.id.clone(), AgentId::from_bits(world.bits())] {
        assert_eq!(store.call(&agent, &message.id).await.expect("read"), None);
        assert_eq!(store.open_calls(&agent, always(), &PageRequest::first()).await.expect("list").items, []);
        assert_eq!(store.recent_calls(slice::from_ref(&agent), 9).await.expect("read"), []);
        let counts = store.waiting_calls(&stage.general.conversation_id(), &[agent], always()).await;
        assert_eq!(counts.expect("counts"), [0]);
    }
    assert_eq!(store.call(&stage.tester.id, &MessageId::from_bits(world.bits())).await.expect("read"), None);
    let nowhere = ChannelId::from_bits(world.bits()).into();
    assert_eq!(store.waiting_calls(&nowhere, &[stage.tester.id], always()).await.expect("counts"), [0]);
    let elsewhere = ProjectId::from_bits(world.bits());
    assert_eq!(store.correlated_calls(&elsewhere, "job", 9).await.expect("read"), []);
}
