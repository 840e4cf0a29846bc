//! Deliveries: what has really become of a message for each of its recipients.

use parlour_core::{
    Code,
    delivery::{Delivery, DeliveryMark, DeliveryPath, DeliveryState, DeliveryStep},
    event::{Change, ChannelMember},
    inbox::{DeliveryReason, InboxFilter},
    member::Agent,
    message::Message,
    paging::PageRequest,
    run::RunState,
    write::{Ending, NewText, Novelty, Write},
};

use super::calls::{Stage, stage};
use crate::world::{Caller, World, reporting};

/// A message that mentions the coder.
async fn mention(world: &World, stage: &Stage) -> Message {
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "look").mentioning(&stage.coder)).await
}

pub(super) async fn unread(world: &World, agent: &Agent) -> usize {
    let page = world.store().inbox(&agent.id, &InboxFilter::default(), &PageRequest::first()).await.expect("inbox");
    let counts = world.store().inbox_counts(&agent.id).await.expect("counts");
    assert_eq!(page.items.len() as u64, counts.total, "what is listed is what is counted");
    page.items.len()
}

fn injected(run: Option<&parlour_core::run::Run>) -> DeliveryStep {
    let run_id = run.map(|run| run.id.clone());
    DeliveryStep { delivered_via: Some(DeliveryPath::Prompt), run_id, ..DeliveryStep::to(DeliveryState::Injected) }
}

/// A post stores the message for each agent that it tells, by their ids, and for nobody else.
pub async fn a_post_is_stored_for_each_agent_that_it_tells(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "look").telling(&stage.tester, DeliveryReason::Thread);
    let message = world.send(&stage.mara, &draft.mentioning(&stage.coder)).await;
    let stored =
        |agent: &Agent, reason| Delivery::stored(message.id.clone(), agent.member(), reason, message.created_at);
    let mut expected = [stored(&stage.coder, DeliveryReason::Mention), stored(&stage.tester, DeliveryReason::Thread)];
    expected.sort_by(|one, other| one.recipient.as_str().cmp(other.recipient.as_str()));
    assert_eq!(world.store().deliveries(&message.id, &[]).await.expect("read"), expected);
    let nobody = world.post(&stage.mara, &stage.general, "to nobody").await;
    assert_eq!(world.store().deliveries(&nobody.id, &[]).await.expect("read"), []);
}

/// What becomes known of a message only with its end is stored then, and the time to read counts from there.
pub async fn an_answer_that_was_streamed_is_stored_at_its_end(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.mara, &stage.general, "").await;
    world.clock().advance(500);
    let told = parlour_core::inbox::Recipient { agent_id: stage.coder.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText { body: "look".into(), mentions: vec![stage.coder.member()], deliveries: vec![told] };
    let message = world.finish(&stage.mara, &begun, Ending { text, ..world.ending("look") }).await;
    let ended_at = world.now();
    world.clock().advance(9);
    world.reach(&stage.coder, &message, DeliveryState::Seen).await;
    let delivery = world.delivery(&stage.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.stored_at, delivery.time_to_read_ms), (ended_at, Some(10)));
}

/// Each report moves the delivery as the core says, and is one event with the deliveries of its conversation.
pub async fn a_report_moves_the_delivery_and_is_told(world: World) {
    let stage = stage(&world).await;
    let (first, second) = (mention(&world, &stage).await, mention(&world, &stage).await);
    let run = world.start(&stage.coder, Some(&stage.general)).await;
    let write = reporting(&stage.coder, &[&first, &second], injected(Some(&run)));
    let Change::Delivered(mark) = world.change(&stage.tour.id, &stage.coder, write).await else { unreachable!() };
    let DeliveryMark { conversation_id, deliveries } = *mark;
    assert_eq!((conversation_id, deliveries.len()), (first.to.clone(), 2));
    let delivery = world.delivery(&stage.coder, &first).await.expect("a delivery");
    assert_eq!(deliveries[0], delivery);
    assert_eq!((delivery.state, delivery.delivered_via), (DeliveryState::Injected, Some(DeliveryPath::Prompt)));
    assert_eq!((delivery.run_id, delivery.injected_at), (Some(run.id), Some(world.now())));
    assert_eq!(world.events(&stage.tour.id).await.last().expect("an event").change.name(), "messaging.delivered");
}

