//! Writing answers.

use parlour_agent::{
    answers::{AnswerProblem, Finished},
    link::LinkError,
};
use parlour_core::{
    id::MessageId,
    live::{AddChunk, Cancel, Complete, Fail},
    message::Message,
    step::{FinishStep, StartStep},
};

use super::{LocalLink, tried};

impl LocalLink {
    pub(super) async fn add_to_answer(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError> {
        let caller = self.caller();
        tried(|| self.hub.add_chunk(&caller, id, chunk.clone())).await.map(drop)
    }

    pub(super) async fn beat_answer(&self, id: &MessageId) -> Result<(), LinkError> {
        let caller = self.caller();
        tried(|| self.hub.beat_stream(&caller, id)).await.map(drop)
    }

    pub(super) async fn begin_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError> {
        let caller = self.caller();
        tried(|| self.hub.start_step(&caller, id, step.clone())).await.map(drop)
    }

    pub(super) async fn end_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError> {
        let caller = self.caller();
        tried(|| self.hub.finish_step(&caller, id, step_id, end.clone())).await.map(drop)
    }

    pub(super) async fn complete_answer(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError> {
        let caller = self.caller();
        let ended = tried(|| self.hub.complete_stream(&caller, id, end.clone())).await?;
        let problem = ended.answer_problem;
        Ok(Finished {
            message: ended.message,
            position: Some(ended.position),
            mention_problems: ended.mention_problems,
            answer_problem: problem
                .map(|refusal| AnswerProblem { code: refusal.code.as_str().to_owned(), detail: refusal.detail }),
        })
    }

    pub(super) async fn fail_answer(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.fail_stream(&caller, id, end.clone())).await?.message)
    }

    pub(super) async fn cancel_answer(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.cancel_stream(&caller, id, end.clone())).await?.message)
    }
}
