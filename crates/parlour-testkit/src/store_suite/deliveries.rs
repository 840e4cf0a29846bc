//! Deliveries: the status of a message for each recipient, by reports, answers and ends of runs.

use parlour_core::{
    Code,
    call::CallState,
    delivery::{Delivery, DeliveryMark, DeliveryPath, DeliveryState, DeliveryStep},
    event::{Change, ChannelMember},
    id::{ConversationId, MessageId},
    inbox::{DeliveryReason, InboxFilter},
    member::Agent,
    message::{Kind, Message, State},
    paging::PageRequest,
    run::RunState,
    write::{NewText, Novelty, StreamEnding, Write},
};

use super::{calls::state as call_state, fixtures::ProjectFixture};
use crate::test_store::{TestMember, TestStore, reporting, yes};

/// Posts a message that mentions the coder.
async fn mention(test_store: &TestStore, fixture: &ProjectFixture) -> Message {
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "look").mentioning(&fixture.coder))
        .await
}

/// The number of unread messages of an agent; checks that the count agrees with the list.
pub(super) async fn unread(test_store: &TestStore, agent: &Agent) -> usize {
    let page =
        test_store.store().inbox(&agent.id, &InboxFilter::default(), &PageRequest::first()).await.expect("inbox");
    let counts = test_store.store().inbox_counts(&agent.id).await.expect("counts");
    assert_eq!(page.items.len() as u64, counts.total, "the list and the count agree");
    page.items.len()
}

fn injected(run: Option<&parlour_core::run::Run>) -> DeliveryStep {
    let run_id = run.map(|run| run.id.clone());
    DeliveryStep { delivered_via: Some(DeliveryPath::Prompt), run_id, ..DeliveryStep::to(DeliveryState::Injected) }
}

/// A post creates a delivery for each agent that gets it into its inbox, by id, and for nobody else.
pub async fn a_post_creates_a_delivery_for_each_recipient(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft =
        test_store.draft(&fixture.mara, &fixture.general, "look").delivered_to(&fixture.tester, DeliveryReason::Thread);
    let message = test_store.send(&fixture.mara, &draft.mentioning(&fixture.coder)).await;
    let stored =
        |agent: &Agent, reason| Delivery::stored(message.id.clone(), agent.member(), reason, message.created_at);
    let mut expected =
        [stored(&fixture.coder, DeliveryReason::Mention), stored(&fixture.tester, DeliveryReason::Thread)];
    expected.sort_by(|one, other| one.recipient.as_str().cmp(other.recipient.as_str()));
    assert_eq!(test_store.store().deliveries(&message.id, &[]).await.expect("read"), expected);
    let nobody = test_store.post(&fixture.mara, &fixture.general, "to nobody").await;
    assert_eq!(test_store.store().deliveries(&nobody.id, &[]).await.expect("read"), []);
}

/// The delivery of a streamed message starts when the stream ends; the time to read counts from there.
pub async fn a_streamed_message_is_delivered_at_its_end(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.mara, &fixture.general, "").await;
    test_store.clock().advance(500);
    let recipient =
        parlour_core::inbox::Recipient { agent_id: fixture.coder.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText { body: "look".into(), mentions: vec![fixture.coder.member()], deliveries: vec![recipient] };
    let message = test_store.finish(&fixture.mara, &begun, StreamEnding { text, ..test_store.ending("look") }).await;
    let ended_at = test_store.now();
    test_store.clock().advance(9);
    test_store.reach(&fixture.coder, &message, DeliveryState::Seen).await;
    let delivery = test_store.delivery(&fixture.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.stored_at, delivery.time_to_read_ms), (ended_at, Some(10)));
}

/// Each report moves the delivery by the rules of the core, and writes one event with the deliveries of its
/// conversation.
pub async fn a_report_moves_the_delivery_and_writes_an_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (first, second) = (mention(&test_store, &fixture).await, mention(&test_store, &fixture).await);
    let run = test_store.start(&fixture.coder, Some(&fixture.general)).await;
    let write = reporting(&fixture.coder, &[&first, &second], injected(Some(&run)));
    let Change::Delivered(mark) = test_store.change(&fixture.tour.id, &fixture.coder, write).await else {
        unreachable!()
    };
    let DeliveryMark { conversation_id, deliveries } = *mark;
    assert_eq!((conversation_id, deliveries.len()), (first.to.clone(), 2));
    let delivery = test_store.delivery(&fixture.coder, &first).await.expect("a delivery");
    assert_eq!(deliveries[0], delivery);
    assert_eq!((delivery.state, delivery.delivered_via), (DeliveryState::Injected, Some(DeliveryPath::Prompt)));
    assert_eq!((delivery.run_id, delivery.injected_at), (Some(run.id), Some(test_store.now())));
    assert_eq!(
        test_store.events(&fixture.tour.id).await.last().expect("an event").change.name(),
        "messaging.delivered"
    );
}