/// A report that says nothing new changes nothing; of several messages only those that moved are told.
pub async fn what_is_no_news_is_not_told(world: World) {
    let stage = stage(&world).await;
    let (first, second) = (mention(&world, &stage).await, mention(&world, &stage).await);
    world.reach(&stage.coder, &first, DeliveryState::Seen).await;
    let before = stage.shot(&world).await;
    let repeated = world.reach(&stage.coder, &first, DeliveryState::Queued).await;
    assert_eq!((repeated.novelty, stage.shot(&world).await), (Novelty::Repeated, before));
    let write = reporting(&stage.coder, &[&first, &second], DeliveryStep::to(DeliveryState::Queued));
    let Change::Delivered(mark) = world.change(&stage.tour.id, &stage.coder, write).await else { unreachable!() };
    assert_eq!(mark.deliveries.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&second.id]);
}

/// Being seen takes the message out of the inbox; what is queued, shown or lost stays unread.
pub async fn what_was_seen_leaves_the_inbox(world: World) {
    let stage = stage(&world).await;
    let message = mention(&world, &stage).await;
    world.reach(&stage.coder, &message, DeliveryState::Queued).await;
    world.report(&stage.coder, &message, injected(None)).await.expect("shown");
    let failed = DeliveryStep { why: Some("no room".into()), ..DeliveryStep::to(DeliveryState::Failed) };
    world.report(&stage.coder, &message, failed).await.expect("failed");
    assert_eq!(unread(&world, &stage.coder).await, 1);
    assert_eq!(world.delivery(&stage.coder, &message).await.expect("one").why.as_deref(), Some("no room"));
    world.reach(&stage.coder, &message, DeliveryState::Seen).await;
    assert_eq!(unread(&world, &stage.coder).await, 0);
    let delivery = world.delivery(&stage.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.why), (DeliveryState::Seen, None));
}

/// Marking as read by its agent makes a message seen, with one event; reading it twice is reading it once.
pub async fn marking_as_read_is_seeing(world: World) {
    let stage = stage(&world).await;
    let message = mention(&world, &stage).await;
    let events = world.events(&stage.tour.id).await.len();
    world.read(&stage.coder, &message).await;
    world.read(&stage.coder, &message).await;
    let delivery = world.delivery(&stage.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.time_to_read_ms), (DeliveryState::Seen, Some(1)));
    assert_eq!((unread(&world, &stage.coder).await, world.events(&stage.tour.id).await.len()), (0, events + 1));
}

/// A report about a message that was not for the agent is refused, also beside good ones, and leaves no trace.
pub async fn a_report_about_what_was_not_for_the_agent_is_refused(world: World) {
    let stage = stage(&world).await;
    let (message, removed) = (mention(&world, &stage).await, mention(&world, &stage).await);
    let elsewhere = world.post(&stage.mara, &world.channel("hall", &stage.tour).await, "elsewhere").await;
    world.remove(&stage.mara, &removed).await;
    let of_tester = world.start(&stage.tester, None).await;
    let before = stage.shot(&world).await;
    let seen = || DeliveryStep::to(DeliveryState::Seen);
    let by_tester = injected(Some(&of_tester));
    for write in [
        reporting(&stage.tester, &[&message], seen()),
        reporting(&stage.coder, &[&removed], seen()),
        reporting(&stage.coder, &[&message, &elsewhere], seen()),
        reporting(&stage.coder, &[&message], by_tester),
    ] {
        assert_eq!(world.refusal(&stage.tour.id, &stage.mara, write).await, Code::NotFound);
    }
    assert_eq!(stage.shot(&world).await, before);
}

/// A run that belongs to another conversation is not told beside the message.
pub async fn a_run_of_another_conversation_is_not_told(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let (hidden, free) = (world.start(&stage.coder, Some(&secret)).await, world.start(&stage.coder, None).await);
    for (run, told) in [(&hidden, None), (&free, Some(&free.id))] {
        let message = mention(&world, &stage).await;
        let appended = world.report(&stage.coder, &message, injected(Some(run))).await.expect("shown");
        let Change::Delivered(mark) = appended.change else { unreachable!() };
        assert_eq!(mark.deliveries[0].run_id.as_ref(), told);
        assert_eq!(world.delivery(&stage.coder, &message).await.expect("one").run_id.as_ref(), told);
    }
}

