//! Answers that are written piece by piece, call by call. `StreamWriter` makes these calls in the right order.

use parlour_core::{
    id::MessageId,
    live::{AddChunk, Cancel, Complete, Fail},
    step::{FinishStep, StartStep, Step},
};

use super::Client;
use crate::{
    ClientError,
    answers::{Lease, Posted},
};

impl Client {
    /// Adds a piece to an answer and renews its lease.
    pub async fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> Result<Lease, ClientError> {
        self.post(&format!("/messages/{id}/chunks"), chunk).await
    }

    /// Renews the lease of an answer.
    pub async fn beat_stream(&self, id: &MessageId) -> Result<Lease, ClientError> {
        self.act(&format!("/messages/{id}/beat")).await
    }

    /// Ends an answer as complete.
    pub async fn complete_stream(&self, id: &MessageId, end: &Complete) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/complete"), end).await
    }

    /// Ends an answer as failed.
    pub async fn fail_stream(&self, id: &MessageId, end: &Fail) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/fail"), end).await
    }

    /// Stops an answer: one's own, or as a person any in a conversation that one may write in.
    pub async fn cancel_stream(&self, id: &MessageId, end: &Cancel) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/cancel"), end).await
    }

    /// Begins a step of an answer.
    pub async fn start_step(&self, id: &MessageId, step: &StartStep) -> Result<Step, ClientError> {
        self.post(&format!("/messages/{id}/steps"), step).await
    }

    /// Ends a step of an answer.
    pub async fn finish_step(&self, id: &MessageId, step: &str, end: &FinishStep) -> Result<Step, ClientError> {
        self.post(&format!("/messages/{id}/steps/{step}/finish"), end).await
    }
}
