use parlour_core::{
    Code, Refusal,
    access::{Principal, Role},
    conversation::Conversation,
    id::MemberId,
    limits,
    message::Message,
    model_visibility,
    name::Name,
    paging::PageRequest,
    question::{Answer, AnswerTo, Question, RawAnswer},
    write::Novelty,
};

use super::{AnswerSchema, asks, check_answer};
use crate::{
    Failure, Hub,
    calling::{PostCommit, RunEffect},
    ports::PostContext,
};

/// What a message says to an open question.
#[derive(Default)]
pub(crate) struct Reply {
    /// What it answers.
    pub(crate) answer_to: Option<AnswerTo>,
    /// Why it does not answer the question that it replies to.
    pub(crate) problem: Option<Refusal>,
}

impl Hub {
    /// Notes on a message that is to be posted which open question it answers, and that whoever waits for it goes on then.
    pub(crate) async fn attach_answer(
        &self,
        message: &mut Message,
        post_context: &PostContext,
        post_commit: &mut PostCommit,
    ) -> Result<Reply, Failure> {
        let reply = self.decide_reply(message, post_context).await?;
        if let Some(answer_to) = &reply.answer_to {
            post_commit.then(&self.run_supervisor, RunEffect::Release(answer_to.message_id.clone()));
            message.answer_to = Some(answer_to.clone());
        }
        Ok(reply)
    }

    /// Decides whether a message, as it will stand, answers an open question: one that it replies to, one above its
    /// thread, or in a dm the only one that is open to its author. It does not change the message.
    async fn decide_reply(&self, message: &Message, post_context: &PostContext) -> Result<Reply, Failure> {
        let author = message.from.member_id();
        let Some(author) = author.filter(|_| model_visibility::may_wake(message) && !message.blocking) else {
            return Ok(Reply::default());
        };
        if !could_answer(message, post_context) || self.has_no_open_questions(message, &author).await? {
            return Ok(Reply::default());
        }
        let Some(asked) = self.find_answered_question(&author, message, post_context).await? else { return Ok(Reply::default()) };
        let Some(question) = asked.question.as_ref().filter(|question| self.is_answerable(question)) else {
            return Ok(Reply::default());
        };
        if check_answer(&message.from, &asked, question).is_err() {
            // Others may talk below a question without being told that it is not for them.
            return Ok(Reply::default());
        }
        Ok(match read_given(question, question.read_text(&message.body)) {
            Ok(answer) => {
                let answer_to = AnswerTo { message_id: asked.id, option: answer.option, value: answer.value };
                Reply { answer_to: Some(answer_to), problem: None }
            }
            Err(refusal) => Reply { answer_to: None, problem: Some(refusal.at("body")) },
        })
    }

    /// Whether a question can be answered at this moment, also before anybody has noticed that its time is over.
    pub(crate) fn is_answerable(&self, question: &Question) -> bool {
        question.is_open() && self.clock.now() < question.expires_at
    }

    /// Why a message did not settle what it was meant to: somebody was faster.
    pub(crate) async fn explain_unsettled_answer(&self, reply: Reply, novelty: Novelty, message: &Message) -> Option<Refusal> {
        let Some(answer_to) = reply.answer_to.filter(|_| novelty == Novelty::New) else { return reply.problem };
        if message.answer_to.is_some() {
            return None;
        }
        let asked = self.store.message(&answer_to.message_id).await.ok().flatten();
        let closed = asked.and_then(|asked| asked.question).filter(|question| !question.is_open());
        let gone = || Refusal::new(Code::QuestionClosed, "the question was taken back");
        Some(closed.map_or_else(gone, |question| question.refuse_closed()))
    }

    /// Whether nothing is asked in the whole project. That is nearly always so, and remembered until somebody asks: then
    /// posts cost no look for a question.
    async fn has_no_open_questions(&self, message: &Message, author: &MemberId) -> Result<bool, Failure> {
        let load = async {
            let (_, open) = self.store.open_question_counts(&message.project_id, author).await?;
            Ok((open == 0).then_some(()))
        };
        Ok(self.no_open_questions.get_or_load(&message.project_id, load).await?.is_some())
    }

    async fn find_answered_question(
        &self,
        author: &MemberId,
        message: &Message,
        post_context: &PostContext,
    ) -> Result<Option<Message>, Failure> {
        let is_question = |asked: &Message| asked.question.as_ref().is_some_and(Question::is_open);
        if let Some(id) = &message.reply_to
            && let Some(asked) = self.store.message(id).await?.filter(is_question)
        {
            return Ok(Some(asked));
        }
        match &post_context.conversation {
            Conversation::Thread(thread) => Ok(self.store.message(&thread.root_message_id).await?.filter(is_question)),
            // Who replies to something else answers that.
            Conversation::Dm(_) if message.reply_to.is_none() => self.only_question_to(author, message).await,
            _ => Ok(None),
        }
    }

    async fn only_question_to(&self, author: &MemberId, message: &Message) -> Result<Option<Message>, Failure> {
        let Ok(name) = Name::parse(&message.from.name) else { return Ok(None) };
        let role = match author {
            MemberId::Agent(_) => Role::Agent(message.project_id.clone()),
            MemberId::Person(_) => Role::Person,
        };
        let reader = Principal::new(author.clone(), name, role);
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let open = self.store.questions_to(&reader, Some(&message.project_id), &page).await?.items;
        let mut here = open.into_iter().filter(|asked| asked.to == message.to && !asks(&message.from, asked));
        Ok(here.next().filter(|_| here.next().is_none()))
    }
}

/// Whether there is a question at all that a message could answer, told without a look into the store.
fn could_answer(message: &Message, post_context: &PostContext) -> bool {
    message.reply_to.is_some() || matches!(post_context.conversation, Conversation::Thread(_) | Conversation::Dm(_))
}

/// The answer that is meant, without the message that gives it; refused (`BadAnswer`) when it does not fit the schema.
pub(super) fn read_given(question: &Question, given: RawAnswer) -> Result<Answer, Refusal> {
    let answer = Answer { option: None, value: None, text: None, message_id: None, is_default: false };
    match given {
        RawAnswer::Option(id) => Ok(Answer { option: Some(id), ..answer }),
        RawAnswer::Text(text) => Ok(Answer { text: Some(text), ..answer }),
        RawAnswer::Values(values) => {
            let schema = question.schema.as_ref().map(AnswerSchema::compile).transpose()?;
            let chosen = match schema {
                Some(schema) => schema.choose(values)?,
                None => values.into_iter().next().unwrap_or_default(),
            };
            Ok(Answer { value: Some(chosen), ..answer })
        }
    }
}
