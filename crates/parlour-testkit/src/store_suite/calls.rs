//! Calls: how posts and stream endings create them, and how they close.

use std::slice;

use parlour_core::{
    Code,
    call::{Call, CallReason, CallState, Calls, HeldCall, HoldRule, NewCall, PassedCall},
    conversation::{ChannelPatch, Visibility},
    event::{Change, ChannelMember},
    id::{AgentId, ChannelId, MessageId},
    member::Agent,
    message::{Cause, Message, State},
    question::Settlement,
    write::{Archival, NewText, StreamEnding, Write},
};

use super::fixtures::ProjectFixture;
use crate::test_store::{TestMember, TestStore, yes};

impl ProjectFixture {
    /// Everything that the port shows of the project to its members.
    pub(super) async fn shot(&self, test_store: &TestStore) -> crate::StoreSnapshot {
        test_store.snapshot(&self.tour, &[&self.mara, &self.coder, &self.tester]).await
    }

    /// Passes the call of an agent, and returns the change.
    pub(super) async fn pass(&self, test_store: &TestStore, agent: &Agent, message: &Message) -> Change {
        test_store.change(&self.tour.id, agent, test_store.passing(agent, message)).await
    }
}

pub(super) async fn call(test_store: &TestStore, agent: &Agent, message: &Message) -> Option<Call> {
    test_store.store().call(&agent.id, &message.id).await.expect("read")
}

pub(super) async fn state(test_store: &TestStore, agent: &Agent, message: &Message) -> CallState {
    call(test_store, agent, message).await.expect("a call").state
}

pub(super) fn new_call(agent: &Agent) -> NewCall {
    NewCall { agent_id: agent.id.clone(), reason: CallReason::Mention }
}

/// A post records one call for each agent, even if the draft names it twice, and the message lists those agents.
pub async fn a_post_calls_each_agent_once(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut draft = test_store.draft(&fixture.coder, &fixture.general, "@Tester @Coder @Tester");
    draft.message.cause = Some(Cause { depth: 2, chain: Vec::new(), agents: Vec::new(), message_id: None });
    draft.message.correlation_id = Some("job-7".into());
    let draft = draft.calling(&fixture.tester, CallReason::Mention).calling(&fixture.coder, CallReason::Follow);
    let message = test_store.send(&fixture.coder, &draft.calling(&fixture.tester, CallReason::Mention)).await;
    assert_eq!(message.calls, [fixture.tester.id.clone(), fixture.coder.id.clone()]);
    assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(message.clone()));
    for (agent, reason) in [(&fixture.tester, CallReason::Mention), (&fixture.coder, CallReason::Follow)] {
        let expected = Call {
            agent_id: agent.id.clone(),
            message_id: message.id.clone(),
            project_id: fixture.tour.id.clone(),
            conversation_id: message.to.clone(),
            reason,
            from: fixture.coder.author(),
            depth: 2,
            correlation_id: Some("job-7".into()),
            called_at: test_store.now(),
            state: CallState::Open,
            answer_id: None,
        };
        assert_eq!(call(&test_store, agent, &message).await, Some(expected.clone()));
        assert_eq!(test_store.store().recent_calls(slice::from_ref(&agent.id), 9).await.expect("read"), [expected]);
    }
}

/// A mention and an inbox delivery alone do not call; the `calls` field of a new message is ignored.
pub async fn a_mention_without_a_call_creates_no_call(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut draft = test_store.draft(&fixture.mara, &fixture.general, "@Coder").mentioning(&fixture.coder);
    draft.message.calls = vec![fixture.coder.id.clone()];
    let message = test_store.send(&fixture.mara, &draft).await;
    assert_eq!(message.calls, Vec::<AgentId>::new());
    assert_eq!(call(&test_store, &fixture.coder, &message).await, None);
}

/// An agent that cannot read the conversation is not called, and the message does not list it; others are called.
pub async fn an_agent_that_cannot_read_is_not_called(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.tester]).await;
    let draft = test_store.draft(&fixture.mara, &secret, "both").calling(&fixture.coder, CallReason::Mention);
    let posted = test_store.send(&fixture.mara, &draft.calling(&fixture.tester, CallReason::Mention)).await;
    let begun = test_store.stream(&fixture.mara, &secret, "").await;
    let calls = Calls { called: vec![new_call(&fixture.coder), new_call(&fixture.tester)], held: Vec::new() };
    let finished = test_store.finish(&fixture.mara, &begun, StreamEnding { calls, ..test_store.ending("both") }).await;
    for message in [&posted, &finished] {
        assert_eq!(message.calls, slice::from_ref(&fixture.tester.id));
        assert_eq!(call(&test_store, &fixture.coder, message).await, None);
        assert_eq!(state(&test_store, &fixture.tester, message).await, CallState::Open);
    }
}

