//! What is found by the words of what is asked.

use std::collections::BTreeMap;

use parlour_core::{
    context::Reason,
    id::{ConversationId, MessageId},
};

use super::gather::{Look, search_words};
use crate::{Failure, ports::HistoryRange};

/// Words that are looked for.
const WORDS_MAX: usize = 24;
/// Words of the task among them, when there is more to ask.
const TASK_WORDS_MAX: usize = 8;
/// Messages that are found.
const FOUND_MAX: usize = 200;
/// Those of them whose neighbours are read too: an answer often has none of the words of its question.
const NEIGHBOURED_MAX: usize = 24;
/// Messages before and after each of them.
const NEIGHBOURS_MAX: u64 = 3;
/// Channels that are asked whether the agent is subscribed to them.
const CHANNELS_MAX: usize = 10;

impl Look<'_> {
    /// Messages that hold some of the words, wherever all who look may read, with their neighbours.
    pub(super) async fn at_found(&mut self) -> Result<(), Failure> {
        let mut words = search_words(&self.asked, WORDS_MAX);
        for word in search_words(&self.aim.task_text(), TASK_WORDS_MAX) {
            if !words.contains(&word) && words.len() < WORDS_MAX + TASK_WORDS_MAX {
                words.push(word);
            }
        }
        if words.is_empty() {
            return Ok(());
        }
        let readers = self.eyes.readers();
        let found = self.hub.store.find_any(&self.aim.project.id, &readers, &words, FOUND_MAX).await?;
        let found = self.readable(found).await?;
        let hits: Vec<_> = found.iter().take(NEIGHBOURED_MAX).map(|hit| (hit.to.clone(), hit.seq)).collect();
        let ids: Vec<MessageId> = found.iter().map(|hit| hit.id.clone()).collect();
        for message in found {
            self.gathered.see(message, Reason::Found, 2);
        }
        self.at_neighbours(hits).await?;
        self.mark_subscribed(&ids).await
    }

    /// What stands around a hit, unless it was read already.
    async fn at_neighbours(&mut self, hits: Vec<(ConversationId, u64)>) -> Result<(), Failure> {
        for (place, seq) in hits {
            let first = seq.saturating_sub(NEIGHBOURS_MAX + 1);
            let count = usize::try_from(2 * NEIGHBOURS_MAX + 1).unwrap_or(usize::MAX);
            for message in self.hub.store.messages(&place, HistoryRange::After(first), count).await? {
                self.gathered.see(message, Reason::Found, 2);
            }
        }
        Ok(())
    }

    /// Marks what was found in channels that the agent is subscribed to.
    async fn mark_subscribed(&mut self, ids: &[MessageId]) -> Result<(), Failure> {
        let member = self.aim.member();
        let mut subscribed: BTreeMap<ConversationId, bool> = BTreeMap::new();
        for id in ids {
            let Some(place) = self.gathered.get(id).map(|sighting| sighting.message.to.clone()) else { continue };
            let is_channel = matches!(place, ConversationId::Channel(_));
            if is_channel && !subscribed.contains_key(&place) && subscribed.len() < CHANNELS_MAX {
                let post_context = self.hub.store.post_context(&place, &member).await?;
                let is_one = post_context
                    .is_some_and(|post_context| post_context.listeners.subscribers.contains(self.eyes.agent()));
                subscribed.insert(place, is_one);
            }
        }
        for sighting in self.gathered.sightings_mut() {
            let is_hit = sighting.reasons.contains(&Reason::Found) && ids.contains(&sighting.message.id);
            if is_hit && subscribed.get(&sighting.message.to) == Some(&true) {
                sighting.reasons.insert(Reason::Subscribed);
                sighting.distance = sighting.distance.min(1);
            }
        }
        Ok(())
    }
}
