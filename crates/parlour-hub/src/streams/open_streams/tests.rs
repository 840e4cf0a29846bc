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

/// Open streams with a clock and one announced stream, `A`.
struct OpenStreamsFixture {
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

impl OpenStreamsFixture {
    fn new() -> Self {
        let mut fixture = Self { open: OpenStreams::default(), now: Timestamp::from_millis(START_MS) };
        fixture.open("A", "");
        fixture
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

    /// Advances the time and publishes each window when it ends.
    fn pass(&mut self, millis: u64) {
        let end = self.now.plus_millis(millis);
        while let Some(at) = self.open.next_times().window.filter(|at| *at <= end) {
            self.open.flush_due_windows(at);
        }
        self.now = end;
    }

    /// The published frames in short form.
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
    let mut fixture = OpenStreamsFixture::new();
    for piece in ["Hé", "ll", "o"] {
        fixture.add(piece).expect("added");
        fixture.pass(66);
    }
    assert_eq!(fixture.published(), [""; 0]);
    fixture.pass(2);
    assert_eq!(fixture.published(), ["0:Héllo"]);
    fixture.add("!").expect("added");
    fixture.pass(200);
    assert_eq!(fixture.published(), ["5:!"], "starts are counted in characters");
}

#[test]
fn a_busy_stream_is_published_at_most_five_times_a_second() {
    let mut fixture = OpenStreamsFixture::new();
    for _ in 0..1_000 {
        fixture.add("x").expect("added");
        fixture.pass(1);
    }
    assert_eq!(fixture.published().len(), 5);
}

#[test]
fn windows_are_published_in_the_order_in_which_they_end() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.open("B", "");
    let now = fixture.now;
    fixture.open.write(&id("B"), now, |stream, _| stream.add(None, "b", now)).expect("open").expect("added");
    fixture.pass(1);
    fixture.add("a").expect("added");
    fixture.pass(300);
    assert_eq!(fixture.published(), ["0:b", "0:a"]);
    assert_eq!(fixture.open.next_times().window, None);
}

#[test]
fn repeated_and_empty_pieces_publish_nothing_but_renew_the_lease() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("abc").expect("added");
    fixture.pass(200);
    fixture.published();
    for (start, piece) in [(Some(0), "abc"), (Some(1), "b"), (None, "")] {
        fixture.pass(1_000);
        let lease = fixture.add_at(start, piece).expect("fine");
        assert_eq!((lease.chars, lease.lease_until), (3, fixture.now.plus_millis(30_000)));
    }
    assert_eq!((fixture.published(), fixture.open.next_times().window), (vec![], None));
}

#[test]
fn a_refused_piece_changes_nothing_and_renews_nothing() {
    let mut fixture = OpenStreamsFixture::new();
    let before = fixture.add("abc").expect("added");
    fixture.pass(1_000);
    assert_eq!(fixture.add_at(Some(7), "x").expect_err("hole").code, Code::ChunkMisplaced);
    assert_eq!(fixture.open.get(&id("A")).expect("open").lease(), before);
}

#[test]
fn steps_are_published_at_once_after_the_text_before_them() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("Let me see. ").expect("added");
    fixture.start_step("s1");
    fixture.start_step("s1");
    fixture.add("Found").expect("added");
    fixture.finish_step("s1");
    fixture.finish_step("s1");
    assert_eq!(fixture.published(), ["0:Let me see. ", "+s1", "12:Found", "-s1"]);
    fixture.pass(500);
    assert_eq!(fixture.published(), [""; 0], "the windows were flushed");
}

#[test]
fn a_new_reader_gets_the_published_text_and_then_the_rest() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("Hello").expect("added");
    fixture.pass(200);
    fixture.add(" wor").expect("added");
    assert_eq!(fixture.running(), ["Hello"]);
    fixture.published();
    fixture.add("ld").expect("added");
    fixture.pass(200);
    assert_eq!((fixture.published(), fixture.running()), (vec!["5: world".to_owned()], vec!["Hello world".to_owned()]));
    assert!(fixture.open.running(&ProjectId::from_bits(2)).is_empty());
}

#[test]
fn nothing_is_published_before_the_message() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.open.remove(&id("A"));
    fixture.open.ended.clear();
    fixture.open.open(new_stream("A", "So: "), fixture.now);
    fixture.add("one").expect("added");
    fixture.pass(500);
    assert_eq!(
        (fixture.published(), fixture.running()),
        (vec![], vec!["So: ".to_owned()]),
        "a new reader gets the initial text"
    );
    assert!(fixture.open.announce(&id("A")));
    fixture.pass(0);
    assert_eq!(fixture.published(), ["4:one"]);
}

