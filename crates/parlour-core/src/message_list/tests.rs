use super::*;
use crate::{
    Timestamp,
    id::{ChannelId, MemberId, ProjectId, ThreadId},
    message::tests::sample,
    position::Position,
    step::Step,
};

fn message(seq: u64) -> Message {
    Message { id: MessageId::from_bits(u128::from(seq)), seq, body: format!("message {seq}"), ..sample() }
}

fn loaded(last: u64) -> MessageList {
    MessageList::new(sample().to, (1..=last).map(message).collect(), LoadedRange::Newest)
}

/// A timeline with one message that is being written.
fn growing(body: &str) -> MessageList {
    let answer = Message { state: State::Streaming, body: body.into(), ..message(1) };
    MessageList::new(sample().to, vec![answer], LoadedRange::Newest)
}

fn event(change: Change) -> Event {
    let (project_id, actor) = (ProjectId::from_bits(1), sample().from);
    let position = Position::new("a", 1).expect("position");
    Event { position, project_id, at: Timestamp::from_millis(0), actor, change }
}

fn posted(message: Message) -> Event {
    event(Change::MessagePosted(Box::new(message)))
}

fn mark(seq: u64, emoji: &str, member: &str) -> Box<ReactionMark> {
    Box::new(ReactionMark {
        message_id: message(seq).id,
        conversation_id: sample().to,
        emoji: emoji.into(),
        member_id: member.parse().expect("id"),
    })
}

fn chunk(start: u64, text: &str) -> Chunk {
    Chunk { message_id: message(1).id, conversation_id: sample().to, start, text: text.into() }
}

fn running(text: &str) -> Running {
    Running { message_id: message(1).id, conversation_id: sample().to, text: text.into(), steps: Vec::new() }
}

fn body(message_list: &MessageList) -> &str {
    &message_list.messages().last().expect("a message").body
}

fn seqs(message_list: &MessageList) -> Vec<u64> {
    message_list.messages().map(|message| message.seq).collect()
}

#[test]
fn the_next_message_is_added_once() {
    let mut message_list = loaded(2);
    assert_eq!(message_list.apply(&posted(message(3))), ListUpdate::Done);
    assert_eq!(message_list.apply(&posted(message(3))), ListUpdate::Known);
    assert_eq!(seqs(&message_list), [1, 2, 3]);
}

#[test]
fn the_first_message_of_a_conversation_is_added() {
    let mut message_list = loaded(0);
    assert_eq!(message_list.apply(&posted(message(1))), ListUpdate::Done);
    assert_eq!((seqs(&message_list), message_list.conversation_id()), (vec![1], &sample().to));
}

#[test]
fn a_hole_is_told_with_its_beginning() {
    let mut message_list = loaded(2);
    assert_eq!(message_list.apply(&posted(message(5))), ListUpdate::Missing { after: 2 });
    assert_eq!(loaded(0).apply(&posted(message(2))), ListUpdate::Missing { after: 0 });
    assert_eq!(seqs(&message_list), [1, 2]);
}

#[test]
fn a_timeline_of_an_older_place_gets_no_new_messages() {
    let mut message_list = MessageList::new(sample().to, vec![message(1)], LoadedRange::Older);
    assert_eq!(message_list.apply(&posted(message(2))), ListUpdate::Elsewhere);
    assert_eq!((seqs(&message_list), message_list.reach()), (vec![1], LoadedRange::Older));
}

#[test]
fn what_happens_elsewhere_changes_nothing() {
    let mut message_list = loaded(1);
    let elsewhere = Message { to: ChannelId::from_bits(99).into(), ..message(2) };
    assert_eq!(message_list.apply(&posted(elsewhere)), ListUpdate::Elsewhere);
    assert_eq!(message_list.apply(&event(Change::MessageEdited(Box::new(message(9))))), ListUpdate::Elsewhere);
    assert_eq!(message_list.apply(&event(Change::Reacted(mark(9, "+1", "per_1")))), ListUpdate::Elsewhere);
    assert_eq!(message_list, loaded(1));
}

#[test]
fn edits_ends_and_removals_replace_the_message() {
    let newer = |body: &str| Box::new(Message { body: body.into(), ..message(1) });
    let mut message_list = loaded(2);
    assert_eq!(message_list.apply(&event(Change::MessageEdited(newer("edited")))), ListUpdate::Done);
    assert_eq!(message_list.apply(&event(Change::MessageFinished(newer("finished")))), ListUpdate::Done);
    assert_eq!(message_list.apply(&event(Change::MessageFinished(newer("finished")))), ListUpdate::Known);
    assert_eq!(message_list.messages().next().map(|message| message.body.as_str()), Some("finished"));
    let removed = message(1).removed(Timestamp::from_millis(9));
    assert_eq!(message_list.apply(&event(Change::MessageRemoved(Box::new(removed.clone())))), ListUpdate::Done);
    assert_eq!(message_list.messages().next(), Some(&removed));
}

