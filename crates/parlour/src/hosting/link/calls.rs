//! Who the agent is, who else is there, and what it is to answer.

use parlour_agent::link::LinkError;
use parlour_core::{call::Call, id::MessageId, member::Agent};

use super::{LocalLink, all_pages, tried};

impl LocalLink {
    pub(super) async fn read_agent(&self) -> Result<Agent, LinkError> {
        let caller = self.caller();
        tried(|| self.hub.agent(&caller, &self.agent)).await
    }

    pub(super) async fn read_agents(&self) -> Result<Vec<Agent>, LinkError> {
        let caller = &self.caller();
        all_pages(|page| async move { self.hub.agents(caller, &self.project, &page).await }).await
    }

    pub(super) async fn read_lease(&self) -> Result<u64, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.project(&caller, &self.project)).await?.policy.streams.lease_seconds)
    }

    pub(super) async fn read_calls(&self) -> Result<Vec<Call>, LinkError> {
        let caller = &self.caller();
        all_pages(|page| async move { self.hub.open_calls(caller, &self.agent, &page).await }).await
    }

    pub(super) async fn pass_call(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError> {
        let caller = self.caller();
        tried(|| self.hub.pass_call(&caller, message, reason.clone())).await.map(drop)
    }
}