/// A refused post creates no call, not even for agents that could be called.
pub async fn a_refused_post_creates_no_call(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let unknown = test_store.new_agent("Stranger", &fixture.tour);
    let draft = test_store.draft(&fixture.mara, &fixture.general, "hi").calling(&fixture.coder, CallReason::Mention);
    let before = fixture.shot(&test_store).await;
    let with_unknown = draft.clone().calling(&unknown, CallReason::Mention);
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, with_unknown.write()).await, Code::NotFound);
    assert_eq!(fixture.shot(&test_store).await, before);
    let archival = Write::ArchiveChannel(fixture.general.id.clone(), Archival::Archived);
    test_store.change(&fixture.tour.id, &fixture.mara, archival).await;
    let before = fixture.shot(&test_store).await;
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, draft.write()).await, Code::Archived);
    assert_eq!(fixture.shot(&test_store).await, before);
    assert_eq!(call(&test_store, &fixture.coder, &draft.message).await, None);
}

/// A repeated post returns the first result and calls no agent again: neither the same agents nor others.
pub async fn a_repeated_post_calls_nobody_again(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "hi").calling(&fixture.coder, CallReason::Mention);
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.answer(&fixture.coder, &fixture.general, &message).await;
    let before = fixture.shot(&test_store).await;
    let again = draft.calling(&fixture.tester, CallReason::Mention);
    let change = test_store.repeat(&fixture.tour.id, &fixture.mara, again.write()).await;
    assert_eq!(change, Change::MessagePosted(Box::new(message)));
    assert_eq!(fixture.shot(&test_store).await, before);
}

/// A stream creates its calls when it ends, with the time of the end; the message lists called agents and held calls.
pub async fn a_stream_calls_agents_when_it_ends(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.mara, &fixture.general, "@Cod").await;
    assert_eq!(call(&test_store, &fixture.coder, &begun).await, None);
    let held = HeldCall {
        agent_id: fixture.tester.id.clone(),
        name: fixture.tester.name.clone(),
        rule: HoldRule::Waiting,
        until: None,
    };
    let calls = Calls { called: vec![new_call(&fixture.coder)], held: vec![held.clone()] };
    let finished =
        test_store.finish(&fixture.mara, &begun, StreamEnding { calls, ..test_store.ending("@Coder @Tester") }).await;
    assert_eq!((&finished.calls[..], &finished.held[..]), (&[fixture.coder.id.clone()][..], &[held][..]));
    assert_eq!(test_store.store().message(&begun.id).await.expect("read"), Some(finished));
    assert_eq!(call(&test_store, &fixture.coder, &begun).await.expect("a call").called_at, test_store.now());
    assert_eq!(call(&test_store, &fixture.tester, &begun).await, None);
}

/// A repeated end of a stream calls no agent, even if it names other agents.
pub async fn a_repeated_ending_calls_nobody_again(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.mara, &fixture.general, "").await;
    let ending = |agent: &Agent| {
        let calls = Calls { called: vec![new_call(agent)], held: Vec::new() };
        StreamEnding { calls, ..test_store.ending("done") }
    };
    test_store.finish(&fixture.mara, &begun, ending(&fixture.coder)).await;
    fixture.pass(&test_store, &fixture.coder, &begun).await;
    let before = fixture.shot(&test_store).await;
    for agent in [&fixture.coder, &fixture.tester] {
        let write = Write::FinishMessage(begun.id.clone(), ending(agent));
        test_store.repeat(&fixture.tour.id, &fixture.mara, write).await;
        assert_eq!(fixture.shot(&test_store).await, before);
    }
}

async fn answer_id(test_store: &TestStore, agent: &Agent, message: &Message) -> Option<MessageId> {
    call(test_store, agent, message).await.expect("a call").answer_id
}

/// An answer takes exactly the call that it names; earlier and later calls stay open.
pub async fn an_answer_takes_exactly_its_call(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut called = Vec::new();
    for _ in 0..3 {
        called.push(test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await);
    }
    let answer = test_store.answer(&fixture.coder, &fixture.general, &called[1]).await;
    for (message, expected) in [(&called[0], None), (&called[1], Some(&answer.id)), (&called[2], None)] {
        assert_eq!(answer_id(&test_store, &fixture.coder, message).await.as_ref(), expected);
    }
}

