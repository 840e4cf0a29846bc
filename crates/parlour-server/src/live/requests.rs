//! Requests of a WebSocket client: the same use cases and the same answers as over HTTP.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use parlour_core::{
    Code, Refusal,
    access::Principal,
    attribution::Surface,
    limits,
    live::{ClientFrame, CommandDone, CommandRefused, ServerFrame},
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
    session::sleep,
    websocket::{SubscribeRequest, frame_filter, to_json},
};
use crate::{
    middleware::{RefusedChange, record_refused_change},
    routes::{messages::PostedMessage, streams::OpenAnswer},
};

/// Time limit of one request.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);

/// A running request; boxed because most sockets are idle.
pub(super) type RunningRequest = Pin<Box<dyn Future<Output = RequestOutcome> + Send>>;

/// The result of a request.
pub(super) struct RequestOutcome {
    pub(super) text: Bytes,
    /// The new subscription of a `subscribe` frame.
    pub(super) reader: Option<Box<Reader>>,
}

/// The rate cost of a frame, as over HTTP.
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

/// Starts a request. It ends within its time limit, and dropping it cancels all of its work.
pub(super) fn start(
    hub: &Arc<Hub>,
    session: &Arc<Session>,
    reference: Option<String>,
    frame: ClientFrame,
) -> RunningRequest {
    let (hub, session) = (Arc::clone(hub), Arc::clone(session));
    let (span, started) = (span(session.caller(), &frame), Instant::now());
    let request = async move {
        let change = change_of(&frame);
        let done = tokio::select! {
            biased;
            done = execute(&hub, &session, frame) => done,
            () = sleep(hub.clock(), REQUEST_TIME_MAX) => Err(refuse_late().into()),
        };
        log_answer(&done, started.elapsed());
        match done {
            Ok((data, reader)) => {
                RequestOutcome { text: to_json(&ServerFrame::Ok(CommandDone { reference, data })), reader }
            }
            Err(failure) => {
                if let (Some(change), Some(refusal)) = (change, failure.refusal()) {
                    record_refused_change(&hub, session.caller(), RefusedChange::new(change), refusal.code).await;
                }
                RequestOutcome { text: to_json(&refused(reference, &failure)), reader: None }
            }
        }
    };
    Box::pin(request.instrument(span))
}

/// The log span of a frame; of its content only the correlation id of a message is logged.
fn span(caller: &Principal, frame: &ClientFrame) -> Span {
    let (surface, member_id) = (Surface::Live.as_str(), caller.member.as_str());
    tracing::debug_span!("frame", surface, member_id, frame = change_of(frame), correlation_id = Empty)
}

fn log_answer<T>(done: &Result<T, Failure>, latency: Duration) {
    let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let code = done.as_ref().err().map(|failure| failure.refusal().map_or(Code::Internal, |refusal| refusal.code));
    tracing::debug!(code = code.map(Code::as_str), latency_us, "answered a frame");
}

/// The action name of a changing frame in the audit log.
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

/// The refusal frame of a failure; the cause of a fault is only logged.
pub(super) fn refused(reference: Option<String>, failure: &Failure) -> ServerFrame {
    let fault = || {
        tracing::error!(cause = %failure, "a live request failed");
        Refusal::new(Code::Internal, "internal error; the hub's log has the cause")
    };
    let refusal = failure.refusal().cloned().unwrap_or_else(fault);
    ServerFrame::Refused(CommandRefused::new(reference, &refusal))
}

fn refuse_late() -> Refusal {
    Refusal::new(Code::TimedOut, format!("the request took longer than {} seconds", REQUEST_TIME_MAX.as_secs()))
}

async fn execute(
    hub: &Arc<Hub>,
    session: &Session,
    frame: ClientFrame,
) -> Result<(Value, Option<Box<Reader>>), Failure> {
    if let ClientFrame::Subscribe { project_id, after, events_only } = frame {
        let request = SubscribeRequest { project_id, after, frame_filter: frame_filter(events_only) };
        return Ok((Value::Null, Some(Box::new(request.begin(session).await?))));
    }
    Ok((execute_frame(hub, session, frame).await?, None))
}

/// Executes a frame and returns the body that the same HTTP request returns.
async fn execute_frame(hub: &Hub, session: &Session, frame: ClientFrame) -> Result<Value, Failure> {
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
        other => return execute_stream_frame(hub, session, other).await,
    })
}

/// Executes the frames of a stream's producer.
async fn execute_stream_frame(hub: &Hub, session: &Session, frame: ClientFrame) -> Result<Value, Failure> {
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
        // The session answers these itself.
        _ => Value::Null,
    })
}

fn json(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer is plain data")
}
