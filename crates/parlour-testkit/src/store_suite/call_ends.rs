//! The end of a call: an answer takes it, its agent passes, or what it was about is gone.

use parlour_core::{
    Code,
    call::{CallReason, CallState, Calls, PassedCall},
    conversation::{ChannelPatch, Visibility},
    event::{Change, ChannelMember},
    id::{AgentId, ChannelId, MessageId},
    member::Agent,
    message::{Message, State},
    write::{Ending, Write},
};

use super::calls::{call, new_call, stage, state};
use crate::world::{Caller, World};

/// The answer that has taken a call.
async fn answer_id(world: &World, agent: &Agent, message: &Message) -> Option<MessageId> {
    call(world, agent, message).await.expect("a call").answer_id
}

/// An answer takes the call that it names and what its agent was called for before; what comes later stays open.
pub async fn an_answer_takes_its_call_and_the_earlier_ones(world: World) {
    let stage = stage(&world).await;
    let streamed = world.stream(&stage.mara, &stage.general, "").await;
    let mut called = Vec::new();
    for _ in 0..3 {
        called.push(world.call(&stage.mara, &stage.general, &stage.coder).await);
    }
    // It stands above the others, but calls after them.
    let calls = Calls { called: vec![new_call(&stage.coder)], held: Vec::new() };
    world.finish(&stage.mara, &streamed, Ending { calls, ..world.ending("late") }).await;
    let answer = world.answer(&stage.coder, &stage.general, &called[1]).await;
    for (message, expected) in [(&called[0], Some(&answer.id)), (&called[1], Some(&answer.id)), (&called[2], None)] {
        assert_eq!(answer_id(&world, &stage.coder, message).await.as_ref(), expected);
    }
    assert_eq!(state(&world, &stage.coder, &streamed).await, CallState::Open);
    let second = world.answer(&stage.coder, &stage.general, &streamed).await;
    assert_eq!(answer_id(&world, &stage.coder, &called[2]).await, Some(second.id));
    assert_eq!(answer_id(&world, &stage.coder, &called[0]).await, Some(answer.id), "an answer stays the answer");
}

/// An answer leaves alone what called other agents, and what called its own agent elsewhere.
pub async fn an_answer_leaves_other_agents_and_conversations_alone(world: World) {
    let stage = stage(&world).await;
    let random = world.channel("random", &stage.tour).await;
    let elsewhere = world.call(&stage.mara, &random, &stage.coder).await;
    let draft = world.draft(&stage.mara, &stage.general, "both").calling(&stage.coder, CallReason::Mention);
    let message = world.send(&stage.mara, &draft.calling(&stage.tester, CallReason::Mention)).await;
    world.answer(&stage.coder, &stage.general, &message).await;
    assert_eq!(state(&world, &stage.coder, &message).await, CallState::Answered);
    assert_eq!(state(&world, &stage.tester, &message).await, CallState::Open);
    assert_eq!(state(&world, &stage.coder, &elsewhere).await, CallState::Open);
}

/// An answer in a thread takes the call by the message above, and with it what the channel called for before.
pub async fn an_answer_may_stand_in_another_conversation(world: World) {
    let stage = stage(&world).await;
    let earlier = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let root = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let thread = world.thread(&stage.general, &root).await;
    let below = world.call(&stage.mara, &thread, &stage.coder).await;
    let answer = world.answer(&stage.coder, &thread, &root).await;
    for message in [&earlier, &root] {
        assert_eq!(answer_id(&world, &stage.coder, message).await.as_ref(), Some(&answer.id));
    }
    assert_eq!(state(&world, &stage.coder, &below).await, CallState::Open);
}

/// What was answered keeps its answer and what was passed stays passed, whatever is answered later.
pub async fn an_answer_takes_only_what_is_open(world: World) {
    let stage = stage(&world).await;
    let passed = world.call(&stage.mara, &stage.general, &stage.coder).await;
    stage.pass(&world, &stage.coder, &passed).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let first = world.answer(&stage.coder, &stage.general, &message).await;
    for answered in [&message, &passed] {
        world.answer(&stage.coder, &stage.general, answered).await;
    }
    assert_eq!(answer_id(&world, &stage.coder, &message).await, Some(first.id));
    assert_eq!(call(&world, &stage.coder, &passed).await.expect("a call").answer_id, None);
    assert_eq!(state(&world, &stage.coder, &passed).await, CallState::Passed);
}

