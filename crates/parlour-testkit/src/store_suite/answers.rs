//! Answers: which messages a complete answer of an agent makes answered.

use parlour_core::{
    call::CallState,
    delivery::DeliveryState,
    event::Change,
    id::{ConversationId, MessageId},
    message::{Kind, State},
    write::Ending,
};

use super::{
    calls::{Stage, stage, state as call_state},
    deliveries::unread,
};
use crate::world::{World, yes};

/// A complete answer makes the message that it replies to answered, and those whose calls it took and that its agent had
/// been shown, and takes them out of the inbox.
pub async fn an_answer_answers_what_it_took_and_what_was_shown(world: World) {
    let stage = stage(&world).await;
    let shown = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let seen = world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.reach(&stage.coder, &shown, DeliveryState::Injected).await;
    world.reach(&stage.coder, &seen, DeliveryState::Seen).await;
    let late = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let answer = world.answer(&stage.coder, &stage.general, &late).await;
    for message in [&shown, &seen, &late] {
        let delivery = world.delivery(&stage.coder, message).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.answer_id.as_ref()), (DeliveryState::Answered, Some(&answer.id)));
        assert_eq!(delivery.answered_at, Some(world.now()));
    }
    assert_eq!(unread(&world, &stage.coder).await, 0);
}

/// What an answer took and its agent had not been shown is neither read nor answered: it stays in the inbox. Nobody is
/// called for it again.
pub async fn what_was_taken_unshown_stays_unread(world: World) {
    let stage = stage(&world).await;
    let stored = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let queued = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let failed = world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.reach(&stage.coder, &queued, DeliveryState::Queued).await;
    world.reach(&stage.coder, &failed, DeliveryState::Failed).await;
    let late = world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.answer(&stage.coder, &stage.general, &late).await;
    for (message, expected) in
        [(&stored, DeliveryState::Stored), (&queued, DeliveryState::Queued), (&failed, DeliveryState::Failed)]
    {
        let delivery = world.delivery(&stage.coder, message).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.seen_at, delivery.answer_id), (expected, None, None));
        assert_eq!(call_state(&world, &stage.coder, message).await, CallState::Answered);
    }
    assert_eq!(unread(&world, &stage.coder).await, 3);
}

/// An answer that is streamed answers at its end, and only when it is complete.
pub async fn a_streamed_answer_answers_when_it_is_complete(world: World) {
    let stage = stage(&world).await;
    for (state, expected) in [(State::Failed, DeliveryState::Stored), (State::Complete, DeliveryState::Answered)] {
        let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
        let draft = world.draft(&stage.coder, &stage.general, "").taking(&message).streaming();
        let begun = world.send(&stage.coder, &draft).await;
        assert_eq!(world.delivered(&stage.coder, &message).await, Some(DeliveryState::Stored));
        world.finish(&stage.coder, &begun, Ending { state, ..world.ending("done") }).await;
        assert_eq!(world.delivered(&stage.coder, &message).await, Some(expected), "{state:?}");
    }
}

/// A reply answers the message that it replies to, for its own agent alone.
pub async fn a_reply_answers_for_its_agent(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "both").mentioning(&stage.coder);
    let message = world.send(&stage.mara, &draft.mentioning(&stage.tester)).await;
    let reply = world.draft(&stage.coder, &stage.general, "here").answering(&message);
    world.send(&stage.coder, &reply).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "me too").answering(&message)).await;
    assert_eq!(world.delivered(&stage.coder, &message).await, Some(DeliveryState::Answered));
    assert_eq!(world.delivered(&stage.tester, &message).await, Some(DeliveryState::Stored));
}

/// A notice and the result of a tool answer nothing, also where they reply: the message waits for its answer, unread as
/// before. Whatever settles a question answers it.
pub async fn notices_and_results_answer_nothing(world: World) {
    let stage = stage(&world).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let before = world.events(&stage.tour.id).await.len();
    for (is_notice, kind) in [(true, Kind::Assistant), (false, Kind::ToolResult)] {
        let passing = |body: &str| {
            let mut draft = world.draft(&stage.coder, &stage.general, body).answering(&message);
            (draft.message.is_notice, draft.message.kind) = (is_notice, kind);
            draft
        };
        world.send(&stage.coder, &passing("in a minute")).await;
        let begun = world.send(&stage.coder, &passing("").streaming()).await;
        world.finish(&stage.coder, &begun, world.ending("soon")).await;
        assert_eq!(world.delivered(&stage.coder, &message).await, Some(DeliveryState::Stored), "{kind:?}");
    }
    assert_eq!(call_state(&world, &stage.coder, &message).await, CallState::Open);
    assert_eq!(unread(&world, &stage.coder).await, 1);
    assert_eq!(world.events(&stage.tour.id).await.len(), before + 6, "four posts, two ends, and nothing else");
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let mut settling = world.draft(&stage.coder, &stage.general, "yes").saying_yes_to(&asked);
    settling.message.is_notice = true;
    world.send(&stage.coder, &settling).await;
    assert_eq!(world.delivered(&stage.coder, &asked).await, Some(DeliveryState::Answered));
}

