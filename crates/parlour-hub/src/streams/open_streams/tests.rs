use parlour_core::{
    audience::AccessRoot,
    id::{AgentId, ChannelId},
    live::ServerFrame,
    policy::StreamRules,
    step::{FinishStep, StartStep},
    stream::Chunk,
};
use proptest::prelude::*;

use super::*;

const START_MS: i64 = 1_000_000;

/// A book with one clock and one usual stream, `A`.
struct Stage {
    open: OpenStreams,
    now: Timestamp,
}

fn id(name: &str) -> MessageId {
    format!("msg_{name}").parse().expect("id")
}

fn member(bits: u128) -> MemberId {
    AgentId::from_bits(bits).into()
}

fn new_stream(name: &str, text: &str) -> NewStream {
    NewStream {
        message_id: id(name),
        author: member(1),
        project_id: ProjectId::from_bits(1),
        conversation_id: ChannelId::from_bits(1).into(),
        root: AccessRoot::Channel(ChannelId::from_bits(1)),
        rules: StreamRules::default(),
        text: text.to_owned(),
        steps: Vec::new(),
    }
}

fn start_step(id: &str) -> StartStep {
    StartStep { id: id.into(), name: "search".into(), input: None }
}

impl Stage {
    fn new() -> Self {
        let mut stage = Self { open: OpenStreams::default(), now: Timestamp::from_millis(START_MS) };
        stage.open("A", "");
        stage
    }

    fn open(&mut self, name: &str, text: &str) {
        self.open.open(new_stream(name, text), self.now);
        self.open.announce(&id(name));
    }

    fn add(&mut self, piece: &str) -> Result<StreamLease, Refusal> {
        self.add_at(None, piece)
    }

    fn add_at(&mut self, start: Option<u64>, piece: &str) -> Result<StreamLease, Refusal> {
        let now = self.now;
        let outcome = self.open.write(&id("A"), now, |stream, _| stream.add(start, piece, now));
        outcome.expect("open").map(|(_, lease)| lease)
    }

    fn start_step(&mut self, name: &str) {
        let now = self.now;
        let act = |stream: &mut OpenStream, out: &mut Vec<_>| stream.start_step(start_step(name), now, out);
        self.open.write(&id("A"), now, act).expect("open").expect("begun");
    }

    fn finish_step(&mut self, name: &str) {
        let now = self.now;
        let act = |stream: &mut OpenStream, out: &mut Vec<_>| stream.finish_step(name, FinishStep::default(), now, out);
        self.open.write(&id("A"), now, act).expect("open").expect("ended");
    }

    /// Lets time pass and tells what is due meanwhile, each at its moment.
    fn pass(&mut self, millis: u64) {
        let end = self.now.plus_millis(millis);
        while let Some(at) = self.open.next_times().window.filter(|at| *at <= end) {
            self.open.flush_due_windows(at);
        }
        self.now = end;
    }

    /// What was told, in short.
    fn published(&mut self) -> Vec<String> {
        self.open.take_pending_frames().into_iter().map(|pending_frame| shorten(pending_frame.frame)).collect()
    }

    fn running(&self) -> Vec<String> {
        self.open.running(&ProjectId::from_bits(1)).into_iter().map(|(_, running)| running.text).collect()
    }
}

