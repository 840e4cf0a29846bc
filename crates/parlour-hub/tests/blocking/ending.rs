use parlour_core::{
    Code,
    checkpoint::CheckpointDelivery,
    message::Importance,
    post::PostMessage,
    question::{NewQuestion, QuestionState},
    run::{FinishRun, RunState},
    timeline::TimelineEntryKind,
};

use super::fixture::BlockingFixture;
use crate::support::{refused, say};

#[tokio::test]
async fn a_nudge_names_unread_messages_without_questions() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let usual = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, the notes are late").await.message;
    let request = PostMessage { importance: Importance::High, ..say(&fixture.channel, "@Coder, the build is red") };
    let high = fixture.hub().post_message(&fixture.mara, request).await.expect("posted").message;
    fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let finished = fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(finished.run.state, RunState::Done);
    let named: Vec<_> = finished.messages.iter().map(|brief| brief.message_id.clone()).collect();
    assert_eq!(named, [high.id, usual.id]);
    let nudge = finished.nudge.expect("a nudge");
    assert!(nudge.contains("2 unread") && nudge.contains("the build is red"), "{nudge}");
    assert!(!nudge.contains("which version"), "{nudge}");
}

#[tokio::test]
async fn a_run_without_other_unread_messages_gets_no_nudge() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let finished = fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!((finished.nudge, finished.messages.len()), (None, 0));
}

#[tokio::test]
async fn finishing_a_run_is_final_and_idempotent() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let failed = FinishRun { failed: Some("out of memory".into()), usage: None };
    let first = fixture.hub().finish_run(&fixture.coder, &run, failed.clone()).await.expect("finished");
    assert_eq!((first.run.state, first.run.reason.as_deref()), (RunState::Failed, Some("out of memory")));
    assert_eq!(fixture.hub().finish_run(&fixture.coder, &run, failed).await.expect("again"), first);
    assert_eq!(refused(fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await), Code::RunEnded);
    let kinds: Vec<_> = fixture.timeline(&run).await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [TimelineEntryKind::RunStarted, TimelineEntryKind::RunFailed]);
}

#[tokio::test]
async fn ending_a_waiting_run_withdraws_its_questions() {
    let fixture = BlockingFixture::new().await;
    for is_stop in [true, false] {
        let (run, asked) = fixture.waiting_run("@Tester, is it green?", NewQuestion::default()).await;
        let blocked = fixture.start(&fixture.tester).await;
        fixture.checkpoint(&fixture.tester, &blocked).await;
        let ended = match is_stop {
            true => fixture.hub().cancel_run(&fixture.ben, &run, Some("not today".into())).await.expect("stopped"),
            false => fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished").run,
        };
        assert!(!ended.state.is_open() && ended.pauses.is_empty());
        assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Withdrawn);
        assert_eq!(fixture.state(&blocked).await, RunState::Running, "the blocked addressee resumes");
        fixture.hub().finish_run(&fixture.tester, &blocked, FinishRun::default()).await.expect("finished");
    }
}

#[tokio::test]
async fn only_the_agent_of_a_run_finishes_it() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    for who in [&fixture.tester, &fixture.mara, &fixture.test.admin] {
        assert_eq!(refused(fixture.hub().finish_run(who, &run, FinishRun::default()).await), Code::Forbidden);
        assert_eq!(refused(fixture.hub().checkpoint(who, &run, CheckpointDelivery::Checkpoint).await), Code::Forbidden);
        assert_eq!(refused(fixture.hub().beat_run(who, &run).await), Code::Forbidden);
    }
    assert_eq!(refused(fixture.hub().cancel_run(&fixture.tester, &run, None).await), Code::Forbidden);
    let blank = Some(" ".into());
    assert_eq!(refused(fixture.hub().cancel_run(&fixture.mara, &run, blank).await), Code::OutOfBounds);
    let stopped = fixture.hub().cancel_run(&fixture.coder, &run, None).await.expect("its own");
    assert_eq!(stopped.state, RunState::Cancelled);
}
