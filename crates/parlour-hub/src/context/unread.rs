//! What the agent has not read.

use parlour_core::{
    context::Reason,
    id::ConversationId,
    inbox::{DeliveryReason, InboxEntry, InboxFilter, InboxOrder},
    paging::PageRequest,
};

use super::gather::{Look, search_words};
use crate::Failure;

/// Unread messages that come into question, the most important first.
const UNREAD_MAX: usize = 200;
/// Those of them that mention the agent, beside the others.
const MENTIONS_MAX: usize = 50;
/// Conversations whose unread messages are looked at when a person asks.
const PLACES_MAX: usize = 40;
/// Unread messages of each of them.
const UNREAD_PER_PLACE_MAX: usize = 20;
/// Words of the task and the project by which a channel is said to speak of them.
const WORDS_MAX: usize = 40;

impl Look<'_> {
    /// What is unread: critical before high before normal, and what mentions the agent.
    pub(super) async fn at_unread(&mut self) -> Result<(), Failure> {
        let entries = if self.eyes.is_alone() { self.own_unread().await? } else { self.shared_unread().await? };
        let words = search_words(&self.subject(), WORDS_MAX);
        for entry in entries {
            let reason = match entry.reason {
                DeliveryReason::Thread | DeliveryReason::Dm => Reason::Thread,
                DeliveryReason::Mention => Reason::Mention,
                DeliveryReason::Subscription => Reason::Unread,
            };
            let speaks_of_it = entry.reason == DeliveryReason::Subscription && is_about(&entry.message.body, &words);
            self.gathered.see(entry.message.clone(), Reason::Unread, 1);
            self.gathered.see(entry.message.clone(), reason, 1);
            if speaks_of_it {
                self.gathered.see(entry.message, Reason::Subscribed, 1);
            }
        }
        Ok(())
    }

    /// What the task and the project are called.
    fn subject(&self) -> String {
        format!("{}\n{}", self.aim.project.name, self.aim.task.as_ref().map_or("", |task| task.title.as_str()))
    }

    async fn own_unread(&self) -> Result<Vec<InboxEntry>, Failure> {
        let by_importance = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
        let mentions = InboxFilter { only_mentions: true, ..by_importance.clone() };
        let agent = self.eyes.agent();
        let page = PageRequest::new(None, Some(UNREAD_MAX))?;
        let mut entries = self.hub.store.inbox(agent, &by_importance, &page).await?;
        if entries.next.is_some() {
            let page = PageRequest::new(None, Some(MENTIONS_MAX))?;
            entries.items.extend(self.hub.store.inbox(agent, &mentions, &page).await?.items);
        }
        Ok(entries.items)
    }

    /// What both the agent and the caller may read of it. It is read by conversation, so that what is hidden from the
    /// caller does not shorten it.
    async fn shared_unread(&mut self) -> Result<Vec<InboxEntry>, Failure> {
        let agent = self.eyes.agent().clone();
        let reader = self.eyes.all().next().expect("the agent looks").clone();
        let page = PageRequest::new(None, Some(UNREAD_PER_PLACE_MAX))?;
        let mut entries = Vec::new();
        for place in self.unread_places(&reader).await?.into_iter().take(PLACES_MAX) {
            let filter =
                InboxFilter { order: InboxOrder::Importance, conversation_id: Some(place), ..InboxFilter::default() };
            entries.extend(self.hub.store.inbox(&agent, &filter, &page).await?.items);
        }
        Ok(entries)
    }

    /// The conversations with something unread that all who look may read.
    async fn unread_places(
        &mut self,
        reader: &parlour_core::access::Principal,
    ) -> Result<Vec<ConversationId>, Failure> {
        let mut places = Vec::new();
        for one in self.hub.store.unread(&self.aim.project.id, reader).await? {
            if one.unread > 0 && self.eyes.may_read(self.hub, &one.conversation_id).await? {
                places.push(one.conversation_id);
            }
        }
        places.sort();
        Ok(places)
    }
}

/// Whether a text has one of the words.
fn is_about(text: &str, words: &[String]) -> bool {
    let said = search_words(text, usize::MAX);
    words.iter().any(|word| said.contains(word))
}
