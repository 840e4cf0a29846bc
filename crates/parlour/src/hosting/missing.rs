//! The engine of an agent without a usable provider: every answer fails with the reason.

use async_trait::async_trait;
use parlour_agent::engine::{AnswerSink, Completion, Engine, EngineError, Prompt};
use tokio_util::sync::CancellationToken;

/// An engine that cannot answer.
#[derive(Clone, Debug)]
pub(super) struct MissingEngine {
    pub(super) provider: String,
    pub(super) reason: String,
}

impl MissingEngine {
    /// The provider is not configured.
    pub(super) fn unknown(provider: &str) -> Self {
        let reason = format!(
            "the provider {provider} of this agent is not configured on this hub; the operator can configure it, or the \
             owner of the agent can select another engine"
        );
        Self { provider: provider.to_owned(), reason }
    }

    /// The provider is configured but invalid.
    pub(super) fn broken(provider: &str, why: &str) -> Self {
        let reason = format!("the provider {provider} of this agent cannot be used: {why}");
        Self { provider: provider.to_owned(), reason }
    }
}

#[async_trait]
impl Engine for MissingEngine {
    fn runtime(&self) -> String {
        format!("{} (not configured)", self.provider)
    }

    /// Fails with the reason, except for optional prompts.
    async fn answer(
        &self,
        prompt: &Prompt,
        _: &mut dyn AnswerSink,
        _: CancellationToken,
    ) -> Result<Completion, EngineError> {
        if prompt.is_optional() { Ok(Completion::default()) } else { Err(EngineError::new(&self.reason)) }
    }
}

#[cfg(test)]
mod tests {
    use parlour_agent::engine::{AnswerStopped, Mode};
    use parlour_core::{
        Timestamp,
        author::Author,
        call::{Call, CallReason, CallState},
        id::{AgentId, ChannelId, MessageId, PersonId, ProjectId},
        member::Agent,
        step::{FinishStep, StartStep},
    };

    use super::*;

    /// A sink that must not be used.
    struct Nothing;

    #[async_trait]
    impl AnswerSink for Nothing {
        async fn write(&mut self, _: &str) -> Result<(), AnswerStopped> {
            Err(AnswerStopped)
        }

        async fn start_step(&mut self, _: StartStep) -> Result<(), AnswerStopped> {
            Err(AnswerStopped)
        }

        async fn finish_step(&mut self, _: &str, _: FinishStep) -> Result<(), AnswerStopped> {
            Err(AnswerStopped)
        }
    }

    fn prompt(reason: CallReason) -> Prompt {
        let (agent_id, project_id, at) = (AgentId::from_bits(1), ProjectId::from_bits(1), Timestamp::from_millis(0));
        let agent = Agent {
            id: agent_id.clone(),
            project_id: project_id.clone(),
            name: "Coder".parse().expect("a name"),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            owner: PersonId::from_bits(1),
            created_at: at,
        };
        let call = Call {
            agent_id,
            message_id: MessageId::from_bits(1),
            project_id,
            conversation_id: ChannelId::from_bits(1).into(),
            reason,
            from: Author::host(),
            depth: 0,
            correlation_id: None,
            called_at: at,
            state: CallState::Open,
            answer_id: None,
        };
        Prompt {
            agent,
            calls: vec![call],
            pack: None,
            history: Vec::new(),
            task: None,
            mode: Mode::Auto,
            run_id: None,
            rejected_answer: None,
        }
    }

    async fn answer(reason: CallReason) -> Result<Completion, EngineError> {
        let engine = MissingEngine::unknown("local");
        engine.answer(&prompt(reason), &mut Nothing, CancellationToken::new()).await
    }

    #[tokio::test]
    async fn a_call_fails_with_the_missing_setting() {
        for reason in [CallReason::Mention, CallReason::Dm] {
            let trouble = answer(reason).await.expect_err("no answer");
            assert!(trouble.reason.contains("local") && trouble.reason.contains("the operator"), "{trouble}");
        }
    }

    #[tokio::test]
    async fn an_optional_call_gets_no_error() {
        assert_eq!(answer(CallReason::Follow).await, Ok(Completion::default()));
    }
}
