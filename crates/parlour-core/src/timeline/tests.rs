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

fn loaded(last: u64) -> Timeline {
    Timeline::new(sample().to, (1..=last).map(message).collect(), Reach::Newest)
}

/// A timeline with one message that is being written.
fn growing(body: &str) -> Timeline {
    let answer = Message { state: State::Streaming, body: body.into(), ..message(1) };
    Timeline::new(sample().to, vec![answer], Reach::Newest)
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

fn body(timeline: &Timeline) -> &str {
    &timeline.messages().last().expect("a message").body
}

fn seqs(timeline: &Timeline) -> Vec<u64> {
    timeline.messages().map(|message| message.seq).collect()
}

#[test]
fn the_next_message_is_added_once() {
    let mut timeline = loaded(2);
    assert_eq!(timeline.apply(&posted(message(3))), Followed::Done);
    assert_eq!(timeline.apply(&posted(message(3))), Followed::Known);
    assert_eq!(seqs(&timeline), [1, 2, 3]);
}

#[test]
fn the_first_message_of_a_conversation_is_added() {
    let mut timeline = loaded(0);
    assert_eq!(timeline.apply(&posted(message(1))), Followed::Done);
    assert_eq!((seqs(&timeline), timeline.conversation_id()), (vec![1], &sample().to));
}

#[test]
fn a_hole_is_told_with_its_beginning() {
    let mut timeline = loaded(2);
    assert_eq!(timeline.apply(&posted(message(5))), Followed::Missing { after: 2 });
    assert_eq!(loaded(0).apply(&posted(message(2))), Followed::Missing { after: 0 });
    assert_eq!(seqs(&timeline), [1, 2]);
}

#[test]
fn a_timeline_of_an_older_place_gets_no_new_messages() {
    let mut timeline = Timeline::new(sample().to, vec![message(1)], Reach::Older);
    assert_eq!(timeline.apply(&posted(message(2))), Followed::Elsewhere);
    assert_eq!((seqs(&timeline), timeline.reach()), (vec![1], Reach::Older));
}

#[test]
fn what_happens_elsewhere_changes_nothing() {
    let mut timeline = loaded(1);
    let elsewhere = Message { to: ChannelId::from_bits(99).into(), ..message(2) };
    assert_eq!(timeline.apply(&posted(elsewhere)), Followed::Elsewhere);
    assert_eq!(timeline.apply(&event(Change::MessageEdited(Box::new(message(9))))), Followed::Elsewhere);
    assert_eq!(timeline.apply(&event(Change::Reacted(mark(9, "+1", "per_1")))), Followed::Elsewhere);
    assert_eq!(timeline, loaded(1));
}

#[test]
fn edits_ends_and_removals_replace_the_message() {
    let newer = |body: &str| Box::new(Message { body: body.into(), ..message(1) });
    let mut timeline = loaded(2);
    assert_eq!(timeline.apply(&event(Change::MessageEdited(newer("edited")))), Followed::Done);
    assert_eq!(timeline.apply(&event(Change::MessageFinished(newer("finished")))), Followed::Done);
    assert_eq!(timeline.apply(&event(Change::MessageFinished(newer("finished")))), Followed::Known);
    assert_eq!(timeline.messages().next().map(|message| message.body.as_str()), Some("finished"));
    let removed = message(1).removed(Timestamp::from_millis(9));
    assert_eq!(timeline.apply(&event(Change::MessageRemoved(Box::new(removed.clone())))), Followed::Done);
    assert_eq!(timeline.messages().next(), Some(&removed));
}

#[test]
fn a_reaction_counts_once_for_each_member() {
    let mut timeline = loaded(1);
    for member in ["per_1", "agt_2", "per_1"] {
        timeline.apply(&event(Change::Reacted(mark(1, "+1", member))));
    }
    let members: Vec<MemberId> = ["per_1", "agt_2"].map(|id| id.parse().expect("id")).into();
    let shown = |timeline: &Timeline| timeline.messages().next().expect("a message").reactions.clone();
    assert_eq!(shown(&timeline), [Reaction { emoji: "+1".into(), members }]);
    for (member, outcome) in [("per_1", Followed::Done), ("per_1", Followed::Known), ("agt_2", Followed::Done)] {
        assert_eq!(timeline.apply(&event(Change::Unreacted(mark(1, "+1", member)))), outcome);
    }
    assert_eq!(shown(&timeline), []);
}

#[test]
fn a_removed_message_takes_no_reaction() {
    let removed = message(1).removed(Timestamp::from_millis(9));
    let mut timeline = Timeline::new(sample().to, vec![removed.clone()], Reach::Newest);
    assert_eq!(timeline.apply(&event(Change::Reacted(mark(1, "+1", "per_1")))), Followed::Known);
    assert_eq!(timeline.messages().next(), Some(&removed));
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
    let mut timeline = loaded(1);
    assert_eq!([timeline.apply(&created), timeline.apply(&created)], [Followed::Done, Followed::Known]);
    assert_eq!(timeline.messages().next().and_then(|one| one.thread_id.clone()), Some(ThreadId::from_bits(1)));
}

#[test]
fn chunks_make_a_text_grow() {
    let mut timeline = growing("Hé");
    assert_eq!(timeline.apply_chunk(&chunk(2, "llo")), Followed::Done);
    assert_eq!(timeline.apply_chunk(&chunk(5, " 👋!")), Followed::Done);
    assert_eq!(timeline.apply_chunk(&chunk(6, "👋")), Followed::Known);
    assert_eq!(body(&timeline), "Héllo 👋!");
}

#[test]
fn a_chunk_that_is_there_in_part_adds_the_rest() {
    let mut timeline = growing("Hello wor");
    assert_eq!(timeline.apply_chunk(&chunk(6, "world")), Followed::Done);
    assert_eq!(body(&timeline), "Hello world");
}

#[test]
fn a_chunk_that_does_not_fit_is_told() {
    let mut timeline = growing("Hello");
    for (start, text) in [(6, "x"), (u64::MAX, "x"), (0, "Help"), (4, "x")] {
        assert_eq!(timeline.apply_chunk(&chunk(start, text)), Followed::Misplaced, "{start} {text}");
    }
    assert_eq!(body(&timeline), "Hello");
}

#[test]
fn a_text_that_is_final_grows_no_more() {
    let mut timeline = loaded(1);
    assert_eq!(timeline.apply_chunk(&chunk(9, "!")), Followed::Known);
    assert_eq!(timeline.apply_stream(&running("another")), Followed::Known);
    assert_eq!(body(&timeline), "message 1");
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
    let mut timeline = growing("He");
    assert_eq!([timeline.apply_stream(&stream), timeline.apply_stream(&stream)], [Followed::Done, Followed::Known]);
    assert_eq!((body(&timeline), &timeline.messages().next().expect("one").steps), ("Hello", &vec![step]));
}

#[test]
fn a_long_timeline_keeps_the_newest() {
    let most = limits::TIMELINE_MESSAGES_MAX as u64;
    let mut timeline = loaded(most);
    assert_eq!(timeline.apply(&posted(message(most + 1))), Followed::Done);
    let kept = seqs(&timeline);
    assert_eq!((kept.len() as u64, kept.first(), kept.last()), (most, Some(&2), Some(&(most + 1))));
}
