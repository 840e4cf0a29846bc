use parlour_core::{
    Code,
    delivery::DeliveryState,
    question::{AnswerRequest, NewQuestion, QuestionState},
    run::RunState,
    timeline::TimelineEntryKind,
};
use serde_json::json;

use super::fixture::{BlockingFixture, choice};
use crate::support::{refused, say};

#[tokio::test]
async fn an_answer_resumes_the_run_and_the_timeline_lists_question_and_resumption() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", choice(&["keep", "drop"])).await;
    let answered =
        fixture.choose(&fixture.mara, &asked.id, "drop").await.expect("answered").question.expect("a question");
    assert_eq!(answered.state, QuestionState::Answered);
    assert_eq!(answered.answer.as_ref().and_then(|answer| answer.option.as_deref()), Some("drop"));
    assert_eq!(fixture.asked(&asked.id).await, answered);
    assert_eq!(fixture.state(&run).await, RunState::Running);
    let entries = fixture.timeline(&run).await;
    let kinds: Vec<TimelineEntryKind> = entries.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [TimelineEntryKind::RunStarted, TimelineEntryKind::Asked, TimelineEntryKind::Resumed]);
    assert_eq!(entries[2].1.as_deref(), Some("answered by Mara: drop it"));
}

#[tokio::test]
async fn only_addressees_and_other_people_can_answer() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    for who in [&fixture.mara, &fixture.tester, &fixture.applet().await] {
        assert_eq!(refused(fixture.answer(who, &asked.id, "two").await), Code::Forbidden, "{}", who.name);
    }
    fixture.answer(&fixture.coder, &asked.id, "two").await.expect("asked");
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    fixture.answer(&fixture.ben, &asked.id, "two").await.expect("a person");
}

#[tokio::test]
async fn an_invalid_answer_is_refused_and_the_question_stays_open() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask_with(&fixture.coder, "@Mara, keep it?", choice(&["keep", "drop"])).await;
    let unknown = fixture.choose(&fixture.mara, &asked.id, "sell").await.expect_err("no option");
    let refusal = unknown.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.candidates.len()), (Code::BadAnswer, 2));
    let nothing = fixture.hub().answer_question(&fixture.mara, &asked.id, AnswerRequest::default()).await;
    assert_eq!(refused(nothing), Code::WrongShape);
    let schema = json!({"type": "object", "properties": {"days": {"type": "integer", "maximum": 9}}});
    let asked = fixture
        .ask_with(&fixture.coder, "@Mara, how long?", NewQuestion { schema: Some(schema), ..NewQuestion::default() })
        .await;
    let long = AnswerRequest { value: Some(json!({"days": 12})), ..AnswerRequest::default() };
    let long = fixture.hub().answer_question(&fixture.mara, &asked.id, long).await.expect_err("too long");
    let refusal = long.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadAnswer, Some("value")));
    assert!(refusal.detail.contains("/days") && refusal.detail.contains("maximum"), "{refusal}");
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Open);
    let fit = AnswerRequest { text: Some("{\"days\": 2}".into()), ..AnswerRequest::default() };
    let fit = fixture.hub().answer_question(&fixture.mara, &asked.id, fit).await.expect("fits").question;
    assert_eq!(fit.and_then(|question| question.answer?.value), Some(json!({"days": 2})));
}

#[tokio::test]
async fn plain_hidden_and_removed_messages_cannot_be_answered() {
    let fixture = BlockingFixture::new().await;
    let plain = fixture.test.post(&fixture.mara, &fixture.channel, "Hello").await.message;
    assert_eq!(refused(fixture.answer(&fixture.ben, &plain.id, "yes").await), Code::WrongShape);
    let private = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let hidden = fixture.test.post(&fixture.mara, &private, "Hello").await.message;
    assert_eq!(refused(fixture.answer(&fixture.ben, &hidden.id, "yes").await), Code::NotFound);
    assert_eq!(refused(fixture.hub().withdraw_question(&fixture.ben, &hidden.id).await), Code::NotFound);
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    fixture.hub().remove_message(&fixture.mara, &asked.id).await.expect("removed");
    assert_eq!(refused(fixture.answer(&fixture.ben, &asked.id, "yes").await), Code::Removed);
}

