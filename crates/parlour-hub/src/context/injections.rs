//! Recorded injections of runs, limited to what the caller may read.

use std::collections::HashMap;

use parlour_core::{
    access::Principal,
    context::{Injection, InjectionDiff, ReceiptItem, SubjectType, difference},
    id::{ArtifactId, ConversationId, RunId},
    limits,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, context::ContextService};

impl ContextService {
    /// Lists the injections of a visible run, oldest first. Items that the caller may not read now are left out of the
    /// receipts, and a text that contains one of them is left out as a whole. Only the agent itself gets the counts of
    /// unlisted candidates.
    pub(crate) async fn injections(
        &self,
        caller: &Principal,
        run: &RunId,
        page: &PageRequest,
    ) -> Result<Page<Injection>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_run(caller, run).await?;
        let mut given = self.store.injections(run, page).await?;
        self.limit_injections(caller, &mut given.items).await?;
        Ok(given)
    }

    /// The difference between the injections of two runs, limited to what the caller may read.
    pub(crate) async fn injection_difference(
        &self,
        caller: &Principal,
        before: &RunId,
        after: &RunId,
    ) -> Result<InjectionDiff, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_run(caller, before).await?;
        self.access.load_visible_run(caller, after).await?;
        let before = self.load_all_shown(caller, before).await?;
        let after = self.load_all_shown(caller, after).await?;
        Ok(difference(&before, &after))
    }

    /// All injections of a run without the items that were left out, which are not compared.
    async fn load_all_shown(&self, caller: &Principal, run: &RunId) -> Result<Vec<Injection>, Failure> {
        let (mut all, mut after) = (Vec::new(), None);
        // Bounded, even if the run gets further injections meanwhile.
        for _ in 0..=limits::INJECTIONS_PER_RUN_MAX / limits::PAGE_ITEMS_MAX {
            let page = PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX))?;
            let mut given = self.store.injections(run, &page).await?;
            given.items.iter_mut().for_each(drop_unshown);
            self.limit_injections(caller, &mut given.items).await?;
            all.append(&mut given.items);
            after = given.next;
            if after.is_none() {
                break;
            }
        }
        Ok(all)
    }

    async fn limit_injections(&self, caller: &Principal, injections: &mut Vec<Injection>) -> Result<(), Failure> {
        let mut readable = ReadableItems::default();
        for injection in std::mem::take(injections) {
            let mut is_all_seen = true;
            for item in &injection.receipt.items {
                is_all_seen &= self.may_read_item(caller, item, &mut readable).await?;
            }
            let is_own = caller.member.agent() == Some(&injection.agent_id);
            let limited = match is_all_seen && is_own {
                true => injection,
                false => injection.limited_to(|item| readable.includes(item)),
            };
            injections.push(limited);
        }
        Ok(())
    }

    /// Whether the caller may read this item. The result is cached.
    async fn may_read_item(
        &self,
        caller: &Principal,
        item: &ReceiptItem,
        readable: &mut ReadableItems,
    ) -> Result<bool, Failure> {
        if let Some(conversation) = &item.conversation_id
            && !readable.conversations.contains_key(conversation)
        {
            let may_read = self.access.may_read(caller, conversation).await?;
            readable.conversations.insert(conversation.clone(), may_read);
        }
        if item.subject_type == SubjectType::Artifact && !readable.artifacts.contains_key(&item.id) {
            let may_see = self.may_see_artifact(caller, &item.id).await?;
            readable.artifacts.insert(item.id.clone(), may_see);
        }
        Ok(readable.includes(item))
    }

    async fn may_see_artifact(&self, caller: &Principal, id: &str) -> Result<bool, Failure> {
        let Ok(id) = id.parse::<ArtifactId>() else { return Ok(false) };
        match self.access.load_visible_artifact(caller, &id).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused(_)) => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// Access decisions for one reader.
#[derive(Default)]
struct ReadableItems {
    conversations: HashMap<ConversationId, bool>,
    artifacts: HashMap<String, bool>,
}

impl ReadableItems {
    /// Whether an item is readable. A message or summary without a conversation is not.
    fn includes(&self, item: &ReceiptItem) -> bool {
        let known = |found: Option<&bool>| found.copied().unwrap_or(false);
        let is_of_conversation = matches!(item.subject_type, SubjectType::Message | SubjectType::Summary);
        let is_conversation_readable = item
            .conversation_id
            .as_ref()
            .map_or(!is_of_conversation, |conversation| known(self.conversations.get(conversation)));
        let is_artifact = item.subject_type == SubjectType::Artifact;
        is_conversation_readable && (!is_artifact || known(self.artifacts.get(&item.id)))
    }
}

fn drop_unshown(injection: &mut Injection) {
    injection.text = None;
    injection.receipt.items.retain(|item| item.level.is_some());
}