/// Neither a person nor an agent that was not called takes the calls of others.
pub async fn only_an_answer_of_the_called_takes_a_call(world: World) {
    let stage = stage(&world).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let other = world.call(&stage.mara, &stage.general, &stage.tester).await;
    world.answer(&stage.tester, &stage.general, &message).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "me").taking(&message)).await;
    world.post(&stage.coder, &stage.general, "by the way").await;
    for (agent, message) in [(&stage.coder, &message), (&stage.tester, &other)] {
        assert_eq!(state(&world, agent, message).await, CallState::Open);
    }
}

/// An answer that is refused, or repeated after later calls, takes nothing.
pub async fn a_refused_or_repeated_answer_takes_nothing(world: World) {
    let stage = stage(&world).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let nowhere = world.new_channel("nowhere", &stage.tour);
    let refused = world.draft(&stage.coder, &nowhere, "answer").taking(&message);
    assert_eq!(world.refusal(&stage.tour.id, &stage.coder, refused.write()).await, Code::NotFound);
    assert_eq!(state(&world, &stage.coder, &message).await, CallState::Open);
    let draft = world.draft(&stage.coder, &stage.general, "answer").taking(&message);
    world.send(&stage.coder, &draft).await;
    let later = world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.repeat(&stage.tour.id, &stage.coder, draft.taking(&later).write()).await;
    assert_eq!(state(&world, &stage.coder, &later).await, CallState::Open);
}

/// A call is taken while its answer is written, and answered or failed as that ends.
pub async fn the_state_of_a_call_follows_its_answer(world: World) {
    let stage = stage(&world).await;
    let ends = [State::Complete, State::Failed, State::Cancelled, State::Interrupted];
    for end in ends {
        let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
        let draft = world.draft(&stage.coder, &stage.general, "").taking(&message).streaming();
        let answer = world.send(&stage.coder, &draft).await;
        assert_eq!(state(&world, &stage.coder, &message).await, CallState::Taken);
        assert_eq!(answer_id(&world, &stage.coder, &message).await.as_ref(), Some(&answer.id));
        world.finish(&stage.coder, &answer, Ending { state: end, ..world.ending("") }).await;
        assert_eq!(state(&world, &stage.coder, &message).await, CallState::of_answer(end));
    }
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let draft = world.draft(&stage.coder, &stage.general, "").taking(&message).streaming();
    let answer = world.send(&stage.coder, &draft).await;
    world.remove(&stage.mara, &answer).await;
    assert_eq!(state(&world, &stage.coder, &message).await, CallState::Failed, "a removed stream was cancelled");
}

/// Passing closes the call of that agent alone; the event says where, whatever the writer thought.
pub async fn a_passed_call_is_closed(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "both").calling(&stage.coder, CallReason::Mention);
    let message = world.send(&stage.mara, &draft.calling(&stage.tester, CallReason::Mention)).await;
    let passed = PassedCall {
        agent_id: stage.coder.id.clone(),
        message_id: message.id.clone(),
        conversation_id: ChannelId::from_bits(world.bits()).into(),
        reason: Some("not mine".into()),
    };
    let change = world.change(&stage.tour.id, &stage.coder, Write::PassCall(passed.clone())).await;
    let expected = Change::CallPassed(Box::new(PassedCall { conversation_id: message.to.clone(), ..passed }));
    assert_eq!(change, expected);
    assert_eq!(world.events(&stage.tour.id).await.pop().expect("an event").change, expected);
    assert_eq!(state(&world, &stage.coder, &message).await, CallState::Passed);
    assert_eq!(state(&world, &stage.tester, &message).await, CallState::Open);
}

/// What was answered, passed or closed already is left as it is.
pub async fn a_call_that_is_no_longer_open_cannot_be_passed(world: World) {
    let stage = stage(&world).await;
    let (answered, passed, removed) = (
        world.call(&stage.mara, &stage.general, &stage.coder).await,
        world.call(&stage.mara, &stage.general, &stage.coder).await,
        world.call(&stage.mara, &stage.general, &stage.coder).await,
    );
    world.answer(&stage.coder, &stage.general, &answered).await;
    stage.pass(&world, &stage.coder, &passed).await;
    world.remove(&stage.mara, &removed).await;
    let before = stage.shot(&world).await;
    for message in [&answered, &passed, &removed] {
        world.repeat(&stage.tour.id, &stage.coder, world.passing(&stage.coder, message)).await;
        assert_eq!(stage.shot(&world).await, before);
    }
}

