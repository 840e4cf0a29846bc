//! Questions of blocking messages: asking, answering and settling.

mod schema;

use std::sync::Arc;

use parlour_core::{
    Code, Refusal,
    access::{Principal, Role},
    attribution::Attribution,
    author::Author,
    conversation::Conversation,
    delivery::DeliveryState,
    event::Change,
    id::{AgentId, MemberId, RunId},
    inbox::Recipient,
    limits,
    message::Message,
    model_visibility,
    name::Name,
    paging::PageRequest,
    question::{Answer, AnswerTo, NewQuestion, Question, RawAnswer, Settlement},
    waiting,
    write::Novelty,
};

use crate::{
    Failure,
    calling::{PostCommit, RunEffect},
    failure::{run_to_completion, unexpected_change},
    infrastructure::Infrastructure,
    keyed_lock::KeyedLock,
    ports::{Clock, PostContext, Store},
    project_state::ProjectStates,
    runs::RunSupervisor,
};

pub(crate) use self::schema::AnswerSchema;

/// Asks questions, matches answers to them, and settles them.
pub(crate) struct QuestionService {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    projects: Arc<ProjectStates>,
    runs: RunSupervisor,
    /// Serialises new questions per project.
    locks: KeyedLock,
}

impl QuestionService {
    pub(crate) fn new(parts: &Infrastructure) -> Self {
        Self {
            store: parts.store(),
            clock: parts.clock(),
            projects: Arc::clone(&parts.projects),
            runs: parts.run_supervisor.clone(),
            locks: parts.locks.clone(),
        }
    }

    /// Attaches the question to a blocking message before it is posted, and schedules the pause of its author's run.
    pub(crate) async fn attach_question(
        &self,
        caller: &Principal,
        ask: &NewQuestion,
        message: &mut Message,
        post_context: &PostContext,
        recipients: &[Recipient],
        post_commit: &mut PostCommit,
    ) -> Result<AnswerDecision, Failure> {
        check_schema(ask).map_err(|refusal| refusal.at("question"))?;
        let question = ask.asked(addressees(caller, message, post_context, recipients), message.created_at);
        // A repeated post returns its first result, so later changes refuse nothing.
        if self.store.message(&message.id).await?.is_none() {
            self.check_asking(caller, ask, message, &question, post_commit).await?;
        }
        if let Some(run) = &ask.run_id {
            post_commit.then(&self.runs, RunEffect::Pause(run.clone()));
        }
        message.question = Some(question);
        Ok(AnswerDecision::default())
    }

    async fn check_asking(
        &self,
        caller: &Principal,
        ask: &NewQuestion,
        message: &Message,
        question: &Question,
        post_commit: &mut PostCommit,
    ) -> Result<(), Failure> {
        if question.addressees.is_empty() {
            let detail = "mention whom you ask: nobody here would get this question";
            return Err(Refusal::new(Code::NobodyAsked, detail).at("mentions").into());
        }
        if let Some(run) = &ask.run_id {
            self.check_asking_run(caller, run).await?;
        }
        // Under a lock: otherwise two agents that ask each other at once would both pass.
        post_commit.hold(self.locks.lock(&format!("ask {}", message.project_id)).await?);
        self.check_room(caller, message).await?;
        self.check_ring(caller, message, question).await
    }

    async fn check_asking_run(&self, caller: &Principal, id: &RunId) -> Result<(), Failure> {
        let refuse = || Refusal::not_found("run of yours", id).at("question.run_id");
        let run = self.store.run(id).await?.ok_or_else(refuse)?;
        if caller.member.agent() != Some(&run.agent_id) {
            return Err(refuse().into());
        }
        Ok(run.check_open().map_err(|refusal| refusal.at("question.run_id"))?)
    }

    async fn check_room(&self, caller: &Principal, message: &Message) -> Result<(), Failure> {
        let (own, all) = self.store.open_question_counts(&message.project_id, &caller.member).await?;
        // The store counts the questions of members; questions of acting programs are few and are counted here.
        let own = if caller.grant.acts_as.is_some() { self.count_asked_by(caller, message).await? } else { own };
        let bounds = [
            (own, limits::QUESTIONS_PER_ASKER_MAX, "you have"),
            (all, limits::QUESTIONS_PER_PROJECT_MAX, "this project has"),
        ];
        for (count, most, who) in bounds {
            if count >= most as u64 {
                let detail = format!("{who} {count} open questions; at most {most} may be open at once");
                return Err(Refusal::new(Code::Full, detail).at("blocking").into());
            }
        }
        Ok(())
    }

    async fn count_asked_by(&self, caller: &Principal, message: &Message) -> Result<u64, Failure> {
        let (mut count, mut next) = (0, Some(PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?));
        while let Some(page) = next.take() {
            let open = self.store.open_questions(&message.project_id, caller, &page).await?;
            count += open.items.iter().filter(|asked| asks(&message.from, asked)).count() as u64;
            next = open.next.map(|key| PageRequest::new(Some(key), Some(limits::PAGE_ITEMS_MAX))).transpose()?;
        }
        Ok(count)
    }

