use parlour_core::{
    Code,
    delivery::DeliveryState,
    id::MessageId,
    live::Complete,
    post::PostMessage,
    question::{Ask, QuestionState},
    run::RunState,
    write::Novelty,
};
use serde_json::json;

use super::stage::{Stage, choice, say_in_dm};
use crate::support::say;

fn answer_in_words() -> PostMessage {
    PostMessage { body: "The second".into(), ..PostMessage::default() }
}

#[tokio::test]
async fn a_reply_that_names_an_option_answers() {
    let stage = Stage::new().await;
    for words in ["drop", "Drop it", " 2 "] {
        let (run, asked) = stage.waiting_run("@Mara, keep it?", choice(&["keep", "drop"])).await;
        let posted = stage.reply(&stage.mara, &asked, words).await;
        let answer_to = posted.message.answer_to.expect("an answer");
        assert_eq!((&answer_to.message_id, answer_to.option.as_deref()), (&asked.id, Some("drop")), "{words}");
        assert_eq!(posted.answer_problem, None);
        let question = stage.asked(&asked.id).await;
        assert_eq!(question.state, QuestionState::Answered);
        assert_eq!(question.answer.and_then(|answer| answer.message_id), Some(posted.message.id));
        assert_eq!(stage.state(&run).await, RunState::Running);
    }
}

#[tokio::test]
async fn what_is_written_below_a_question_answers_it() {
    let stage = Stage::new().await;
    let (run, asked) = stage.waiting_run("@Mara, which one?", Ask::default()).await;
    let thread = stage.thread(&asked.id).await;
    let request = PostMessage { thread_id: Some(thread), ..answer_in_words() };
    let posted = stage.hub().post_message(&stage.ben, request.clone()).await.expect("posted");
    assert_eq!(posted.message.answer_to.map(|answer| answer.message_id), Some(asked.id.clone()));
    assert_eq!(stage.state(&run).await, RunState::Running);
    let later = stage.hub().post_message(&stage.mara, request).await.expect("posted");
    assert_eq!(
        (later.message.answer_to, later.answer_problem),
        (None, None),
        "then it is a conversation like any other"
    );
}

#[tokio::test]
async fn an_agent_that_answers_below_a_question_has_answered_its_message() {
    let stage = Stage::new().await;
    let (run, asked) = stage.blocked_run().await;
    let request = PostMessage { thread_id: Some(stage.thread(&asked.id).await), ..answer_in_words() };
    let posted = stage.hub().post_message(&stage.coder, request).await.expect("posted").message;
    assert_eq!(stage.state(&run).await, RunState::Running);
    let delivery = stage.hub().deliveries(&stage.mara, &asked.id).await.expect("deliveries").remove(0);
    assert_eq!((delivery.state, delivery.answer_id), (DeliveryState::Answered, Some(posted.id)));
    assert!(delivery.handled_at.is_some(), "it had paused the run");
    assert_eq!(stage.test.inbox(&stage.coder).await, vec![]);
}

#[tokio::test]
async fn in_a_dm_the_only_open_question_is_answered_by_whatever_is_said() {
    let stage = Stage::new().await;
    let dm = stage.dm(&stage.coder, &[&stage.mara]).await;
    let before = stage.hub().post_message(&stage.mara, say_in_dm(&dm, "Hello")).await.expect("posted");
    assert_eq!(before.message.answer_to, None, "nothing is asked yet");
    let ask = |body: &str| PostMessage { blocking: true, ..say_in_dm(&dm, body) };
    let asked = stage.hub().post_message(&stage.coder, ask("Which one?")).await.expect("asked").message;
    let own = stage.hub().post_message(&stage.coder, say_in_dm(&dm, "No hurry")).await.expect("posted");
    assert_eq!(own.message.answer_to, None);
    let posted = stage.hub().post_message(&stage.mara, say_in_dm(&dm, "The second")).await.expect("posted");
    assert_eq!(posted.message.answer_to.map(|answer| answer.message_id), Some(asked.id));
    for body in ["And now?", "And then?"] {
        stage.hub().post_message(&stage.coder, ask(body)).await.expect("asked");
    }
    let posted = stage.hub().post_message(&stage.mara, say_in_dm(&dm, "The second")).await.expect("posted");
    assert_eq!(posted.message.answer_to, None, "nobody knows which one is meant");
}

