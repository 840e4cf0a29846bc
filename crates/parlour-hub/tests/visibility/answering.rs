//! Answers and passes of agents, and resets of the loop guard.

use parlour_core::{access::Principal, post::PostMessage};
use parlour_hub::{Failure, use_cases::Posted};

use crate::{
    acts::{addressed_to, pick},
    story::{StepVisibility, StoryAction, StoryStep},
    story_hub::{PostedMessage, StoryHub},
};

impl StoryHub {
    /// One of the agents answers a message, whether it was called or not.
    pub(crate) async fn answer(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let said = pick(&self.objects(step.side).said, step.what)?;
        let by = self.answerer(step);
        if self.is_mute(&by, step) {
            return None;
        }
        let body = format!("{number}: {}", self.words(step));
        let request = PostMessage { body, reply_to: Some(said.id), ..addressed_to(&said.to) };
        let posted = self.hub.post_message(&by, request).await;
        let keep = |posted: Posted| PostedMessage { id: posted.message.id, by, to: said.to };
        Some(posted.map(|posted| self.objects_mut(step.side).said.push(keep(posted))))
    }

    /// An agent passes on a message, or a member resets the loop guard in its conversation.
    pub(crate) async fn settle(&self, step: &StoryStep) -> Option<Result<(), Failure>> {
        let said = pick(&self.objects(step.side).said, step.what)?;
        Some(match step.act {
            StoryAction::Pass => self.hub.pass_call(&self.answerer(step), &said.id, None).await.map(drop),
            _ => self.hub.reset_loop_guard(&self.actor(step), &said.to).await.map(drop),
        })
    }

    fn answerer(&self, step: &StoryStep) -> Principal {
        [&self.cast.coder, &self.cast.readers[1].0][usize::from(step.by) % 2].clone()
    }

    /// The author of a post; Mara instead of an agent that must not post.
    pub(crate) fn speaker(&self, step: &StoryStep) -> Principal {
        let by = if step.act == StoryAction::Stream { self.cast.coder.clone() } else { self.actor(step) };
        if self.is_mute(&by, step) { self.cast.mara.clone() } else { by }
    }

    /// Whether an agent must not post in open conversations. While a channel was open to all, its calls counted for the
    /// loop guard everywhere, so the recorded depth of later messages differs. That reveals nothing that was hidden.
    fn is_mute(&self, who: &Principal, step: &StoryStep) -> bool {
        self.was_disclosed && step.side == StepVisibility::Open && who.member.agent().is_some()
    }
}