#[test]
fn streams_open_at_the_start_of_the_fan_out_are_announced() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.open.open(new_stream("B", ""), fixture.now);
    fixture.open.announce_all();
    let now = fixture.now;
    fixture.open.write(&id("B"), now, |stream, _| stream.add(None, "b", now)).expect("open").expect("added");
    fixture.pass(200);
    assert_eq!(fixture.published(), ["0:b"]);
}

#[test]
fn steps_from_before_the_message_are_published_with_the_whole_text() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.open.remove(&id("A"));
    fixture.open.ended.clear();
    fixture.open.open(new_stream("A", ""), fixture.now);
    fixture.add("one").expect("added");
    fixture.start_step("s1");
    fixture.open.announce(&id("A"));
    fixture.open.announce(&id("A"));
    fixture.finish_step("s1");
    assert_eq!(fixture.published(), ["=one(1 steps)", "-s1"]);
}

#[test]
fn an_end_publishes_the_rest_first_and_stops_the_growth() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("abc").expect("added");
    let (text, _) = fixture.open.close(&id("A"), State::Cancelled).expect("open");
    assert_eq!((text.as_str(), fixture.published()), ("abc", vec!["0:abc".to_owned()]));
    let refusal = fixture.add("d").expect_err("closing");
    assert_eq!(refusal.code, Code::StreamEnded);
    assert!(refusal.detail.contains("cancelled"), "{refusal}");
    fixture.pass(500);
    assert_eq!(fixture.published(), [""; 0]);
}

#[test]
fn a_stream_continues_after_a_failed_end_unless_another_end_is_attempted() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.open.close(&id("A"), State::Complete).expect("open");
    fixture.open.close(&id("A"), State::Cancelled).expect("open");
    fixture.open.reopen(&id("A"));
    assert!(fixture.add("a").is_err(), "the other end is still attempted");
    fixture.open.reopen(&id("A"));
    fixture.add("a").expect("open again");
    fixture.pass(200);
    assert_eq!(fixture.published(), ["0:a"]);
}

#[test]
fn an_ended_stream_is_removed_and_cannot_be_opened_again() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("abc").expect("added");
    fixture.open.remove(&id("A"));
    assert!(fixture.open.write(&id("A"), fixture.now, |_, _| Ok(())).is_none());
    assert_eq!(fixture.open.next_times().window.or(fixture.open.next_times().lease), None);
    fixture.open("A", "");
    assert!(fixture.open.get(&id("A")).is_none(), "a late request does not open it again");
    assert!(fixture.open.close(&id("A"), State::Complete).is_none());
}

#[test]
fn the_list_of_ended_streams_is_bounded() {
    let mut fixture = OpenStreamsFixture::new();
    for index in 0..limits::STREAMS_MAX + 10 {
        let name = format!("n{index}");
        fixture.open(&name, "");
        fixture.open.remove(&id(&name));
    }
    assert_eq!(fixture.open.ended.len(), limits::STREAMS_MAX);
    assert_eq!((fixture.open.leases.len(), fixture.open.per_member.len()), (1, 1));
}

#[test]
fn a_lease_expires_after_the_last_renewal() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.pass(29_000);
    fixture.add("a").expect("added");
    fixture.pass(29_999);
    assert_eq!(fixture.open.take_expired(fixture.now), []);
    fixture.pass(1);
    let expired = ExpiredLease { key: id("A"), lease_seconds: 30 };
    assert_eq!(fixture.open.take_expired(fixture.now), [expired]);
}

#[test]
fn an_abandoned_stream_that_does_not_end_is_checked_again() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.pass(30_000);
    assert_eq!(fixture.open.take_expired(fixture.now).len(), 1);
    assert_eq!(fixture.open.take_expired(fixture.now), [], "not at once");
    fixture.pass(RETRY_MS);
    fixture.open.close(&id("A"), State::Complete);
    assert_eq!(fixture.open.take_expired(fixture.now), [], "an end is being attempted");
    fixture.open.reopen(&id("A"));
    fixture.pass(RETRY_MS);
    assert_eq!(fixture.open.take_expired(fixture.now).len(), 1);
    fixture.add("I am back").expect("added");
    fixture.pass(RETRY_MS);
    assert_eq!(fixture.open.take_expired(fixture.now), [], "its producer renewed the lease");
}

#[test]
fn the_number_of_streams_per_member_is_limited_and_released() {
    let mut fixture = OpenStreamsFixture::new();
    for _ in 1..limits::STREAMS_PER_MEMBER_MAX {
        fixture.open.reserve(&member(1)).expect("room");
    }
    let refusal = fixture.open.reserve(&member(1)).expect_err("full");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Full, Some("stream")));
    fixture.open.reserve(&member(2)).expect("others have room");
    fixture.open.release(&member(1));
    fixture.open.reserve(&member(1)).expect("room again");
    fixture.open.remove(&id("A"));
    fixture.open.reserve(&member(1)).expect("room again");
}

