//! Import of messages from other systems.

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
    Failure,
    ports::{AppendedBatch, PostRefs},
    use_cases::{MessageService, post_message::field_of},
};

impl MessageService {
    /// Imports messages of another system with their authors and times, and returns when they are durable. For
    /// administrators.
    ///
    /// Imported messages call no agent and reach no inbox. They are stored one after the other in the given order. A
    /// message that exists already counts as known. The first refusal ends the call; the messages before it stay. They do
    /// not count against the post rate of the project, only against the rate of the administrator.
    pub(crate) async fn import_messages(
        &self,
        caller: &Principal,
        request: ImportMessages,
    ) -> Result<ImportOutcome, Failure> {
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

    /// Builds the messages, without replies to missing messages.
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
            drafts.push(NewMessage {
                message,
                digest,
                deliveries: Vec::new(),
                calls: Calls::default(),
                answers: None,
                answers_also: Vec::new(),
            });
        }
        Ok(drafts)
    }

    /// Refuses missing artifacts, and drops a reply to a message that is neither in the conversation nor earlier in the
    /// list.
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

/// Adds the index of the message to the field of a refusal. A refusal without a field concerns the whole call.
fn in_list(refusal: Refusal, index: usize) -> Refusal {
    if refusal.field.is_some() { refusal.at(&format!("messages[{index}]")) } else { refusal }
}