#[tokio::test]
async fn when_all_addressees_ignore_a_question_its_default_counts() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara or @Ben, keep it?", choice(&["keep", "drop"])).await;
    let first = fixture.ignore(&fixture.mara, &asked.id).await.expect("ignored").question.expect("a question");
    assert_eq!((first.state, first.ignored_by.len()), (QuestionState::Open, 1));
    assert_eq!(fixture.state(&run).await, RunState::Paused);
    fixture.ignore(&fixture.mara, &asked.id).await.expect("a repetition changes nothing");
    let last = fixture.ignore(&fixture.ben, &asked.id).await.expect("ignored").question.expect("a question");
    assert_eq!(last.state, QuestionState::Ignored);
    assert!(last.answer.is_some_and(|answer| answer.is_default && answer.option.as_deref() == Some("keep")));
    assert_eq!(fixture.state(&run).await, RunState::Running);
    let detail = fixture.timeline(&run).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("ignored by all: default keep it"));
}

#[tokio::test]
async fn only_addressees_can_ignore_a_question() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    assert_eq!(refused(fixture.ignore(&fixture.ben, &asked.id).await), Code::Forbidden);
}

#[tokio::test]
async fn the_asker_and_people_can_withdraw_a_question_and_waiting_runs_resume() {
    let fixture = BlockingFixture::new().await;
    for who in [&fixture.coder, &fixture.ben] {
        let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
        assert_eq!(refused(fixture.hub().withdraw_question(&fixture.tester, &asked.id).await), Code::Forbidden);
        let withdrawn = fixture.hub().withdraw_question(who, &asked.id).await.expect("withdrawn");
        assert_eq!(withdrawn.question.expect("a question").state, QuestionState::Withdrawn);
        assert_eq!(fixture.state(&run).await, RunState::Running);
        assert_eq!(refused(fixture.answer(&fixture.mara, &asked.id, "yes").await), Code::QuestionClosed);
        assert_eq!(refused(fixture.hub().withdraw_question(who, &asked.id).await), Code::QuestionClosed);
    }
    let applet = fixture.applet().await;
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    assert_eq!(refused(fixture.hub().withdraw_question(&applet, &asked.id).await), Code::Forbidden);
    let own = fixture.ask(&applet, "@Coder, keep it?").await;
    fixture.hub().withdraw_question(&applet, &own.id).await.expect("its own");
}

#[tokio::test]
async fn removing_a_question_resumes_all_runs() {
    let fixture = BlockingFixture::new().await;
    let (waiting, asked) = fixture.waiting_run("@Tester, is it green?", NewQuestion::default()).await;
    let blocked = fixture.start(&fixture.tester).await;
    fixture.checkpoint(&fixture.tester, &blocked).await;
    assert_eq!(fixture.state(&blocked).await, RunState::Paused);
    fixture.hub().remove_message(&fixture.coder, &asked.id).await.expect("removed");
    for run in [&waiting, &blocked] {
        assert_eq!(fixture.state(run).await, RunState::Running);
    }
}

#[tokio::test]
async fn a_question_in_an_archived_channel_can_be_answered() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    let archived = parlour_core::write::Archival::Archived;
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, archived).await.expect("archived");
    assert_eq!(refused(fixture.hub().post_message(&fixture.mara, say(&fixture.channel, "yes")).await), Code::Archived);
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(fixture.state(&run).await, RunState::Running);
}

#[tokio::test]
async fn answering_marks_the_delivery_as_answered_and_ignoring_as_seen() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder or @Tester, which version?").await;
    fixture.ignore(&fixture.tester, &asked.id).await.expect("ignored");
    fixture.answer(&fixture.coder, &asked.id, "two").await.expect("answered");
    let deliveries = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries");
    let state_of = |member| deliveries.iter().find(|one| one.recipient == member).map(|one| one.state);
    assert_eq!(state_of(fixture.coder.member.clone()), Some(DeliveryState::Answered));
    assert_eq!(state_of(fixture.tester.member.clone()), Some(DeliveryState::Seen));
    assert_eq!(fixture.test.inbox(&fixture.coder).await, []);
}
