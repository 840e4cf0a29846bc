use parlour_core::{
    Code,
    id::MessageId,
    post::PostMessage,
    question::{NewQuestion, QuestionState},
    run::{FinishRun, PauseReason, RunState},
    scope::{Scope, Scopes},
    write::{Entry, Novelty, Write},
};
use parlour_hub::ports::{Clock as _, Log as _};
use serde_json::json;

use super::fixture::{BlockingFixture, choice, say_in_dm};
use crate::support::{agent_id, refused, say};

#[tokio::test]
async fn a_blocking_message_asks_the_mentioned_members() {
    let fixture = BlockingFixture::new().await;
    let question = fixture.ask(&fixture.mara, "@Coder or @Ben, shall we?").await.question.expect("a question");
    assert_eq!(question.state, QuestionState::Open);
    assert_eq!(question.addressees, [fixture.coder.member.clone(), fixture.ben.member.clone()]);
    let day = question.expires_at.as_millis() - fixture.test.clock.now().as_millis();
    assert_eq!(day, 24 * 60 * 60 * 1_000, "the default deadline");
}

#[tokio::test]
async fn without_a_mention_a_question_is_for_the_dm_or_the_subscribed_agents() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder, &fixture.ben]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Shall we?") };
    let asked = fixture.hub().post_message(&fixture.mara, request).await.expect("asked").message;
    let mut addressees = asked.question.expect("a question").addressees;
    addressees.sort();
    let mut others = [fixture.coder.member.clone(), fixture.ben.member.clone()];
    others.sort();
    assert_eq!(addressees, others);
    fixture.hub().subscribe(&fixture.mara, &fixture.channel, &agent_id(&fixture.tester)).await.expect("subscribed");
    let asked = fixture.ask(&fixture.mara, "Shall we?").await;
    assert_eq!(asked.question.expect("a question").addressees, std::slice::from_ref(&fixture.tester.member));
}

#[tokio::test]
async fn a_question_without_an_addressee_is_refused() {
    let fixture = BlockingFixture::new().await;
    let alone = fixture.hub().post_message(&fixture.coder, fixture.question("Shall I?", NewQuestion::default())).await;
    assert_eq!(refused(alone), Code::NobodyAsked);
    let oneself =
        fixture.hub().post_message(&fixture.coder, fixture.question("@Coder, shall I?", NewQuestion::default())).await;
    assert_eq!(refused(oneself), Code::NobodyAsked);
    let private = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let outside = PostMessage { blocking: true, ..say(&private, "@Coder, shall I?") };
    assert_eq!(refused(fixture.hub().post_message(&fixture.mara, outside).await), Code::NobodyAsked);
}

#[tokio::test]
async fn a_blocking_message_requires_the_scope_messages_block() {
    let fixture = BlockingFixture::new().await;
    let token = fixture.test.narrow_token(&fixture.mara, Scopes::all().without(Scope::MessagesBlock)).await;
    let mara = fixture.hub().sign_in(&token).await.expect("signed in");
    fixture.test.post(&mara, &fixture.channel, "@Coder, hello").await;
    let asked = fixture.hub().post_message(&mara, fixture.question("@Coder, shall we?", NewQuestion::default())).await;
    assert_eq!(refused(asked), Code::MissingScope);
}

#[tokio::test]
async fn an_asker_has_at_most_three_open_questions_and_repeating_one_is_allowed() {
    let fixture = BlockingFixture::new().await;
    let first = fixture.ask(&fixture.coder, "@Mara, one?").await;
    fixture.ask(&fixture.coder, "@Mara, two?").await;
    let third =
        PostMessage { id: Some(MessageId::from_bits(33)), ..fixture.question("@Mara, three?", NewQuestion::default()) };
    fixture.hub().post_message(&fixture.coder, third.clone()).await.expect("asked");
    let fourth =
        fixture.hub().post_message(&fixture.coder, fixture.question("@Mara, four?", NewQuestion::default())).await;
    assert_eq!(refused(fourth), Code::Full);
    let again = fixture.hub().post_message(&fixture.coder, third).await.expect("the first answer");
    assert_eq!(again.novelty, Novelty::Repeated);
    fixture.answer(&fixture.mara, &first.id, "yes").await.expect("answered");
    fixture.ask(&fixture.coder, "@Mara, four?").await;
}

#[tokio::test]
async fn the_questions_of_an_applet_are_limited_separately() {
    let fixture = BlockingFixture::new().await;
    let applet = fixture.applet().await;
    for _ in 0..3 {
        fixture.ask(&applet, "@Coder, shall I?").await;
    }
    let fourth =
        fixture.hub().post_message(&applet, fixture.question("@Coder, shall I?", NewQuestion::default())).await;
    assert_eq!(refused(fourth), Code::Full);
    fixture.ask(&fixture.mara, "@Coder, shall we?").await;
}

