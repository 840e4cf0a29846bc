//! Answers the calls of one conversation with one message.

use std::sync::Arc;

use parlour_core::{
    Code,
    call::Call,
    delivery::DeliveryPath,
    id::{ConversationId, MessageId},
    post::PostMessage,
};
use serde_json::json;

use super::{
    Report,
    closing::{self, Ended},
    control::Control,
    making::{How, Made, make},
    pen::{Opening, Pen},
    prompt,
    shared::{Shared, fresh_id},
    turn::{Turn, TurnEnd, TurnWish},
    words,
};
use crate::{engine::Prompt, link::LinkError, streaming::patiently};

/// Why there is no answer when every called message was removed.
const GONE: &str = "what was asked is no longer there";

/// Whether a thing to do is off the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It is.
    Settled,
    /// The hub could not be reached: what is still open there is to be done later.
    Later,
    /// The hub does not let the agent do it: it is not tried again.
    Refused,
}

/// What came of calls that were to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Came {
    pub(super) done: Done,
    /// Whether the answer has settled the question that it replies to.
    pub(super) has_settled: bool,
    /// Whether another process answers, or has answered.
    pub(super) is_elsewhere: bool,
}

impl Came {
    fn to(done: Done) -> Self {
        Self { done, has_settled: false, is_elsewhere: false }
    }
}

/// Answers these calls: none is empty, oldest first. The answer is a reply to the last one.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    answer_id: MessageId,
    calls: Vec<Call>,
    control: Arc<Control>,
    delivered_via: DeliveryPath,
) -> Came {
    let Some(last) = calls.last() else { return Came::to(Done::Settled) };
    let may_be_silent = calls.iter().all(|call| call.reason.is_optional());
    let mut pen = Pen::new(shared, opening(shared, answer_id.clone(), last), &control);
    // Somebody waits: let people see at once that the agent is at work.
    if !may_be_silent && let Err(error) = pen.open().await {
        return not_opened(shared, &calls, &error).await;
    }
    let called = match prompt::read_called(shared, &calls).await {
        Ok(called) if called.is_empty() => return fail_early(shared, pen, None, &calls, GONE).await,
        Ok(called) => called,
        Err(error) if error.is_retryable() && !pen.is_opened() => return Came::to(Done::Later),
        Err(error) => return fail_early(shared, pen, None, &calls, &prompt::why_not(shared, &error)).await,
    };
    let request = TurnWish {
        answer: Some(answer_id),
        label: format!("Answer {}", last.from.name),
        conversation: Some(last.conversation_id.clone()),
        message: Some(last.message_id.clone()),
        task: None,
        delivered_via: Some(delivered_via),
    };
    // The run comes first: what its model is given is kept with it.
    let mut turn = Turn::begin(shared, &control, request).await;
    let mut prompt = match prompt::of_calls(shared, called, turn.run(), delivered_via).await {
        Ok(asked) if asked.prompt.calls.is_empty() => {
            return fail_early(shared, pen, Some(turn), &calls, GONE).await;
        }
        Ok(asked) => turn.show(asked),
        // Whoever tries again goes on with the same run.
        Err(error) if error.is_retryable() && !pen.is_opened() => return Came::to(Done::Later),
        Err(error) => return fail_early(shared, pen, Some(turn), &calls, &prompt::why_not(shared, &error)).await,
    };
    prompt.besides.run_id = turn.run().cloned();
    let made = make(shared, &prompt, &mut pen, &turn).await;
    turn.report_rest().await;
    close(shared, &control, turn, pen, made, prompt, &calls).await
}

/// Ends what was begun without asking the engine.
async fn fail_early(shared: &Arc<Shared>, pen: Pen, turn: Option<Turn>, calls: &[Call], reason: &str) -> Came {
    let made = Made::failed(reason);
    let (done, end) = if pen.is_opened() {
        (Done::Settled, closing::close(shared, pen, made).await.closed.turn_end())
    } else {
        (stay_silent(shared, calls, &made).await, TurnEnd::Failed(reason.to_owned()))
    };
    if let Some(turn) = turn {
        turn.end(end, None).await;
    }
    Came::to(done)
}

