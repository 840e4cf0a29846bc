//! Several at the same moment: one of them counts, and nothing is left between.

use std::sync::Arc;

use parlour_core::{
    Code,
    post::PostMessage,
    question::{Ask, QuestionState},
    run::{FinishRun, RunState},
};
use tokio::task::JoinSet;

use super::stage::{Stage, choice};

const ROUNDS: usize = 15;

/// The codes of those who were refused, and how many were not.
fn tally<T: std::fmt::Debug>(outcomes: &[Result<T, parlour_hub::Failure>]) -> (usize, Vec<Code>) {
    let refused: Vec<Code> =
        outcomes.iter().filter_map(|one| one.as_ref().err()).map(|one| one.refusal().expect("no fault").code).collect();
    (outcomes.len() - refused.len(), refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_answered_once() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = stage.waiting_run("@Mara, keep it?", choice(&["keep", "drop"])).await;
        let mut answers = JoinSet::new();
        for (who, option) in [(&stage.mara, "keep"), (&stage.ben, "drop"), (&stage.mara, "drop")] {
            let (stage, id, who) = (Arc::clone(&stage), asked.id.clone(), who.clone());
            answers.spawn(async move { stage.choose(&who, &id, option).await });
        }
        let (count, refused) = tally(&answers.join_all().await);
        assert_eq!((count, refused), (1, vec![Code::QuestionClosed; 2]));
        assert_eq!(stage.state(&run).await, RunState::Running);
        stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_replies_the_first_counts_and_the_other_is_told() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let asked = stage.ask(&stage.coder, "@Mara, which one?").await;
        let mut replies = JoinSet::new();
        for who in [&stage.mara, &stage.ben] {
            let (stage, asked, who) = (Arc::clone(&stage), asked.clone(), who.clone());
            replies.spawn(async move { stage.reply(&who, &asked, "The second").await });
        }
        let replies = replies.join_all().await;
        assert_eq!(replies.iter().filter(|one| one.message.answer_to.is_some()).count(), 1);
        let told: Vec<_> = replies.iter().filter_map(|one| one.answer_problem.as_ref()).map(|no| no.code).collect();
        // Who came so late that the question was closed already has simply said something.
        assert!(told.is_empty() || told == [Code::QuestionClosed], "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_resumes_one_counts() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = stage.blocked_run().await;
        let mut resumes = JoinSet::new();
        for who in [&stage.coder, &stage.mara] {
            let (stage, run, who) = (Arc::clone(&stage), run.clone(), who.clone());
            resumes.spawn(async move { stage.hub().resume_run(&who, &run, None).await });
        }
        let (count, refused) = tally(&resumes.join_all().await);
        assert_eq!((count, refused), (1, vec![Code::NotPaused]));
        assert_eq!(stage.state(&run).await, RunState::Running);
        stage.answer(&stage.coder, &asked.id, "two").await.expect("answered");
        stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_agents_that_ask_each_other_at_once_one_is_refused() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let mut asks = JoinSet::new();
        for (who, body) in [(&stage.coder, "@Tester, is it green?"), (&stage.tester, "@Coder, is it built?")] {
            let (stage, who) = (Arc::clone(&stage), who.clone());
            asks.spawn(async move {
                // Notices call nobody: those who call others go one after another anyway.
                let request = PostMessage { is_notice: true, ..stage.question(body, Ask::default()) };
                stage.hub().post_message(&who, request).await.map(|posted| posted.message)
            });
        }
        let outcomes = asks.join_all().await;
        let asked = outcomes.iter().find_map(|one| one.as_ref().ok()).expect("one is let through").clone();
        assert_eq!(tally(&outcomes), (1, vec![Code::WaitRing]));
        stage.answer(&stage.mara, &asked.id, "yes").await.expect("answered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_is_answered_while_a_run_pauses_for_it_keeps_nobody_waiting() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let run = stage.start(&stage.coder).await;
        let asked = stage.ask(&stage.mara, "@Coder, which version?").await;
        let answering = {
            let (stage, id) = (Arc::clone(&stage), asked.id.clone());
            tokio::spawn(async move { stage.answer(&stage.ben, &id, "two").await })
        };
        stage.checkpoint(&stage.coder, &run).await;
        answering.await.expect("joined").expect("answered");
        assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Answered);
        assert_eq!(stage.state(&run).await, RunState::Running);
        stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_goes_away_in_the_middle_leaves_nothing_half_done() {
    let stage = Arc::new(Stage::new().await);
    for _ in 0..ROUNDS {
        let (run, asked) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
        let answering = {
            let (stage, id) = (Arc::clone(&stage), asked.id.clone());
            tokio::spawn(async move { stage.answer(&stage.mara, &id, "yes").await })
        };
        tokio::task::yield_now().await;
        answering.abort();
        let _ = answering.await;
        if stage.answer(&stage.ben, &asked.id, "no").await.is_err() {
            // The first one counts although nobody waited for it, and it goes on to its end.
            while stage.state(&run).await == RunState::Paused {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(stage.state(&run).await, RunState::Running);
        stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    }
}