/// A report that moves nothing changes nothing; of several messages the event contains only those that moved.
pub async fn a_report_without_news_writes_no_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (first, second) = (mention(&test_store, &fixture).await, mention(&test_store, &fixture).await);
    test_store.reach(&fixture.coder, &first, DeliveryState::Seen).await;
    let before = fixture.shot(&test_store).await;
    let repeated = test_store.reach(&fixture.coder, &first, DeliveryState::Queued).await;
    assert_eq!((repeated.novelty, fixture.shot(&test_store).await), (Novelty::Repeated, before));
    let write = reporting(&fixture.coder, &[&first, &second], DeliveryStep::to(DeliveryState::Queued));
    let Change::Delivered(mark) = test_store.change(&fixture.tour.id, &fixture.coder, write).await else {
        unreachable!()
    };
    assert_eq!(mark.deliveries.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&second.id]);
}

/// `Seen` removes the message from the inbox; queued, injected and failed messages stay unread.
pub async fn a_seen_message_leaves_the_inbox(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = mention(&test_store, &fixture).await;
    test_store.reach(&fixture.coder, &message, DeliveryState::Queued).await;
    test_store.report(&fixture.coder, &message, injected(None)).await.expect("shown");
    let failed = DeliveryStep { why: Some("no room".into()), ..DeliveryStep::to(DeliveryState::Failed) };
    test_store.report(&fixture.coder, &message, failed).await.expect("failed");
    assert_eq!(unread(&test_store, &fixture.coder).await, 1);
    assert_eq!(test_store.delivery(&fixture.coder, &message).await.expect("one").why.as_deref(), Some("no room"));
    test_store.reach(&fixture.coder, &message, DeliveryState::Seen).await;
    assert_eq!(unread(&test_store, &fixture.coder).await, 0);
    let delivery = test_store.delivery(&fixture.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.why), (DeliveryState::Seen, None));
}

/// Marking a message as read by its agent sets `Seen` with one event; marking it twice changes nothing more.
pub async fn marking_as_read_sets_seen(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = mention(&test_store, &fixture).await;
    let events = test_store.events(&fixture.tour.id).await.len();
    test_store.read(&fixture.coder, &message).await;
    test_store.read(&fixture.coder, &message).await;
    let delivery = test_store.delivery(&fixture.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.time_to_read_ms), (DeliveryState::Seen, Some(1)));
    assert_eq!(
        (unread(&test_store, &fixture.coder).await, test_store.events(&fixture.tour.id).await.len()),
        (0, events + 1)
    );
}

/// The report is refused as a whole, also if it contains valid messages, and changes nothing.
pub async fn a_report_about_a_message_without_a_delivery_is_refused(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (message, removed) = (mention(&test_store, &fixture).await, mention(&test_store, &fixture).await);
    let elsewhere = test_store.post(&fixture.mara, &test_store.channel("hall", &fixture.tour).await, "elsewhere").await;
    test_store.remove(&fixture.mara, &removed).await;
    let of_tester = test_store.start(&fixture.tester, None).await;
    let before = fixture.shot(&test_store).await;
    let seen = || DeliveryStep::to(DeliveryState::Seen);
    let by_tester = injected(Some(&of_tester));
    for write in [
        reporting(&fixture.tester, &[&message], seen()),
        reporting(&fixture.coder, &[&removed], seen()),
        reporting(&fixture.coder, &[&message, &elsewhere], seen()),
        reporting(&fixture.coder, &[&message], by_tester),
    ] {
        assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, write).await, Code::NotFound);
    }
    assert_eq!(fixture.shot(&test_store).await, before);
}

