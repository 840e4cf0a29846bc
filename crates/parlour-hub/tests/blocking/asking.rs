use parlour_core::{
    Code,
    id::MessageId,
    post::PostMessage,
    question::{Ask, QuestionState},
    run::{FinishRun, PauseReason, RunState},
    scope::{Scope, Scopes},
    write::{Entry, Novelty, Write},
};
use parlour_hub::ports::{Clock as _, Log as _};
use serde_json::json;

use super::stage::{Stage, choice, say_in_dm};
use crate::support::{agent_id, refused, say};

#[tokio::test]
async fn a_blocking_message_asks_those_whom_it_mentions() {
    let stage = Stage::new().await;
    let question = stage.ask(&stage.mara, "@Coder or @Ben, shall we?").await.question.expect("a question");
    assert_eq!(question.state, QuestionState::Open);
    assert_eq!(question.addressees, [stage.coder.member.clone(), stage.ben.member.clone()]);
    let day = question.expires_at.as_millis() - stage.test.clock.now().as_millis();
    assert_eq!(day, 24 * 60 * 60 * 1_000, "no question is open for ever");
}

#[tokio::test]
async fn without_a_mention_it_asks_the_others_of_a_dm_and_the_agents_that_follow() {
    let stage = Stage::new().await;
    let dm = stage.dm(&stage.mara, &[&stage.coder, &stage.ben]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Shall we?") };
    let asked = stage.hub().post_message(&stage.mara, request).await.expect("asked").message;
    let mut addressees = asked.question.expect("a question").addressees;
    addressees.sort();
    let mut others = [stage.coder.member.clone(), stage.ben.member.clone()];
    others.sort();
    assert_eq!(addressees, others);
    stage.hub().subscribe(&stage.mara, &stage.channel, &agent_id(&stage.tester)).await.expect("subscribed");
    let asked = stage.ask(&stage.mara, "Shall we?").await;
    assert_eq!(asked.question.expect("a question").addressees, std::slice::from_ref(&stage.tester.member));
}

#[tokio::test]
async fn a_question_that_nobody_would_get_is_refused() {
    let stage = Stage::new().await;
    let alone = stage.hub().post_message(&stage.coder, stage.question("Shall I?", Ask::default())).await;
    assert_eq!(refused(alone), Code::NobodyAsked);
    let oneself = stage.hub().post_message(&stage.coder, stage.question("@Coder, shall I?", Ask::default())).await;
    assert_eq!(refused(oneself), Code::NobodyAsked);
    let private = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    let outside = PostMessage { blocking: true, ..say(&private, "@Coder, shall I?") };
    assert_eq!(refused(stage.hub().post_message(&stage.mara, outside).await), Code::NobodyAsked);
}

#[tokio::test]
async fn asking_needs_a_scope_of_its_own() {
    let stage = Stage::new().await;
    let token = stage.test.narrow_token(&stage.mara, Scopes::all().without(Scope::MessagesBlock)).await;
    let mara = stage.hub().sign_in(&token).await.expect("signed in");
    stage.test.post(&mara, &stage.channel, "@Coder, hello").await;
    let asked = stage.hub().post_message(&mara, stage.question("@Coder, shall we?", Ask::default())).await;
    assert_eq!(refused(asked), Code::MissingScope);
}

#[tokio::test]
async fn an_asker_has_at_most_three_open_questions_and_a_repeated_one_is_no_fourth() {
    let stage = Stage::new().await;
    let first = stage.ask(&stage.coder, "@Mara, one?").await;
    stage.ask(&stage.coder, "@Mara, two?").await;
    let third = PostMessage { id: Some(MessageId::from_bits(33)), ..stage.question("@Mara, three?", Ask::default()) };
    stage.hub().post_message(&stage.coder, third.clone()).await.expect("asked");
    let fourth = stage.hub().post_message(&stage.coder, stage.question("@Mara, four?", Ask::default())).await;
    assert_eq!(refused(fourth), Code::Full);
    let again = stage.hub().post_message(&stage.coder, third).await.expect("the first answer");
    assert_eq!(again.novelty, Novelty::Repeated);
    stage.answer(&stage.mara, &first.id, "yes").await.expect("answered");
    stage.ask(&stage.coder, "@Mara, four?").await;
}

#[tokio::test]
async fn an_applet_has_no_more_questions_than_others() {
    let stage = Stage::new().await;
    let applet = stage.applet().await;
    for _ in 0..3 {
        stage.ask(&applet, "@Coder, shall I?").await;
    }
    let fourth = stage.hub().post_message(&applet, stage.question("@Coder, shall I?", Ask::default())).await;
    assert_eq!(refused(fourth), Code::Full);
    stage.ask(&stage.mara, "@Coder, shall we?").await;
}

#[tokio::test]
async fn agents_that_would_wait_for_each_other_are_refused_and_named() {
    let stage = Stage::new().await;
    stage.ask(&stage.coder, "@Tester, is it green?").await;
    stage.ask(&stage.tester, "@Writer, is it written?").await;
    let ring = stage.hub().post_message(&stage.writer, stage.question("@Coder, is it built?", Ask::default())).await;
    let ring = ring.expect_err("a ring");
    let refusal = ring.refusal().expect("a refusal");
    assert_eq!(
        (refusal.code, refusal.candidates.as_slice()),
        (Code::WaitRing, [].as_slice()),
        "none of them was meant"
    );
    assert!(refusal.detail.contains("Writer → Coder → Tester → Writer"), "{refusal}");
    stage.ask(&stage.writer, "@Coder or @Mara, is it built?").await;
}

#[tokio::test]
async fn whoever_asks_from_a_run_pauses_it() {
    let stage = Stage::new().await;
    let (run, asked) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
    let pauses = stage.run(&run).await.pauses;
    assert_eq!((pauses.len(), pauses[0].reason, &pauses[0].message_id), (1, PauseReason::Asked, &asked.id));
}

#[tokio::test]
async fn only_an_open_run_of_ones_own_can_wait() {
    let stage = Stage::new().await;
    let foreign = Ask { run_id: Some(stage.start(&stage.tester).await), ..Ask::default() };
    for who in [&stage.coder, &stage.mara] {
        let asked = stage.hub().post_message(who, stage.question("@Ben, shall I?", foreign.clone())).await;
        assert_eq!(refused(asked), Code::NotFound, "{}", who.name);
    }
    let run = stage.start(&stage.coder).await;
    stage.hub().finish_run(&stage.coder, &run, FinishRun::default()).await.expect("finished");
    let ended = Ask { run_id: Some(run), ..Ask::default() };
    let asked = stage.hub().post_message(&stage.coder, stage.question("@Ben, shall I?", ended)).await;
    assert_eq!(refused(asked), Code::RunEnded);
}

#[tokio::test]
async fn a_repeated_question_pauses_a_run_that_a_crash_left_running() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let ask = Ask { run_id: Some(run.clone()), ..Ask::default() };
    let request = PostMessage { id: Some(MessageId::from_bits(44)), ..stage.question("@Mara, keep it?", ask) };
    let asked = stage.hub().post_message(&stage.coder, request.clone()).await.expect("asked").message;
    // As if the hub had died between the two writes.
    let write = Write::ResumeRun(run.clone(), None, "a crash".into());
    let attribution = stage.coder.attribution(stage.test.clock.now());
    stage.test.store().append(Entry { project_id: stage.project.clone(), attribution, write }).await.expect("undone");
    assert_eq!(stage.state(&run).await, RunState::Running);
    stage.hub().post_message(&stage.coder, request.clone()).await.expect("the first answer");
    assert_eq!(stage.state(&run).await, RunState::Paused);
    stage.answer(&stage.mara, &asked.id, "yes").await.expect("answered");
    stage.hub().post_message(&stage.coder, request).await.expect("the first answer");
    assert_eq!(stage.state(&run).await, RunState::Running, "an answered question pauses nobody");
}

#[tokio::test]
async fn a_schema_that_cannot_be_taken_is_refused_with_its_place() {
    let stage = Stage::new().await;
    let cases = [
        (Ask { schema: Some(json!({"type": "whole number"})), ..Ask::default() }, "question.schema"),
        (Ask { schema: Some(json!({"$ref": "http://127.0.0.1/x"})), ..Ask::default() }, "question.schema"),
        (
            Ask { schema: Some(json!({"type": "integer"})), default: Some(json!("x")), ..Ask::default() },
            "question.default",
        ),
        (Ask { default: Some(json!("sell")), ..choice(&["keep"]) }, "question.default"),
        (Ask { expires_in_seconds: Some(0), ..Ask::default() }, "question.expires_in_seconds"),
    ];
    for (ask, field) in cases {
        let asked = stage.hub().post_message(&stage.mara, stage.question("@Coder?", ask)).await.expect_err("refused");
        assert_eq!(asked.refusal().expect("a refusal").field.as_deref(), Some(field));
    }
}