/// A question is answered by the message that settles it, and by an answer without a message, for the agent that gives it.
pub async fn settling_a_question_answers_its_message(world: World) {
    let stage = stage(&world).await;
    let by_message = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let draft = world.draft(&stage.coder, &stage.general, "yes").saying_yes_to(&by_message);
    let answer = world.send(&stage.coder, &draft).await;
    let delivery = world.delivery(&stage.coder, &by_message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(answer.id)));
    let given = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    world.settle(&stage.coder, &given, yes()).await;
    let delivery = world.delivery(&stage.coder, &given).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, None));
    let by_another = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    world.settle(&stage.mara, &by_another, yes()).await;
    assert_eq!(world.delivered(&stage.coder, &by_another).await, Some(DeliveryState::Stored));
    assert_eq!(unread(&world, &stage.coder).await, 1);
}

/// A question is answered wherever the message stands that settles it: also in the thread below it, where nothing refers
/// to it.
pub async fn an_answer_in_a_thread_answers_the_message_above(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let thread = world.thread(&stage.general, &asked).await;
    let answer = world.send(&stage.coder, &world.draft(&stage.coder, &thread, "yes").saying_yes_below(&asked)).await;
    let delivery = world.delivery(&stage.coder, &asked).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(answer.id)));
    assert_eq!(unread(&world, &stage.coder).await, 0);
}

/// That messages are answered is told by a further event for each conversation, behind those of the answer itself; what
/// is no news is not told, and what a person says answers for no agent.
pub async fn being_answered_is_told(world: World) {
    let stage = stage(&world).await;
    let shown = world.call(&stage.mara, &stage.general, &stage.coder).await;
    world.reach(&stage.coder, &shown, DeliveryState::Injected).await;
    let late = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let answer = world.draft(&stage.coder, &stage.general, "done").taking(&late);
    world.send(&stage.coder, &answer).await;
    assert_eq!(last_events(&world, &stage, 2).await, ["messaging.posted", "messaging.delivered"]);
    assert_eq!(last_answered(&world, &stage).await, (late.to.clone(), vec![shown.id.clone(), late.id.clone()]));
    let before = world.events(&stage.tour.id).await.len();
    world.repeat(&stage.tour.id, &stage.coder, answer.write()).await;
    world.send(&stage.coder, &world.draft(&stage.coder, &stage.general, "again").answering(&late)).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "so be it").answering(&late)).await;
    assert_eq!(world.events(&stage.tour.id).await.len(), before + 2, "two posts and nothing else");
}

/// The same holds for the end of a stream, and for questions that are answered with a message or without one.
pub async fn whatever_answers_is_told(world: World) {
    let stage = stage(&world).await;
    let streamed = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let draft = world.draft(&stage.coder, &stage.general, "").taking(&streamed).streaming();
    let begun = world.send(&stage.coder, &draft).await;
    world.finish(&stage.coder, &begun, world.ending("done")).await;
    assert_eq!(last_events(&world, &stage, 2).await, ["messaging.finished", "messaging.delivered"]);
    assert_eq!(last_answered(&world, &stage).await, (streamed.to.clone(), vec![streamed.id.clone()]));

    let below = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let thread = world.thread(&stage.general, &below).await;
    world.send(&stage.coder, &world.draft(&stage.coder, &thread, "yes").saying_yes_below(&below)).await;
    let told = ["messaging.posted", "messaging.question", "messaging.delivered"];
    assert_eq!(last_events(&world, &stage, 3).await, told);
    assert_eq!(last_answered(&world, &stage).await, (below.to.clone(), vec![below.id.clone()]));

    let given = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    world.settle(&stage.coder, &given, yes()).await;
    assert_eq!(last_events(&world, &stage, 2).await, ["messaging.question", "messaging.delivered"]);
    assert_eq!(last_answered(&world, &stage).await, (given.to.clone(), vec![given.id.clone()]));
}

async fn last_events(world: &World, stage: &Stage, count: usize) -> Vec<&'static str> {
    let mut names = world.event_names(&stage.tour).await;
    names.split_off(names.len() - count)
}

/// What the last event tells as answered, and where.
async fn last_answered(world: &World, stage: &Stage) -> (ConversationId, Vec<MessageId>) {
    let last = world.events(&stage.tour.id).await.pop().expect("an event");
    let Change::Delivered(mark) = last.change else { unreachable!("{} is no delivery", last.change.name()) };
    let mut answered = Vec::new();
    for told in mark.deliveries {
        let stored = world.store().deliveries(&told.message_id, &[]).await.expect("read");
        assert!(told.state == DeliveryState::Answered && stored.contains(&told), "{told:?}");
        answered.push(told.message_id);
    }
    (mark.conversation_id, answered)
}
