//! Questions and runs. Each side has its own askers and agents: an agent that waits in a DM is paused for all members,
//! which would change open conversations.

use parlour_core::{
    access::Principal,
    checkpoint::CheckpointDelivery,
    id::{ConversationId, RunId},
    post::PostMessage,
    question::AnswerRequest,
    run::{FinishRun, StartRun},
};
use parlour_hub::Failure;

use crate::{
    acts::{addressed_to, pick},
    story::{StepVisibility, StoryAction, StoryStep},
    story_hub::StoryHub,
};

impl StoryHub {
    /// Asks a blocking question, or answers one.
    pub(crate) async fn question(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        if step.act == StoryAction::Settle {
            let id = pick(&self.objects(step.side).questions, step.what)?;
            let request = AnswerRequest { text: Some(format!("answer {number}")), ..AnswerRequest::default() };
            return Some(self.hub.answer_question(&self.cast.mara, &id, request).await.map(drop));
        }
        let to = pick(&self.objects(step.side).conversations(), step.what)?;
        let (asker, asked) = match step.side {
            StepVisibility::Open => (self.cast.readers[0].0.clone(), ["Clerk", "Mara"][usize::from(step.bits) % 2]),
            StepVisibility::Hidden => (self.cast.cleo.clone(), "Coder"),
        };
        let body = format!("{number}: @{asked}, payroll?");
        let request = PostMessage { body, blocking: true, ..addressed_to(&to) };
        let posted = self.hub.post_message(&asker, request).await;
        Some(posted.map(|posted| self.objects_mut(step.side).questions.push(posted.message.id)))
    }

    /// Starts a run, calls a checkpoint, resumes or finishes it.
    pub(crate) async fn run(&mut self, step: &StoryStep) -> Option<Result<(), Failure>> {
        let agent = match step.side {
            StepVisibility::Open => self.cast.readers[1].0.clone(),
            StepVisibility::Hidden => self.cast.coder.clone(),
        };
        if step.act == StoryAction::Begin {
            let to = pick(&self.objects(step.side).conversations(), step.what)?;
            let request = StartRun { task_id: pick(&self.tasks, step.bits).map(|(id, _)| id), ..started_in(to) };
            let started = self.hub.start_run(&agent, request).await;
            return Some(started.map(|run| self.objects_mut(step.side).runs.push(run.id)));
        }
        let id = pick(&self.objects(step.side).runs, step.what)?;
        Some(self.check(&agent, &id, step.bits).await)
    }

    async fn check(&self, agent: &Principal, id: &RunId, bits: u8) -> Result<(), Failure> {
        match bits % 4 {
            0 | 1 => self.hub.checkpoint(agent, id, CheckpointDelivery::Checkpoint).await.map(drop),
            2 => self.hub.resume_run(agent, id, None).await.map(drop),
            _ => self.hub.finish_run(agent, id, FinishRun::default()).await.map(drop),
        }
    }
}

fn started_in(to: ConversationId) -> StartRun {
    let mut request = StartRun::default();
    match to {
        ConversationId::Channel(id) => request.channel_id = Some(id),
        ConversationId::Thread(id) => request.thread_id = Some(id),
        ConversationId::Dm(id) => request.dm_id = Some(id),
    }
    request
}
