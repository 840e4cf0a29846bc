//! The tries to answer a question.
//!
//! An answer that breaks off with its process is left as it is, and ordinary calls are not answered again. Whoever asked
//! a question that is still open waits for it, though, and so does what it pauses: another try follows, under an id of
//! its own. Every process of the agent comes to the same ids, so each try is made once.

use parlour_core::{
    Code,
    call::answer_id,
    id::{AgentId, MessageId},
    message::State,
};

use super::shared::Shared;
use crate::{link::LinkError, streaming::patiently};

/// How often an agent begins to answer one question. What has cut it off so often may well be the question itself; it
/// is then left to others, and to its expiry.
pub(super) const TRIES_MAX: usize = 3;

/// How far an agent has come with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody writes: the answer under this id is to be made.
    Free(MessageId),
    /// A process writes this answer, or did so a moment ago.
    Written(MessageId),
    /// It has had its answer, or was begun too often.
    Over,
}

/// The ids of the answers to a question, in their order. The first is that of the answer to any call. Each further one
/// would be that of an answer to the one before; an agent answers none of its own messages, so nothing else has it.
fn answers(agent: &AgentId, question: &MessageId) -> impl Iterator<Item = MessageId> {
    let next = |before: &MessageId| Some(answer_id(agent, before));
    std::iter::successors(Some(answer_id(agent, question)), next).take(TRIES_MAX)
}

/// Looks how far the agent has come with a question.
pub(super) async fn look(shared: &Shared, question: &MessageId) -> Result<Standing, LinkError> {
    for answer in answers(&shared.agent().id, question) {
        match patiently(|| shared.link.message(&answer)).await {
            Ok(message) if message.state == State::Interrupted => {}
            Ok(message) if message.state == State::Streaming => return Ok(Standing::Written(answer)),
            Ok(_) => return Ok(Standing::Over),
            Err(error) if error.is(Code::NotFound) => return Ok(Standing::Free(answer)),
            // Somebody has removed it: nobody wants it again.
            Err(error) if error.is(Code::Removed) => return Ok(Standing::Over),
            Err(error) => return Err(error),
        }
    }
    Ok(Standing::Over)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_try_has_an_id_of_its_own_and_the_first_that_of_any_answer() {
        let (agent, question) = (AgentId::from_bits(1), MessageId::from_bits(2));
        let ids: Vec<_> = answers(&agent, &question).collect();
        assert_eq!(ids[0], answer_id(&agent, &question));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), TRIES_MAX);
        assert!(answers(&AgentId::from_bits(3), &question).all(|id| !ids.contains(&id)));
    }
}
