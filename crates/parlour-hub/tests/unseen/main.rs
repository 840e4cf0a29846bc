//! What a reader may not see leaves no trace: every answer, and everything that is heard live, is the same in a world
//! in which it never was.
//!
//! A random story is played on two hubs over real stores. In one of them the private channels and dms of others are
//! busy; in the other one those steps are left out. Then three readers who are in none of them, a person, an agent and
//! an administrator, read everything there is to read, with the ids of everything, and compare. In a second sort of
//! stories the readers are let in for a while, and lose it all before they compare.
//!
//! Two things may differ: positions of the log, which count hidden events, and a name that is taken.
//!
//! A failing story is made smaller and printed with its seed. `PARLOUR_UNSEEN_SEED=7` plays the stories of that seed,
//! `PARLOUR_UNSEEN_STORIES=500` more of them than usual.

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
    reads::Things,
    story::{Act, BEGINNING, Step, stories},
    story_hub::StoryHub,
};

/// How many stories are played when nothing else is said.
const STORIES: u32 = 10;
/// How often a failing story is made smaller before it is shown.
const SHRINKS_MAX: u32 = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_never_seen_might_as_well_not_exist() {
    tell(Act::UNSEEN.to_vec(), 1, |steps| Box::pin(never_seen(steps))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_lost_might_as_well_never_have_been() {
    tell(Act::lost(), 2, |steps| Box::pin(lost(steps))).await;
}

type Playing = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// Plays stories of these acts. The search for them is not async, so it runs on a thread of its own.
async fn tell(acts: Vec<Act>, salt: u8, play: fn(Vec<Step>) -> Playing) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let seed = number("PARLOUR_UNSEEN_SEED").unwrap_or(0);
    let cases = number("PARLOUR_UNSEEN_STORIES").map_or(STORIES, |count| count as u32);
    let runtime = Handle::current();
    let search = move || {
        let config = Config { cases, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
        let mut key = [salt; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let run = |steps: Vec<Step>| {
            runtime.block_on(play(steps));
            Ok(())
        };
        TestRunner::new_with_rng(config, rng).run(&stories(acts), run).map_err(|error| error.to_string())
    };
    let verdict = spawn_blocking(search).await.expect("the search itself does not fail");
    assert_eq!(verdict, Ok(()), "PARLOUR_UNSEEN_SEED={seed} shows what is hidden");
}

/// Readers who are never let in compare all answers, and all that they have heard from the beginning.
async fn never_seen(steps: Vec<Step>) {
    let (with, without) = tokio::join!(play_and_listen(true, &steps), play_and_listen(false, &steps));
    compare_answers(&with.0, &without.0).await;
    for ((reader, _), (one, other)) in with.0.cast.readers.iter().zip(with.1.iter().zip(&without.1)) {
        compare_heard(reader, one.heard(), other.heard());
    }
}

async fn play_and_listen(has_hidden: bool, steps: &[Step]) -> (StoryHub, Vec<Listener>) {
    let mut story_hub = StoryHub::new(has_hidden, false).await;
    let mut listeners = Vec::new();
    for (_, token) in &story_hub.cast.readers {
        listeners.push(Listener::live(&story_hub, token).await);
    }
    let mut number = 1;
    for step in BEGINNING.iter().chain(steps) {
        story_hub.play(number, step).await;
        if step.act == Act::Rest {
            hear(&story_hub, &mut listeners).await;
        }
        number += 1;
    }
    story_hub.ids.begin(number);
    story_hub.beat().await.expect("a beat");
    hear(&story_hub, &mut listeners).await;
    (story_hub, listeners)
}

async fn hear(story_hub: &StoryHub, listeners: &mut [Listener]) {
    for listener in listeners {
        listener.listen(story_hub).await;
    }
}

/// Readers who were let in and sent away compare all answers, and what the log tells them afterwards.
async fn lost(steps: Vec<Step>) {
    let (with, without) = tokio::join!(play_and_evict(true, &steps), play_and_evict(false, &steps));
    compare_answers(&with.0, &without.0).await;
    for (reader, token) in &with.0.cast.readers {
        let other = token_in(&without.0, reader);
        let heard = tokio::join!(resumed(&with, reader, token), resumed(&without, reader, &other));
        compare_heard(reader, &heard.0, &heard.1);
    }
}

/// Agents' tokens are signed, so that they differ from hub to hub.
fn token_in(story_hub: &StoryHub, reader: &Principal) -> String {
    let mut readers = story_hub.cast.readers.iter();
    readers.find(|(one, _)| one.member == reader.member).expect("the same readers").1.clone()
}

async fn play_and_evict(has_hidden: bool, steps: &[Step]) -> (StoryHub, Position) {
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
    story_hub.until_told().await;
    (story_hub, start)
}

/// What a reader is told who comes back to a place before everything, except what it knows of itself.
async fn resumed((story_hub, start): &(StoryHub, Position), reader: &Principal, token: &str) -> ReceivedEvents {
    let end = story_hub.hub.end_of_log(&story_hub.cast.mara, &story_hub.project).await.expect("end");
    let mut listener = Listener::new(story_hub, token, StartPosition::After(start.clone())).await;
    listener.catch_up(&end).await;
    let mut heard = listener.heard().clone();
    for events in heard.values_mut() {
        events.retain(|event| !is_about_the_loss(event, reader));
    }
    heard
}

/// The events that tell a reader that it has lost something: that a channel was closed, when it came and went, and what
/// it had marked as read there itself.
fn is_about_the_loss(event: &Value, reader: &Principal) -> bool {
    let is_own =
        [&event["data"]["member_id"], &event["data"]["reader"]].iter().any(|id| **id == reader.member.as_str());
    match event["name"].as_str() {
        Some("channels.closed") => true,
        Some("channels.member_added" | "channels.member_removed" | "messaging.read") => is_own,
        _ => false,
    }
}

async fn compare_answers(with: &StoryHub, without: &StoryHub) {
    assert_eq!(with.outcomes, without.outcomes, "what is done in the open has the same outcome");
    let things = Things::of(with);
    for ((reader, _), (other, _)) in with.cast.readers.iter().zip(&without.cast.readers) {
        let told = tokio::join!(reads::answers(with, &things, reader), reads::answers(without, &things, other));
        for ((question, one), (_, other)) in told.0.iter().zip(&told.1) {
            assert_eq!(difference(one, other), None, "{} sees a difference in {question}", reader.name);
        }
        assert_eq!(told.0.len(), told.1.len(), "{} is asked the same", reader.name);
    }
}

fn compare_heard(reader: &Principal, with: &ReceivedEvents, without: &ReceivedEvents) {
    for key in with.keys().chain(without.keys()) {
        let [one, other] = [with, without].map(|heard| json!(heard.get(key)));
        assert_eq!(difference(&one, &other), None, "{} hears a difference in {key}", reader.name);
    }
}
