//! What a client asks for over a socket: the same use cases and the same answers as over HTTP.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use parlour_core::{
    Code, Refusal,
    access::Principal,
    limits,
    live::{ClientFrame, Done, Refused, ServerFrame},
    origin::Surface,
    rate::Cost,
};
use parlour_hub::{
    Failure, Hub,
    live::{Reader, Session},
};
use serde::Serialize;
use serde_json::Value;
use tracing::{Instrument as _, Span, field::Empty};

use super::{
    beats::wait,
    socket::{Subscription, interest, to_text},
};
use crate::{
    refused::{Attempt, note},
    routes::{messages::PostedMessage, streams::OpenAnswer},
};

/// How long a request may take.
const TIME_MAX: Duration = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);

/// A request under way. It is boxed because most sockets are idle.
pub(super) type Request = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What came of a request.
pub(super) struct Outcome {
    /// The answer, as text.
    pub(super) text: Bytes,
    /// The project that is followed from now on.
    pub(super) reader: Option<Box<Reader>>,
}

/// What a frame costs its member, as over HTTP.
pub(super) fn cost_of(frame: &ClientFrame) -> Cost {
    match frame {
        ClientFrame::Chunk { .. } | ClientFrame::Beat { .. } | ClientFrame::Ping {} => Cost::Piece,
        ClientFrame::Subscribe { .. }
        | ClientFrame::Unsubscribe { .. }
        | ClientFrame::SignIn { .. }
        | ClientFrame::Presence(_)
        | ClientFrame::Leave {}
        | ClientFrame::Typing { .. } => Cost::Read,
        _ => Cost::Change,
    }
}

/// Begins to do what a client asks for. It ends in time, and nothing is left running when it is dropped.
pub(super) fn begin(hub: &Arc<Hub>, session: &Arc<Session>, reference: Option<String>, frame: ClientFrame) -> Request {
    let (hub, session) = (Arc::clone(hub), Arc::clone(session));
    let (span, started) = (span(session.caller(), &frame), Instant::now());
    let request = async move {
        let change = change_of(&frame);
        let done = tokio::select! {
            biased;
            done = carry_out(&hub, &session, frame) => done,
            () = wait(hub.clock(), TIME_MAX) => Err(refuse_late().into()),
        };
        log_answer(&done, started.elapsed());
        match done {
            Ok((data, reader)) => Outcome { text: to_text(&ServerFrame::Ok(Done { reference, data })), reader },
            Err(failure) => {
                if let (Some(change), Some(refusal)) = (change, failure.refusal()) {
                    note(&hub, session.caller(), Attempt::new(change), refusal.code).await;
                }
                Outcome { text: to_text(&refused(reference, &failure)), reader: None }
            }
        }
    };
    Box::pin(request.instrument(span))
}

/// What the log tells of a frame; nothing of what is in it but the correlation id of a message.
fn span(caller: &Principal, frame: &ClientFrame) -> Span {
    let (surface, member_id) = (Surface::Live.as_str(), caller.member.as_str());
    tracing::debug_span!("frame", surface, member_id, frame = change_of(frame), correlation_id = Empty)
}

fn log_answer<T>(done: &Result<T, Failure>, latency: Duration) {
    let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let code = done.as_ref().err().map(|failure| failure.refusal().map_or(Code::Internal, |refusal| refusal.code));
    tracing::debug!(code = code.map(Code::as_str), latency_us, "answered a frame");
}

/// How the audit log calls what a frame wants to change.
fn change_of(frame: &ClientFrame) -> Option<&'static str> {
    match frame {
        ClientFrame::Post { .. } => Some("live post"),
        ClientFrame::Chunk { .. } => Some("live chunk"),
        ClientFrame::Complete { .. } => Some("live complete"),
        ClientFrame::Fail { .. } => Some("live fail"),
        ClientFrame::Cancel { .. } => Some("live cancel"),
        ClientFrame::StartStep { .. } => Some("live start_step"),
        ClientFrame::FinishStep { .. } => Some("live finish_step"),
        _ => None,
    }
}

/// Tells a client why its frame was not done. Of a fault nothing but its existence is told.
pub(super) fn refused(reference: Option<String>, failure: &Failure) -> ServerFrame {
    let fault = || {
        tracing::error!(cause = %failure, "a live request met a fault");
        Refusal::new(Code::Internal, "the hub met a fault; its log has the cause")
    };
    let refusal = failure.refusal().cloned().unwrap_or_else(fault);
    ServerFrame::Refused(Refused::new(reference, &refusal))
}

fn refuse_late() -> Refusal {
    Refusal::new(Code::TimedOut, format!("the request was not done within {} seconds", TIME_MAX.as_secs()))
}

async fn carry_out(
    hub: &Arc<Hub>,
    session: &Session,
    frame: ClientFrame,
) -> Result<(Value, Option<Box<Reader>>), Failure> {
    if let ClientFrame::Subscribe { project_id, after, events_only } = frame {
        let wanted = Subscription { project_id, after, interest: interest(events_only) };
        return Ok((Value::Null, Some(Box::new(wanted.begin(session).await?))));
    }
    Ok((answer(hub, session, frame).await?, None))
}

/// What the same request over HTTP answers.
async fn answer(hub: &Hub, session: &Session, frame: ClientFrame) -> Result<Value, Failure> {
    let caller = session.caller();
    Ok(match frame {
        ClientFrame::Post { message } => json(PostedMessage::from(hub.post_message(caller, *message).await?)),
        ClientFrame::Presence(request) => json(hub.enter_presence(caller, session.id(), request).await?),
        ClientFrame::Leave {} => {
            hub.leave_presence(session.id());
            Value::Null
        }
        ClientFrame::Typing { conversation_id } => json(hub.note_typing(caller, &conversation_id).await?),
        ClientFrame::Cancel { message_id, end } => {
            json(PostedMessage::from(hub.cancel_stream(caller, &message_id, end).await?))
        }
        ClientFrame::SignIn { .. } => return Err(Refusal::invalid("you are signed in already").at("type").into()),
        other => return answer_producer(hub, session, other).await,
    })
}

/// What somebody is answered who writes an answer.
async fn answer_producer(hub: &Hub, session: &Session, frame: ClientFrame) -> Result<Value, Failure> {
    let caller = session.caller();
    Ok(match frame {
        ClientFrame::Chunk { message_id, chunk } => {
            json(OpenAnswer::from(hub.add_chunk(caller, &message_id, chunk).await?))
        }
        ClientFrame::Beat { message_id } => json(OpenAnswer::from(hub.beat_stream(caller, &message_id).await?)),
        ClientFrame::StartStep { message_id, step } => json(hub.start_step(caller, &message_id, step).await?),
        ClientFrame::FinishStep { message_id, step_id, end } => {
            json(hub.finish_step(caller, &message_id, &step_id, end).await?)
        }
        ClientFrame::Complete { message_id, end } => {
            json(PostedMessage::from(hub.complete_stream(caller, &message_id, end).await?))
        }
        ClientFrame::Fail { message_id, end } => {
            json(PostedMessage::from(hub.fail_stream(caller, &message_id, end).await?))
        }
        // The conversation answers these by itself.
        _ => Value::Null,
    })
}

fn json(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer is plain data")
}