fn shorten(frame: ServerFrame) -> String {
    match frame {
        ServerFrame::Chunk(chunk) => format!("{}:{}", chunk.what.start, chunk.what.text),
        ServerFrame::StepStarted(step) => format!("+{}", step.what.step.id),
        ServerFrame::StepFinished(step) => format!("-{}", step.what.step.id),
        ServerFrame::Stream(running) => format!("={}({} steps)", running.what.text, running.what.steps.len()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn pieces_within_a_window_become_one_chunk() {
    let mut stage = Stage::new();
    for piece in ["Hé", "ll", "o"] {
        stage.add(piece).expect("added");
        stage.pass(66);
    }
    assert_eq!(stage.published(), [""; 0]);
    stage.pass(2);
    assert_eq!(stage.published(), ["0:Héllo"]);
    stage.add("!").expect("added");
    stage.pass(200);
    assert_eq!(stage.published(), ["5:!"], "starts are counted in characters");
}

#[test]
fn a_busy_stream_is_told_five_times_a_second_at_most() {
    let mut stage = Stage::new();
    for _ in 0..1_000 {
        stage.add("x").expect("added");
        stage.pass(1);
    }
    assert_eq!(stage.published().len(), 5);
}

#[test]
fn windows_of_streams_are_told_in_the_order_in_which_they_end() {
    let mut stage = Stage::new();
    stage.open("B", "");
    let now = stage.now;
    stage.open.write(&id("B"), now, |stream, _| stream.add(None, "b", now)).expect("open").expect("added");
    stage.pass(1);
    stage.add("a").expect("added");
    stage.pass(300);
    assert_eq!(stage.published(), ["0:b", "0:a"]);
    assert_eq!(stage.open.next_times().window, None);
}

#[test]
fn repeated_and_empty_pieces_tell_nothing_but_renew_the_lease() {
    let mut stage = Stage::new();
    stage.add("abc").expect("added");
    stage.pass(200);
    stage.published();
    for (start, piece) in [(Some(0), "abc"), (Some(1), "b"), (None, "")] {
        stage.pass(1_000);
        let lease = stage.add_at(start, piece).expect("fine");
        assert_eq!((lease.chars, lease.lease_until), (3, stage.now.plus_millis(30_000)));
    }
    assert_eq!((stage.published(), stage.open.next_times().window), (vec![], None));
}

#[test]
fn a_refused_piece_changes_nothing_and_renews_nothing() {
    let mut stage = Stage::new();
    let before = stage.add("abc").expect("added");
    stage.pass(1_000);
    assert_eq!(stage.add_at(Some(7), "x").expect_err("hole").code, Code::ChunkMisplaced);
    assert_eq!(stage.open.get(&id("A")).expect("open").lease(), before);
}

#[test]
fn steps_are_told_at_once_and_after_the_text_before_them() {
    let mut stage = Stage::new();
    stage.add("Let me see. ").expect("added");
    stage.start_step("s1");
    stage.start_step("s1");
    stage.add("Found").expect("added");
    stage.finish_step("s1");
    stage.finish_step("s1");
    assert_eq!(stage.published(), ["0:Let me see. ", "+s1", "12:Found", "-s1"]);
    stage.pass(500);
    assert_eq!(stage.published(), [""; 0], "the windows were emptied");
}

#[test]
fn whoever_joins_sees_what_was_told_and_then_the_rest() {
    let mut stage = Stage::new();
    stage.add("Hello").expect("added");
    stage.pass(200);
    stage.add(" wor").expect("added");
    assert_eq!(stage.running(), ["Hello"]);
    stage.published();
    stage.add("ld").expect("added");
    stage.pass(200);
    assert_eq!((stage.published(), stage.running()), (vec!["5: world".to_owned()], vec!["Hello world".to_owned()]));
    assert!(stage.open.running(&ProjectId::from_bits(2)).is_empty());
}

#[test]
fn nothing_is_told_before_readers_know_the_message() {
    let mut stage = Stage::new();
    stage.open.remove(&id("A"));
    stage.open.ended.clear();
    stage.open.open(new_stream("A", "So: "), stage.now);
    stage.add("one").expect("added");
    stage.pass(500);
    assert_eq!(
        (stage.published(), stage.running()),
        (vec![], vec!["So: ".to_owned()]),
        "who joins knows its beginning"
    );
    assert!(stage.open.announce(&id("A")));
    stage.pass(0);
    assert_eq!(stage.published(), ["4:one"]);
}

#[test]
fn what_is_open_when_the_fan_out_begins_is_known() {
    let mut stage = Stage::new();
    stage.open.open(new_stream("B", ""), stage.now);
    stage.open.announce_all();
    let now = stage.now;
    stage.open.write(&id("B"), now, |stream, _| stream.add(None, "b", now)).expect("open").expect("added");
    stage.pass(200);
    assert_eq!(stage.published(), ["0:b"]);
}

#[test]
fn steps_from_before_the_message_was_known_are_told_with_the_whole_text() {
    let mut stage = Stage::new();
    stage.open.remove(&id("A"));
    stage.open.ended.clear();
    stage.open.open(new_stream("A", ""), stage.now);
    stage.add("one").expect("added");
    stage.start_step("s1");
    stage.open.announce(&id("A"));
    stage.open.announce(&id("A"));
    stage.finish_step("s1");
    assert_eq!(stage.published(), ["=one(1 steps)", "-s1"]);
}

#[test]
fn an_end_tells_the_rest_first_and_stops_the_growth() {
    let mut stage = Stage::new();
    stage.add("abc").expect("added");
    let (text, _) = stage.open.close(&id("A"), State::Cancelled).expect("open");
    assert_eq!((text.as_str(), stage.published()), ("abc", vec!["0:abc".to_owned()]));
    let refusal = stage.add("d").expect_err("closing");
    assert_eq!(refusal.code, Code::StreamEnded);
    assert!(refusal.detail.contains("cancelled"), "{refusal}");
    stage.pass(500);
    assert_eq!(stage.published(), [""; 0]);
}

#[test]
fn a_stream_whose_end_has_failed_goes_on_when_no_other_end_is_tried() {
    let mut stage = Stage::new();
    stage.open.close(&id("A"), State::Complete).expect("open");
    stage.open.close(&id("A"), State::Cancelled).expect("open");
    stage.open.reopen(&id("A"));
    assert!(stage.add("a").is_err(), "the other end is still tried");
    stage.open.reopen(&id("A"));
    stage.add("a").expect("open again");
    stage.pass(200);
    assert_eq!(stage.published(), ["0:a"]);
}

#[test]
fn a_stream_that_has_ended_is_gone_and_stays_gone() {
    let mut stage = Stage::new();
    stage.add("abc").expect("added");
    stage.open.remove(&id("A"));
    assert!(stage.open.write(&id("A"), stage.now, |_, _| Ok(())).is_none());
    assert_eq!(stage.open.next_times().window.or(stage.open.next_times().lease), None);
    stage.open("A", "");
    assert!(stage.open.get(&id("A")).is_none(), "whoever is late does not open it again");
    assert!(stage.open.close(&id("A"), State::Complete).is_none());
}

#[test]
fn what_is_remembered_of_ended_streams_is_bounded() {
    let mut stage = Stage::new();
    for index in 0..limits::STREAMS_MAX + 10 {
        let name = format!("n{index}");
        stage.open(&name, "");
        stage.open.remove(&id(&name));
    }
    assert_eq!(stage.open.ended.len(), limits::STREAMS_MAX);
    assert_eq!((stage.open.leases.len(), stage.open.per_member.len()), (1, 1));
}

#[test]
fn a_lease_runs_out_after_the_last_sign() {
    let mut stage = Stage::new();
    stage.pass(29_000);
    stage.add("a").expect("added");
    stage.pass(29_999);
    assert_eq!(stage.open.take_expired(stage.now), []);
    stage.pass(1);
    let expired = ExpiredLease { key: id("A"), lease_seconds: 30 };
    assert_eq!(stage.open.take_expired(stage.now), [expired]);
}

#[test]
fn an_abandoned_stream_that_does_not_end_is_looked_at_again() {
    let mut stage = Stage::new();
    stage.pass(30_000);
    assert_eq!(stage.open.take_expired(stage.now).len(), 1);
    assert_eq!(stage.open.take_expired(stage.now), [], "not at once");
    stage.pass(RETRY_MS);
    stage.open.close(&id("A"), State::Complete);
    assert_eq!(stage.open.take_expired(stage.now), [], "an end is being tried");
    stage.open.reopen(&id("A"));
    stage.pass(RETRY_MS);
    assert_eq!(stage.open.take_expired(stage.now).len(), 1);
    stage.add("I am back").expect("added");
    stage.pass(RETRY_MS);
    assert_eq!(stage.open.take_expired(stage.now), [], "its producer gave a sign");
}

#[test]
fn members_have_room_for_so_many_streams_and_get_it_back() {
    let mut stage = Stage::new();
    for _ in 1..limits::STREAMS_PER_MEMBER_MAX {
        stage.open.reserve(&member(1)).expect("room");
    }
    let refusal = stage.open.reserve(&member(1)).expect_err("full");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Full, Some("stream")));
    stage.open.reserve(&member(2)).expect("others have room");
    stage.open.release(&member(1));
    stage.open.reserve(&member(1)).expect("room again");
    stage.open.remove(&id("A"));
    stage.open.reserve(&member(1)).expect("room again");
}

#[test]
fn the_hub_has_room_for_so_many_streams() {
    let mut stage = Stage::new();
    for index in 1..limits::STREAMS_MAX {
        stage.open.reserve(&member(index as u128 % 50 + 2)).expect("room");
    }
    assert_eq!(stage.open.reserve(&member(99)).expect_err("full").code, Code::Full);
    stage.open("stored", "");
    assert!(stage.open.get(&id("stored")).is_some(), "what is stored always has room");
}

#[test]
fn changed_texts_are_kept_once_and_again_when_that_failed() {
    let mut stage = Stage::new();
    assert_eq!(stage.open.next_times().save, None);
    stage.add("a").expect("added");
    let due = stage.open.next_times().save;
    assert_eq!(due, Some(stage.now.plus_millis(2_000)));
    stage.pass(500);
    stage.add("b").expect("added");
    assert_eq!(stage.open.next_times().save, due, "from the first change on");
    let unsaved = stage.open.take_unsaved();
    assert_eq!((unsaved[0].0.text.as_str(), stage.open.next_times().save), ("ab", None));
    stage.open.retry_save(stage.now);
    assert_eq!(stage.open.next_times().save, Some(stage.now.plus_millis(2_000)), "it could not be kept");
    assert_eq!(stage.open.take_unsaved(), unsaved);
    stage.open.mark_saved(&[(id("A"), unsaved[0].1), (id("gone"), 1)]);
    assert_eq!(stage.open.take_unsaved(), []);
}

#[test]
fn what_changes_while_texts_are_being_kept_is_kept_the_next_time() {
    let mut stage = Stage::new();
    stage.add("a").expect("added");
    let (_, changes) = stage.open.take_unsaved().remove(0);
    stage.start_step("s1");
    stage.open.mark_saved(&[(id("A"), changes)]);
    let (stream, _) = stage.open.take_unsaved().remove(0);
    assert_eq!((stream.text.as_str(), stream.steps.len()), ("a", 1));
}

/// The text that a reader puts together from chunks; panics at a hole or a double.
fn join(chunks: &[Chunk]) -> String {
    chunks.iter().fold(String::new(), |text, chunk| {
        assert_eq!(chunk.start, text.chars().count() as u64, "no hole and no double");
        text + &chunk.text
    })
}

proptest! {
    #[test]
    fn any_cut_and_any_timing_gives_frames_that_join_to_the_text(
        pieces in proptest::collection::vec(("\\PC{0,6}", 0u64..400, any::<bool>()), 0..30),
    ) {
        let mut stage = Stage::new();
        for (index, (piece, pause, has_step)) in pieces.iter().enumerate() {
            stage.add(piece).expect("added");
            if *has_step {
                stage.start_step(&index.to_string());
            }
            stage.pass(*pause);
        }
        let (text, _) = stage.open.close(&id("A"), State::Complete).expect("open");
        let chunks: Vec<Chunk> = stage.open.take_pending_frames().into_iter().filter_map(|pending_frame| match pending_frame.frame {
            ServerFrame::Chunk(chunk) => Some(chunk.what),
            _ => None,
        }).collect();
        prop_assert_eq!(join(&chunks), text.clone());
        prop_assert_eq!(text, pieces.iter().map(|(piece, ..)| piece.as_str()).collect::<String>());
        prop_assert_eq!(stage.running(), [join(&chunks)]);
    }

    #[test]
    fn no_two_chunks_are_told_within_one_window(
        pauses in proptest::collection::vec(0u64..300, 1..60), window_ms in 20u64..500,
    ) {
        let mut stage = Stage::new();
        stage.open.remove(&id("A"));
        stage.open.ended.clear();
        let rules = StreamRules { window_ms, ..StreamRules::default() };
        stage.open.open(NewStream { rules, ..new_stream("A", "") }, stage.now);
        stage.open.announce(&id("A"));
        let begin = stage.now;
        for pause in &pauses {
            stage.add("x").expect("added");
            stage.pass(*pause);
        }
        let passed = (stage.now.as_millis() - begin.as_millis()).unsigned_abs();
        prop_assert!(stage.published().len() as u64 <= passed / window_ms);
    }
}