/// An answer to several calls takes those that it lists: open calls of its agent in the conversation of its call.
pub async fn an_answer_takes_the_further_calls_that_it_lists(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    let elsewhere = test_store.call(&fixture.mara, &random, &fixture.coder).await;
    let others = test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
    let mut called = Vec::new();
    for _ in 0..4 {
        called.push(test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await);
    }
    let passed = &called[1];
    fixture.pass(&test_store, &fixture.coder, passed).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "answer").taking(&called[3]);
    let draft = draft.also_taking(&[&called[0], passed, &elsewhere, &others]);
    let answer = test_store.send(&fixture.coder, &draft).await;
    for message in [&called[0], &called[3]] {
        assert_eq!(answer_id(&test_store, &fixture.coder, message).await.as_ref(), Some(&answer.id));
    }
    assert_eq!(state(&test_store, &fixture.coder, passed).await, CallState::Passed);
    for message in [&called[2], &elsewhere] {
        assert_eq!(state(&test_store, &fixture.coder, message).await, CallState::Open);
    }
    assert_eq!(state(&test_store, &fixture.tester, &others).await, CallState::Open);
}

pub async fn an_answer_takes_no_calls_of_other_agents_or_conversations(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    let elsewhere = test_store.call(&fixture.mara, &random, &fixture.coder).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "both").calling(&fixture.coder, CallReason::Mention);
    let message = test_store.send(&fixture.mara, &draft.calling(&fixture.tester, CallReason::Mention)).await;
    test_store.answer(&fixture.coder, &fixture.general, &message).await;
    assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::Answered);
    assert_eq!(state(&test_store, &fixture.tester, &message).await, CallState::Open);
    assert_eq!(state(&test_store, &fixture.coder, &elsewhere).await, CallState::Open);
}

/// An answer in a thread takes the call of the root message, and further calls in the channel that it lists.
pub async fn an_answer_in_a_thread_takes_the_call_of_the_root_message(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let earlier = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let root = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let thread = test_store.thread(&fixture.general, &root).await;
    let below = test_store.call(&fixture.mara, &thread, &fixture.coder).await;
    let draft = test_store.draft(&fixture.coder, &thread, "answer").taking(&root).also_taking(&[&earlier]);
    let answer = test_store.send(&fixture.coder, &draft).await;
    for message in [&earlier, &root] {
        assert_eq!(answer_id(&test_store, &fixture.coder, message).await.as_ref(), Some(&answer.id));
    }
    assert_eq!(state(&test_store, &fixture.coder, &below).await, CallState::Open);
}

/// An answered call keeps its answer and a passed call stays passed, also after later answers.
pub async fn an_answer_takes_only_open_calls(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let passed = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    fixture.pass(&test_store, &fixture.coder, &passed).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let first = test_store.answer(&fixture.coder, &fixture.general, &message).await;
    for answered in [&message, &passed] {
        test_store.answer(&fixture.coder, &fixture.general, answered).await;
    }
    assert_eq!(answer_id(&test_store, &fixture.coder, &message).await, Some(first.id));
    assert_eq!(call(&test_store, &fixture.coder, &passed).await.expect("a call").answer_id, None);
    assert_eq!(state(&test_store, &fixture.coder, &passed).await, CallState::Passed);
}

/// Neither a person nor an agent that was not called takes the calls of others.
pub async fn only_the_called_agent_takes_a_call(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let other = test_store.call(&fixture.mara, &fixture.general, &fixture.tester).await;
    test_store.answer(&fixture.tester, &fixture.general, &message).await;
    test_store.send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "me").taking(&message)).await;
    test_store.post(&fixture.coder, &fixture.general, "by the way").await;
    for (agent, message) in [(&fixture.coder, &message), (&fixture.tester, &other)] {
        assert_eq!(state(&test_store, agent, message).await, CallState::Open);
    }
}

/// An answer that is refused, or repeated after later calls, takes no call.
pub async fn a_refused_or_repeated_answer_takes_no_call(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let nowhere = test_store.new_channel("nowhere", &fixture.tour);
    let refused = test_store.draft(&fixture.coder, &nowhere, "answer").taking(&message);
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, refused.write()).await, Code::NotFound);
    assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::Open);
    let draft = test_store.draft(&fixture.coder, &fixture.general, "answer").taking(&message);
    test_store.send(&fixture.coder, &draft).await;
    let later = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    test_store.repeat(&fixture.tour.id, &fixture.coder, draft.taking(&later).write()).await;
    assert_eq!(state(&test_store, &fixture.coder, &later).await, CallState::Open);
}

