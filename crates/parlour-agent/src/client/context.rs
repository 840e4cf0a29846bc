//! What an agent would see, and what was given to its runs.

use parlour_core::{
    context::{ContextRequest, Injection, InjectionDiff, Pack},
    id::{AgentId, RunId},
    paging::Page,
};

use super::{
    Client,
    query::{PageAt, Query},
};
use crate::ClientError;

impl Client {
    /// Asks for what an agent would see now. Where a run is named, what is given is kept: each time that it
    /// is asked.
    pub async fn context(&self, agent: &AgentId, ask: &ContextRequest) -> Result<Pack, ClientError> {
        self.post(&format!("/agents/{agent}/context"), ask).await
    }

    /// Reads a page of what was given to a run, oldest first.
    pub async fn injections(&self, run: &RunId, page: &PageAt) -> Result<Page<Injection>, ClientError> {
        self.get(&format!("/runs/{run}/injections"), &Query::page(page).pairs()).await
    }

    /// How what was given to two runs differs.
    pub async fn injection_difference(&self, before: &RunId, after: &RunId) -> Result<InjectionDiff, ClientError> {
        let query = Query::default().with("with", Some(after));
        self.get(&format!("/runs/{before}/injections/difference"), &query.pairs()).await
    }
}