#[test]
fn a_reaction_counts_once_for_each_member() {
    let mut message_list = loaded(1);
    for member in ["per_1", "agt_2", "per_1"] {
        message_list.apply(&event(Change::Reacted(mark(1, "+1", member))));
    }
    let members: Vec<MemberId> = ["per_1", "agt_2"].map(|id| id.parse().expect("id")).into();
    let shown = |message_list: &MessageList| message_list.messages().next().expect("a message").reactions.clone();
    assert_eq!(shown(&message_list), [Reaction { emoji: "+1".into(), members }]);
    for (member, outcome) in [("per_1", ListUpdate::Done), ("per_1", ListUpdate::Known), ("agt_2", ListUpdate::Done)] {
        assert_eq!(message_list.apply(&event(Change::Unreacted(mark(1, "+1", member)))), outcome);
    }
    assert_eq!(shown(&message_list), []);
}

#[test]
fn a_removed_message_takes_no_reaction() {
    let removed = message(1).removed(Timestamp::from_millis(9));
    let mut message_list = MessageList::new(sample().to, vec![removed.clone()], LoadedRange::Newest);
    assert_eq!(message_list.apply(&event(Change::Reacted(mark(1, "+1", "per_1")))), ListUpdate::Known);
    assert_eq!(message_list.messages().next(), Some(&removed));
}

#[test]
fn a_thread_is_shown_at_the_message_above_it() {
    let thread = Thread {
        id: ThreadId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        channel_id: ChannelId::from_bits(1),
        root_message_id: message(1).id,
        created_by: None,
        created_at: Timestamp::from_millis(0),
    };
    let created = event(Change::ThreadCreated(Box::new(thread)));
    let mut message_list = loaded(1);
    assert_eq!([message_list.apply(&created), message_list.apply(&created)], [ListUpdate::Done, ListUpdate::Known]);
    assert_eq!(message_list.messages().next().and_then(|one| one.thread_id.clone()), Some(ThreadId::from_bits(1)));
}

#[test]
fn chunks_make_a_text_grow() {
    let mut message_list = growing("Hé");
    assert_eq!(message_list.apply_chunk(&chunk(2, "llo")), ListUpdate::Done);
    assert_eq!(message_list.apply_chunk(&chunk(5, " 👋!")), ListUpdate::Done);
    assert_eq!(message_list.apply_chunk(&chunk(6, "👋")), ListUpdate::Known);
    assert_eq!(body(&message_list), "Héllo 👋!");
}

#[test]
fn a_chunk_that_is_there_in_part_adds_the_rest() {
    let mut message_list = growing("Hello wor");
    assert_eq!(message_list.apply_chunk(&chunk(6, "world")), ListUpdate::Done);
    assert_eq!(body(&message_list), "Hello world");
}

#[test]
fn a_chunk_that_does_not_fit_is_told() {
    let mut message_list = growing("Hello");
    for (start, text) in [(6, "x"), (u64::MAX, "x"), (0, "Help"), (4, "x")] {
        assert_eq!(message_list.apply_chunk(&chunk(start, text)), ListUpdate::Misplaced, "{start} {text}");
    }
    assert_eq!(body(&message_list), "Hello");
}

#[test]
fn a_text_that_is_final_grows_no_more() {
    let mut message_list = loaded(1);
    assert_eq!(message_list.apply_chunk(&chunk(9, "!")), ListUpdate::Known);
    assert_eq!(message_list.apply_stream(&running("another")), ListUpdate::Known);
    assert_eq!(body(&message_list), "message 1");
}

#[test]
fn a_running_stream_brings_the_whole_text_and_the_steps() {
    let step = Step {
        id: "1".into(),
        name: "search".into(),
        input: None,
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(0),
        finished_at: None,
    };
    let stream = Running { steps: vec![step.clone()], ..running("Hello") };
    let mut message_list = growing("He");
    assert_eq!(
        [message_list.apply_stream(&stream), message_list.apply_stream(&stream)],
        [ListUpdate::Done, ListUpdate::Known]
    );
    assert_eq!((body(&message_list), &message_list.messages().next().expect("one").steps), ("Hello", &vec![step]));
}

#[test]
fn a_long_timeline_keeps_the_newest() {
    let most = limits::TIMELINE_MESSAGES_MAX as u64;
    let mut message_list = loaded(most);
    assert_eq!(message_list.apply(&posted(message(most + 1))), ListUpdate::Done);
    let kept = seqs(&message_list);
    assert_eq!((kept.len() as u64, kept.first(), kept.last()), (most, Some(&2), Some(&(most + 1))));
}