/// Ends the answer as what came of it, and its run after that.
async fn close(
    shared: &Arc<Shared>,
    control: &Arc<Control>,
    turn: Turn,
    pen: Pen,
    made: Made,
    prompt: Prompt,
    calls: &[Call],
) -> Came {
    let usage = made.usage.clone();
    if let Some(error) = pen.not_opened().cloned() {
        let came = not_opened(shared, calls, &error).await;
        // Of one run in two processes, the one that writes the answer ends it.
        if !came.is_elsewhere {
            turn.end(TurnEnd::Failed(error.to_string()), usage).await;
        }
        return came;
    }
    if !pen.is_opened() {
        let done = stay_silent(shared, calls, &made).await;
        turn.end(end_of_silence(shared, &made.how), usage).await;
        return Came::to(done);
    }
    let mut ended = closing::close(shared, pen, made).await;
    if let (Some(problem), Some(last)) = (ended.problem.take(), calls.last()) {
        ended = ask_again(shared, control, &turn, prompt, problem.detail, last).await.unwrap_or(ended);
    }
    turn.end(ended.closed.turn_end(), usage).await;
    Came { has_settled: ended.has_settled, ..Came::to(Done::Settled) }
}

/// The answer does not fit the question: the engine is told why, and asked once more.
async fn ask_again(
    shared: &Arc<Shared>,
    control: &Arc<Control>,
    turn: &Turn,
    mut prompt: Prompt,
    problem: String,
    last: &Call,
) -> Option<Ended> {
    prompt.besides.problem = Some(problem);
    let mut pen = Pen::new(shared, opening(shared, fresh_id(), last), control);
    pen.open().await.ok()?;
    let made = make(shared, &prompt, &mut pen, turn).await;
    Some(closing::close(shared, pen, made).await)
}

fn opening(shared: &Shared, id: MessageId, call: &Call) -> Opening {
    Opening { id, request: request(call, &shared.claim), asker: call.from.name.clone() }
}

fn end_of_silence(shared: &Shared, how: &How) -> TurnEnd {
    match how {
        How::Whole => TurnEnd::Done,
        How::Unwanted | How::Cancelled(_) => TurnEnd::Cancelled(None),
        how => TurnEnd::Failed(closing::reason(shared, how)),
    }
}

/// A request for the answer to a call.
fn request(call: &Call, claim: &str) -> PostMessage {
    PostMessage {
        stream: true,
        reply_to: Some(call.message_id.clone()),
        correlation_id: call.correlation_id.clone(),
        metadata: json!({ "claim": claim }).as_object().cloned().unwrap_or_default(),
        ..wish_in(&call.conversation_id)
    }
}

/// An empty request for a message there.
pub(super) fn wish_in(conversation: &ConversationId) -> PostMessage {
    let mut request = PostMessage::default();
    match conversation.clone() {
        ConversationId::Channel(id) => request.channel_id = Some(id),
        ConversationId::Thread(id) => request.thread_id = Some(id),
        ConversationId::Dm(id) => request.dm_id = Some(id),
    }
    request
}

/// The hub did not take the beginning of the answer.
async fn not_opened(shared: &Shared, calls: &[Call], error: &LinkError) -> Came {
    if error.is(Code::ClientIdReused) {
        shared.tell(Report::Passed("another process has taken the call".to_owned()));
        return Came { is_elsewhere: true, ..Came::to(Done::Settled) };
    }
    if error.is_retryable() {
        shared.tell(Report::Lost(error.to_string()));
        return Came::to(Done::Later);
    }
    Came::to(match error {
        LinkError::Over(_) => Done::Settled,
        _ => pass(shared, calls, Some(format!("the hub did not take an answer: {error}"))).await,
    })
}

/// The agent need not answer, and has written nothing.
async fn stay_silent(shared: &Shared, calls: &[Call], made: &Made) -> Done {
    match &made.how {
        // Whoever runs the agent next asks it again; and nobody waits for what is not wanted.
        How::Stopped | How::Unwanted | How::Cancelled(_) => Done::Settled,
        How::Whole => pass(shared, calls, None).await,
        how => pass(shared, calls, Some(closing::reason(shared, how))).await,
    }
}

/// Says of each of these calls that it is not answered.
pub(super) async fn pass(shared: &Shared, calls: &[Call], reason: Option<String>) -> Done {
    let reason = reason.map(|reason| words::reason(&reason));
    for call in calls {
        if let Err(error) = patiently(|| shared.link.pass(&call.message_id, reason.clone())).await {
            shared.tell(Report::Lost(error.to_string()));
            return if error.is_retryable() { Done::Later } else { Done::Settled };
        }
    }
    shared.tell(Report::Passed(reason.unwrap_or_else(|| "it had nothing to say".to_owned())));
    Done::Settled
}
