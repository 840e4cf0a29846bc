use parlour_core::{
    Code,
    message::Importance,
    post::PostMessage,
    question::{Ask, QuestionState},
    run::{FinishRun, RunState},
    timeline::TimelineEntryKind,
};

use super::stage::Stage;
use crate::support::{refused, say};

#[tokio::test]
async fn a_run_ends_with_one_nudge_about_what_is_unread_and_blocks_nothing() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let usual = stage.test.post(&stage.mara, &stage.channel, "@Coder, the notes are late").await.message;
    let request = PostMessage { importance: Importance::High, ..say(&stage.channel, "@Coder, the build is red") };
    let high = stage.hub().post_message(&stage.mara, request).await.expect("posted").message;
    stage.ask(&stage.mara, "@Coder, which version?").await;
    let finished = stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(finished.run.state, RunState::Done);
    let named: Vec<_> = finished.messages.iter().map(|brief| brief.message_id.clone()).collect();
    assert_eq!(named, [high.id, usual.id]);
    let nudge = finished.nudge.expect("a nudge");
    assert!(nudge.contains("2 unread") && nudge.contains("the build is red"), "{nudge}");
    assert!(!nudge.contains("which version"), "{nudge}");
}

#[tokio::test]
async fn a_run_without_anything_unread_ends_in_silence() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    stage.ask(&stage.mara, "@Coder, which version?").await;
    let finished = stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!((finished.nudge, finished.messages.len()), (None, 0));
}

#[tokio::test]
async fn an_end_is_final_and_the_same_end_again_is_no_news() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let failed = FinishRun { failed: Some("out of memory".into()), usage: None };
    let first = stage.hub().finish_run(&stage.coder, &run, failed.clone()).await.expect("finished");
    assert_eq!((first.run.state, first.run.reason.as_deref()), (RunState::Failed, Some("out of memory")));
    assert_eq!(stage.hub().finish_run(&stage.coder, &run, failed).await.expect("again"), first);
    assert_eq!(refused(stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await), Code::RunEnded);
    let kinds: Vec<_> = stage.timeline(&run).await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [TimelineEntryKind::RunStarted, TimelineEntryKind::RunFailed]);
}

#[tokio::test]
async fn whoever_ends_a_waiting_run_takes_its_questions_back() {
    let stage = Stage::new().await;
    for is_stop in [true, false] {
        let (run, asked) = stage.waiting_run("@Tester, is it green?", Ask::default()).await;
        let blocked = stage.start(&stage.tester).await;
        stage.checkpoint(&stage.tester, &blocked).await;
        let ended = match is_stop {
            true => stage.hub().cancel_run(&stage.ben, &run, Some("not today".into())).await.expect("stopped"),
            false => stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished").run,
        };
        assert!(!ended.state.is_open() && ended.pauses.is_empty());
        assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Withdrawn);
        assert_eq!(stage.state(&blocked).await, RunState::Running, "who was to answer goes on");
        stage.hub().finish_run(&stage.tester, &blocked, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test]
async fn only_its_own_agent_finishes_a_run() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    for who in [&stage.tester, &stage.mara, &stage.test.admin] {
        assert_eq!(refused(stage.hub().finish_run(who, &run, FinishRun::default()).await), Code::Forbidden);
        assert_eq!(refused(stage.hub().checkpoint(who, &run).await), Code::Forbidden);
        assert_eq!(refused(stage.hub().beat_run(who, &run).await), Code::Forbidden);
    }
    assert_eq!(refused(stage.hub().cancel_run(&stage.tester, &run, None).await), Code::Forbidden);
    let blank = Some(" ".into());
    assert_eq!(refused(stage.hub().cancel_run(&stage.mara, &run, blank).await), Code::OutOfBounds);
    let stopped = stage.hub().cancel_run(&stage.coder, &run, None).await.expect("its own");
    assert_eq!(stopped.state, RunState::Cancelled);
}
