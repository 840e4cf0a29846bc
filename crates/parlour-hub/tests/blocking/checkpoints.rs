use parlour_core::{
    Code,
    checkpoint::Verdict,
    message::Importance,
    post::PostMessage,
    question::Ask,
    run::{FinishRun, PauseReason, RunState, StartRun},
};

use super::stage::Stage;
use crate::support::{refused, say};

#[tokio::test]
async fn a_run_goes_on_as_long_as_nobody_asks() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    stage.test.post(&stage.mara, &stage.channel, "@Coder, when you are done").await;
    stage.ask(&stage.mara, "@Tester, is it green?").await;
    let checkpoint = stage.checkpoint(&stage.coder, &run).await;
    assert_eq!((checkpoint.verdict, checkpoint.injection, checkpoint.messages.len()), (Verdict::Continue, None, 0));
    assert_eq!((checkpoint.unread.total, checkpoint.unread.blocking), (1, 0));
}

#[tokio::test]
async fn a_question_pauses_the_run_at_its_next_checkpoint_with_the_most_important_first() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let normal = stage.ask(&stage.mara, "@Coder, which version?").await;
    let request =
        PostMessage { importance: Importance::Critical, ..stage.question("@Coder, stop the release!", Ask::default()) };
    let critical = stage.hub().post_message(&stage.ben, request).await.expect("asked").message;
    assert_eq!(stage.state(&run).await, RunState::Running, "nobody is stopped in the middle of a step");
    let checkpoint = stage.checkpoint(&stage.coder, &run).await;
    assert_eq!((checkpoint.verdict, checkpoint.run.state), (Verdict::Pause, RunState::Paused));
    let order: Vec<_> = checkpoint.messages.iter().map(|brief| brief.message_id.clone()).collect();
    assert_eq!(order, [critical.id.clone(), normal.id.clone()]);
    assert!(checkpoint.messages.iter().all(|brief| brief.blocks == Some(PauseReason::Message)));
    let injection = checkpoint.injection.expect("an injection");
    assert!(
        injection.contains("You received a message from Ben") && injection.contains("stop the release"),
        "{injection}"
    );
    let again = stage.checkpoint(&stage.coder, &run).await;
    assert_eq!((again.verdict, again.messages.len()), (Verdict::Pause, 2), "it stays paused");
    assert_eq!(stage.timeline(&run).await.len(), 3, "and is paused once by each");
}

#[tokio::test]
async fn the_question_that_led_to_a_run_does_not_pause_it() {
    let stage = Stage::new().await;
    let asked = stage.ask(&stage.mara, "@Coder, which version?").await;
    let request = StartRun { message_id: Some(asked.id.clone()), ..StartRun::default() };
    let run = stage.hub().start_run(&stage.coder, request).await.expect("started");
    assert_eq!(run.conversation_id, Some(asked.to));
    assert_eq!(stage.checkpoint(&stage.coder, &run.id).await.verdict, Verdict::Continue);
    let other = stage.start(&stage.coder).await;
    assert_eq!(stage.checkpoint(&stage.coder, &other).await.verdict, Verdict::Pause);
}

#[tokio::test]
async fn the_answer_of_the_agent_lets_its_run_go_on() {
    let stage = Stage::new().await;
    let (run, asked) = stage.blocked_run().await;
    stage.reply(&stage.coder, &asked, "Version two").await;
    assert_eq!(stage.checkpoint(&stage.coder, &run).await.verdict, Verdict::Continue);
    let detail = stage.timeline(&run).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("answered by Coder"));
}

#[tokio::test]
async fn whoever_ignores_a_question_is_not_paused_by_it() {
    let stage = Stage::new().await;
    let asked = stage.ask(&stage.mara, "@Coder or @Ben, which version?").await;
    stage.ignore(&stage.coder, &asked.id).await.expect("ignored");
    let run = stage.start(&stage.coder).await;
    assert_eq!(stage.checkpoint(&stage.coder, &run).await.verdict, Verdict::Continue);
}