    /// Refuses a question of an agent if all its addressees wait for the asker.
    async fn check_ring(&self, caller: &Principal, message: &Message, question: &Question) -> Result<(), Failure> {
        let Some(asker) = caller.member.agent() else { return Ok(()) };
        let waits = self.store.waits(&message.project_id).await?;
        let Some(ring) = waiting::find_ring(asker, &question.addressees, &waits) else { return Ok(()) };
        let names = self.names_in(message, &ring).await?;
        let way = names.iter().chain(names.first()).map(String::as_str).collect::<Vec<_>>().join(" → ");
        let detail = format!("nobody could answer, because they would wait for each other: {way}");
        Err(Refusal::new(Code::WaitRing, detail).at("blocking").into())
    }

    async fn names_in(&self, message: &Message, ring: &[AgentId]) -> Result<Vec<String>, Failure> {
        let roster = self.projects.roster(&message.project_id).await?;
        let name_of = |id: &AgentId| match roster.name_of(&id.clone().into()) {
            Some(name) => name.to_string(),
            None => id.to_string(),
        };
        Ok(ring.iter().map(name_of).collect())
    }
}

fn check_schema(ask: &NewQuestion) -> Result<(), Refusal> {
    let Some(schema) = &ask.schema else { return Ok(()) };
    let schema = AnswerSchema::compile(schema).map_err(|refusal| refusal.at("schema"))?;
    let Some(default) = &ask.default else { return Ok(()) };
    schema.check(default).map_err(|refusal| {
        Refusal::invalid(format!("the default does not fit the schema: {}", refusal.detail)).at("default")
    })
}

/// The addressees of a blocking message: the mentioned members; without mentions the others of a DM, elsewhere the
/// agents that receive the message in their inbox. Each of them can read it.
fn addressees(
    caller: &Principal,
    message: &Message,
    post_context: &PostContext,
    recipients: &[Recipient],
) -> Vec<MemberId> {
    let author = message.from.member_id();
    let mentioned: Vec<MemberId> =
        message.mentions.iter().filter(|member| Some(*member) != author.as_ref()).cloned().collect();
    match &post_context.conversation {
        _ if !mentioned.is_empty() => mentioned,
        Conversation::Dm(dm) => dm.participants.iter().filter(|member| **member != caller.member).cloned().collect(),
        _ => recipients.iter().map(|recipient| recipient.agent_id.clone().into()).collect(),
    }
}

/// Whether the caller is a person, not a program that acts as one.
pub(crate) fn is_person(caller: &Principal) -> bool {
    caller.member.person().is_some() && caller.grant.acts_as.is_none()
}

/// Whether this author has written the message.
pub(crate) fn asks(author: &Author, message: &Message) -> bool {
    (author.author_type, &author.id) == (message.from.author_type, &message.from.id)
}

/// The answering member, or a refusal: the addressees and every person may answer, but not the asker.
///
/// Programs that act as a person may not: a schedule must not decide for a person.
pub(crate) fn check_answer(author: &Author, message: &Message, question: &Question) -> Result<MemberId, Refusal> {
    let Some(member) = author.member_id() else {
        return Err(Refusal::forbidden("only people and agents answer questions, applets and schedules do not"));
    };
    if asks(author, message) {
        return Err(Refusal::forbidden("whoever asked does not answer: take the question back instead"));
    }
    if member.person().is_some() || question.addressees.contains(&member) {
        return Ok(member);
    }
    Err(Refusal::forbidden("only those whom the question asks, and people, answer it"))
}

/// The relation of a message to an open question.
#[derive(Default)]
pub(crate) struct AnswerDecision {
    /// The answer that it gives.
    pub(crate) answer_to: Option<AnswerTo>,
    /// Why it does not answer the question that it replies to.
    pub(crate) problem: Option<Refusal>,
}

impl QuestionService {
    /// Attaches the answer to an open question to a message before it is posted, and schedules the resumption of
    /// waiting runs.
    pub(crate) async fn attach_answer(
        &self,
        message: &mut Message,
        post_context: &PostContext,
        post_commit: &mut PostCommit,
    ) -> Result<AnswerDecision, Failure> {
        let reply = self.decide_reply(message, post_context).await?;
        if let Some(answer_to) = &reply.answer_to {
            post_commit.then(&self.runs, RunEffect::Release(answer_to.message_id.clone()));
            message.answer_to = Some(answer_to.clone());
        }
        Ok(reply)
    }