/// What a failed or stopped run was shown and did not go on from has failed with it, and that is told; what was seen, and
/// what a run that is done was shown, stays as it is.
pub async fn what_a_broken_run_was_shown_has_failed(world: World) {
    let stage = stage(&world).await;
    for (state, expected) in [
        (RunState::Failed, DeliveryState::Failed),
        (RunState::Cancelled, DeliveryState::Failed),
        (RunState::Done, DeliveryState::Injected),
    ] {
        let (shown, seen) = (mention(&world, &stage).await, mention(&world, &stage).await);
        let run = world.start(&stage.coder, None).await;
        for message in [&shown, &seen] {
            world.report(&stage.coder, message, injected(Some(&run))).await.expect("shown");
        }
        world.reach(&stage.coder, &seen, DeliveryState::Seen).await;
        world.end_run(&stage.coder, &run, state).await;
        let delivery = world.delivery(&stage.coder, &shown).await.expect("a delivery");
        assert_eq!(delivery.state, expected, "{state:?}");
        assert_eq!(world.delivered(&stage.coder, &seen).await, Some(DeliveryState::Seen));
        let last = world.event_names(&stage.tour).await.pop();
        match expected {
            DeliveryState::Failed => {
                assert_eq!(delivery.why.as_deref(), Some("the run ended before it went on: out of luck"));
                assert_eq!(last, Some("messaging.delivered"));
            }
            _ => assert_eq!(last, Some("runs.ended")),
        }
    }
}

/// What a run of another conversation was shown fails with it too, and is told without the run and its reason.
pub async fn a_run_elsewhere_fails_without_its_reason(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let hidden = world.start(&stage.coder, Some(&secret)).await;
    let message = mention(&world, &stage).await;
    world.report(&stage.coder, &message, injected(Some(&hidden))).await.expect("shown");
    world.end_run(&stage.coder, &hidden, RunState::Failed).await;
    let delivery = world.delivery(&stage.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.run_id), (DeliveryState::Failed, None));
    assert_eq!(delivery.why.as_deref(), Some("the run ended before it went on"));
}

/// What was removed has no deliveries, and what an agent may no longer read is on no way to it.
pub async fn what_is_gone_is_on_no_way(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let (removed, lost, read) = (
        mention(&world, &stage).await,
        world.send(&stage.mara, &world.draft(&stage.mara, &secret, "a").mentioning(&stage.coder)).await,
        world.send(&stage.mara, &world.draft(&stage.mara, &secret, "b").mentioning(&stage.coder)).await,
    );
    for message in [&removed, &lost] {
        world.reach(&stage.coder, message, DeliveryState::Queued).await;
    }
    world.read(&stage.coder, &read).await;
    world.remove(&stage.mara, &removed).await;
    let member = ChannelMember { channel_id: secret.id.clone(), member_id: stage.coder.member() };
    world.change(&stage.tour.id, &stage.mara, Write::RemoveChannelMember(member)).await;
    for (message, expected) in [(&removed, None), (&lost, None), (&read, Some(DeliveryState::Seen))] {
        assert_eq!(world.delivered(&stage.coder, message).await, expected);
    }
}

/// An edit that mentions an agent which has read the message lets its delivery begin anew.
pub async fn a_new_mention_begins_anew(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "look").telling(&stage.coder, DeliveryReason::Subscription);
    let message = world.send(&stage.mara, &draft).await;
    world.read(&stage.coder, &message).await;
    let told = parlour_core::inbox::Recipient { agent_id: stage.coder.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText { body: "@Coder".into(), mentions: vec![stage.coder.member()], deliveries: vec![told] };
    world.change(&stage.tour.id, &stage.mara, Write::EditMessage(message.id.clone(), text)).await;
    let delivery = world.delivery(&stage.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.reason), (DeliveryState::Stored, DeliveryReason::Mention));
    assert_eq!((delivery.stored_at, unread(&world, &stage.coder).await), (world.now(), 1));
}

/// People have no rows: they follow the agents, as far as they may read, and have seen what they have read.
pub async fn people_have_seen_what_they_have_read(world: World) {
    let stage = stage(&world).await;
    let (bela, olaf) = (world.member("Bela", &stage.tour).await, world.person("Olaf").await);
    let draft = world.draft(&stage.mara, &stage.general, "all").mentioning(&bela).mentioning(&stage.coder);
    let message = world.send(&stage.mara, &draft).await;
    let people = [bela.member(), stage.mara.member(), olaf.member()];
    let states = async || {
        let all = world.store().deliveries(&message.id, &people).await.expect("read");
        all.into_iter().map(|one| (one.recipient, one.reason, one.state)).collect::<Vec<_>>()
    };
    let (mention, channel) = (DeliveryReason::Mention, DeliveryReason::Subscription);
    let mut expected = vec![
        (stage.coder.member(), mention, DeliveryState::Stored),
        (bela.member(), mention, DeliveryState::Stored),
        (stage.mara.member(), channel, DeliveryState::Seen),
    ];
    assert_eq!(states().await, expected);
    world.read(&bela, &message).await;
    expected[1].2 = DeliveryState::Seen;
    assert_eq!(states().await, expected);
}