pub async fn a_run_of_another_conversation_is_hidden_in_deliveries(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let (hidden, free) =
        (test_store.start(&fixture.coder, Some(&secret)).await, test_store.start(&fixture.coder, None).await);
    for (run, expected) in [(&hidden, None), (&free, Some(&free.id))] {
        let message = mention(&test_store, &fixture).await;
        let appended = test_store.report(&fixture.coder, &message, injected(Some(run))).await.expect("shown");
        let Change::Delivered(mark) = appended.change else { unreachable!() };
        assert_eq!(mark.deliveries[0].run_id.as_ref(), expected);
        assert_eq!(test_store.delivery(&fixture.coder, &message).await.expect("one").run_id.as_ref(), expected);
    }
}

/// When a run fails or is cancelled, its injected and unseen deliveries become `Failed`, with an event; seen
/// deliveries, and those of a run that is done, stay.
pub async fn injected_deliveries_fail_with_their_run(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for (state, expected) in [
        (RunState::Failed, DeliveryState::Failed),
        (RunState::Cancelled, DeliveryState::Failed),
        (RunState::Done, DeliveryState::Injected),
    ] {
        let (shown, seen) = (mention(&test_store, &fixture).await, mention(&test_store, &fixture).await);
        let run = test_store.start(&fixture.coder, None).await;
        for message in [&shown, &seen] {
            test_store.report(&fixture.coder, message, injected(Some(&run))).await.expect("shown");
        }
        test_store.reach(&fixture.coder, &seen, DeliveryState::Seen).await;
        test_store.end_run(&fixture.coder, &run, state).await;
        let delivery = test_store.delivery(&fixture.coder, &shown).await.expect("a delivery");
        assert_eq!(delivery.state, expected, "{state:?}");
        assert_eq!(test_store.delivered(&fixture.coder, &seen).await, Some(DeliveryState::Seen));
        let last = test_store.event_names(&fixture.tour).await.pop();
        match expected {
            DeliveryState::Failed => {
                assert_eq!(delivery.why.as_deref(), Some("the run ended while it was paused: out of luck"));
                assert_eq!(last, Some("messaging.delivered"));
            }
            _ => assert_eq!(last, Some("runs.ended")),
        }
    }
}

/// The deliveries of a run of another conversation fail too, without the run and its reason.
pub async fn a_failed_run_of_another_conversation_hides_its_reason(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let hidden = test_store.start(&fixture.coder, Some(&secret)).await;
    let message = mention(&test_store, &fixture).await;
    test_store.report(&fixture.coder, &message, injected(Some(&hidden))).await.expect("shown");
    test_store.end_run(&fixture.coder, &hidden, RunState::Failed).await;
    let delivery = test_store.delivery(&fixture.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.run_id), (DeliveryState::Failed, None));
    assert_eq!(delivery.why.as_deref(), Some("the run ended while it was paused"));
}

/// A removed message has no deliveries, and a message that an agent can no longer read has no open delivery to it.
pub async fn removed_and_unreadable_messages_have_no_open_delivery(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let (removed, lost, read) = (
        mention(&test_store, &fixture).await,
        test_store.send(&fixture.mara, &test_store.draft(&fixture.mara, &secret, "a").mentioning(&fixture.coder)).await,
        test_store.send(&fixture.mara, &test_store.draft(&fixture.mara, &secret, "b").mentioning(&fixture.coder)).await,
    );
    for message in [&removed, &lost] {
        test_store.reach(&fixture.coder, message, DeliveryState::Queued).await;
    }
    test_store.read(&fixture.coder, &read).await;
    test_store.remove(&fixture.mara, &removed).await;
    let member = ChannelMember { channel_id: secret.id.clone(), member_id: fixture.coder.member() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemoveChannelMember(member)).await;
    for (message, expected) in [(&removed, None), (&lost, None), (&read, Some(DeliveryState::Seen))] {
        assert_eq!(test_store.delivered(&fixture.coder, message).await, expected);
    }
}

