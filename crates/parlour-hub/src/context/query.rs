//! The first step of a pack: `Query` holds everything that a request names, loaded, and `Viewer` decides what may be read.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    Refusal,
    access::{Principal, Role},
    context::{ContextFormat, ContextRequest},
    conversation::Conversation,
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId, TaskId},
    member::Agent,
    message::Message,
    project::Project,
    run::Run,
    task::Task,
};

use super::ContextService;
use crate::{
    Failure,
    access::{Access, refuse_conversation},
    failure::replace_refusal,
};

/// What a pack is requested for.
pub(crate) struct Query {
    pub(crate) format: ContextFormat,
    pub(crate) agent: Agent,
    pub(crate) project: Project,
    /// The conversation in which the agent will answer.
    pub(crate) conversation: Option<Conversation>,
    /// The message to answer.
    pub(crate) message: Option<Message>,
    /// Further messages to answer in the same turn.
    pub(crate) together_with: Vec<Message>,
    /// The task that the agent works on.
    pub(crate) task: Option<Task>,
    /// Free search text.
    pub(crate) text: Option<String>,
}

impl Query {
    /// A query without a conversation, message or task: checkpoint texts use it to name conversations.
    pub(super) fn bare(format: ContextFormat, agent: Agent, project: Project) -> Self {
        Self {
            format,
            agent,
            project,
            conversation: None,
            message: None,
            together_with: Vec::new(),
            task: None,
            text: None,
        }
    }

    pub(crate) fn conversation_id(&self) -> Option<ConversationId> {
        self.conversation.as_ref().map(Conversation::id)
    }

    /// The root message of the thread that is answered.
    pub(super) fn root(&self) -> Option<&MessageId> {
        match &self.conversation {
            Some(Conversation::Thread(thread)) => Some(&thread.root_message_id),
            _ => None,
        }
    }

    pub(super) fn member(&self) -> MemberId {
        self.agent.id.clone().into()
    }

    /// Title and description of the task.
    pub(super) fn task_text(&self) -> String {
        self.task.as_ref().map_or_else(String::new, |task| {
            format!("{}\n{}", task.title, task.description.as_deref().unwrap_or_default())
        })
    }
}

/// The agent, and the person who asks on its behalf. A conversation that one of them may not read does not exist for the
/// pack: its messages are no candidates and influence nothing.
pub(crate) struct Viewer {
    agent: Principal,
    caller: Option<Principal>,
    /// Access decisions so far; `None` for a conversation that cannot be read.
    checked: HashMap<ConversationId, Option<Arc<Conversation>>>,
}

impl Viewer {
    pub(crate) fn new(caller: &Principal, agent: &Agent) -> Self {
        let agent = Principal::new(agent.id.clone(), agent.name.clone(), Role::Agent(agent.project_id.clone()));
        let caller = Some(caller.clone()).filter(|caller| caller.member != agent.member);
        Self { agent, caller, checked: HashMap::new() }
    }

    /// The agent and the caller, for store queries that intersect what both may read.
    pub(super) fn readers(&self) -> Vec<Principal> {
        self.all().cloned().collect()
    }

    /// The agent first, then the caller if that is somebody else.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Principal> {
        [Some(&self.agent), self.caller.as_ref()].into_iter().flatten()
    }

    /// Whether the agent itself is the caller.
    pub(super) fn is_agent_alone(&self) -> bool {
        self.caller.is_none()
    }

    pub(super) fn principal(&self) -> &Principal {
        &self.agent
    }

    pub(super) fn agent(&self) -> &AgentId {
        self.agent.member.agent().expect("built from an agent")
    }

    /// The conversation, if agent and caller may both read it.
    pub(super) async fn conversation(
        &mut self,
        access: &Access,
        id: &ConversationId,
    ) -> Result<Option<Arc<Conversation>>, Failure> {
        if let Some(checked) = self.checked.get(id) {
            return Ok(checked.clone());
        }
        let mut seen = None;
        for principal in self.all() {
            match access.load_visible_conversation(principal, id).await {
                Ok((conversation, _)) => seen = Some(Arc::new(conversation)),
                Err(Failure::Refused(_)) => {
                    seen = None;
                    break;
                }
                Err(fault) => return Err(fault),
            }
        }
        self.checked.insert(id.clone(), seen.clone());
        Ok(seen)
    }

    pub(super) async fn may_read(&mut self, access: &Access, id: &ConversationId) -> Result<bool, Failure> {
        Ok(self.conversation(access, id).await?.is_some())
    }
}