/// A call is taken while its answer is streaming, then answered or failed with the answer.
pub async fn the_state_of_a_call_follows_its_answer(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let ends = [State::Complete, State::Failed, State::Cancelled, State::Interrupted];
    for end in ends {
        let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
        let draft = test_store.draft(&fixture.coder, &fixture.general, "").taking(&message).streaming();
        let answer = test_store.send(&fixture.coder, &draft).await;
        assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::Taken);
        assert_eq!(answer_id(&test_store, &fixture.coder, &message).await.as_ref(), Some(&answer.id));
        test_store.finish(&fixture.coder, &answer, StreamEnding { state: end, ..test_store.ending("") }).await;
        assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::of_answer(end));
    }
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "").taking(&message).streaming();
    let answer = test_store.send(&fixture.coder, &draft).await;
    test_store.remove(&fixture.mara, &answer).await;
    assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::Failed, "a removed stream was cancelled");
}

/// Passing closes only the call of that agent; the event names the conversation of the message, not that of the
/// request.
pub async fn passing_closes_the_call_of_one_agent(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "both").calling(&fixture.coder, CallReason::Mention);
    let message = test_store.send(&fixture.mara, &draft.calling(&fixture.tester, CallReason::Mention)).await;
    let passed = PassedCall {
        agent_id: fixture.coder.id.clone(),
        message_id: message.id.clone(),
        conversation_id: ChannelId::from_bits(test_store.bits()).into(),
        reason: Some("not mine".into()),
    };
    let change = test_store.change(&fixture.tour.id, &fixture.coder, Write::PassCall(passed.clone())).await;
    let expected = Change::CallPassed(Box::new(PassedCall { conversation_id: message.to.clone(), ..passed }));
    assert_eq!(change, expected);
    assert_eq!(test_store.events(&fixture.tour.id).await.pop().expect("an event").change, expected);
    assert_eq!(state(&test_store, &fixture.coder, &message).await, CallState::Passed);
    assert_eq!(state(&test_store, &fixture.tester, &message).await, CallState::Open);
}

/// Passing a call that was answered, passed or closed changes nothing.
pub async fn passing_a_closed_call_changes_nothing(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (answered, passed, removed) = (
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await,
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await,
        test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await,
    );
    test_store.answer(&fixture.coder, &fixture.general, &answered).await;
    fixture.pass(&test_store, &fixture.coder, &passed).await;
    test_store.remove(&fixture.mara, &removed).await;
    let before = fixture.shot(&test_store).await;
    for message in [&answered, &passed, &removed] {
        test_store.repeat(&fixture.tour.id, &fixture.coder, test_store.passing(&fixture.coder, message)).await;
        assert_eq!(fixture.shot(&test_store).await, before);
    }
}

/// Only an existing call can be passed, and only in its own project.
pub async fn passing_an_unknown_call_is_refused(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let robot = test_store.agent("Robot", &fair).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let plain = test_store.post(&fixture.mara, &fixture.general, "for nobody").await;
    let unknown = Message { id: MessageId::from_bits(test_store.bits()), ..plain.clone() };
    let before = fixture.shot(&test_store).await;
    for (agent, message) in
        [(&fixture.tester, &message), (&fixture.coder, &plain), (&fixture.coder, &unknown), (&robot, &message)]
    {
        let write = test_store.passing(agent, message);
        assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.mara, write).await, Code::NotFound);
    }
    let elsewhere = test_store.passing(&fixture.coder, &message);
    assert_eq!(test_store.refusal(&fair.id, &fixture.mara, elsewhere).await, Code::NotFound);
    assert_eq!(fixture.shot(&test_store).await, before);
}

/// The call of a blocking message ends with its question, however that ends: nobody waits for a second answer. An
/// addressee that declines, or handles it without an answer, closes only its own call.
pub async fn a_settled_question_closes_the_open_calls_of_its_addressees(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (coder, tester) = (&fixture.coder, &fixture.tester);
    let (one, both) = ([CallState::Passed, CallState::Open], [CallState::Passed; 2]);
    for (settlement, expected) in [
        (yes(), both),
        (Settlement::Expired, both),
        (Settlement::Withdrawn, both),
        (Settlement::Ignored(coder.member()), one),
        (Settlement::Unanswered(coder.member()), one),
    ] {
        let draft = test_store.asking(&fixture.mara, &fixture.general, &[coder, tester]);
        let draft = draft.calling(coder, CallReason::Mention).calling(tester, CallReason::Mention);
        let question = test_store.send(&fixture.mara, &draft).await;
        test_store.settle(coder, &question, settlement.clone()).await;
        let states = [state(&test_store, coder, &question).await, state(&test_store, tester, &question).await];
        assert_eq!(states, expected, "{settlement:?}");
    }
}

