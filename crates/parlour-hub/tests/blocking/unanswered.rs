//! Questions that an agent has handled without an answer.

use parlour_core::{
    Code,
    id::{MessageId, RunId},
    message::Message,
    question::{NewQuestion, QuestionState},
    run::{FinishRun, RunState, StartRun},
};

use super::fixture::{BlockingFixture, choice};

impl BlockingFixture {
    /// A run of Coder that is paused by this question.
    async fn paused_by(&self, asked: &Message) -> RunId {
        let run = self.start(&self.coder).await;
        let at = self.checkpoint(&self.coder, &run).await;
        assert!(at.run.pauses.iter().any(|pause| pause.message_id == asked.id), "{at:?}");
        run
    }

    async fn outcome(&self, id: &MessageId) -> (QuestionState, bool) {
        let question = self.asked(id).await;
        (question.state, question.answer.is_some_and(|answer| answer.is_default))
    }
}

#[tokio::test]
async fn a_resumption_without_an_answer_settles_the_question_with_its_default() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask_with(&fixture.mara, "@Coder, keep it?", choice(&["keep", "drop"])).await;
    let run = fixture.paused_by(&asked).await;
    fixture.hub().resume_run(&fixture.coder, &run, Some(&asked.id)).await.expect("resumed");
    assert_eq!(fixture.outcome(&asked.id).await, (QuestionState::Unanswered, true));
    let late = fixture.answer(&fixture.coder, &asked.id, "keep").await;
    assert_eq!(crate::support::refused(late), Code::QuestionClosed);
}

#[tokio::test]
async fn the_asker_gets_its_slot_back() {
    let fixture = BlockingFixture::new().await;
    for _ in 0..4 {
        let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
        let run = fixture.paused_by(&asked).await;
        fixture.hub().resume_run(&fixture.coder, &run, None).await.expect("resumed");
        assert_eq!(fixture.outcome(&asked.id).await, (QuestionState::Unanswered, false));
    }
}

#[tokio::test]
async fn the_run_of_the_asker_resumes() {
    let fixture = BlockingFixture::new().await;
    let waiting = fixture.start(&fixture.tester).await;
    let ask = NewQuestion { run_id: Some(waiting.clone()), ..NewQuestion::default() };
    let asked = fixture.ask_with(&fixture.tester, "@Coder, is it built?", ask).await;
    assert_eq!(fixture.state(&waiting).await, RunState::Paused);
    let run = fixture.paused_by(&asked).await;
    fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Unanswered);
    assert_eq!(fixture.state(&waiting).await, RunState::Running);
    let detail = fixture.timeline(&waiting).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("not answered"));
}

#[tokio::test]
async fn it_stays_open_while_another_addressee_can_answer() {
    let fixture = BlockingFixture::new().await;
    let agents = fixture.ask(&fixture.mara, "@Coder @Tester, which version?").await;
    let person = fixture.ask(&fixture.mara, "@Coder @Ben, which version?").await;
    let run = fixture.paused_by(&agents).await;
    fixture.hub().resume_run(&fixture.coder, &run, None).await.expect("resumed");
    for asked in [&agents, &person] {
        assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Open);
    }
    fixture.answer(&fixture.ben, &person.id, "the second").await.expect("a person may still answer");
    let other = fixture.start(&fixture.tester).await;
    fixture.checkpoint(&fixture.tester, &other).await;
    fixture.hub().resume_run(&fixture.tester, &other, None).await.expect("resumed");
    assert_eq!(fixture.outcome(&agents.id).await.0, QuestionState::Unanswered);
}

#[tokio::test]
async fn a_run_that_was_caused_by_the_question_settles_it_with_its_end() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    let start = || StartRun { message_id: Some(asked.id.clone()), ..StartRun::default() };
    let failed = fixture.hub().start_run(&fixture.coder, start()).await.expect("started").id;
    let end = FinishRun { failed: Some("crashed".into()), ..FinishRun::default() };
    fixture.hub().finish_run(&fixture.coder, &failed, end).await.expect("failed");
    assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Open, "the agent tries again");
    let done = fixture.hub().start_run(&fixture.coder, start()).await.expect("started").id;
    fixture.hub().finish_run(&fixture.coder, &done, FinishRun::default()).await.expect("finished");
    assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Unanswered);
}

#[tokio::test]
async fn a_run_that_was_not_given_the_question_leaves_it_open() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let asked = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    fixture.hub().finish_run(&fixture.coder, &run, FinishRun::default()).await.expect("finished");
    assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Open);
}

#[tokio::test]
async fn a_person_who_resumes_the_run_leaves_the_question_open() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.blocked_run().await;
    fixture.hub().resume_run(&fixture.ben, &run, None).await.expect("resumed");
    assert_eq!(fixture.outcome(&asked.id).await.0, QuestionState::Open);
    fixture.answer(&fixture.ben, &asked.id, "the second").await.expect("answered");
}
