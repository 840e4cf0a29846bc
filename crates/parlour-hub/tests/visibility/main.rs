//! Hidden conversations change no answer and no live frame for readers without access.
//!
//! A random story is played on two hubs over real stores. One hub plays all steps; the other one skips the steps in
//! private channels and DMs. Then three readers without access, a person, an agent and an administrator, call every
//! read with all ids of the first hub, and the test compares the answers of both hubs. In a second kind of story the
//! readers have access for a while and lose it before the comparison.
//!
//! Two things may differ: positions of the log, which count hidden events, and refusals of names that are in use.
//!
//! A failing story is shrunk and printed with its seed. `PARLOUR_UNSEEN_SEED=7` plays the stories of that seed,
//! `PARLOUR_UNSEEN_STORIES=500` sets their number.

mod acts;
mod answering;
mod contexts;
mod difference;
mod ids;
mod listening;
mod one_rule;
mod reads;
mod run_reads;
mod running;
mod story;
mod story_hub;
mod use_cases;

use parlour_core::{access::Principal, position::Position};
use parlour_hub::live::StartPosition;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use tokio::{runtime::Handle, task::spawn_blocking};

use crate::{
    difference::difference,
    listening::{Listener, ReceivedEvents},
    reads::StoryTargets,
    story::{BEGINNING, StoryAction, StoryStep, stories},
    story_hub::StoryHub,
};

