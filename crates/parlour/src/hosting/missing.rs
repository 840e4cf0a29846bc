//! The engine of an agent whose provider is no longer set up: it says so, every time it is called.

use async_trait::async_trait;
use parlour_agent::engine::{Answer, Engine, Outcome, Prompt, Trouble};
use tokio_util::sync::CancellationToken;

/// Why an agent cannot be run as its record says.
#[derive(Clone, Debug)]
pub(super) struct MissingEngine {
    pub(super) provider: String,
    /// What is wrong, and what can be done.
    pub(super) reason: String,
}

impl MissingEngine {
    /// Nobody has set this provider up.
    pub(super) fn unknown(provider: &str) -> Self {
        let reason = format!(
            "the provider {provider} of this agent is not set up on this hub; its operator can do that, or whoever owns \
             the agent chooses another engine"
        );
        Self { provider: provider.to_owned(), reason }
    }

    /// It is set up, but no engine comes of it.
    pub(super) fn broken(provider: &str, why: &str) -> Self {
        let reason = format!("the provider {provider} of this agent cannot be used: {why}");
        Self { provider: provider.to_owned(), reason }
    }
}

#[async_trait]
impl Engine for MissingEngine {
    fn runtime(&self) -> String {
        format!("{} (not set up)", self.provider)
    }

    /// Never silence, save where nobody waits for a word.
    async fn answer(&self, prompt: &Prompt, _: &mut dyn Answer, _: CancellationToken) -> Result<Outcome, Trouble> {
        if prompt.is_optional() { Ok(Outcome::default()) } else { Err(Trouble::new(&self.reason)) }
    }
}
