//! What an engine writes with: the message of its answer, and everything that does not fit into it.

use std::sync::Arc;

use async_trait::async_trait;
use parlour_core::{
    Code,
    id::MessageId,
    message::State,
    post::PostMessage,
    step::{FinishStep, StartStep},
};
use tokio_util::sync::CancellationToken;

use super::{
    Report, asking, control::Control, link_calls::LinkCalls, overflow, shared::Shared, whole_text::WholeText, words,
};
use crate::{
    answers::Finished,
    engine::{Answer, AskMember, CannotAsk, Reply, Signals, Stopped},
    link::LinkError,
    streaming::{Deed, Ending, Sending, StepDeed, StreamError, patiently},
};

/// The pen of one answer.
pub(super) struct Pen {
    shared: Arc<Shared>,
    place: Place,
    text: WholeText,
    control: Arc<Control>,
    /// Cancelled when nobody wants the answer any more, or its message has ended.
    ended: CancellationToken,
    /// Cancelled when the answer is longer than what is kept.
    full: CancellationToken,
}

/// Where the text goes.
enum Place {
    /// Into a message that is opened with its first word.
    Later(Box<Opening>),
    /// Into an open message.
    Open(Box<Opening>, Sending<LinkError>),
    /// Nowhere: it is only gathered.
    Nowhere,
    /// Into a message that could not be opened.
    Closed(LinkError),
}

/// The message to be opened.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) id: MessageId,
    pub(super) request: PostMessage,
    /// Who is answered, for whoever watches.
    pub(super) asker: String,
}

impl Pen {
    /// A pen for a message that is not open yet.
    pub(super) fn new(shared: &Arc<Shared>, opening: Opening, control: &Arc<Control>) -> Self {
        control.set_answer(&opening.id);
        Self::at(shared, Place::Later(Box::new(opening)), control)
    }

    /// A pen for a text that no message shows.
    pub(super) fn without_message(shared: &Arc<Shared>, control: &Arc<Control>) -> Self {
        Self::at(shared, Place::Nowhere, control)
    }

    fn at(shared: &Arc<Shared>, place: Place, control: &Arc<Control>) -> Self {
        let (text, full) = (WholeText::default(), CancellationToken::new());
        // The end of the message is not the end of everything: a task goes on without one.
        let ended = control.ended.child_token();
        Self { shared: shared.clone(), place, text, control: control.clone(), ended, full }
    }

    /// Opens the message, unless it is open.
    pub(super) async fn open(&mut self) -> Result<(), LinkError> {
        let opening = match &self.place {
            Place::Later(opening) => opening.clone(),
            Place::Closed(error) => return Err(error.clone()),
            Place::Open(..) | Place::Nowhere => return Ok(()),
        };
        let link = &self.shared.link;
        match patiently(|| link.post(&opening.id, &opening.request)).await {
            Ok(message) if message.state == State::Streaming => {
                let (answer_id, asker) = (opening.id.clone(), opening.asker.clone());
                self.shared.tell(Report::Answering { answer_id, asker });
                let sending = Sending::start(LinkCalls(link.clone()), &message, self.ended.clone());
                self.place = Place::Open(opening, sending);
                Ok(())
            }
            Ok(_) => Err(self.close(reused(&opening.id))),
            Err(error) => Err(self.close(error)),
        }
    }

    fn close(&mut self, error: LinkError) -> LinkError {
        self.place = Place::Closed(error.clone());
        self.ended.cancel();
        error
    }

    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    pub(super) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    pub(super) fn full(&self) -> &CancellationToken {
        &self.full
    }

    /// Whether nothing was written that anybody could read.
    pub(super) fn is_blank(&self) -> bool {
        words::is_blank(self.text.as_str())
    }

    /// Everything that was written, as far as it is kept.
    pub(super) fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Whether the message cannot hold all of it.
    pub(super) fn is_cut(&self) -> bool {
        self.text.is_cut()
    }

    /// Why the message could not be opened, if that was tried.
    pub(super) fn not_opened(&self) -> Option<&LinkError> {
        match &self.place {
            Place::Closed(error) => Some(error),
            _ => None,
        }
    }

