use parlour_core::{
    Code,
    checkpoint::{CheckpointDecision, CheckpointDelivery},
    message::Importance,
    paging::PageRequest,
    post::PostMessage,
    question::NewQuestion,
    run::{FinishRun, PauseReason, RunState, StartRun},
    timeline::TimelineEntryKind,
};

use super::fixture::BlockingFixture;
use crate::support::{refused, say};

#[tokio::test]
async fn a_run_continues_without_a_question_to_its_agent() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, when you are done").await;
    fixture.ask(&fixture.mara, "@Tester, is it green?").await;
    let checkpoint = fixture.checkpoint(&fixture.coder, &run).await;
    assert_eq!(
        (checkpoint.verdict, checkpoint.injection, checkpoint.messages.len()),
        (CheckpointDecision::Continue, None, 0)
    );
    assert_eq!((checkpoint.unread.total, checkpoint.unread.blocking), (1, 0));
}

#[tokio::test]
async fn a_question_pauses_the_run_at_its_next_checkpoint_with_the_most_important_first() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let normal = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let request = PostMessage {
        importance: Importance::Critical,
        ..fixture.question("@Coder, stop the release!", NewQuestion::default())
    };
    let critical = fixture.hub().post_message(&fixture.ben, request).await.expect("asked").message;
    assert_eq!(fixture.state(&run).await, RunState::Running, "a run is not paused in the middle of a step");
    let checkpoint = fixture.checkpoint(&fixture.coder, &run).await;
    assert_eq!((checkpoint.verdict, checkpoint.run.state), (CheckpointDecision::Pause, RunState::Paused));
    let order: Vec<_> = checkpoint.messages.iter().map(|brief| brief.message_id.clone()).collect();
    assert_eq!(order, [critical.id.clone(), normal.id.clone()]);
    assert!(checkpoint.messages.iter().all(|brief| brief.blocks == Some(PauseReason::Message)));
    let injection = checkpoint.injection.expect("an injection");
    assert!(
        injection.contains("You received a message from \"Ben\"") && injection.contains("stop the release"),
        "{injection}"
    );
    let again = fixture.checkpoint(&fixture.coder, &run).await;
    assert_eq!((again.verdict, again.messages.len()), (CheckpointDecision::Pause, 2), "it stays paused");
    assert_eq!(fixture.timeline(&run).await.len(), 3, "and is paused once by each");
}

#[tokio::test]
async fn a_run_that_does_not_get_the_text_is_paused_and_records_none() {
    for (delivery, detail) in [
        (CheckpointDelivery::OtherText, None),
        (CheckpointDelivery::SeparateRun, Some("a separate run answers; this run does not get the message")),
    ] {
        let fixture = BlockingFixture::new().await;
        let run = fixture.start(&fixture.coder).await;
        let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
        let checkpoint = fixture.hub().checkpoint(&fixture.coder, &run, delivery).await.expect("a checkpoint");
        assert_eq!((checkpoint.verdict, checkpoint.injection), (CheckpointDecision::Pause, None));
        assert_eq!(checkpoint.messages[0].message_id, asked.id);
        let is_separate = delivery == CheckpointDelivery::SeparateRun;
        assert_eq!(checkpoint.run.pauses[0].answered_separately, is_separate);
        let given = fixture.hub().injections(&fixture.coder, &run, &PageRequest::first()).await.expect("injections");
        assert_eq!(given.items, []);
        let paused = fixture.timeline(&run).await.pop().expect("an entry");
        assert_eq!(paused, (TimelineEntryKind::Paused, detail.map(str::to_owned)));
        let given = fixture.checkpoint(&fixture.coder, &run).await.injection;
        assert!(given.is_some_and(|text| text.contains("which version?")), "it can still be given at a checkpoint");
    }
}

#[tokio::test]
async fn the_question_that_led_to_a_run_does_not_pause_it() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let request = StartRun { message_id: Some(asked.id.clone()), ..StartRun::default() };
    let run = fixture.hub().start_run(&fixture.coder, request).await.expect("started");
    assert_eq!(run.conversation_id, Some(asked.to));
    assert_eq!(fixture.checkpoint(&fixture.coder, &run.id).await.verdict, CheckpointDecision::Continue);
    let other = fixture.start(&fixture.coder).await;
    assert_eq!(fixture.checkpoint(&fixture.coder, &other).await.verdict, CheckpointDecision::Pause);
}

#[tokio::test]
async fn the_answer_of_the_agent_resumes_its_run() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.blocked_run().await;
    fixture.reply(&fixture.coder, &asked, "Version two").await;
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.verdict, CheckpointDecision::Continue);
    let detail = fixture.timeline(&run).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("answered by Coder"));
}

#[tokio::test]
async fn an_ignored_question_does_not_pause_the_run() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder or @Ben, which version?").await;
    fixture.ignore(&fixture.coder, &asked.id).await.expect("ignored");
    let run = fixture.start(&fixture.coder).await;
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.verdict, CheckpointDecision::Continue);
}

