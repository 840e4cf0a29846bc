//! Writing an answer over a link.

use std::sync::Arc;

use parlour_core::{Code, id::MessageId, live::AddChunk, message::Message};

use crate::{
    answers::Finished,
    link::{Link, LinkError},
    streaming::{Ending, StepDeed, StreamCalls, StreamFault},
};

/// The hub of a link.
pub(super) struct LinkCalls(pub(super) Arc<dyn Link>);

impl StreamCalls for LinkCalls {
    type Error = LinkError;

    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        self.0.lease_seconds().await
    }

    async fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> Result<(), LinkError> {
        self.0.add_chunk(id, chunk.clone()).await
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        self.0.beat(id).await
    }

    async fn step(&self, id: &MessageId, step: &StepDeed) -> Result<(), LinkError> {
        match step {
            StepDeed::Start(step) => self.0.start_step(id, step.clone()).await,
            StepDeed::Finish(step, end) => self.0.finish_step(id, step, end.clone()).await,
        }
    }

    async fn end(&self, id: &MessageId, ending: &Ending) -> Result<Finished, LinkError> {
        match ending {
            Ending::Complete(end) => self.0.complete(id, end.clone()).await,
            Ending::Fail(end) => self.0.fail(id, end.clone()).await.map(Finished::from),
            Ending::Cancel(end) => self.0.cancel(id, end.clone()).await.map(Finished::from),
        }
    }

    async fn read(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.0.message(id).await
    }
}

impl StreamFault for LinkError {
    fn is_retryable(&self) -> bool {
        self.is_retryable()
    }

    fn is(&self, code: Code) -> bool {
        self.is(code)
    }
}
