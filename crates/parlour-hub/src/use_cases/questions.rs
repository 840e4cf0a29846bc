//! The question board: open questions, answers and withdrawals.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    Refusal,
    access::{self, Principal},
    conversation::Conversation,
    id::{ConversationId, MessageId, ProjectId},
    message::Message,
    name::Name,
    paging::{Page, PageRequest},
    question::{AnswerRequest, OpenQuestion, Question, Settlement},
    run::Run,
    scope::Scope,
};

use crate::{
    Failure,
    access::Access,
    infrastructure::Infrastructure,
    ports::{Clock, Store},
    questions::{QuestionService, asks, check_answer, is_person},
    streams::StreamService,
    waiters::{Topic, Waiters},
};

/// A filter of open questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionQuery {
    /// Absent means all visible projects, and then only questions to the caller.
    pub project_id: Option<ProjectId>,
    /// All readable questions of the project instead of only those to the caller.
    pub whole_project: bool,
}

/// Lists open questions, and answers or withdraws them.
pub(crate) struct QuestionBoard {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) waiters: Waiters,
    pub(super) questions: Arc<QuestionService>,
    pub(super) streams: Arc<StreamService>,
}

impl QuestionBoard {
    pub(crate) fn new(parts: &Infrastructure, questions: &Arc<QuestionService>, streams: &Arc<StreamService>) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            waiters: parts.run_supervisor.waiters.clone(),
            questions: Arc::clone(questions),
            streams: Arc::clone(streams),
        }
    }
}

impl QuestionBoard {
    /// Lists open questions, the soonest to expire first, each with the runs that it pauses.
    pub(crate) async fn questions(
        &self,
        caller: &Principal,
        query: &QuestionQuery,
        page: &PageRequest,
    ) -> Result<Page<OpenQuestion>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        if let Some(project) = &query.project_id {
            self.access.load_visible_project(caller, project).await?;
        }
        let open = match (&query.project_id, query.whole_project) {
            (Some(project), true) => self.store.open_questions(project, caller, page).await?,
            (project, false) => self.store.questions_to(caller, project.as_ref(), page).await?,
            (None, true) => {
                return Err(Refusal::invalid("name the project whose questions you want").at("project_id").into());
            }
        };
        let (mut names, mut items) = (HashMap::new(), Vec::with_capacity(open.items.len()));
        for message in open.items {
            items.push(self.on_board(caller, message, &mut names).await?);
        }
        Ok(Page { items, next: open.next })
    }

    /// Returns a message when its question is closed, or after `seconds`.
    pub(crate) async fn wait_question(
        &self,
        caller: &Principal,
        id: &MessageId,
        seconds: u64,
    ) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let waiter = self.waiters.register(vec![Topic::Message(id.clone())], self.clock.now(), seconds)?;
        loop {
            let (message, _) = self.access.load_visible_message(caller, id).await?;
            let mut message = self.questions.expire_if_due(message).await?;
            let is_open = message.question.as_ref().is_some_and(Question::is_open);
            if !is_open || !waiter.wait_for_change(self.clock.as_ref()).await {
                self.streams.fill_streaming_text(&mut message).await?;
                return Ok(message);
            }
        }
    }

    /// Answers the question of a message without a message, or ignores it.
    ///
    /// The addressees and every person who reads the message may answer, but not the asker. A question is answered once:
    /// later answers are refused (`QuestionClosed`), and so are invalid ones (`BadAnswer`).
    pub(crate) async fn answer_question(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: AnswerRequest,
    ) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let (message, question) = self.load_visible_question(caller, id).await?;
        let member = check_answer(&caller.author(), &message, &question)?;
        let settlement = match request.given(&question) {
            _ if !question.is_open() => return Err(question.refuse_closed().into()),
            Ok(None) if !question.addressees.contains(&member) => {
                return Err(Refusal::forbidden("only those whom the question asks can leave it unanswered").into());
            }
            Ok(None) => Settlement::Ignored(member),
            Ok(Some(given)) => self.questions.settlement_of(&question, given)?,
            Err(refusal) => return Err(refusal.into()),
        };
        let settled = self.questions.settle(caller.attribution(self.clock.now()), &message, settlement).await?;
        Ok(access::shown_to(caller, settled))
    }

    /// Withdraws the question of a message and resumes waiting runs. For the asker and people who read the message.
    pub(crate) async fn withdraw_question(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let (message, question) = self.load_visible_question(caller, id).await?;
        if !is_person(caller) && !asks(&caller.author(), &message) {
            return Err(Refusal::forbidden("only who asked, and people, take a question back").into());
        }
        if !question.is_open() {
            return Err(question.refuse_closed().into());
        }
        let settled =
            self.questions.settle(caller.attribution(self.clock.now()), &message, Settlement::Withdrawn).await?;
        Ok(access::shown_to(caller, settled))
    }

    /// A readable message and the current state of its question, after expiring it if it is due.
    async fn load_visible_question(&self, caller: &Principal, id: &MessageId) -> Result<(Message, Question), Failure> {
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        access::check_present(&message)?;
        let message = self.questions.expire_if_due(message).await?;
        let question = message.question.clone();
        let question = question.ok_or_else(|| Refusal::invalid(format!("message {id} asks nothing")))?;
        Ok((message, question))
    }

    /// An entry of the board. Names are looked up once for all questions of a page.
    async fn on_board(
        &self,
        caller: &Principal,
        message: Message,
        names: &mut HashMap<String, Option<Name>>,
    ) -> Result<OpenQuestion, Failure> {
        let project = message.project_id.clone();
        if !names.contains_key(project.as_str()) {
            let name = self.store.project(&project).await?.map(|project| project.name);
            names.insert(project.to_string(), name);
        }
        if !names.contains_key(message.to.as_str()) {
            let name = self.channel_name(caller, &message.to).await?;
            names.insert(message.to.to_string(), name);
        }
        let name_of = |id: &str| names.get(id).cloned().flatten();
        let project_name = name_of(project.as_str()).ok_or_else(|| Refusal::not_found("project", &project))?;
        let channel_name = name_of(message.to.as_str());
        let blocks = self.blocked_by(caller, &message.id).await?;
        Ok(OpenQuestion { message, project_name, channel_name, blocks })
    }

    /// The name of a channel, or of the channel of a thread; a DM has none.
    async fn channel_name(&self, caller: &Principal, id: &ConversationId) -> Result<Option<Name>, Failure> {
        let Some((conversation, _)) = self.store.conversation(id, &caller.member).await? else { return Ok(None) };
        let channel = match conversation {
            Conversation::Channel(channel) => return Ok(Some(channel.name)),
            Conversation::Thread(thread) => thread.channel_id,
            Conversation::Dm(_) => return Ok(None),
        };
        match self.store.conversation(&channel.into(), &caller.member).await? {
            Some((Conversation::Channel(channel), _)) => Ok(Some(channel.name)),
            _ => Ok(None),
        }
    }

    /// The visible runs that this message pauses.
    async fn blocked_by(&self, caller: &Principal, message: &MessageId) -> Result<Vec<Run>, Failure> {
        let mut seen = Vec::new();
        for run in self.store.runs_paused_by(message).await? {
            match self.access.load_visible_run(caller, &run.id).await {
                Ok(run) => seen.push(self.access.hide_unreadable_pauses(caller, run).await?),
                Err(Failure::Refused(_)) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(seen)
    }
}