    /// The message, once it is open.
    pub(super) fn id(&self) -> Option<&MessageId> {
        match &self.place {
            Place::Open(opening, _) => Some(&opening.id),
            _ => None,
        }
    }

    /// Whether the message is open, or has been.
    pub(super) fn is_opened(&self) -> bool {
        matches!(self.place, Place::Open(..))
    }

    /// Ends the message after everything that was written. What does not fit into it is kept as a file.
    pub(super) async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<LinkError>> {
        let Place::Open(opening, mut sending) = self.place else { return Err(StreamError::Over) };
        let rest = self.text.last_piece(overflow::FILENAME);
        sending.hand(Deed::Write(rest)).await?;
        let finished = sending.end(ending).await?;
        if self.text.is_cut() {
            overflow::keep(&self.shared, &opening, self.text).await;
        }
        Ok(finished)
    }

    /// Why nobody wants the answer any more; the message is left as it is.
    pub(super) async fn why_ended(self) -> Option<StreamError<LinkError>> {
        match self.place {
            // It may be waiting for the hub; what it would find out is told by an event already.
            Place::Open(_, mut sending) if sending.is_over() => Some(sending.ended().await),
            _ => None,
        }
    }
}

#[async_trait]
impl Answer for Pen {
    async fn write(&mut self, text: &str) -> Result<(), Stopped> {
        self.wait_for_leave().await?;
        if !text.is_empty() {
            self.control.see();
        }
        let piece = self.text.push(text).to_owned();
        let piece = match &self.place {
            // Everything so far was blank and is shown now, with the first word.
            Place::Later(_) if !self.is_blank() => {
                self.open().await.map_err(|_| Stopped)?;
                self.text.shown().to_owned()
            }
            _ => piece,
        };
        self.hand(Deed::Write(piece)).await?;
        if self.text.is_full() {
            self.full.cancel();
            return Err(Stopped);
        }
        Ok(())
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), Stopped> {
        self.wait_for_leave().await?;
        self.control.begin_step();
        self.hand(Deed::Step(StepDeed::Start(step))).await
    }

    async fn finish_step(&mut self, step_id: &str, end: FinishStep) -> Result<(), Stopped> {
        self.control.end_step();
        self.hand(Deed::Step(StepDeed::Finish(step_id.to_owned(), end))).await
    }

    fn signals(&self) -> Signals {
        self.control.signals()
    }

    async fn ask(&mut self, question: AskMember) -> Result<Reply, CannotAsk> {
        let (place, beside) = match &self.place {
            Place::Open(opening, _) => (opening.request.conversation().ok(), Some(opening.id.clone())),
            Place::Later(opening) => (opening.request.conversation().ok(), None),
            Place::Nowhere | Place::Closed(_) => (None, None),
        };
        let place = place.ok_or_else(|| CannotAsk::new("there is no conversation to ask in"))?;
        asking::ask(&self.shared, &self.control, &asking::Place { conversation: place, beside }, question).await
    }
}

impl Pen {
    /// A paused answer takes nothing: the engine waits here.
    async fn wait_for_leave(&self) -> Result<(), Stopped> {
        if self.control.may_write(&self.ended).await { Ok(()) } else { Err(Stopped) }
    }

    /// Hands something to the open message; what comes before it is open is not shown.
    async fn hand(&mut self, deed: Deed) -> Result<(), Stopped> {
        if self.ended.is_cancelled() {
            return Err(Stopped);
        }
        match &mut self.place {
            Place::Open(_, sending) => sending.hand(deed).await.map_err(|_| Stopped),
            Place::Later(_) | Place::Nowhere => Ok(()),
            Place::Closed(_) => Err(Stopped),
        }
    }
}

/// The id belongs to an answer that has ended: the call was answered before.
fn reused(id: &MessageId) -> LinkError {
    let detail = format!("{id} was answered before");
    LinkError::Refused { code: Code::ClientIdReused.as_str().to_owned(), detail }
}
