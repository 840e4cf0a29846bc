//! Writing answers.

use parlour_agent::link::LinkError;
use parlour_core::{
    id::MessageId,
    live::{AddChunk, Complete, Fail},
    message::Message,
    step::{FinishStep, StartStep},
};

use super::{HubLink, tried};

impl HubLink {
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

    pub(super) async fn complete_answer(&self, id: &MessageId, end: Complete) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.complete_stream(&caller, id, end.clone())).await?.message)
    }

    pub(super) async fn fail_answer(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.fail_stream(&caller, id, end.clone())).await?.message)
    }
}
