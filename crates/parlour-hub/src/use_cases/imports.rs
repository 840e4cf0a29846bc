//! Taking over messages of other systems.

use std::collections::HashSet;

use parlour_core::{
    Refusal,
    access::Principal,
    call::Calls,
    conversation::Conversation,
    id::{ConversationId, MessageId},
    import::{ImportMessages, ImportOutcome, ImportedMessage},
    scope::Scope,
    write::{NewMessage, Novelty, Write},
};

use crate::{
    Failure, Hub,
    ports::{AppendedBatch, PostRefs},
    use_cases::post_message::field_of,
};

impl Hub {
    /// Takes over messages of another system, with their authors and times, and answers when they are durable.
    /// Administrators only.
    ///
    /// They wake nobody: no agent is called or told, whatever their texts say. They stand one after the other in the order
    /// given. A message that is there already is known; the first that is refused ends the call, and those before it stay.
    /// The rate of the project's posts does not count them: the own rate of an administrator bounds the calls.
    pub async fn import_messages(&self, caller: &Principal, request: ImportMessages) -> Result<ImportOutcome, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        request.check(self.clock.now())?;
        let (conversation, _) = self.access.load_visible_conversation(caller, &request.conversation()?).await?;
        let mut entries = Vec::with_capacity(request.messages.len());
        for new in self.draft_imports(caller, request.messages, &conversation).await? {
            entries.push(self.writer.entry(caller, conversation.project_id(), Write::PostMessage(new)));
        }
        let series = self.store.append_all(entries).await?;
        series
            .appended
            .iter()
            .for_each(|appended| self.writer.invalidate_caches_after(conversation.project_id(), &appended.change));
        Ok(outcome_of(series)?)
    }

    /// The messages as they are to be stored, without the replies to what is not there.
    async fn draft_imports(
        &self,
        caller: &Principal,
        messages: Vec<ImportedMessage>,
        conversation: &Conversation,
    ) -> Result<Vec<NewMessage>, Failure> {
        let (project, to) = (conversation.project_id(), conversation.id());
        let mut drafts = Vec::with_capacity(messages.len());
        let mut before = HashSet::with_capacity(messages.len());
        for (index, mut message) in messages.into_iter().enumerate() {
            let digest = message.digest(&to);
            self.resolve_refs(caller, &to, &mut message, &before).await.map_err(|failure| match failure {
                Failure::Refused(refusal) => in_list(refusal, index).into(),
                fault => fault,
            })?;
            before.insert(message.id.clone());
            let message = message.into_message(project.clone(), to.clone());
            drafts.push(NewMessage { message, digest, deliveries: Vec::new(), calls: Calls::default(), answers: None });
        }
        Ok(drafts)
    }

    /// Refuses artifacts that are not there, and leaves out a reply to a message that neither stands in the conversation
    /// nor comes before in the list.
    async fn resolve_refs(
        &self,
        caller: &Principal,
        to: &ConversationId,
        message: &mut ImportedMessage,
        before: &HashSet<MessageId>,
    ) -> Result<(), Failure> {
        let attached = message.attachments.iter().filter_map(|attachment| attachment.artifact_id.clone());
        let refs = PostRefs {
            reply_to: message.reply_to.clone().filter(|id| !before.contains(id)),
            artifacts: message.artifacts.iter().cloned().chain(attached).collect(),
            ..PostRefs::default()
        };
        if refs == PostRefs::default() {
            return Ok(());
        }
        for missing in self.store.missing_refs(to, caller, &refs).await? {
            if missing.field != "reply_to" {
                let field = field_of(&missing, &message.artifacts, &message.attachments);
                return Err(Refusal::not_found("such thing", &missing.id).at(&field).into());
            }
            message.reply_to = None;
        }
        Ok(())
    }
}

fn outcome_of(series: AppendedBatch) -> Result<ImportOutcome, Refusal> {
    if let Some(refusal) = series.refusal {
        return Err(in_list(refusal, series.appended.len()));
    }
    let stored = series.appended.iter().filter(|appended| appended.novelty == Novelty::New).count() as u64;
    Ok(ImportOutcome { stored, known: series.appended.len() as u64 - stored })
}

/// What is refused of one message says which; what has no field is about the whole call.
fn in_list(refusal: Refusal, index: usize) -> Refusal {
    if refusal.field.is_some() { refusal.at(&format!("messages[{index}]")) } else { refusal }
}