/// An edit that mentions an agent that has read the message restarts its delivery.
pub async fn a_new_mention_restarts_the_delivery(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store
        .draft(&fixture.mara, &fixture.general, "look")
        .delivered_to(&fixture.coder, DeliveryReason::Subscription);
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.read(&fixture.coder, &message).await;
    let recipient =
        parlour_core::inbox::Recipient { agent_id: fixture.coder.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText { body: "@Coder".into(), mentions: vec![fixture.coder.member()], deliveries: vec![recipient] };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::EditMessage(message.id.clone(), text)).await;
    let delivery = test_store.delivery(&fixture.coder, &message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.reason), (DeliveryState::Stored, DeliveryReason::Mention));
    assert_eq!((delivery.stored_at, unread(&test_store, &fixture.coder).await), (test_store.now(), 1));
}

/// People come after the agents, only if they may read the message, as seen or not.
pub async fn deliveries_to_people_follow_their_read_position(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (bela, olaf) = (test_store.member("Bela", &fixture.tour).await, test_store.person("Olaf").await);
    let draft = test_store.draft(&fixture.mara, &fixture.general, "all").mentioning(&bela).mentioning(&fixture.coder);
    let message = test_store.send(&fixture.mara, &draft).await;
    let people = [bela.member(), fixture.mara.member(), olaf.member()];
    let states = async || {
        let all = test_store.store().deliveries(&message.id, &people).await.expect("read");
        all.into_iter().map(|one| (one.recipient, one.reason, one.state)).collect::<Vec<_>>()
    };
    let (mention, channel) = (DeliveryReason::Mention, DeliveryReason::Subscription);
    let mut expected = vec![
        (fixture.coder.member(), mention, DeliveryState::Stored),
        (bela.member(), mention, DeliveryState::Stored),
        (fixture.mara.member(), channel, DeliveryState::Seen),
    ];
    assert_eq!(states().await, expected);
    test_store.read(&bela, &message).await;
    expected[1].2 = DeliveryState::Seen;
    assert_eq!(states().await, expected);
}

/// A complete answer sets `Answered` for the message that it replies to and for injected or seen messages whose calls
/// it lists, and removes them from the inbox.
pub async fn an_answer_sets_the_deliveries_of_taken_calls_that_were_injected(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let shown = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let seen = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    test_store.reach(&fixture.coder, &shown, DeliveryState::Injected).await;
    test_store.reach(&fixture.coder, &seen, DeliveryState::Seen).await;
    let late = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "answer").taking(&late);
    let answer = test_store.send(&fixture.coder, &draft.also_taking(&[&shown, &seen])).await;
    for message in [&shown, &seen, &late] {
        let delivery = test_store.delivery(&fixture.coder, message).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.answer_id.as_ref()), (DeliveryState::Answered, Some(&answer.id)));
        assert_eq!(delivery.answered_at, Some(test_store.now()));
    }
    assert_eq!(unread(&test_store, &fixture.coder).await, 0);
}

/// Every delivery path gives each message its own reply command: a reply to a later message neither answers an earlier
/// one nor takes its call.
pub async fn a_reply_answers_no_other_message_whatever_delivered_it(test_store: TestStore) {
    let paths = [DeliveryPath::Prompt, DeliveryPath::Checkpoint, DeliveryPath::Tool, DeliveryPath::Nudge];
    let fixture = ProjectFixture::new(&test_store).await;
    for path in paths.into_iter().chain([DeliveryPath::Hook]) {
        check_single_reply(&test_store, &fixture, path).await;
    }
}

async fn check_single_reply(test_store: &TestStore, fixture: &ProjectFixture, path: DeliveryPath) {
    let first = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let second = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    for message in [&first, &second] {
        let step = DeliveryStep { delivered_via: Some(path), ..DeliveryStep::to(DeliveryState::Injected) };
        test_store.report(&fixture.coder, message, step).await.expect("a delivery");
        test_store.reach(&fixture.coder, message, DeliveryState::Seen).await;
    }
    for (message, earlier) in [(&second, (DeliveryState::Seen, CallState::Open)), (&first, ANSWERED)] {
        test_store.answer(&fixture.coder, &fixture.general, message).await;
        for (message, expected) in [(&second, ANSWERED), (&first, earlier)] {
            let delivered = test_store.delivered(&fixture.coder, message).await.expect("a delivery");
            assert_eq!((delivered, call_state(test_store, &fixture.coder, message).await), expected, "{path:?}");
        }
    }
}

const ANSWERED: (DeliveryState, CallState) = (DeliveryState::Answered, CallState::Answered);

