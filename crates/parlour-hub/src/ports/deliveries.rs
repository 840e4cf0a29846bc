use async_trait::async_trait;
use parlour_core::{
    delivery::Delivery,
    id::{MemberId, MessageId},
};

use crate::Failure;

/// The deliveries of messages to their recipients. `Log::append` writes reports.
///
/// - A post creates a delivery for each agent that gets the message into its inbox, without a row of its own.
/// - A report moves a delivery by `Delivery::moved`. `Seen` removes the message from the agent's inbox, and marking a
///   message as read by its agent sets `Seen`. A report about a message that was not delivered to the agent is refused
///   (`NotFound`).
/// - A complete answer of an agent sets these deliveries to `Answered`: the message that it replies to, the message whose
///   question it settles, in any conversation, and the messages whose calls it took and that had been injected or seen.
///   Other messages whose calls it took stay unchanged and unread. An answer takes no call whose message a hook
///   delivered, except the one that it answers. An answer without a message sets the delivery of the question's message.
/// - Resuming a run from a message marks the message as handled by the agent of the run. If the agent resumes by itself,
///   or the message had been injected, the delivery becomes `Seen`.
/// - A report may name any run of the agent. The run is returned with the delivery if it belongs to the same conversation
///   or to none. When a run fails or is cancelled, its injected and unseen deliveries become `Failed`, with the reason of
///   the run where the run is returned.
/// - Deliveries that move because of an answer, a resumption or the end of a run produce further events, one per
///   conversation, after the event that moved them.
#[async_trait]
pub trait Deliveries: Send + Sync {
    /// The deliveries of a message: first to agents, by id, then to those of these people who may read it, whose state is
    /// only seen or not.
    async fn deliveries(&self, message: &MessageId, people: &[MemberId]) -> Result<Vec<Delivery>, Failure>;
}
