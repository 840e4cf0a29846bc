use parlour_core::{
    Code,
    access::Principal,
    id::MessageId,
    paging::PageRequest,
    post::PostMessage,
    question::{NewQuestion, OpenQuestion},
};
use parlour_hub::use_cases::QuestionQuery;

use super::fixture::{BlockingFixture, say_in_dm};
use crate::support::{refused, say};

async fn board(fixture: &BlockingFixture, who: &Principal, query: &QuestionQuery) -> Vec<OpenQuestion> {
    fixture.hub().questions(who, query, &PageRequest::first()).await.expect("board").items
}

fn ids(board: &[OpenQuestion]) -> Vec<MessageId> {
    board.iter().map(|open| open.message.id.clone()).collect()
}

#[tokio::test]
async fn needs_you_lists_the_questions_of_all_projects_by_deadline() {
    let fixture = BlockingFixture::new().await;
    let (run, late) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    let second = fixture.test.project(&fixture.mara, "Gemini").await;
    let channel = fixture.test.channel(&fixture.mara, &second, "launch").await;
    let pilot = fixture.test.agent(&second, "Pilot").await;
    let soon = NewQuestion { expires_in_seconds: Some(60), ..NewQuestion::default() };
    let request = PostMessage { blocking: true, question: Some(soon), ..say(&channel, "@Mara, go?") };
    let soon = fixture.hub().post_message(&pilot, request).await.expect("asked").message;
    fixture.ask(&fixture.tester, "@Ben, keep it?").await;
    let open = board(&fixture, &fixture.mara, &QuestionQuery::default()).await;
    assert_eq!(ids(&open), [soon.id.clone(), late.id.clone()]);
    assert_eq!((open[0].project_name.as_str(), open[1].project_name.as_str()), ("Gemini", "Apollo"));
    assert_eq!(open[1].channel_name.as_ref().map(|name| name.as_str()), Some("general"));
    assert_eq!(open[1].blocks.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), [run]);
    let of_one = QuestionQuery { project_id: Some(fixture.project.clone()), whole_project: false };
    assert_eq!(ids(&board(&fixture, &fixture.mara, &of_one).await), std::slice::from_ref(&late.id));
    fixture.ignore(&fixture.mara, &late.id).await.expect("ignored");
    assert_eq!(ids(&board(&fixture, &fixture.mara, &QuestionQuery::default()).await), [soon.id]);
}

#[tokio::test]
async fn the_question_list_of_a_project_contains_only_readable_questions() {
    let fixture = BlockingFixture::new().await;
    let open = fixture.ask(&fixture.tester, "@Ben, keep it?").await;
    let dm = fixture.dm(&fixture.coder, &[&fixture.mara]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Keep it?") };
    let hidden = fixture.hub().post_message(&fixture.coder, request).await.expect("asked").message;
    let whole = QuestionQuery { project_id: Some(fixture.project.clone()), whole_project: true };
    let mut seen = ids(&board(&fixture, &fixture.mara, &whole).await);
    seen.sort();
    let mut both = vec![open.id.clone(), hidden.id];
    both.sort();
    assert_eq!(seen, both);
    assert_eq!(ids(&board(&fixture, &fixture.ben, &whole).await), [open.id]);
    let stranger = fixture.test.person("Eve").await;
    assert_eq!(refused(fixture.hub().questions(&stranger, &whole, &PageRequest::first()).await), Code::NotFound);
    let nowhere = QuestionQuery { project_id: None, whole_project: true };
    assert_eq!(
        refused(fixture.hub().questions(&fixture.mara, &nowhere, &PageRequest::first()).await),
        Code::WrongShape
    );
}
