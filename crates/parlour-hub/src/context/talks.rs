//! Threads and channels that the agent, or its task, takes part in.

use std::collections::BTreeMap;

use parlour_core::{context::Reason, id::ConversationId};

use super::gather::Look;
use crate::{Failure, ports::HistoryRange};

/// Conversations beside the one that is to be answered.
const TALKS_MAX: usize = 8;
/// Messages from the end of each of them.
const TALK_MESSAGES_MAX: usize = 30;
/// Messages from the end of the task's thread.
const TASK_MESSAGES_MAX: usize = 100;
/// The conversations in which the agent was called last that come into question.
const CALLED_PLACES_MAX: usize = 50;

impl Look<'_> {
    /// The thread in which the task is talked about.
    pub(super) async fn at_task(&mut self) -> Result<(), Failure> {
        let Some(thread) = self.aim.task.as_ref().and_then(|task| task.thread_id.clone()) else { return Ok(()) };
        let place = ConversationId::from(thread);
        if !self.eyes.may_read(self.hub, &place).await? {
            return Ok(());
        }
        let messages = self.hub.store.messages(&place, HistoryRange::Newest, TASK_MESSAGES_MAX).await?;
        self.gathered.see_end(messages, Reason::Task, 0);
        Ok(())
    }

    /// The ends of conversations in which the agent was called of late, works, or has something unread.
    pub(super) async fn at_talks(&mut self) -> Result<(), Failure> {
        for place in self.talks().await? {
            let messages = self.hub.store.messages(&place, HistoryRange::Newest, TALK_MESSAGES_MAX).await?;
            self.gathered.see_end(messages, Reason::Thread, 1);
        }
        Ok(())
    }

    /// Those conversations, where most is unread first, then where it was called last.
    async fn talks(&mut self) -> Result<Vec<ConversationId>, Failure> {
        let mut places = self.unread_talks();
        let agent = self.eyes.agent().clone();
        let runs = self.hub.store.open_runs_of(&agent).await?;
        places.extend(runs.into_iter().filter_map(|run| run.conversation_id));
        let (project, readers) = (&self.aim.project.id, self.eyes.readers());
        places.extend(self.hub.store.called_places(project, &agent, &readers, CALLED_PLACES_MAX).await?);
        let mut talks = Vec::new();
        for place in places {
            let is_new = !talks.contains(&place) && !self.gathered.last_seqs.contains_key(&place);
            if is_new && talks.len() < TALKS_MAX && self.eyes.may_read(self.hub, &place).await? {
                talks.push(place);
            }
        }
        Ok(talks)
    }

    /// Where unread messages stand, most of them first.
    fn unread_talks(&self) -> Vec<ConversationId> {
        let mut counts: BTreeMap<&ConversationId, usize> = BTreeMap::new();
        for sighting in self.gathered.sightings() {
            if sighting.reasons.contains(&Reason::Unread) {
                *counts.entry(&sighting.message.to).or_default() += 1;
            }
        }
        let mut places: Vec<_> = counts.into_iter().collect();
        places.sort_by_key(|(place, count)| (std::cmp::Reverse(*count), *place));
        places.into_iter().map(|(place, _)| place.clone()).collect()
    }
}
