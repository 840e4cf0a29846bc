//! What agents do when they are called, and what people do when those are stopped.

use parlour_core::{access::Principal, post::PostMessage};
use parlour_hub::{Failure, use_cases::Posted};

use crate::{
    acts::{addressed_to, pick},
    story::{Act, Side, Step},
    story_hub::{PostedMessage, StoryHub},
};

impl StoryHub {
    /// One of the agents answers a message, whether it was called or not.
    pub(crate) async fn answer(&mut self, number: u64, step: &Step) -> Option<Result<(), Failure>> {
        let said = pick(&self.place(step.side).said, step.what)?;
        let by = self.answerer(step);
        if self.is_mute(&by, step) {
            return None;
        }
        let body = format!("{number}: {}", self.words(step));
        let request = PostMessage { body, reply_to: Some(said.id), ..addressed_to(&said.to) };
        let posted = self.hub.post_message(&by, request).await;
        let keep = |posted: Posted| PostedMessage { id: posted.message.id, by, to: said.to };
        Some(posted.map(|posted| self.place_mut(step.side).said.push(keep(posted))))
    }

    /// An agent passes on a message, or somebody lifts the loop guard where it stands.
    pub(crate) async fn settle(&self, step: &Step) -> Option<Result<(), Failure>> {
        let said = pick(&self.place(step.side).said, step.what)?;
        Some(match step.act {
            Act::Pass => self.hub.pass_call(&self.answerer(step), &said.id, None).await.map(drop),
            _ => self.hub.reset_loop_guard(&self.actor(step), &said.to).await.map(drop),
        })
    }

    fn answerer(&self, step: &Step) -> Principal {
        [&self.cast.coder, &self.cast.readers[1].0][usize::from(step.by) % 2].clone()
    }

    /// Who says something; for an agent that must not, Mara speaks.
    pub(crate) fn speaker(&self, step: &Step) -> Principal {
        let by = if step.act == Act::Stream { self.cast.coder.clone() } else { self.actor(step) };
        if self.is_mute(&by, step) { self.cast.mara.clone() } else { by }
    }

    /// Whether an agent must not speak in the open. Where a channel was open to all for a while, its calls counted
    /// everywhere, and what an agent said then shows for ever how deep it was. That betrays nothing: all could know it.
    fn is_mute(&self, who: &Principal, step: &Step) -> bool {
        self.was_disclosed && step.side == Side::Open && who.member.agent().is_some()
    }
}