#[tokio::test]
async fn a_reply_that_does_not_fit_stays_a_message_and_its_sender_is_told() {
    let stage = Stage::new().await;
    let schema = Ask { schema: Some(json!({"type": "integer", "minimum": 1})), ..Ask::default() };
    let (run, asked) = stage.waiting_run("@Mara, how many?", schema).await;
    let posted = stage.reply(&stage.mara, &asked, "a few").await;
    let problem = posted.answer_problem.expect("a problem");
    assert_eq!((problem.code, posted.message.answer_to), (Code::BadAnswer, None));
    assert!(problem.detail.contains("integer"), "{problem}");
    assert_eq!((stage.asked(&asked.id).await.state, stage.state(&run).await), (QuestionState::Open, RunState::Paused));
    let posted = stage.reply(&stage.mara, &asked, "3").await;
    assert_eq!(posted.message.answer_to.and_then(|answer| answer.value), Some(json!(3)));
}

#[tokio::test]
async fn others_may_talk_below_a_question() {
    let stage = Stage::new().await;
    let asked = stage.ask(&stage.mara, "@Coder, which one?").await;
    for who in [&stage.mara, &stage.tester, &stage.applet().await] {
        let posted = stage.reply(who, &asked, "Hm").await;
        assert_eq!((posted.message.answer_to, posted.answer_problem), (None, None), "{}", who.name);
    }
    let counter = PostMessage {
        blocking: true,
        reply_to: Some(asked.id.clone()),
        ..say(&stage.channel, "@Mara, which ones are there?")
    };
    let counter = stage.hub().post_message(&stage.ben, counter).await.expect("asked").message;
    assert_eq!(counter.answer_to, None, "a question is no answer");
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Open);
}

#[tokio::test]
async fn an_answer_that_was_streamed_counts_when_it_is_complete() {
    let stage = Stage::new().await;
    let schema = Ask { schema: Some(json!({"type": "integer"})), ..Ask::default() };
    let asked = stage.ask_with(&stage.mara, "@Coder, how many?", schema).await;
    let request = PostMessage { stream: true, reply_to: Some(asked.id.clone()), ..say(&stage.channel, "") };
    let end = |body: &str| Complete { body: Some(body.into()), ..Complete::default() };
    let first = stage.hub().post_message(&stage.coder, request.clone()).await.expect("begun").message;
    let first = stage.hub().complete_stream(&stage.coder, &first.id, end("a few")).await.expect("ended");
    assert_eq!(first.answer_problem.map(|problem| problem.code), Some(Code::BadAnswer));
    let second = stage.hub().post_message(&stage.coder, request).await.expect("begun").message;
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Open);
    let ended = stage.hub().complete_stream(&stage.coder, &second.id, end("7")).await.expect("ended");
    assert_eq!(ended.message.answer_to.clone().and_then(|answer| answer.value), Some(json!(7)));
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Answered);
    let again = stage.hub().complete_stream(&stage.coder, &second.id, end("7")).await.expect("the first answer");
    assert_eq!(again.message, ended.message);
}

#[tokio::test]
async fn a_repeated_reply_answers_once_and_is_told_the_same() {
    let stage = Stage::new().await;
    let asked = stage.ask(&stage.coder, "@Mara, which one?").await;
    let reply_to = Some(asked.id.clone());
    let request = PostMessage { id: Some(MessageId::from_bits(55)), reply_to, ..say(&stage.channel, "The second") };
    let first = stage.hub().post_message(&stage.mara, request.clone()).await.expect("posted");
    let again = stage.hub().post_message(&stage.mara, request).await.expect("posted");
    assert_eq!((again.novelty, &again.message, again.answer_problem), (Novelty::Repeated, &first.message, None));
    assert!(again.message.answer_to.is_some());
}