/// A message whose call was taken without being injected is neither read nor answered, and is not called again.
pub async fn messages_of_taken_calls_that_were_not_injected_stay_unread(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let stored = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let queued = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let failed = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    test_store.reach(&fixture.coder, &queued, DeliveryState::Queued).await;
    test_store.reach(&fixture.coder, &failed, DeliveryState::Failed).await;
    let late = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "answer").taking(&late);
    test_store.send(&fixture.coder, &draft.also_taking(&[&stored, &queued, &failed])).await;
    for (message, expected) in
        [(&stored, DeliveryState::Stored), (&queued, DeliveryState::Queued), (&failed, DeliveryState::Failed)]
    {
        let delivery = test_store.delivery(&fixture.coder, message).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.seen_at, delivery.answer_id), (expected, None, None));
        assert_eq!(call_state(&test_store, &fixture.coder, message).await, CallState::Answered);
    }
    assert_eq!(unread(&test_store, &fixture.coder).await, 3);
}

pub async fn a_streamed_answer_counts_when_it_ends_complete(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for (state, expected) in [(State::Failed, DeliveryState::Stored), (State::Complete, DeliveryState::Answered)] {
        let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
        let draft = test_store.draft(&fixture.coder, &fixture.general, "").taking(&message).streaming();
        let begun = test_store.send(&fixture.coder, &draft).await;
        assert_eq!(test_store.delivered(&fixture.coder, &message).await, Some(DeliveryState::Stored));
        test_store.finish(&fixture.coder, &begun, StreamEnding { state, ..test_store.ending("done") }).await;
        assert_eq!(test_store.delivered(&fixture.coder, &message).await, Some(expected), "{state:?}");
    }
}

pub async fn a_reply_answers_for_its_own_agent_only(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "both").mentioning(&fixture.coder);
    let message = test_store.send(&fixture.mara, &draft.mentioning(&fixture.tester)).await;
    let reply = test_store.draft(&fixture.coder, &fixture.general, "here").answering(&message);
    test_store.send(&fixture.coder, &reply).await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "me too").answering(&message))
        .await;
    assert_eq!(test_store.delivered(&fixture.coder, &message).await, Some(DeliveryState::Answered));
    assert_eq!(test_store.delivered(&fixture.tester, &message).await, Some(DeliveryState::Stored));
}

/// A reply that is a notice or a tool result leaves the message unread and its call open. A notice that settles a
/// question answers it.
pub async fn notices_and_tool_results_are_no_answers(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let before = test_store.events(&fixture.tour.id).await.len();
    for (is_notice, kind) in [(true, Kind::Assistant), (false, Kind::ToolResult)] {
        let passing = |body: &str| {
            let mut draft = test_store.draft(&fixture.coder, &fixture.general, body).answering(&message);
            (draft.message.is_notice, draft.message.kind) = (is_notice, kind);
            draft
        };
        test_store.send(&fixture.coder, &passing("in a minute")).await;
        let begun = test_store.send(&fixture.coder, &passing("").streaming()).await;
        test_store.finish(&fixture.coder, &begun, test_store.ending("soon")).await;
        assert_eq!(test_store.delivered(&fixture.coder, &message).await, Some(DeliveryState::Stored), "{kind:?}");
    }
    assert_eq!(call_state(&test_store, &fixture.coder, &message).await, CallState::Open);
    assert_eq!(unread(&test_store, &fixture.coder).await, 1);
    assert_eq!(test_store.events(&fixture.tour.id).await.len(), before + 6, "four posts, two ends, and nothing else");
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let mut settling = test_store.draft(&fixture.coder, &fixture.general, "yes").saying_yes_to(&asked);
    settling.message.is_notice = true;
    test_store.send(&fixture.coder, &settling).await;
    assert_eq!(test_store.delivered(&fixture.coder, &asked).await, Some(DeliveryState::Answered));
}

/// A question is answered by the message that settles it, or by an answer without a message, for the agent that
/// answers.
pub async fn settling_a_question_answers_its_message(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let by_message = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "yes").saying_yes_to(&by_message);
    let answer = test_store.send(&fixture.coder, &draft).await;
    let delivery = test_store.delivery(&fixture.coder, &by_message).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(answer.id)));
    let given = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    test_store.settle(&fixture.coder, &given, yes()).await;
    let delivery = test_store.delivery(&fixture.coder, &given).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, None));
    let by_another = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    test_store.settle(&fixture.mara, &by_another, yes()).await;
    assert_eq!(test_store.delivered(&fixture.coder, &by_another).await, Some(DeliveryState::Stored));
    assert_eq!(unread(&test_store, &fixture.coder).await, 1);
}

