//! Permission checks and lookups. A hidden thing gets the same refusal as one that does not exist.

use std::sync::Arc;

use parlour_core::{
    Code, Refusal,
    access::{self, Membership, Principal, Role},
    artifact::Artifact,
    conversation::{Channel, Conversation},
    id::{AgentId, ArtifactId, ChannelId, ConversationId, MessageId, PersonId, ProjectId, RunId, TaskId},
    member::{Agent, Person},
    message::Message,
    project::Project,
    run::Run,
    scope::Scope,
    task::Task,
};

use crate::{
    Failure,
    failure::replace_refusal,
    ports::{Clock, Store},
};

/// Permission checks of a caller, and lookups of things that the caller may see.
#[derive(Clone)]
pub(crate) struct Access {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl Access {
    pub(crate) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self { store: Arc::clone(store), clock: Arc::clone(clock) }
    }

    /// Refuses a caller whose token has expired or lacks the scope: the first line of every use case. Nothing is
    /// looked up before, so the refusal reveals nothing. Live sessions keep their caller, so the expiry is checked
    /// again.
    pub(crate) fn require_scope(&self, caller: &Principal, scope: Scope) -> Result<(), Refusal> {
        self.require_unexpired(caller)?;
        caller.check_scope(scope)
    }

    pub(crate) fn require_unexpired(&self, caller: &Principal) -> Result<(), Refusal> {
        match caller.grant.expires_at {
            Some(at) if at <= self.clock.now() => Err(Refusal::new(Code::Unauthenticated, "the token has expired")),
            _ => Ok(()),
        }
    }

    /// Loads a project that the caller sees.
    pub(crate) async fn load_visible_project(&self, caller: &Principal, id: &ProjectId) -> Result<Project, Failure> {
        let refuse = || Refusal::not_found("project", id);
        let project = self.store.project(id).await?.ok_or_else(refuse)?;
        let is_member = self.store.is_member(id, &caller.member).await?;
        if access::may_see_project(caller, is_member) { Ok(project) } else { Err(refuse().into()) }
    }

    /// Loads a readable conversation and the caller's membership.
    pub(crate) async fn load_visible_conversation(
        &self,
        caller: &Principal,
        id: &ConversationId,
    ) -> Result<(Conversation, Membership), Failure> {
        let found = self.store.conversation(id, &caller.member).await?;
        match found {
            Some((conversation, membership)) if access::may_read(caller, &membership) => Ok((conversation, membership)),
            _ => Err(refuse_conversation(id).into()),
        }
    }

    /// Loads a readable channel and the caller's membership.
    pub(crate) async fn load_visible_channel(
        &self,
        caller: &Principal,
        id: &ChannelId,
    ) -> Result<(Channel, Membership), Failure> {
        match self.load_visible_conversation(caller, &id.clone().into()).await? {
            (Conversation::Channel(channel), membership) => Ok((channel, membership)),
            _ => Err(Refusal::not_found("channel", id).into()),
        }
    }

    /// Loads a readable message and the caller's membership in its conversation.
    pub(crate) async fn load_visible_message(
        &self,
        caller: &Principal,
        id: &MessageId,
    ) -> Result<(Message, Membership), Failure> {
        let refuse = || Refusal::not_found("message", id);
        let message = self.store.message(id).await?.ok_or_else(refuse)?;
        match self.store.conversation(&message.to, &caller.member).await? {
            Some((_, membership)) if access::may_read(caller, &membership) => Ok((message, membership)),
            _ => Err(refuse().into()),
        }
    }

    /// Loads an agent and its project, if the caller sees the project.
    pub(crate) async fn load_visible_agent(
        &self,
        caller: &Principal,
        id: &AgentId,
    ) -> Result<(Agent, Project), Failure> {
        let refuse = || Refusal::not_found("agent", id);
        let agent = self.store.agent(id).await?.ok_or_else(refuse)?;
        match self.load_visible_project(caller, &agent.project_id).await {
            Ok(project) => Ok((agent, project)),
            Err(Failure::Refused(_)) => Err(refuse().into()),
            Err(fault) => Err(fault),
        }
    }

