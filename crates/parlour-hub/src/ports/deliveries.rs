use async_trait::async_trait;
use parlour_core::{
    delivery::Delivery,
    id::{MemberId, MessageId},
};

use crate::Failure;

/// What has become of messages for their recipients. Reports are written by `Log::append`.
///
/// - A post stores the message for each agent that gets it into its inbox; that costs no row of its own.
/// - A report moves a delivery as `Delivery::moved` says. Being seen takes the message out of the agent's inbox, and
///   marking it as read by its agent makes it seen. A report about a message that was not for the agent is refused
///   (`NotFound`).
/// - A complete answer of an agent makes these `Answered`: the message that it replies to, the one whose question it
///   settles, wherever the answer stands, and those whose calls it took and that had been injected or seen. What it took
///   besides stays as it is, and unread. An answer that the agent gives without a message answers its question's.
/// - A message that a run is resumed from is handled by the run's agent. When the agent resumes by itself, or had been
///   shown the message, it has seen it.
/// - A report may name any run of the agent. It is told with the message where it belongs to the same conversation or to
///   none. What a failed or stopped run was shown and that was not seen fails with it, with the reason of the run where the
///   run is told.
/// - What moves because of an answer, of a resumption or of the end of a run is told by further events, one for each
///   conversation, behind those of what moved it.
#[async_trait]
pub trait Deliveries: Send + Sync {
    /// The deliveries of a message: first its agents, by id, then those of these people who may read it, as far as they
    /// are seen or not.
    async fn deliveries(&self, message: &MessageId, people: &[MemberId]) -> Result<Vec<Delivery>, Failure>;
}
