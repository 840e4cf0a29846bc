//! Questions that block: each is answered at once and alone, beside whatever else is under way.
//!
//! What it pauses waits for it, so it must wait for nothing itself: neither for its conversation nor for a place among
//! the answers, and it is never paused by another question. When it is done, whatever came of it, what it has paused
//! goes on.

use std::{sync::Arc, time::Duration};

use parlour_core::{
    Code,
    call::{Call, CallReason, CallState, answer_id},
    delivery::DeliveryPath,
    id::{AgentId, MemberId, MessageId, RunId},
    message::{Importance, Message, State},
};
use tokio::time::{Instant, sleep};

use super::{
    answering::{self, Done},
    control::Control,
    shared::{Shared, Wanted},
    tries::{self, Standing},
    work::call_of,
};
use crate::streaming::patiently;

/// How often it is looked whether another process has done with a question.
const LOOK_PAUSE: Duration = Duration::from_secs(3);
/// For how long it is looked. Whoever is still paused then has the question asked for again.
const LOOK_TIME_MAX: Duration = Duration::from_secs(600);

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Interjected {
    /// It is settled, and the hub lets go on what it had paused.
    Settled,
    /// It was taken up and may still be open: what it has paused is to go on.
    Handled,
    /// It blocks nobody any more, but somebody still wants an answer.
    Ordinary(Box<Call>),
    /// Its answer has broken off, and it is still open: it is to be tried again.
    Interrupted(Importance),
    /// The hub could not be reached.
    Later,
}

/// Whether a message asks this agent something that is still open.
pub(super) fn is_asked(message: &Message, agent: &AgentId) -> bool {
    let me = MemberId::from(agent.clone());
    let question = message.question.as_ref().filter(|question| question.is_open());
    question.is_some_and(|question| question.awaited().any(|member| *member == me))
}

/// Answers the question of this message, unless that was done before.
pub(super) async fn interject(
    shared: Arc<Shared>,
    control: Arc<Control>,
    wanted: Wanted,
    delivered_via: DeliveryPath,
) -> Interjected {
    let (me, id) = (shared.agent().id, wanted.message_id);
    let message = match patiently(|| shared.link.message(&id)).await {
        Ok(message) => message,
        Err(error) if error.is(Code::NotFound) || error.is(Code::Removed) => return Interjected::Handled,
        Err(error) => return if error.is_retryable() { Interjected::Later } else { Interjected::Handled },
    };
    let call = call_of(&message, &me);
    if !is_asked(&message, &me) {
        let call = call.filter(|_| !wanted.is_begun);
        return call.map_or(Interjected::Handled, |call| Interjected::Ordinary(Box::new(call)));
    }
    let standing =
        if wanted.is_begun { tries::look(&shared, &id).await } else { Ok(Standing::Free(answer_id(&me, &id))) };
    let answer = match standing {
        Ok(Standing::Free(answer)) => answer,
        Ok(Standing::Written(answer)) => return until_done_elsewhere(&shared, &answer, &message).await,
        Err(error) if error.is_retryable() => return Interjected::Later,
        Ok(Standing::Over) | Err(_) => return Interjected::Handled,
    };
    let call = call.unwrap_or_else(|| call_by_question(&message, &me));
    let came = answering::answer(&shared, answer.clone(), vec![call], control, delivered_via).await;
    match came.done {
        Done::Later => Interjected::Later,
        _ if came.has_settled => Interjected::Settled,
        _ if came.is_elsewhere => until_done_elsewhere(&shared, &answer, &message).await,
        Done::Settled | Done::Refused => read_end(&shared, &answer, &message).await.unwrap_or(Interjected::Handled),
    }
}

/// A question is a call to whomever it asks, also where nothing else would call.
fn call_by_question(message: &Message, me: &AgentId) -> Call {
    Call {
        agent_id: me.clone(),
        message_id: message.id.clone(),
        project_id: message.project_id.clone(),
        conversation_id: message.to.clone(),
        reason: CallReason::Mention,
        from: message.from.clone(),
        depth: message.cause.as_ref().map_or(0, |cause| cause.depth),
        correlation_id: message.correlation_id.clone(),
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    }
}

/// Another process answers: its answer is waited for, so that nothing goes on before it is there.
async fn until_done_elsewhere(shared: &Shared, answer: &MessageId, question: &Message) -> Interjected {
    let until = Instant::now() + LOOK_TIME_MAX;
    while Instant::now() < until {
        match read_end(shared, answer, question).await {
            Some(end) => return end,
            None => sleep(LOOK_PAUSE).await,
        }
    }
    Interjected::Handled
}

/// What has come of an answer to a question, once it has ended.
async fn read_end(shared: &Shared, answer: &MessageId, question: &Message) -> Option<Interjected> {
    match patiently(|| shared.link.message(answer)).await {
        Ok(message) if message.state == State::Streaming => None,
        Ok(message) if message.state == State::Interrupted => Some(Interjected::Interrupted(question.importance)),
        Ok(message) if message.answer_to.is_some() => Some(Interjected::Settled),
        _ => Some(Interjected::Handled),
    }
}

/// Says of these runs that their agent has handled the message. Those that go on already are as they should be.
pub(super) async fn resume(shared: Arc<Shared>, runs: Vec<RunId>, message: MessageId) {
    for run in runs {
        // Whoever is still paused asks for it again.
        let _ = patiently(|| shared.link.resume_run(&run, &message)).await;
    }
}
