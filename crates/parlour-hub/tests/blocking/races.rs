//! Concurrent requests: exactly one takes effect, and no partial state remains.

use std::sync::Arc;

use parlour_core::{
    Code,
    post::PostMessage,
    question::{NewQuestion, QuestionState},
    run::{FinishRun, RunState},
};
use tokio::task::JoinSet;

use super::fixture::{BlockingFixture, choice};

const ROUNDS: usize = 15;

/// The number of successes, and the codes of the refusals.
fn tally<T: std::fmt::Debug>(outcomes: &[Result<T, parlour_hub::Failure>]) -> (usize, Vec<Code>) {
    let refused: Vec<Code> =
        outcomes.iter().filter_map(|one| one.as_ref().err()).map(|one| one.refusal().expect("no fault").code).collect();
    (outcomes.len() - refused.len(), refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_concurrent_answers_exactly_one_succeeds() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = fixture.waiting_run("@Mara, keep it?", choice(&["keep", "drop"])).await;
        let mut answers = JoinSet::new();
        for (who, option) in [(&fixture.mara, "keep"), (&fixture.ben, "drop"), (&fixture.mara, "drop")] {
            let (fixture, id, who) = (Arc::clone(&fixture), asked.id.clone(), who.clone());
            answers.spawn(async move { fixture.choose(&who, &id, option).await });
        }
        let (count, refused) = tally(&answers.join_all().await);
        assert_eq!((count, refused), (1, vec![Code::QuestionClosed; 2]));
        assert_eq!(fixture.state(&run).await, RunState::Running);
        fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_concurrent_replies_exactly_one_answers() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let asked = fixture.ask(&fixture.coder, "@Mara, which one?").await;
        let mut replies = JoinSet::new();
        for who in [&fixture.mara, &fixture.ben] {
            let (fixture, asked, who) = (Arc::clone(&fixture), asked.clone(), who.clone());
            replies.spawn(async move { fixture.reply(&who, &asked, "The second").await });
        }
        let replies = replies.join_all().await;
        assert_eq!(replies.iter().filter(|one| one.message.answer_to.is_some()).count(), 1);
        let problems: Vec<_> = replies.iter().filter_map(|one| one.answer_problem.as_ref()).map(|no| no.code).collect();
        // A reply after the question was closed is a plain message without a problem.
        assert!(problems.is_empty() || problems == [Code::QuestionClosed], "{problems:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_concurrent_resumes_one_succeeds() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = fixture.blocked_run().await;
        let mut resumes = JoinSet::new();
        for who in [&fixture.coder, &fixture.mara] {
            let (fixture, run, who) = (Arc::clone(&fixture), run.clone(), who.clone());
            resumes.spawn(async move { fixture.hub().resume_run(&who, &run, None).await });
        }
        let (count, refused) = tally(&resumes.join_all().await);
        // The agent also succeeds if the end of its question has resumed the run first.
        assert!(count == 2 || (count, refused.as_slice()) == (1, &[Code::NotPaused]), "{count} {refused:?}");
        assert_eq!(fixture.state(&run).await, RunState::Running);
        // If the agent resumed the run, the question is not answered; otherwise it is still open.
        let state = fixture.asked(&asked.id).await.state;
        assert!(matches!(state, QuestionState::Open | QuestionState::Unanswered), "{state:?}");
        fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
        if state == QuestionState::Open {
            fixture.answer(&fixture.coder, &asked.id, "two").await.expect("answered");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_agents_that_ask_each_other_concurrently_one_is_refused() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let mut asks = JoinSet::new();
        for (who, body) in [(&fixture.coder, "@Tester, is it green?"), (&fixture.tester, "@Coder, is it built?")] {
            let (fixture, who) = (Arc::clone(&fixture), who.clone());
            asks.spawn(async move {
                // Notices call no agent; posts that call agents are serialised anyway.
                let request = PostMessage { is_notice: true, ..fixture.question(body, NewQuestion::default()) };
                fixture.hub().post_message(&who, request).await.map(|posted| posted.message)
            });
        }
        let outcomes = asks.join_all().await;
        let asked = outcomes.iter().find_map(|one| one.as_ref().ok()).expect("one succeeds").clone();
        assert_eq!(tally(&outcomes), (1, vec![Code::WaitRing]));
        fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_keeps_running_when_its_question_is_answered_during_the_checkpoint() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let run = fixture.start(&fixture.coder).await;
        let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
        let answering = {
            let (fixture, id) = (Arc::clone(&fixture), asked.id.clone());
            tokio::spawn(async move { fixture.answer(&fixture.ben, &id, "two").await })
        };
        fixture.checkpoint(&fixture.coder, &run).await;
        answering.await.expect("joined").expect("answered");
        assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Answered);
        assert_eq!(fixture.state(&run).await, RunState::Running);
        fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_request_leaves_no_partial_state() {
    let fixture = Arc::new(BlockingFixture::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
        let answering = {
            let (fixture, id) = (Arc::clone(&fixture), asked.id.clone());
            tokio::spawn(async move { fixture.answer(&fixture.mara, &id, "yes").await })
        };
        tokio::task::yield_now().await;
        answering.abort();
        let _ = answering.await;
        if fixture.answer(&fixture.ben, &asked.id, "no").await.is_err() {
            // The first answer took effect although its caller was cancelled; its side effects still complete.
            while fixture.state(&run).await == RunState::Paused {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(fixture.state(&run).await, RunState::Running);
        fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    }
}
