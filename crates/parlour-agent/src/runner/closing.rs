//! Ends the message of an answer as what came of it, and tells whoever watches.

use std::time::Duration;

use parlour_core::{
    id::MessageId,
    limits,
    live::{Cancel, Complete, Fail},
    message::{Message, State},
};

use super::{
    Report,
    making::{How, Made},
    pen::Pen,
    shared::Shared,
    turn::TurnEnd,
    words,
};
use crate::{
    answers::AnswerProblem,
    link::LinkError,
    streaming::{Ending, StreamError, patiently},
};

/// How the message of an answer has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// As complete.
    Complete,
    /// Otherwise, for this reason.
    Failed(String),
    /// Somebody stopped it.
    Cancelled(Option<String>),
}

impl Closed {
    /// The same for the run that made it.
    pub(super) fn turn_end(&self) -> TurnEnd {
        match self {
            Self::Complete => TurnEnd::Done,
            Self::Failed(reason) => TurnEnd::Failed(reason.clone()),
            Self::Cancelled(reason) => TurnEnd::Cancelled(reason.clone()),
        }
    }

    /// Why there is no whole answer; nothing when there is one.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Failed(reason) => Some(reason.clone()),
            Self::Cancelled(reason) => Some(reason.clone().unwrap_or_else(|| "it was stopped".to_owned())),
        }
    }
}

/// The message of an answer after its end.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) closed: Closed,
    /// Whether it has settled the question that it replies to.
    pub(super) has_settled: bool,
    /// Why it does not.
    pub(super) problem: Option<AnswerProblem>,
}

impl Made {
    /// Nothing was made, for this reason.
    pub(super) fn failed(reason: &str) -> Self {
        Self { how: How::Trouble(reason.to_owned()), usage: None, body: None }
    }
}

/// Ends the open message of a pen.
pub(super) async fn close(shared: &Shared, pen: Pen, made: Made) -> Ended {
    let Some(id) = pen.id().cloned() else { return Ended::without_message(Closed::Failed(reason(shared, &made.how))) };
    let outcome = match ending(shared, &pen, made) {
        Some(ending) => pen.end(ending).await,
        None => Err(pen.why_ended().await.unwrap_or(StreamError::Over)),
    };
    let (has_settled, problem) = match &outcome {
        Ok(finished) => (finished.message.answer_to.is_some(), finished.answer_problem.clone()),
        Err(_) => (false, None),
    };
    let (state, reason) = match outcome {
        Ok(finished) => end_of(finished.message),
        Err(error) => explain(shared, &id, error).await,
    };
    shared.tell(Report::Ended { answer_id: id, state, reason: reason.clone() });
    let closed = match state {
        State::Complete => Closed::Complete,
        State::Cancelled => Closed::Cancelled(reason),
        _ => Closed::Failed(reason.unwrap_or_else(|| "it was stopped".to_owned())),
    };
    Ended { closed, has_settled, problem }
}

impl Ended {
    /// Something that no message tells of.
    pub(super) fn without_message(closed: Closed) -> Self {
        Self { closed, has_settled: false, problem: None }
    }
}

/// How the producer ends the message; not at all when it has ended without it.
fn ending(shared: &Shared, pen: &Pen, Made { how, usage, body }: Made) -> Option<Ending> {
    match how {
        How::Unwanted => None,
        How::Cancelled(why) => Some(Ending::Cancel(Cancel { reason: Some(words::reason(&why)) })),
        How::Whole if !pen.is_blank() => Some(Ending::Complete(Complete { body, usage, ..Complete::default() })),
        how => Some(Ending::Fail(Fail { reason: reason(shared, &how), body: None, usage })),
    }
}

/// Why there is no whole answer, in words for people.
pub(super) fn reason(shared: &Shared, how: &How) -> String {
    let name = shared.agent().name;
    match how {
        How::Whole => format!("{name} had nothing to say"),
        How::Trouble(reason) => words::reason(reason),
        How::Broken => format!("{name} broke down: its program has a fault"),
        How::TimeUp => {
            format!("{name} was stopped: an answer may take {}", told_time(shared.options.answer_time_max))
        }
        How::TooLong => {
            format!("{name} was stopped: an answer may have {} MiB", limits::ANSWER_BYTES_MAX / (1024 * 1024))
        }
        How::Stopped => format!("{name} was stopped"),
        How::Cancelled(why) => words::reason(why),
        How::Unwanted => "nobody wants the answer any more".to_owned(),
    }
}

fn told_time(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} seconds"),
    }
}

fn end_of(message: Message) -> (State, Option<String>) {
    (message.state, message.reason)
}

/// How a message has ended that could not be ended as it was wished.
async fn explain(shared: &Shared, id: &MessageId, error: StreamError<LinkError>) -> (State, Option<String>) {
    match error {
        StreamError::Ended(message) => end_of(*message),
        // The hub is there and does not take it: better a failed answer than one that is left open.
        StreamError::Call(error @ LinkError::Refused { .. }) => fail(shared, id, &error.to_string()).await,
        StreamError::Over => end_unwanted(shared, id).await,
        error => (State::Interrupted, Some(error.to_string())),
    }
}

/// How a message has ended that nobody wants any more; when only its task was taken back, it is ended here.
async fn end_unwanted(shared: &Shared, id: &MessageId) -> (State, Option<String>) {
    match read_end(shared, id).await {
        (State::Streaming, _) => fail(shared, id, &reason(shared, &How::Unwanted)).await,
        end => end,
    }
}

async fn fail(shared: &Shared, id: &MessageId, reason: &str) -> (State, Option<String>) {
    let end = Fail { reason: words::reason(reason), ..Fail::default() };
    match patiently(|| shared.link.fail(id, end.clone())).await {
        Ok(message) => end_of(message),
        Err(_) => read_end(shared, id).await,
    }
}

async fn read_end(shared: &Shared, id: &MessageId) -> (State, Option<String>) {
    match patiently(|| shared.link.message(id)).await {
        Ok(message) => end_of(message),
        Err(error) => (State::Interrupted, Some(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let told = |seconds| told_time(Duration::from_secs(seconds));
        assert_eq!([told(600), told(90), told(5)], ["10 minutes", "90 seconds", "5 seconds"]);
    }
}