    /// Loads a person that the caller may see.
    pub(crate) async fn load_visible_person(&self, caller: &Principal, id: &PersonId) -> Result<Person, Failure> {
        let refuse = || Refusal::not_found("person", id);
        if let Role::Agent(project) = &caller.role
            && !self.store.is_member(project, &id.clone().into()).await?
        {
            return Err(refuse().into());
        }
        Ok(self.store.person(id).await?.ok_or_else(refuse)?)
    }

    /// Refuses with `refusal` if the caller does not see the project.
    pub(crate) async fn require_visible_project(
        &self,
        caller: &Principal,
        project: &ProjectId,
        refusal: Refusal,
    ) -> Result<(), Failure> {
        match self.load_visible_project(caller, project).await {
            Ok(_) => Ok(()),
            Err(Failure::Refused(_)) => Err(refusal.into()),
            Err(fault) => Err(fault),
        }
    }

    /// Loads a task of a visible project.
    pub(crate) async fn load_visible_task(&self, caller: &Principal, id: &TaskId) -> Result<Task, Failure> {
        let refuse = || Refusal::not_found("task", id);
        let task = self.store.task(id).await?.ok_or_else(refuse)?;
        self.require_visible_project(caller, &task.project_id, refuse()).await?;
        self.without_hidden_thread(caller, task).await
    }

    /// Hides the thread of a task from callers who cannot read its channel.
    pub(crate) async fn without_hidden_thread(&self, caller: &Principal, task: Task) -> Result<Task, Failure> {
        let Some(thread) = &task.thread_id else { return Ok(task) };
        match self.load_visible_conversation(caller, &thread.clone().into()).await {
            Ok(_) => Ok(task),
            Err(Failure::Refused(_)) => Ok(Task { thread_id: None, ..task }),
            Err(fault) => Err(fault),
        }
    }

    /// Loads an artifact of a visible project, and of a readable conversation if it belongs to one.
    pub(crate) async fn load_visible_artifact(&self, caller: &Principal, id: &ArtifactId) -> Result<Artifact, Failure> {
        let refuse = || Refusal::not_found("artifact", id);
        let artifact = self.store.artifact(id).await?.ok_or_else(refuse)?;
        self.require_visible_project(caller, &artifact.project_id, refuse()).await?;
        if let Some(conversation) = &artifact.conversation_id {
            self.load_visible_conversation(caller, conversation).await.map_err(replace_refusal(refuse()))?;
        }
        Ok(artifact)
    }

    pub(crate) async fn may_read(&self, caller: &Principal, id: &ConversationId) -> Result<bool, Failure> {
        match self.load_visible_conversation(caller, id).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused(_)) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Loads a run with a readable conversation, or without one, of a visible project.
    pub(crate) async fn load_visible_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let refuse = || Refusal::not_found("run", id);
        let run = self.store.run(id).await?.ok_or_else(refuse)?;
        let seen = match &run.conversation_id {
            Some(conversation) => self.load_visible_conversation(caller, conversation).await.map(drop),
            None => self.load_visible_project(caller, &run.project_id).await.map(drop),
        };
        seen.map_err(replace_refusal(refuse()))?;
        Ok(run)
    }

    /// Loads a run of the calling agent.
    pub(crate) async fn load_own_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let run = self.store.run(id).await?;
        match run.filter(|run| caller.member.agent() == Some(&run.agent_id)) {
            Some(run) => Ok(run),
            None => {
                self.load_visible_run(caller, id).await?;
                Err(Refusal::forbidden("only the agent whose run it is may do this").into())
            }
        }
    }

    /// Removes the pauses by messages that the caller may not read.
    pub(crate) async fn hide_unreadable_pauses(&self, caller: &Principal, mut run: Run) -> Result<Run, Failure> {
        let mut shown = Vec::new();
        for pause in std::mem::take(&mut run.pauses) {
            if self.may_read(caller, &pause.conversation_id).await? {
                shown.push(pause);
            }
        }
        Ok(Run { pauses: shown, ..run })
    }
}

/// The same text for an absent and a hidden conversation.
pub(crate) fn refuse_conversation(id: &ConversationId) -> Refusal {
    match id {
        ConversationId::Channel(id) => Refusal::not_found("channel", id),
        ConversationId::Thread(id) => Refusal::not_found("thread", id),
        ConversationId::Dm(id) => Refusal::not_found("dm", id),
    }
}