/// Only a call that was made can be passed, and only in its own project.
pub async fn a_call_that_never_was_cannot_be_passed(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let robot = world.agent("Robot", &fair).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let plain = world.post(&stage.mara, &stage.general, "for nobody").await;
    let unknown = Message { id: MessageId::from_bits(world.bits()), ..plain.clone() };
    let before = stage.shot(&world).await;
    for (agent, message) in
        [(&stage.tester, &message), (&stage.coder, &plain), (&stage.coder, &unknown), (&robot, &message)]
    {
        let write = world.passing(agent, message);
        assert_eq!(world.refusal(&stage.tour.id, &stage.mara, write).await, Code::NotFound);
    }
    let elsewhere = world.passing(&stage.coder, &message);
    assert_eq!(world.refusal(&fair.id, &stage.mara, elsewhere).await, Code::NotFound);
    assert_eq!(stage.shot(&world).await, before);
}

/// Removing a message closes what is open of its calls; what was answered stays answered. The reason of who has passed
/// is gone with the text.
pub async fn a_removed_message_no_longer_calls(world: World) {
    let stage = stage(&world).await;
    let writer = world.agent("Writer", &stage.tour).await;
    let draft = world.draft(&stage.mara, &stage.general, "all").calling(&stage.coder, CallReason::Mention);
    let draft = draft.calling(&stage.tester, CallReason::Mention).calling(&writer, CallReason::Mention);
    let message = world.send(&stage.mara, &draft).await;
    world.answer(&stage.tester, &stage.general, &message).await;
    let Write::PassCall(passed) = world.passing(&writer, &message) else { unreachable!("a pass") };
    let write = Write::PassCall(PassedCall { reason: Some("password".into()), ..passed });
    world.change(&stage.tour.id, &writer, write).await;
    let removed = world.remove(&stage.mara, &message).await;
    assert_eq!(removed.calls, Vec::<AgentId>::new());
    for (agent, expected) in
        [(&stage.coder, CallState::Passed), (&stage.tester, CallState::Answered), (&writer, CallState::Passed)]
    {
        assert_eq!(state(&world, agent, &message).await, expected, "{}", agent.name);
    }
    let log = serde_json::to_string(&world.events(&stage.tour.id).await).expect("json");
    assert!(log.contains("messaging.passed") && !log.contains("password"), "{log}");
}

/// An agent that can no longer read a channel has no open call there or in its threads, also after it has come back.
pub async fn an_agent_that_loses_a_channel_loses_its_open_calls_there(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder, &stage.tester]).await;
    let answered = world.call(&stage.mara, &secret, &stage.coder).await;
    world.answer(&stage.coder, &secret, &answered).await;
    let mut lost = Vec::new();
    for channel in [&secret, &stage.general] {
        let root = world.call(&stage.mara, channel, &stage.coder).await;
        let thread = world.thread(channel, &root).await;
        lost.extend([root, world.call(&stage.mara, &thread, &stage.coder).await]);
    }
    let of_tester = world.call(&stage.mara, &secret, &stage.tester).await;
    let seat = ChannelMember { channel_id: secret.id.clone(), member_id: stage.coder.member() };
    world.change(&stage.tour.id, &stage.mara, Write::RemoveChannelMember(seat.clone())).await;
    world.change(&stage.tour.id, &stage.mara, Write::AddChannelMember(seat)).await;
    let states = async || {
        let mut states = Vec::new();
        for message in &lost {
            states.push(state(&world, &stage.coder, message).await);
        }
        states
    };
    assert_eq!(states().await, [CallState::Passed, CallState::Passed, CallState::Open, CallState::Open]);
    assert_eq!(state(&world, &stage.coder, &answered).await, CallState::Answered);
    assert_eq!(state(&world, &stage.tester, &of_tester).await, CallState::Open);
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(stage.general.id.clone(), close, vec![stage.mara.member()]);
    world.change(&stage.tour.id, &stage.mara, write).await;
    assert_eq!(states().await, [CallState::Passed; 4]);
}
