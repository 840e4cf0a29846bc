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

/// A list with one streaming message.
fn streaming(body: &str) -> MessageList {
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

fn running(text: &str) -> StreamSnapshot {
    StreamSnapshot { message_id: message(1).id, conversation_id: sample().to, text: text.into(), steps: Vec::new() }
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
fn missing_messages_are_reported_with_the_last_known_number() {
    let mut message_list = loaded(2);
    assert_eq!(message_list.apply(&posted(message(5))), ListUpdate::Missing { after: 2 });
    assert_eq!(loaded(0).apply(&posted(message(2))), ListUpdate::Missing { after: 0 });
    assert_eq!(seqs(&message_list), [1, 2]);
}

#[test]
fn a_list_of_older_messages_gets_no_new_ones() {
    let mut message_list = MessageList::new(sample().to, vec![message(1)], LoadedRange::Older);
    assert_eq!(message_list.apply(&posted(message(2))), ListUpdate::Elsewhere);
    assert_eq!((seqs(&message_list), message_list.reach()), (vec![1], LoadedRange::Older));
}

#[test]
fn events_of_other_conversations_change_nothing() {
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
fn a_removed_message_gets_no_reaction() {
    let removed = message(1).removed(Timestamp::from_millis(9));
    let mut message_list = MessageList::new(sample().to, vec![removed.clone()], LoadedRange::Newest);
    assert_eq!(message_list.apply(&event(Change::Reacted(mark(1, "+1", "per_1")))), ListUpdate::Known);
    assert_eq!(message_list.messages().next(), Some(&removed));
}

#[test]
fn a_created_thread_is_set_on_its_root_message() {
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
fn chunks_are_appended_by_character_offset() {
    let mut message_list = streaming("Hé");
    assert_eq!(message_list.apply_chunk(&chunk(2, "llo")), ListUpdate::Done);
    assert_eq!(message_list.apply_chunk(&chunk(5, " 👋!")), ListUpdate::Done);
    assert_eq!(message_list.apply_chunk(&chunk(6, "👋")), ListUpdate::Known);
    assert_eq!(body(&message_list), "Héllo 👋!");
}

#[test]
fn an_overlapping_chunk_adds_only_its_new_part() {
    let mut message_list = streaming("Hello wor");
    assert_eq!(message_list.apply_chunk(&chunk(6, "world")), ListUpdate::Done);
    assert_eq!(body(&message_list), "Hello world");
}

#[test]
fn a_chunk_with_a_gap_or_other_text_is_reported_as_misplaced() {
    let mut message_list = streaming("Hello");
    for (start, text) in [(6, "x"), (u64::MAX, "x"), (0, "Help"), (4, "x")] {
        assert_eq!(message_list.apply_chunk(&chunk(start, text)), ListUpdate::Misplaced, "{start} {text}");
    }
    assert_eq!(body(&message_list), "Hello");
}

#[test]
fn chunks_do_not_change_a_finished_message() {
    let mut message_list = loaded(1);
    assert_eq!(message_list.apply_chunk(&chunk(9, "!")), ListUpdate::Known);
    assert_eq!(message_list.apply_stream(&running("another")), ListUpdate::Known);
    assert_eq!(body(&message_list), "message 1");
}

#[test]
fn a_stream_snapshot_sets_the_whole_text_and_the_steps() {
    let step = Step {
        id: "1".into(),
        name: "search".into(),
        input: None,
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(0),
        finished_at: None,
    };
    let stream = StreamSnapshot { steps: vec![step.clone()], ..running("Hello") };
    let mut message_list = streaming("He");
    assert_eq!(
        [message_list.apply_stream(&stream), message_list.apply_stream(&stream)],
        [ListUpdate::Done, ListUpdate::Known]
    );
    assert_eq!((body(&message_list), &message_list.messages().next().expect("one").steps), ("Hello", &vec![step]));
}

#[test]
fn a_long_list_keeps_the_newest_messages() {
    let messages_max = limits::TIMELINE_MESSAGES_MAX as u64;
    let mut message_list = loaded(messages_max);
    assert_eq!(message_list.apply(&posted(message(messages_max + 1))), ListUpdate::Done);
    let kept = seqs(&message_list);
    assert_eq!((kept.len() as u64, kept.first(), kept.last()), (messages_max, Some(&2), Some(&(messages_max + 1))));
}
