//! Lets an engine make an answer, within bounds: a time, a stop, and a panic that harms nothing else.

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt as _;
use parlour_core::usage::Usage;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{pen::Pen, shared::Shared, turn::Turn};
use crate::engine::{Outcome, Prompt, Trouble};

/// How long an engine may take to let everything go when it is stopped; then it is dropped.
const ENGINE_STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) how: How,
    pub(super) usage: Option<Usage>,
    /// The text to end with, in place of what was written.
    pub(super) body: Option<String>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The engine says that the answer is whole.
    Whole,
    /// The engine says what went wrong.
    Trouble(String),
    /// The engine has a fault.
    Broken,
    /// It took too long.
    TimeUp,
    /// Nobody wants it any more.
    Unwanted,
    /// Somebody has stopped its run, for this reason.
    Cancelled(String),
    /// It was longer than what is kept.
    TooLong,
    /// The agent is being stopped.
    Stopped,
}

type Caught = Result<Result<Outcome, Trouble>, Box<dyn Any + Send>>;

/// Asks the engine. When anything else ends it, the engine is told to stop and is waited for, but not for long.
///
/// The run of the answer is driven meanwhile. An engine that is done while its run is paused has to wait for its end:
/// nothing of a paused run goes on.
pub(super) async fn make(shared: &Shared, prompt: &Prompt, pen: &mut Pen, turn: &Turn) -> Made {
    let (ended, full, stop) = (pen.ended().clone(), pen.full().clone(), CancellationToken::new());
    let control = pen.control().clone();
    let mut signals = control.signals();
    let answering = AssertUnwindSafe(shared.engine.answer(prompt, pen, stop.clone())).catch_unwind();
    tokio::pin!(answering);
    let mut outcome = None;
    let working = async {
        outcome = Some((&mut answering).await);
        if matches!(outcome, Some(Ok(Ok(_)))) {
            control.see();
        }
        control.goes_on().await;
    };
    let how = tokio::select! {
        biased;
        () = working => None,
        () = ended.cancelled() => Some(How::Unwanted),
        () = full.cancelled() => Some(How::TooLong),
        () = shared.stopping.cancelled() => Some(How::Stopped),
        why = turn.drive() => Some(How::Cancelled(why)),
        () = signals.worked_for(shared.options.answer_time_max) => Some(How::TimeUp),
    };
    if let Some(outcome) = outcome {
        return of_engine(outcome, how.or_else(|| cut_by(&ended, &full)));
    }
    stop.cancel();
    match timeout(ENGINE_STOP_TIME_MAX, answering).await {
        Ok(outcome) => of_engine(outcome, how),
        Err(_) => Made { how: how.unwrap_or(How::Stopped), usage: None, body: None },
    }
}

/// An engine that was told that nobody listens returns on its own; then that is the reason, and not what it says.
fn cut_by(ended: &CancellationToken, full: &CancellationToken) -> Option<How> {
    match () {
        () if full.is_cancelled() => Some(How::TooLong),
        () if ended.is_cancelled() => Some(How::Unwanted),
        () => None,
    }
}

fn of_engine(outcome: Caught, cut: Option<How>) -> Made {
    let (how, usage) = match outcome {
        Ok(Ok(Outcome { usage })) => (How::Whole, usage),
        Ok(Err(Trouble { reason, usage })) => (How::Trouble(reason), usage),
        Err(_) => (How::Broken, None),
    };
    Made { how: cut.unwrap_or(how), usage, body: None }
}