/// A message that settles a question sets its delivery in any conversation, also without a reply reference.
pub async fn an_answer_in_a_thread_answers_the_question_of_its_root(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let thread = test_store.thread(&fixture.general, &asked).await;
    let answer = test_store
        .send(&fixture.coder, &test_store.draft(&fixture.coder, &thread, "yes").saying_yes_below(&asked))
        .await;
    let delivery = test_store.delivery(&fixture.coder, &asked).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(answer.id)));
    assert_eq!(unread(&test_store, &fixture.coder).await, 0);
}

/// Answered deliveries write one event per conversation, after the event of the answer. Without a moved delivery there
/// is no event, and a message of a person answers for no agent.
pub async fn answered_deliveries_write_a_further_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let shown = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    test_store.reach(&fixture.coder, &shown, DeliveryState::Injected).await;
    let late = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let answer = test_store.draft(&fixture.coder, &fixture.general, "done").taking(&late).also_taking(&[&shown]);
    test_store.send(&fixture.coder, &answer).await;
    assert_eq!(last_events(&test_store, &fixture, 2).await, ["messaging.posted", "messaging.delivered"]);
    assert_eq!(last_answered(&test_store, &fixture).await, (late.to.clone(), vec![shown.id.clone(), late.id.clone()]));
    let before = test_store.events(&fixture.tour.id).await.len();
    test_store.repeat(&fixture.tour.id, &fixture.coder, answer.write()).await;
    test_store
        .send(&fixture.coder, &test_store.draft(&fixture.coder, &fixture.general, "again").answering(&late))
        .await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "so be it").answering(&late))
        .await;
    assert_eq!(test_store.events(&fixture.tour.id).await.len(), before + 2, "two posts and nothing else");
}

/// This holds for the end of a stream and for questions that are answered with or without a message.
pub async fn every_kind_of_answer_writes_a_delivered_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let streamed = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "").taking(&streamed).streaming();
    let begun = test_store.send(&fixture.coder, &draft).await;
    test_store.finish(&fixture.coder, &begun, test_store.ending("done")).await;
    assert_eq!(last_events(&test_store, &fixture, 2).await, ["messaging.finished", "messaging.delivered"]);
    assert_eq!(last_answered(&test_store, &fixture).await, (streamed.to.clone(), vec![streamed.id.clone()]));

    let below = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let thread = test_store.thread(&fixture.general, &below).await;
    test_store.send(&fixture.coder, &test_store.draft(&fixture.coder, &thread, "yes").saying_yes_below(&below)).await;
    let expected = ["messaging.posted", "messaging.question", "messaging.delivered"];
    assert_eq!(last_events(&test_store, &fixture, 3).await, expected);
    assert_eq!(last_answered(&test_store, &fixture).await, (below.to.clone(), vec![below.id.clone()]));

    let given = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    test_store.settle(&fixture.coder, &given, yes()).await;
    assert_eq!(last_events(&test_store, &fixture, 2).await, ["messaging.question", "messaging.delivered"]);
    assert_eq!(last_answered(&test_store, &fixture).await, (given.to.clone(), vec![given.id.clone()]));
}

async fn last_events(test_store: &TestStore, fixture: &ProjectFixture, count: usize) -> Vec<&'static str> {
    let mut names = test_store.event_names(&fixture.tour).await;
    names.split_off(names.len() - count)
}

/// The conversation and the answered messages of the last event.
async fn last_answered(test_store: &TestStore, fixture: &ProjectFixture) -> (ConversationId, Vec<MessageId>) {
    let last = test_store.events(&fixture.tour.id).await.pop().expect("an event");
    let Change::Delivered(mark) = last.change else { unreachable!("{} is no delivery", last.change.name()) };
    let mut answered = Vec::new();
    for delivery in mark.deliveries {
        let stored = test_store.store().deliveries(&delivery.message_id, &[]).await.expect("read");
        assert!(delivery.state == DeliveryState::Answered && stored.contains(&delivery), "{delivery:?}");
        answered.push(delivery.message_id);
    }
    (mark.conversation_id, answered)
}