/// Stories by default.
const STORIES: u32 = 10;
/// Attempts to shrink a failing story.
const SHRINKS_MAX: u32 = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_conversations_do_not_change_any_answer() {
    run_stories(StoryAction::WITHOUT_ACCESS.to_vec(), 1, |steps| Box::pin(compare_without_access(steps))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_conversations_do_not_change_any_answer() {
    run_stories(StoryAction::with_lost_access(), 2, |steps| Box::pin(compare_after_lost_access(steps))).await;
}

type StoryFuture = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// Runs stories of these actions. The proptest runner is not async, so it runs on its own thread.
async fn run_stories(acts: Vec<StoryAction>, salt: u8, play: fn(Vec<StoryStep>) -> StoryFuture) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let seed = number("PARLOUR_UNSEEN_SEED").unwrap_or(0);
    let cases = number("PARLOUR_UNSEEN_STORIES").map_or(STORIES, |count| count as u32);
    let runtime = Handle::current();
    let search = move || {
        let config = Config { cases, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
        let mut key = [salt; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let run = |steps: Vec<StoryStep>| {
            runtime.block_on(play(steps));
            Ok(())
        };
        TestRunner::new_with_rng(config, rng).run(&stories(acts), run).map_err(|error| error.to_string())
    };
    let verdict = spawn_blocking(search).await.expect("the search itself does not fail");
    assert_eq!(verdict, Ok(()), "PARLOUR_UNSEEN_SEED={seed} reveals hidden content");
}

/// Compares all answers and all live frames of readers that never have access.
async fn compare_without_access(steps: Vec<StoryStep>) {
    let (with, without) = tokio::join!(play_and_listen(true, &steps), play_and_listen(false, &steps));
    compare_answers(&with.0, &without.0).await;
    for ((reader, _), (one, other)) in with.0.cast.readers.iter().zip(with.1.iter().zip(&without.1)) {
        compare_received(reader, one.received(), other.received());
    }
}

async fn play_and_listen(has_hidden: bool, steps: &[StoryStep]) -> (StoryHub, Vec<Listener>) {
    let mut story_hub = StoryHub::new(has_hidden, false).await;
    let mut listeners = Vec::new();
    for (_, token) in &story_hub.cast.readers {
        listeners.push(Listener::live(&story_hub, token).await);
    }
    let mut number = 1;
    for step in BEGINNING.iter().chain(steps) {
        story_hub.play(number, step).await;
        if step.act == StoryAction::Rest {
            receive_frames(&story_hub, &mut listeners).await;
        }
        number += 1;
    }
    story_hub.ids.begin(number);
    story_hub.beat().await.expect("a beat");
    receive_frames(&story_hub, &mut listeners).await;
    (story_hub, listeners)
}

async fn receive_frames(story_hub: &StoryHub, listeners: &mut [Listener]) {
    for listener in listeners {
        listener.listen(story_hub).await;
    }
}

/// Compares all answers and the resumed log of readers that had access and lost it.
async fn compare_after_lost_access(steps: Vec<StoryStep>) {
    let (with, without) = tokio::join!(play_and_evict(true, &steps), play_and_evict(false, &steps));
    compare_answers(&with.0, &without.0).await;
    for (reader, token) in &with.0.cast.readers {
        let other = token_in(&without.0, reader);
        let received =
            tokio::join!(received_on_resume(&with, reader, token), received_on_resume(&without, reader, &other));
        compare_received(reader, &received.0, &received.1);
    }
}

/// The token of a reader on this hub. Signed tokens of agents differ between hubs.
fn token_in(story_hub: &StoryHub, reader: &Principal) -> String {
    let mut readers = story_hub.cast.readers.iter();
    readers.find(|(one, _)| one.member == reader.member).expect("the same readers").1.clone()
}

async fn play_and_evict(has_hidden: bool, steps: &[StoryStep]) -> (StoryHub, Position) {
    let mut story_hub = StoryHub::new(has_hidden, true).await;
    let start = story_hub.hub.end_of_log(&story_hub.cast.mara, &story_hub.project).await.expect("end");
    let mut number = 1;
    for step in BEGINNING.iter().chain(steps) {
        story_hub.play(number, step).await;
        number += 1;
    }
    story_hub.evict(number).await;
    story_hub.ids.begin(number + 1);
    story_hub.beat().await.expect("a beat");
    story_hub.wait_for_delivery().await;
    (story_hub, start)
}

/// The events that a reader gets when it resumes from the start, except the events about its own lost access.
async fn received_on_resume(
    (story_hub, start): &(StoryHub, Position),
    reader: &Principal,
    token: &str,
) -> ReceivedEvents {
    let end = story_hub.hub.end_of_log(&story_hub.cast.mara, &story_hub.project).await.expect("end");
    let mut listener = Listener::new(story_hub, token, StartPosition::After(start.clone())).await;
    listener.catch_up(&end).await;
    let mut received = listener.received().clone();
    for events in received.values_mut() {
        events.retain(|event| !is_about_lost_access(event, reader));
    }
    received
}

/// Whether an event is about access that the reader lost: a closed channel, its own membership, or its own read
/// position.
fn is_about_lost_access(event: &Value, reader: &Principal) -> bool {
    let is_own =
        [&event["data"]["member_id"], &event["data"]["reader"]].iter().any(|id| **id == reader.member.as_str());
    match event["name"].as_str() {
        Some("channels.closed") => true,
        Some("channels.member_added" | "channels.member_removed" | "messaging.read") => is_own,
        _ => false,
    }
}

async fn compare_answers(with: &StoryHub, without: &StoryHub) {
    assert_eq!(with.outcomes, without.outcomes, "steps in open conversations have the same outcome");
    let targets = StoryTargets::of(with);
    for ((reader, _), (other, _)) in with.cast.readers.iter().zip(&without.cast.readers) {
        let answers = tokio::join!(reads::answers(with, &targets, reader), reads::answers(without, &targets, other));
        for ((question, one), (_, other)) in answers.0.iter().zip(&answers.1) {
            assert_eq!(difference(one, other), None, "{} sees a difference in {question}", reader.name);
        }
        assert_eq!(answers.0.len(), answers.1.len(), "{} has the same reads", reader.name);
    }
}

fn compare_received(reader: &Principal, with: &ReceivedEvents, without: &ReceivedEvents) {
    for key in with.keys().chain(without.keys()) {
        let [one, other] = [with, without].map(|received| json!(received.get(key)));
        assert_eq!(difference(&one, &other), None, "{} receives a difference in {key}", reader.name);
    }
}