#[test]
fn the_total_number_of_streams_is_limited() {
    let mut fixture = OpenStreamsFixture::new();
    for index in 1..limits::STREAMS_MAX {
        fixture.open.reserve(&member(index as u128 % 50 + 2)).expect("room");
    }
    assert_eq!(fixture.open.reserve(&member(99)).expect_err("full").code, Code::Full);
    fixture.open("stored", "");
    assert!(fixture.open.get(&id("stored")).is_some(), "a stored message always has room");
}

#[test]
fn changed_texts_are_saved_once_and_again_after_a_failure() {
    let mut fixture = OpenStreamsFixture::new();
    assert_eq!(fixture.open.next_times().save, None);
    fixture.add("a").expect("added");
    let due = fixture.open.next_times().save;
    assert_eq!(due, Some(fixture.now.plus_millis(2_000)));
    fixture.pass(500);
    fixture.add("b").expect("added");
    assert_eq!(fixture.open.next_times().save, due, "from the first change on");
    let unsaved = fixture.open.take_unsaved();
    assert_eq!((unsaved[0].0.text.as_str(), fixture.open.next_times().save), ("ab", None));
    fixture.open.retry_save(fixture.now);
    assert_eq!(fixture.open.next_times().save, Some(fixture.now.plus_millis(2_000)), "the save failed");
    assert_eq!(fixture.open.take_unsaved(), unsaved);
    fixture.open.mark_saved(&[(id("A"), unsaved[0].1), (id("gone"), 1)]);
    assert_eq!(fixture.open.take_unsaved(), []);
}

#[test]
fn changes_during_a_save_are_saved_the_next_time() {
    let mut fixture = OpenStreamsFixture::new();
    fixture.add("a").expect("added");
    let (_, changes) = fixture.open.take_unsaved().remove(0);
    fixture.start_step("s1");
    fixture.open.mark_saved(&[(id("A"), changes)]);
    let (stream, _) = fixture.open.take_unsaved().remove(0);
    assert_eq!((stream.text.as_str(), stream.steps.len()), ("a", 1));
}

/// The text that a reader puts together from chunks; panics at a gap or a duplicate.
fn join(chunks: &[Chunk]) -> String {
    chunks.iter().fold(String::new(), |text, chunk| {
        assert_eq!(chunk.start, text.chars().count() as u64, "no gap and no duplicate");
        text + &chunk.text
    })
}

proptest! {
    #[test]
    fn chunks_join_to_the_text_for_any_pieces_and_timing(
        pieces in proptest::collection::vec(("\\PC{0,6}", 0u64..400, any::<bool>()), 0..30),
    ) {
        let mut fixture = OpenStreamsFixture::new();
        for (index, (piece, pause, has_step)) in pieces.iter().enumerate() {
            fixture.add(piece).expect("added");
            if *has_step {
                fixture.start_step(&index.to_string());
            }
            fixture.pass(*pause);
        }
        let (text, _) = fixture.open.close(&id("A"), State::Complete).expect("open");
        let chunks: Vec<Chunk> = fixture.open.take_pending_frames().into_iter().filter_map(|pending_frame| match pending_frame.frame {
            ServerFrame::Chunk(chunk) => Some(chunk.what),
            _ => None,
        }).collect();
        prop_assert_eq!(join(&chunks), text.clone());
        prop_assert_eq!(text, pieces.iter().map(|(piece, ..)| piece.as_str()).collect::<String>());
        prop_assert_eq!(fixture.running(), [join(&chunks)]);
    }

    #[test]
    fn at_most_one_chunk_is_published_per_window(
        pauses in proptest::collection::vec(0u64..300, 1..60), window_ms in 20u64..500,
    ) {
        let mut fixture = OpenStreamsFixture::new();
        fixture.open.remove(&id("A"));
        fixture.open.ended.clear();
        let rules = StreamRules { window_ms, ..StreamRules::default() };
        fixture.open.open(NewStream { rules, ..new_stream("A", "") }, fixture.now);
        fixture.open.announce(&id("A"));
        let begin = fixture.now;
        for pause in &pauses {
            fixture.add("x").expect("added");
            fixture.pass(*pause);
        }
        let passed = (fixture.now.as_millis() - begin.as_millis()).unsigned_abs();
        prop_assert!(fixture.published().len() as u64 <= passed / window_ms);
    }
}