impl ContextService {
    /// Loads everything that the request names, as far as agent and caller may see it. Fields that the request leaves
    /// out follow from others: the conversation from the message, message and task from the run.
    pub(crate) async fn load_query(
        &self,
        viewer: &Viewer,
        agent: Agent,
        project: Project,
        request: &ContextRequest,
        run: Option<&Run>,
    ) -> Result<Query, Failure> {
        let message = self.query_message(viewer, &project.id, request.message_id.as_ref(), "message_id").await?;
        let mut together_with = Vec::new();
        for (index, id) in request.together_with.iter().enumerate() {
            let field = format!("together_with[{index}]");
            together_with.extend(self.query_message(viewer, &project.id, Some(id), &field).await?);
        }
        let of_message = || message.as_ref().map(|message| message.to.clone());
        let of_run = || run.and_then(|run| run.conversation_id.clone());
        let conversation = match (&request.conversation_id, of_message().or_else(of_run)) {
            (Some(named), _) => Some(self.query_conversation(viewer, &project.id, named).await?),
            (None, Some(implied)) => unless_refused(self.query_conversation(viewer, &project.id, &implied).await)?,
            (None, None) => None,
        };
        let of_run = || run.and_then(|run| run.task_id.clone());
        let of_message = || message.as_ref().and_then(|message| message.context.task_id.clone());
        let task = match (&request.task_id, of_run().or_else(of_message)) {
            (Some(named), _) => Some(self.query_task(viewer, &project.id, named).await?),
            (None, Some(implied)) => unless_refused(self.query_task(viewer, &project.id, &implied).await)?,
            (None, None) => None,
        };
        let (format, text) = (request.format, request.query.clone());
        Ok(Query { format, agent, project, conversation, message, together_with, task, text })
    }

    /// The run that the pack is recorded with; it must be open and belong to the calling agent.
    pub(crate) async fn query_run(
        &self,
        caller: &Principal,
        agent: &Agent,
        request: &ContextRequest,
    ) -> Result<Option<Run>, Failure> {
        let Some(id) = &request.run_id else { return Ok(None) };
        let at_field = |failure| match failure {
            Failure::Refused(refusal) => Failure::from(refusal.at("run_id")),
            fault @ Failure::Fault(_) => fault,
        };
        let run = self.access.load_own_run(caller, id).await.map_err(at_field)?;
        if run.agent_id != agent.id {
            return Err(Refusal::not_found("run", id).at("run_id").into());
        }
        run.check_open().map_err(|refusal| refusal.at("run_id"))?;
        Ok(Some(run))
    }

    async fn query_message(
        &self,
        viewer: &Viewer,
        project: &ProjectId,
        id: Option<&MessageId>,
        field: &str,
    ) -> Result<Option<Message>, Failure> {
        let Some(id) = id else { return Ok(None) };
        let refuse = || Refusal::not_found("message", id).at(field);
        let mut found = None;
        for principal in viewer.all() {
            let (message, _) =
                self.access.load_visible_message(principal, id).await.map_err(replace_refusal(refuse()))?;
            found = Some(message).filter(|message| message.project_id == *project);
        }
        Ok(Some(found.ok_or_else(refuse)?))
    }

    async fn query_conversation(
        &self,
        viewer: &Viewer,
        project: &ProjectId,
        id: &ConversationId,
    ) -> Result<Conversation, Failure> {
        let refuse = || refuse_conversation(id).at("conversation_id");
        let mut found = None;
        for principal in viewer.all() {
            let (conversation, _) =
                self.access.load_visible_conversation(principal, id).await.map_err(replace_refusal(refuse()))?;
            found = Some(conversation).filter(|conversation| conversation.project_id() == project);
        }
        Ok(found.ok_or_else(refuse)?)
    }

    async fn query_task(&self, viewer: &Viewer, project: &ProjectId, id: &TaskId) -> Result<Task, Failure> {
        let refuse = || Refusal::not_found("task", id).at("task_id");
        let mut found: Option<Task> = None;
        for principal in viewer.all() {
            let task = self.access.load_visible_task(principal, id).await.map_err(replace_refusal(refuse()))?;
            // A thread that one of them may not read is hidden from both.
            let thread_id = found.map_or_else(
                || task.thread_id.clone(),
                |other| other.thread_id.filter(|thread| Some(thread) == task.thread_id.as_ref()),
            );
            found = Some(Task { thread_id, ..task });
        }
        Ok(found.filter(|task| task.project_id == *project).ok_or_else(refuse)?)
    }
}

/// Turns a refusal into `None`, for things that the request did not name itself.
fn unless_refused<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Failure::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}
