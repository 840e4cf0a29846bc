use parlour_core::{
    Code,
    delivery::DeliveryState,
    id::MessageId,
    live::Complete,
    post::PostMessage,
    question::{NewQuestion, QuestionState},
    run::RunState,
    write::Novelty,
};
use serde_json::json;

use super::fixture::{BlockingFixture, choice, say_in_dm};
use crate::support::say;

fn text_answer() -> PostMessage {
    PostMessage { body: "The second".into(), ..PostMessage::default() }
}

#[tokio::test]
async fn a_reply_that_names_an_option_answers() {
    let fixture = BlockingFixture::new().await;
    for words in ["drop", "Drop it", " 2 "] {
        let (run, asked) = fixture.waiting_run("@Mara, keep it?", choice(&["keep", "drop"])).await;
        let posted = fixture.reply(&fixture.mara, &asked, words).await;
        let answer_to = posted.message.answer_to.expect("an answer");
        assert_eq!((&answer_to.message_id, answer_to.option.as_deref()), (&asked.id, Some("drop")), "{words}");
        assert_eq!(posted.answer_problem, None);
        let question = fixture.asked(&asked.id).await;
        assert_eq!(question.state, QuestionState::Answered);
        assert_eq!(question.answer.and_then(|answer| answer.message_id), Some(posted.message.id));
        assert_eq!(fixture.state(&run).await, RunState::Running);
    }
}

#[tokio::test]
async fn a_message_in_the_thread_of_a_question_answers_it() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, which one?", NewQuestion::default()).await;
    let thread = fixture.thread(&asked.id).await;
    let request = PostMessage { thread_id: Some(thread), ..text_answer() };
    let posted = fixture.hub().post_message(&fixture.ben, request.clone()).await.expect("posted");
    assert_eq!(posted.message.answer_to.map(|answer| answer.message_id), Some(asked.id.clone()));
    assert_eq!(fixture.state(&run).await, RunState::Running);
    let later = fixture.hub().post_message(&fixture.mara, request).await.expect("posted");
    assert_eq!(
        (later.message.answer_to, later.answer_problem),
        (None, None),
        "a message after the answer is a plain message"
    );
}

#[tokio::test]
async fn an_answer_in_the_thread_marks_the_delivery_as_answered() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.blocked_run().await;
    let request = PostMessage { thread_id: Some(fixture.thread(&asked.id).await), ..text_answer() };
    let posted = fixture.hub().post_message(&fixture.coder, request).await.expect("posted").message;
    assert_eq!(fixture.state(&run).await, RunState::Running);
    let delivery = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries").remove(0);
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(posted.id)));
    assert!(delivery.handled_at.is_some(), "it had paused the run");
    assert_eq!(fixture.test.inbox(&fixture.coder).await, vec![]);
}

#[tokio::test]
async fn in_a_dm_any_message_answers_the_only_open_question() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.coder, &[&fixture.mara]).await;
    let before = fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "Hello")).await.expect("posted");
    assert_eq!(before.message.answer_to, None, "nothing is asked yet");
    let ask = |body: &str| PostMessage { blocking: true, ..say_in_dm(&dm, body) };
    let asked = fixture.hub().post_message(&fixture.coder, ask("Which one?")).await.expect("asked").message;
    let own = fixture.hub().post_message(&fixture.coder, say_in_dm(&dm, "No hurry")).await.expect("posted");
    assert_eq!(own.message.answer_to, None);
    let posted = fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "The second")).await.expect("posted");
    assert_eq!(posted.message.answer_to.map(|answer| answer.message_id), Some(asked.id));
    for body in ["And now?", "And then?"] {
        fixture.hub().post_message(&fixture.coder, ask(body)).await.expect("asked");
    }
    let posted = fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "The second")).await.expect("posted");
    assert_eq!(posted.message.answer_to, None, "with two open questions the target is ambiguous");
}

#[tokio::test]
async fn an_invalid_reply_stays_a_message_and_its_sender_gets_the_problem() {
    let fixture = BlockingFixture::new().await;
    let schema = NewQuestion { schema: Some(json!({"type": "integer", "minimum": 1})), ..NewQuestion::default() };
    let (run, asked) = fixture.waiting_run("@Mara, how many?", schema).await;
    let posted = fixture.reply(&fixture.mara, &asked, "a few").await;
    let problem = posted.answer_problem.expect("a problem");
    assert_eq!((problem.code, posted.message.answer_to), (Code::BadAnswer, None));
    assert!(problem.detail.contains("integer"), "{problem}");
    assert_eq!(
        (fixture.asked(&asked.id).await.state, fixture.state(&run).await),
        (QuestionState::Open, RunState::Paused)
    );
    let posted = fixture.reply(&fixture.mara, &asked, "3").await;
    assert_eq!(posted.message.answer_to.and_then(|answer| answer.value), Some(json!(3)));
}

#[tokio::test]
async fn replies_of_non_addressees_and_counter_questions_do_not_answer() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder, which one?").await;
    for who in [&fixture.mara, &fixture.tester, &fixture.applet().await] {
        let posted = fixture.reply(who, &asked, "Hm").await;
        assert_eq!((posted.message.answer_to, posted.answer_problem), (None, None), "{}", who.name);
    }
    let counter = PostMessage {
        blocking: true,
        reply_to: Some(asked.id.clone()),
        ..say(&fixture.channel, "@Mara, which ones are there?")
    };
    let counter = fixture.hub().post_message(&fixture.ben, counter).await.expect("asked").message;
    assert_eq!(counter.answer_to, None, "a question is no answer");
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Open);
}

#[tokio::test]
async fn a_streamed_answer_answers_when_it_is_complete() {
    let fixture = BlockingFixture::new().await;
    let schema = NewQuestion { schema: Some(json!({"type": "integer"})), ..NewQuestion::default() };
    let asked = fixture.ask_with(&fixture.mara, "@Coder, how many?", schema).await;
    let request = PostMessage { stream: true, reply_to: Some(asked.id.clone()), ..say(&fixture.channel, "") };
    let end = |body: &str| Complete { body: Some(body.into()), ..Complete::default() };
    let first = fixture.hub().post_message(&fixture.coder, request.clone()).await.expect("begun").message;
    let first = fixture.hub().complete_stream(&fixture.coder, &first.id, end("a few")).await.expect("ended");
    assert_eq!(first.answer_problem.map(|problem| problem.code), Some(Code::BadAnswer));
    let second = fixture.hub().post_message(&fixture.coder, request).await.expect("begun").message;
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Open);
    let ended = fixture.hub().complete_stream(&fixture.coder, &second.id, end("7")).await.expect("ended");
    assert_eq!(ended.message.answer_to.clone().and_then(|answer| answer.value), Some(json!(7)));
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Answered);
    let again = fixture.hub().complete_stream(&fixture.coder, &second.id, end("7")).await.expect("the first answer");
    assert_eq!(again.message, ended.message);
}

#[tokio::test]
async fn a_repeated_reply_answers_once_and_returns_the_same_result() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.coder, "@Mara, which one?").await;
    let reply_to = Some(asked.id.clone());
    let request = PostMessage { id: Some(MessageId::from_bits(55)), reply_to, ..say(&fixture.channel, "The second") };
    let first = fixture.hub().post_message(&fixture.mara, request.clone()).await.expect("posted");
    let again = fixture.hub().post_message(&fixture.mara, request).await.expect("posted");
    assert_eq!((again.novelty, &again.message, again.answer_problem), (Novelty::Repeated, &first.message, None));
    assert!(again.message.answer_to.is_some());
}