    /// Decides whether a message answers an open question: one that it replies to, the one at the root of its thread,
    /// or in a DM the only one that is open to its author. Does not change the message.
    async fn decide_reply(&self, message: &Message, post_context: &PostContext) -> Result<AnswerDecision, Failure> {
        let author = message.from.member_id();
        let Some(author) = author.filter(|_| model_visibility::may_wake(message) && !message.blocking) else {
            return Ok(AnswerDecision::default());
        };
        if !could_answer(message, post_context) || self.has_no_open_questions(message, &author).await? {
            return Ok(AnswerDecision::default());
        }
        let Some(asked) = self.find_answered_question(&author, message, post_context).await? else {
            return Ok(AnswerDecision::default());
        };
        let Some(question) = asked.question.as_ref().filter(|question| self.is_answerable(question)) else {
            return Ok(AnswerDecision::default());
        };
        if check_answer(&message.from, &asked, question).is_err() {
            // Others may write below a question without a problem report.
            return Ok(AnswerDecision::default());
        }
        Ok(match read_given(question, question.read_text(&message.body)) {
            Ok(answer) => {
                let answer_to = AnswerTo { message_id: asked.id, option: answer.option, value: answer.value };
                AnswerDecision { answer_to: Some(answer_to), problem: None }
            }
            Err(refusal) => AnswerDecision { answer_to: None, problem: Some(refusal.at("body")) },
        })
    }

    /// Whether a question is open and has not expired, even if its expiry was not recorded yet.
    pub(crate) fn is_answerable(&self, question: &Question) -> bool {
        question.is_open() && self.clock.now() < question.expires_at
    }

    /// Why a message did not settle its question: another answer was faster.
    pub(crate) async fn explain_unsettled_answer(
        &self,
        reply: AnswerDecision,
        novelty: Novelty,
        message: &Message,
    ) -> Option<Refusal> {
        let Some(answer_to) = reply.answer_to.filter(|_| novelty == Novelty::New) else { return reply.problem };
        if message.answer_to.is_some() {
            return None;
        }
        let asked = self.store.message(&answer_to.message_id).await.ok().flatten();
        let closed = asked.and_then(|asked| asked.question).filter(|question| !question.is_open());
        let gone = || Refusal::new(Code::QuestionClosed, "the question was taken back");
        Some(closed.map_or_else(gone, |question| question.refuse_closed()))
    }

    /// Whether the project has no open question. That is the usual case and is cached until a question is asked, so
    /// that posts need no lookup.
    async fn has_no_open_questions(&self, message: &Message, author: &MemberId) -> Result<bool, Failure> {
        let load = async {
            let (_, open) = self.store.open_question_counts(&message.project_id, author).await?;
            Ok((open == 0).then_some(()))
        };
        Ok(self.projects.get(&message.project_id).no_open_questions.get_or_load(load).await?.is_some())
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
            // A reply to another message does not answer the question.
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

/// Whether a message could answer a question; needs no lookup.
fn could_answer(message: &Message, post_context: &PostContext) -> bool {
    message.reply_to.is_some() || matches!(post_context.conversation, Conversation::Thread(_) | Conversation::Dm(_))
}

/// Reads an answer; refused (`BadAnswer`) if it does not match the schema.
fn read_given(question: &Question, given: RawAnswer) -> Result<Answer, Refusal> {
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

impl QuestionService {
    /// The settlement for this answer.
    pub(crate) fn settlement_of(&self, question: &Question, given: RawAnswer) -> Result<Settlement, Refusal> {
        let field = match &given {
            RawAnswer::Option(_) => "option",
            RawAnswer::Values(_) => "value",
            RawAnswer::Text(_) => "text",
        };
        read_given(question, given).map(Settlement::Answered).map_err(|refusal| refusal.at(field))
    }

    /// Settles the question of a message and resumes waiting runs, even if the caller goes away. Returns the message
    /// afterwards.
    pub(crate) async fn settle(
        &self,
        attribution: Attribution,
        message: &Message,
        settlement: Settlement,
    ) -> Result<Message, Failure> {
        let (run_supervisor, message) = (self.runs.clone(), message.clone());
        run_to_completion("settle a question", async move {
            let taken_up = taken_up(&attribution, &settlement);
            let mark = match run_supervisor.settle(attribution.clone(), &message, settlement).await? {
                Change::QuestionChanged(mark) => *mark,
                other => return Err(unexpected_change(&other)),
            };
            if let Some((agent, state)) = taken_up {
                run_supervisor.report_delivery(attribution, &message, &agent, state).await;
            }
            run_supervisor.release(&message.id).await;
            Ok(Message { question: Some(mark.question), ..message })
        })
        .await
    }

    /// Expires a question that is due, and returns the message afterwards.
    pub(crate) async fn expire_if_due(&self, message: Message) -> Result<Message, Failure> {
        let is_due = message.question.as_ref().is_some_and(|one| one.is_open() && !self.is_answerable(one));
        if !is_due {
            return Ok(message);
        }
        self.runs.expire(&message.id).await?;
        let found = self.store.message(&message.id).await?;
        Ok(found.unwrap_or(message))
    }
}

/// The delivery state of the message for an agent that settles its question.
fn taken_up(attribution: &Attribution, settlement: &Settlement) -> Option<(AgentId, DeliveryState)> {
    let agent = attribution.actor.member_id()?.agent()?.clone();
    match settlement {
        Settlement::Answered(_) => Some((agent, DeliveryState::Answered)),
        Settlement::Ignored(_) => Some((agent, DeliveryState::Seen)),
        Settlement::Unanswered(_) | Settlement::Expired | Settlement::Withdrawn => None,
    }
}