/// Removing a message closes its open calls; answered calls stay answered. The reason of a pass is deleted with the
/// text.
pub async fn removing_a_message_closes_its_open_calls(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let writer = test_store.agent("Writer", &fixture.tour).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "all").calling(&fixture.coder, CallReason::Mention);
    let draft = draft.calling(&fixture.tester, CallReason::Mention).calling(&writer, CallReason::Mention);
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.answer(&fixture.tester, &fixture.general, &message).await;
    let Write::PassCall(passed) = test_store.passing(&writer, &message) else { unreachable!("a pass") };
    let write = Write::PassCall(PassedCall { reason: Some("password".into()), ..passed });
    test_store.change(&fixture.tour.id, &writer, write).await;
    let removed = test_store.remove(&fixture.mara, &message).await;
    assert_eq!(removed.calls, Vec::<AgentId>::new());
    for (agent, expected) in
        [(&fixture.coder, CallState::Passed), (&fixture.tester, CallState::Answered), (&writer, CallState::Passed)]
    {
        assert_eq!(state(&test_store, agent, &message).await, expected, "{}", agent.name);
    }
    let log = serde_json::to_string(&test_store.events(&fixture.tour.id).await).expect("json");
    assert!(log.contains("messaging.passed") && !log.contains("password"), "{log}");
}

/// An edit closes the open calls of agents that the text no longer mentions, and the message stops listing them.
/// Answered calls, calls of agents that are still mentioned and calls without a mention stay.
pub async fn an_edit_closes_the_open_calls_of_dropped_mentions(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (writer, follower) =
        (test_store.agent("Writer", &fixture.tour).await, test_store.agent("Follower", &fixture.tour).await);
    let mut draft = test_store.draft(&fixture.mara, &fixture.general, "all").calling(&follower, CallReason::Follow);
    for agent in [&fixture.coder, &fixture.tester, &writer] {
        draft = draft.mentioning(agent).calling(agent, CallReason::Mention);
    }
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.answer(&fixture.tester, &fixture.general, &message).await;
    let text = NewText { body: "@Writer".into(), mentions: vec![writer.member()], deliveries: Vec::new() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::EditMessage(message.id.clone(), text)).await;
    let edited = test_store.store().message(&message.id).await.expect("read").expect("the message");
    assert_eq!(edited.calls, [follower.id.clone(), fixture.tester.id.clone(), writer.id.clone()]);
    for (agent, expected) in [
        (&fixture.coder, CallState::Passed),
        (&fixture.tester, CallState::Answered),
        (&writer, CallState::Open),
        (&follower, CallState::Open),
    ] {
        assert_eq!(state(&test_store, agent, &message).await, expected, "{}", agent.name);
    }
}

/// An agent that can no longer read a channel has no open call there or in its threads, also after it has come back.
pub async fn an_agent_that_loses_a_channel_loses_its_open_calls_there(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret =
        test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder, &fixture.tester]).await;
    let answered = test_store.call(&fixture.mara, &secret, &fixture.coder).await;
    test_store.answer(&fixture.coder, &secret, &answered).await;
    let mut lost = Vec::new();
    for channel in [&secret, &fixture.general] {
        let root = test_store.call(&fixture.mara, channel, &fixture.coder).await;
        let thread = test_store.thread(channel, &root).await;
        lost.extend([root, test_store.call(&fixture.mara, &thread, &fixture.coder).await]);
    }
    let of_tester = test_store.call(&fixture.mara, &secret, &fixture.tester).await;
    let member = ChannelMember { channel_id: secret.id.clone(), member_id: fixture.coder.member() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemoveChannelMember(member.clone())).await;
    test_store.change(&fixture.tour.id, &fixture.mara, Write::AddChannelMember(member)).await;
    let states = async || {
        let mut states = Vec::new();
        for message in &lost {
            states.push(state(&test_store, &fixture.coder, message).await);
        }
        states
    };
    assert_eq!(states().await, [CallState::Passed, CallState::Passed, CallState::Open, CallState::Open]);
    assert_eq!(state(&test_store, &fixture.coder, &answered).await, CallState::Answered);
    assert_eq!(state(&test_store, &fixture.tester, &of_tester).await, CallState::Open);
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(fixture.general.id.clone(), close, vec![fixture.mara.member()]);
    test_store.change(&fixture.tour.id, &fixture.mara, write).await;
    assert_eq!(states().await, [CallState::Passed; 4]);
}