#[tokio::test]
async fn questions_over_the_limit_wait_for_the_next_checkpoint_and_leave_room_for_own_questions() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    for who in [&fixture.mara, &fixture.ben] {
        for _ in 0..3 {
            fixture.ask(who, "@Coder, which version?").await;
        }
    }
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.messages.len(), 5);
    let own = NewQuestion { run_id: Some(run.clone()), ..NewQuestion::default() };
    fixture.ask_with(&fixture.coder, "@Mara, which one first?", own).await;
    assert_eq!(fixture.run(&run).await.pauses.len(), 6);
    fixture.hub().resume_run(&fixture.coder, &run, None).await.expect("all handled");
    let rest = fixture.checkpoint(&fixture.coder, &run).await;
    let reasons: Vec<_> = rest.messages.iter().filter_map(|brief| brief.blocks).collect();
    assert_eq!(reasons, [PauseReason::Message, PauseReason::Asked]);
}

#[tokio::test]
async fn an_ended_run_refuses_checkpoints_heartbeats_resumes_and_cancels() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(
        refused(fixture.hub().checkpoint(&fixture.coder, &run, CheckpointDelivery::Checkpoint).await),
        Code::RunEnded
    );
    assert_eq!(refused(fixture.hub().beat_run(&fixture.coder, &run).await), Code::RunEnded);
    assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, None).await), Code::RunEnded);
    assert_eq!(refused(fixture.hub().cancel_run(&fixture.mara, &run, None).await), Code::RunEnded);
}

#[tokio::test]
async fn pending_blocks_are_returned_with_any_tool_result() {
    let fixture = BlockingFixture::new().await;
    let pending = async |who| fixture.hub().pending_blocks(who, None, &[]).await.expect("blocks");
    assert_eq!(pending(&fixture.coder).await, None);
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let notice = pending(&fixture.coder).await.expect("a notice");
    assert_eq!((notice.messages.len(), &notice.messages[0].message_id), (1, &asked.id));
    assert!(notice.text.contains("You received a message from \"Mara\" in \"#general\""), "{}", notice.text);
    assert!(notice.text.ends_with("Handle this before you go on."), "there is no run to resume: {}", notice.text);
    let already_sent = fixture.hub().pending_blocks(&fixture.coder, None, &[asked.id]).await.expect("blocks");
    assert_eq!(already_sent, None);
    for who in [&fixture.mara, &fixture.tester] {
        assert_eq!(pending(who).await, None);
    }
}

#[tokio::test]
async fn a_run_starts_only_in_a_conversation_that_its_agent_can_read() {
    let fixture = BlockingFixture::new().await;
    let private = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let hidden = fixture.test.post(&fixture.mara, &private, "Hello").await.message;
    let start = async |who, request| fixture.hub().start_run(who, request).await;
    let here = StartRun { channel_id: Some(private.clone()), ..StartRun::default() };
    assert_eq!(refused(start(&fixture.coder, here).await), Code::NotFound);
    let by_message = StartRun { message_id: Some(hidden.id.clone()), ..StartRun::default() };
    assert_eq!(refused(start(&fixture.coder, by_message).await), Code::NotFound);
    let foreign = StartRun { agent_id: fixture.coder.member.agent().cloned(), ..StartRun::default() };
    assert_eq!(refused(start(&fixture.mara, foreign.clone()).await), Code::Forbidden);
    assert_eq!(refused(start(&fixture.tester, foreign.clone()).await), Code::Forbidden);
    assert_eq!(refused(start(&fixture.mara, StartRun::default()).await), Code::WrongShape);
    start(&fixture.test.admin, foreign).await.expect("an administrator acts for agents");
    let task = StartRun { task_id: Some("tsk_none".parse().expect("id")), ..StartRun::default() };
    assert_eq!(refused(start(&fixture.coder, task).await), Code::NotFound);
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "other").await;
    let said = fixture.hub().post_message(&fixture.mara, say(&elsewhere, "Hi")).await.expect("posted").message;
    let two_places =
        StartRun { channel_id: Some(fixture.channel.clone()), message_id: Some(said.id), ..StartRun::default() };
    assert_eq!(refused(start(&fixture.coder, two_places).await), Code::WrongShape);
}

#[tokio::test]
async fn a_repeated_start_returns_the_first_run() {
    let fixture = BlockingFixture::new().await;
    let request = StartRun { id: Some("run_mine".parse().expect("id")), ..StartRun::default() };
    let first = fixture.hub().start_run(&fixture.coder, request.clone()).await.expect("started");
    assert_eq!(fixture.hub().start_run(&fixture.coder, request.clone()).await.expect("the same"), first);
    assert_eq!(refused(fixture.hub().start_run(&fixture.tester, request).await), Code::ClientIdReused);
}
