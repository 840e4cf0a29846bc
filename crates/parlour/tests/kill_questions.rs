//! One story of questions and runs, told again and again while the hub dies at another moment each time: by its own hand
//! at each step of each write, and by SIGKILL after each request. It is started again on the same folder, and whoever
//! was cut off asks once more. The story must end the same, with everything in it exactly once.

#[path = "kill_questions/fixture.rs"]
mod fixture;
#[path = "kill_questions/story.rs"]
mod story;
mod support;

use fixture::{Crash, QuestionHub};

/// The steps of a group of writes, in order.
const STEPS: [&str; 3] = ["after_job", "before_commit", "after_commit_before_answer"];
/// Groups of writes that a hub makes by itself before it is ready.
const WRITES_AT_START: usize = 5;
/// More groups of writes than the story has: beyond its end nobody dies, which is fine.
const WRITES: usize = 18;
/// Requests of the story.
const REQUESTS: usize = 13;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_end_the_same_after_a_kill_at_any_step_of_a_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut fixture = QuestionHub::make(folder.path());
    for step in STEPS {
        for times in WRITES_AT_START + 1..=WRITES_AT_START + WRITES {
            fixture.start_to_die(Crash::At(step, times));
            story::tell(&mut fixture, &format!("{step}-{times}")).await;
        }
    }
    assert!(fixture.deaths() >= 3 * (WRITES / 2), "the hub hardly ever died: {}", fixture.deaths());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_end_the_same_after_a_kill_after_any_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut fixture = QuestionHub::make(folder.path());
    for request in 1..=REQUESTS {
        fixture.start_to_die(Crash::After(request));
        story::tell(&mut fixture, &format!("request-{request}")).await;
    }
    assert_eq!(fixture.deaths(), REQUESTS);
}