#[tokio::test]
async fn more_questions_than_fit_wait_for_the_next_checkpoint_and_leave_room_for_own_ones() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    for who in [&stage.mara, &stage.ben] {
        for _ in 0..3 {
            stage.ask(who, "@Coder, which version?").await;
        }
    }
    assert_eq!(stage.checkpoint(&stage.coder, &run).await.messages.len(), 5);
    let own = Ask { run_id: Some(run.clone()), ..Ask::default() };
    stage.ask_with(&stage.coder, "@Mara, which one first?", own).await;
    assert_eq!(stage.run(&run).await.pauses.len(), 6);
    stage.hub().resume_run(&stage.coder, &run, None).await.expect("all handled");
    let rest = stage.checkpoint(&stage.coder, &run).await;
    let reasons: Vec<_> = rest.messages.iter().filter_map(|brief| brief.blocks).collect();
    assert_eq!(reasons, [PauseReason::Message, PauseReason::Asked]);
}

#[tokio::test]
async fn after_the_end_there_is_no_checkpoint_and_no_sign() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(refused(stage.hub().checkpoint(&stage.coder, &run).await), Code::RunEnded);
    assert_eq!(refused(stage.hub().beat_run(&stage.coder, &run).await), Code::RunEnded);
    assert_eq!(refused(stage.hub().resume_run(&stage.coder, &run, None).await), Code::RunEnded);
    assert_eq!(refused(stage.hub().cancel_run(&stage.mara, &run, None).await), Code::RunEnded);
}

#[tokio::test]
async fn pending_blocks_ride_on_whatever_an_agent_asks_for() {
    let stage = Stage::new().await;
    let pending = async |who| stage.hub().pending_blocks(who, None, &[]).await.expect("blocks");
    assert_eq!(pending(&stage.coder).await, None);
    let asked = stage.ask(&stage.mara, "@Coder, which version?").await;
    let rider = pending(&stage.coder).await.expect("a rider");
    assert_eq!((rider.messages.len(), &rider.messages[0].message_id), (1, &asked.id));
    assert!(rider.text.contains("You received a message from Mara in #general"), "{}", rider.text);
    assert!(rider.text.ends_with("Handle this before you go on."), "there is no run to resume: {}", rider.text);
    let just_told = stage.hub().pending_blocks(&stage.coder, None, &[asked.id]).await.expect("blocks");
    assert_eq!(just_told, None);
    for who in [&stage.mara, &stage.tester] {
        assert_eq!(pending(who).await, None);
    }
}

#[tokio::test]
async fn a_run_begins_only_where_its_agent_reads() {
    let stage = Stage::new().await;
    let private = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    let hidden = stage.test.post(&stage.mara, &private, "Hello").await.message;
    let start = async |who, request| stage.hub().start_run(who, request).await;
    let here = StartRun { channel_id: Some(private.clone()), ..StartRun::default() };
    assert_eq!(refused(start(&stage.coder, here).await), Code::NotFound);
    let by_message = StartRun { message_id: Some(hidden.id.clone()), ..StartRun::default() };
    assert_eq!(refused(start(&stage.coder, by_message).await), Code::NotFound);
    let foreign = StartRun { agent_id: stage.coder.member.agent().cloned(), ..StartRun::default() };
    assert_eq!(refused(start(&stage.mara, foreign.clone()).await), Code::Forbidden);
    assert_eq!(refused(start(&stage.tester, foreign.clone()).await), Code::Forbidden);
    assert_eq!(refused(start(&stage.mara, StartRun::default()).await), Code::WrongShape);
    start(&stage.test.admin, foreign).await.expect("an administrator acts for agents");
    let task = StartRun { task_id: Some("tsk_none".parse().expect("id")), ..StartRun::default() };
    assert_eq!(refused(start(&stage.coder, task).await), Code::NotFound);
    let elsewhere = stage.test.channel(&stage.mara, &stage.project, "other").await;
    let said = stage.hub().post_message(&stage.mara, say(&elsewhere, "Hi")).await.expect("posted").message;
    let two_places =
        StartRun { channel_id: Some(stage.channel.clone()), message_id: Some(said.id), ..StartRun::default() };
    assert_eq!(refused(start(&stage.coder, two_places).await), Code::WrongShape);
}

#[tokio::test]
async fn a_repeated_start_answers_the_first_run() {
    let stage = Stage::new().await;
    let request = StartRun { id: Some("run_mine".parse().expect("id")), ..StartRun::default() };
    let first = stage.hub().start_run(&stage.coder, request.clone()).await.expect("started");
    assert_eq!(stage.hub().start_run(&stage.coder, request.clone()).await.expect("the same"), first);
    assert_eq!(refused(stage.hub().start_run(&stage.tester, request).await), Code::ClientIdReused);
}
