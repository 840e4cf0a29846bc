//! What is asked for, looked up: everything that a request names must be there for all who look.

use parlour_core::{
    Refusal,
    access::Principal,
    context::ContextRequest,
    conversation::Conversation,
    id::{ConversationId, MessageId, ProjectId, TaskId},
    member::Agent,
    message::Message,
    project::Project,
    run::Run,
    task::Task,
};

use super::{Aim, Eyes};
use crate::{Failure, Hub, access::refuse_conversation, failure::replace_refusal};

impl Hub {
    /// Looks up what is asked for. What a request does not name follows from what it does: the conversation from the
    /// message, the message and the task from the run.
    pub(crate) async fn aim(
        &self,
        eyes: &Eyes,
        agent: Agent,
        project: Project,
        ask: &ContextRequest,
        run: Option<&Run>,
    ) -> Result<Aim, Failure> {
        let message = self.aim_message(eyes, &project.id, ask.message_id.as_ref(), "message_id").await?;
        let mut together_with = Vec::new();
        for (index, id) in ask.together_with.iter().enumerate() {
            let field = format!("together_with[{index}]");
            together_with.extend(self.aim_message(eyes, &project.id, Some(id), &field).await?);
        }
        let of_message = || message.as_ref().map(|message| message.to.clone());
        let of_run = || run.and_then(|run| run.conversation_id.clone());
        let conversation = match (&ask.conversation_id, of_message().or_else(of_run)) {
            (Some(named), _) => Some(self.aim_conversation(eyes, &project.id, named).await?),
            (None, Some(meant)) => if_seen(self.aim_conversation(eyes, &project.id, &meant).await)?,
            (None, None) => None,
        };
        let of_run = || run.and_then(|run| run.task_id.clone());
        let of_message = || message.as_ref().and_then(|message| message.context.task_id.clone());
        let task = match (&ask.task_id, of_run().or_else(of_message)) {
            (Some(named), _) => Some(self.aim_task(eyes, &project.id, named).await?),
            (None, Some(meant)) => if_seen(self.aim_task(eyes, &project.id, &meant).await)?,
            (None, None) => None,
        };
        let (format, query) = (ask.format, ask.query.clone());
        Ok(Aim { format, agent, project, conversation, message, together_with, task, query })
    }

    /// The run that a pack is for: an open one of the caller itself.
    pub(crate) async fn aim_run(
        &self,
        caller: &Principal,
        agent: &Agent,
        ask: &ContextRequest,
    ) -> Result<Option<Run>, Failure> {
        let Some(id) = &ask.run_id else { return Ok(None) };
        let named = |failure| match failure {
            Failure::Refused(refusal) => Failure::from(refusal.at("run_id")),
            fault @ Failure::Fault(_) => fault,
        };
        let run = self.access.load_own_run(caller, id).await.map_err(named)?;
        if run.agent_id != agent.id {
            return Err(Refusal::not_found("run", id).at("run_id").into());
        }
        run.check_open().map_err(|refusal| refusal.at("run_id"))?;
        Ok(Some(run))
    }

    async fn aim_message(
        &self,
        eyes: &Eyes,
        project: &ProjectId,
        id: Option<&MessageId>,
        field: &str,
    ) -> Result<Option<Message>, Failure> {
        let Some(id) = id else { return Ok(None) };
        let refuse = || Refusal::not_found("message", id).at(field);
        let mut found = None;
        for principal in eyes.all() {
            let (message, _) =
                self.access.load_visible_message(principal, id).await.map_err(replace_refusal(refuse()))?;
            found = Some(message).filter(|message| message.project_id == *project);
        }
        Ok(Some(found.ok_or_else(refuse)?))
    }

    async fn aim_conversation(
        &self,
        eyes: &Eyes,
        project: &ProjectId,
        id: &ConversationId,
    ) -> Result<Conversation, Failure> {
        let refuse = || refuse_conversation(id).at("conversation_id");
        let mut found = None;
        for principal in eyes.all() {
            let (conversation, _) =
                self.access.load_visible_conversation(principal, id).await.map_err(replace_refusal(refuse()))?;
            found = Some(conversation).filter(|conversation| conversation.project_id() == project);
        }
        Ok(found.ok_or_else(refuse)?)
    }

    async fn aim_task(&self, eyes: &Eyes, project: &ProjectId, id: &TaskId) -> Result<Task, Failure> {
        let refuse = || Refusal::not_found("task", id).at("task_id");
        let mut found: Option<Task> = None;
        for principal in eyes.all() {
            let task = self.access.load_visible_task(principal, id).await.map_err(replace_refusal(refuse()))?;
            // A thread that one of them may not read is hidden from all.
            let thread_id = found.map_or_else(
                || task.thread_id.clone(),
                |other| other.thread_id.filter(|thread| Some(thread) == task.thread_id.as_ref()),
            );
            found = Some(Task { thread_id, ..task });
        }
        Ok(found.filter(|task| task.project_id == *project).ok_or_else(refuse)?)
    }
}

/// What was not asked for by name is left out when somebody may not see it; a fault stays what it is.
fn if_seen<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Failure::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}
