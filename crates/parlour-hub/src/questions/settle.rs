use parlour_core::{
    Refusal,
    attribution::Attribution,
    delivery::DeliveryState,
    event::Change,
    id::AgentId,
    message::Message,
    question::{Question, RawAnswer, Settlement},
};

use super::reply::read_given;
use crate::{Failure, Hub, hub::run_to_completion, use_cases::unexpected_change};

impl Hub {
    /// What settles a question when this is given as its answer.
    pub(crate) fn settlement_of(&self, question: &Question, given: RawAnswer) -> Result<Settlement, Refusal> {
        let field = match &given {
            RawAnswer::Option(_) => "option",
            RawAnswer::Values(_) => "value",
            RawAnswer::Text(_) => "text",
        };
        read_given(question, given).map(Settlement::Answered).map_err(|refusal| refusal.at(field))
    }

    /// Settles the question of a message and lets go on what waits for it. It runs to its end even when the caller goes
    /// away. Answers the message as it is then.
    pub(crate) async fn settle(
        &self,
        attribution: Attribution,
        message: &Message,
        settlement: Settlement,
    ) -> Result<Message, Failure> {
        let (run_supervisor, message) = (self.run_supervisor.clone(), message.clone());
        run_to_completion("settle a question", async move {
            let taken_up = taken_up(&attribution, &settlement);
            let mark = match run_supervisor.settle(attribution.clone(), &message, settlement).await? {
                Change::QuestionChanged(mark) => *mark,
                other => return Err(unexpected_change(&other)),
            };
            if let Some((agent, state)) = taken_up {
                run_supervisor.report_delivery(attribution, &message, &agent, state).await;
            }
            run_supervisor.release(&message.id).await;
            Ok(Message { question: Some(mark.question), ..message })
        })
        .await
    }

    /// Ends a question whose time is over, if that was not done yet, and answers the message as it is then.
    pub(crate) async fn expire_if_due(&self, message: Message) -> Result<Message, Failure> {
        let is_due = message.question.as_ref().is_some_and(|one| one.is_open() && !self.is_answerable(one));
        if !is_due {
            return Ok(message);
        }
        self.run_supervisor.expire(&message.id).await?;
        let found = self.store.message(&message.id).await?;
        Ok(found.unwrap_or(message))
    }
}

/// What has become of the message for an agent that settles its question.
fn taken_up(attribution: &Attribution, settlement: &Settlement) -> Option<(AgentId, DeliveryState)> {
    let agent = attribution.actor.member_id()?.agent()?.clone();
    match settlement {
        Settlement::Answered(_) => Some((agent, DeliveryState::Answered)),
        Settlement::Ignored(_) => Some((agent, DeliveryState::Seen)),
        Settlement::Expired | Settlement::Withdrawn => None,
    }
}