#[tokio::test]
async fn a_question_that_closes_a_ring_of_waiting_agents_is_refused_and_names_them() {
    let fixture = BlockingFixture::new().await;
    fixture.ask(&fixture.coder, "@Tester, is it green?").await;
    fixture.ask(&fixture.tester, "@Writer, is it written?").await;
    let ring = fixture
        .hub()
        .post_message(&fixture.writer, fixture.question("@Coder, is it built?", NewQuestion::default()))
        .await;
    let ring = ring.expect_err("a ring");
    let refusal = ring.refusal().expect("a refusal");
    assert_eq!(
        (refusal.code, refusal.candidates.as_slice()),
        (Code::WaitRing, [].as_slice()),
        "a ring has no candidates"
    );
    assert!(refusal.detail.contains("Writer → Coder → Tester → Writer"), "{refusal}");
    fixture.ask(&fixture.writer, "@Coder or @Mara, is it built?").await;
}

#[tokio::test]
async fn a_question_of_a_run_pauses_it() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    let pauses = fixture.run(&run).await.pauses;
    assert_eq!((pauses.len(), pauses[0].reason, &pauses[0].message_id), (1, PauseReason::Asked, &asked.id));
}

#[tokio::test]
async fn a_question_can_pause_only_an_open_run_of_its_author() {
    let fixture = BlockingFixture::new().await;
    let foreign = NewQuestion { run_id: Some(fixture.start(&fixture.tester).await), ..NewQuestion::default() };
    for who in [&fixture.coder, &fixture.mara] {
        let asked = fixture.hub().post_message(who, fixture.question("@Ben, shall I?", foreign.clone())).await;
        assert_eq!(refused(asked), Code::NotFound, "{}", who.name);
    }
    let run = fixture.start(&fixture.coder).await;
    fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    let ended = NewQuestion { run_id: Some(run), ..NewQuestion::default() };
    let asked = fixture.hub().post_message(&fixture.coder, fixture.question("@Ben, shall I?", ended)).await;
    assert_eq!(refused(asked), Code::RunEnded);
}

#[tokio::test]
async fn a_repeated_question_pauses_a_run_that_a_crash_left_running() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let ask = NewQuestion { run_id: Some(run.clone()), ..NewQuestion::default() };
    let request = PostMessage { id: Some(MessageId::from_bits(44)), ..fixture.question("@Mara, keep it?", ask) };
    let asked = fixture.hub().post_message(&fixture.coder, request.clone()).await.expect("asked").message;
    // As after a crash between the two writes.
    let write = Write::ResumeRun(run.clone(), None, "a crash".into());
    let attribution = fixture.coder.attribution(fixture.test.clock.now());
    fixture
        .test
        .store()
        .append(Entry { project_id: fixture.project.clone(), attribution, write })
        .await
        .expect("undone");
    assert_eq!(fixture.state(&run).await, RunState::Running);
    fixture.hub().post_message(&fixture.coder, request.clone()).await.expect("the first answer");
    assert_eq!(fixture.state(&run).await, RunState::Paused);
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    fixture.hub().post_message(&fixture.coder, request).await.expect("the first answer");
    assert_eq!(fixture.state(&run).await, RunState::Running, "an answered question does not pause the run");
}

#[tokio::test]
async fn an_invalid_schema_default_or_expiry_is_refused_with_its_field() {
    let fixture = BlockingFixture::new().await;
    let cases = [
        (NewQuestion { schema: Some(json!({"type": "whole number"})), ..NewQuestion::default() }, "question.schema"),
        (
            NewQuestion { schema: Some(json!({"$ref": "http://127.0.0.1/x"})), ..NewQuestion::default() },
            "question.schema",
        ),
        (
            NewQuestion {
                schema: Some(json!({"type": "integer"})),
                default: Some(json!("x")),
                ..NewQuestion::default()
            },
            "question.default",
        ),
        (NewQuestion { default: Some(json!("sell")), ..choice(&["keep"]) }, "question.default"),
        (NewQuestion { expires_in_seconds: Some(0), ..NewQuestion::default() }, "question.expires_in_seconds"),
    ];
    for (ask, field) in cases {
        let asked =
            fixture.hub().post_message(&fixture.mara, fixture.question("@Coder?", ask)).await.expect_err("refused");
        assert_eq!(asked.refusal().expect("a refusal").field.as_deref(), Some(field));
    }
}
