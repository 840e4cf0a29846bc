//! One open stream: its text, its steps, its lease and what readers were sent of it.

use parlour_core::{
    Refusal, Timestamp,
    audience::{AccessRoot, Audience},
    id::{ConversationId, MemberId, MessageId, ProjectId},
    live::{ProjectFrame, ServerFrame, StepFrame},
    message::{Message, State},
    policy::StreamRules,
    step::{FinishStep, StartStep, Step},
    stream::{Chunk, GrowingText, StreamSnapshot},
};

use crate::{
    ports::SavedStream,
    streams::{
        StreamLease, refuse_ended,
        steps::{Progress, Steps},
    },
};

/// A frame to publish to readers of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingFrame {
    pub(super) project_id: ProjectId,
    pub(super) audience: Audience,
    pub(super) frame: ServerFrame,
}

/// The author of an open stream, and where it writes.
pub(super) struct Producer {
    pub(super) author: MemberId,
    pub(super) project_id: ProjectId,
    pub(super) conversation_id: ConversationId,
}

/// A stream that is being written.
#[derive(Debug)]
pub(crate) struct OpenStream {
    message_id: MessageId,
    author: MemberId,
    project_id: ProjectId,
    conversation_id: ConversationId,
    root: AccessRoot,
    rules: StreamRules,
    text: GrowingText,
    steps: Steps,
    /// How much of the text was published.
    published: TextOffset,
    /// When the rest of the text is published.
    window_until: Option<Timestamp>,
    /// When it is interrupted unless its producer renews the lease.
    pub(super) lease_until: Timestamp,
    /// Whether the message was published. Before that nothing of the stream is published: readers do not have its
    /// message yet.
    is_announced: bool,
    /// Number of changes, in total and at the last save.
    changes: u64,
    changes_saved: u64,
    /// Number of ends being attempted, and the state of the first; the text does not grow meanwhile.
    closings: u32,
    closing_as: State,
}

/// An offset in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextOffset {
    bytes: usize,
    chars: u64,
}

impl OpenStream {
    pub(super) fn new(new_stream: NewStream, lease_until: Timestamp) -> Self {
        let text = GrowingText::new(new_stream.text);
        Self {
            published: TextOffset::end_of(&text),
            text,
            lease_until,
            message_id: new_stream.message_id,
            author: new_stream.author,
            project_id: new_stream.project_id,
            conversation_id: new_stream.conversation_id,
            root: new_stream.root,
            rules: new_stream.rules,
            steps: Steps::new(new_stream.steps),
            window_until: None,
            is_announced: false,
            changes: 0,
            changes_saved: 0,
            closings: 0,
            closing_as: State::Streaming,
        }
    }

    /// The producer of the stream and where it writes.
    pub(super) fn producer(&self) -> Producer {
        Producer {
            author: self.author.clone(),
            project_id: self.project_id.clone(),
            conversation_id: self.conversation_id.clone(),
        }
    }

    pub(crate) fn author(&self) -> &MemberId {
        &self.author
    }

    pub(super) fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// Appends text; the first unpublished text starts the window.
    pub(crate) fn add(&mut self, start: Option<u64>, piece: &str, now: Timestamp) -> Result<(), Refusal> {
        let chars = self.text.chars();
        self.text.add(start, piece)?;
        if self.text.chars() > chars {
            self.changes += 1;
            self.window_until.get_or_insert_with(|| now.plus_millis(self.rules.window_ms));
        }
        Ok(())
    }

    /// Starts a step and publishes it at once, after the text before it.
    pub(crate) fn start_step(
        &mut self,
        request: StartStep,
        now: Timestamp,
        out: &mut Vec<PendingFrame>,
    ) -> Result<Step, Refusal> {
        let progress = self.steps.start(request, now)?;
        Ok(self.publish_step(progress, ServerFrame::StepStarted, out))
    }

    /// Finishes a step and publishes it at once, after the text before it.
    pub(crate) fn finish_step(
        &mut self,
        id: &str,
        end: FinishStep,
        now: Timestamp,
        out: &mut Vec<PendingFrame>,
    ) -> Result<Step, Refusal> {
        let progress = self.steps.finish(id, end, now)?;
        Ok(self.publish_step(progress, ServerFrame::StepFinished, out))
    }

    /// The state that the producer receives.
    pub(crate) fn lease(&self) -> StreamLease {
        StreamLease { message_id: self.message_id.clone(), chars: self.text.chars(), lease_until: self.lease_until }
    }

    pub(super) fn lease_seconds(&self) -> u64 {
        self.rules.lease_seconds
    }

    /// When the unpublished text is due, once the message was published.
    pub(super) fn window_until(&self) -> Option<Timestamp> {
        self.window_until.filter(|_| self.is_announced)
    }

    /// Marks the message as published. Steps that readers have missed are published with the whole text.
    pub(super) fn announce(&mut self, out: &mut Vec<PendingFrame>) {
        if self.is_announced {
            return;
        }
        self.is_announced = true;
        if !self.steps.as_slice().is_empty() {
            self.mark_published();
            let frame = ServerFrame::Stream(self.in_project(self.running()));
            out.push(self.pending_frame(frame));
        }
    }

    /// Publishes the text that readers do not have yet.
    pub(super) fn flush(&mut self, out: &mut Vec<PendingFrame>) {
        let rest = &self.text.as_str()[self.published.bytes..];
        if !self.is_announced || rest.is_empty() {
            return;
        }
        let chunk = Chunk {
            message_id: self.message_id.clone(),
            conversation_id: self.conversation_id.clone(),
            start: self.published.chars,
            text: rest.to_owned(),
        };
        self.mark_published();
        out.push(self.pending_frame(ServerFrame::Chunk(self.in_project(chunk))));
    }

    /// Stops the growth while an end is attempted.
    pub(super) fn close(&mut self, state: State, out: &mut Vec<PendingFrame>) {
        if self.closings == 0 {
            self.closing_as = state;
        }
        self.closings += 1;
        self.flush(out);
    }

    /// Continues the growth, unless another end is being attempted.
    pub(super) fn reopen(&mut self) {
        self.closings = self.closings.saturating_sub(1);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closings > 0
    }

    pub(super) fn check_grows(&self) -> Result<(), Refusal> {
        if self.is_closing() { Err(refuse_ended(&self.message_id, self.closing_as)) } else { Ok(()) }
    }

    /// The text and the steps so far, published or not.
    pub(crate) fn text_and_steps(&self) -> (String, Vec<Step>) {
        (self.text.as_str().to_owned(), self.steps.as_slice().to_vec())
    }

    /// The published part of the stream, with its audience.
    pub(super) fn published_state(&self) -> (Audience, StreamSnapshot) {
        (Audience::Readers(self.root.clone()), self.running())
    }

    /// The text and steps to save if they changed since the last save, with the change count.
    pub(super) fn unsaved(&self) -> Option<(SavedStream, u64)> {
        self.is_changed().then(|| {
            let (text, steps) = self.text_and_steps();
            (SavedStream { message_id: self.message_id.clone(), text, steps }, self.changes)
        })
    }

    /// Marks that the stream was saved with this change count.
    pub(super) fn mark_saved(&mut self, changes: u64) {
        self.changes_saved = changes;
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changes != self.changes_saved
    }

    fn publish_step(
        &mut self,
        progress: Progress,
        frame: fn(ProjectFrame<StepFrame>) -> ServerFrame,
        out: &mut Vec<PendingFrame>,
    ) -> Step {
        let step = match progress {
            Progress::Repeated(step) => return step,
            Progress::Changed(step) => step,
        };
        self.changes += 1;
        if self.is_announced {
            self.flush(out);
            let (message_id, conversation_id) = (self.message_id.clone(), self.conversation_id.clone());
            let what = StepFrame { message_id, conversation_id, step: step.clone() };
            out.push(self.pending_frame(frame(self.in_project(what))));
        }
        step
    }

    fn mark_published(&mut self) {
        self.published = TextOffset::end_of(&self.text);
        self.window_until = None;
    }

    fn running(&self) -> StreamSnapshot {
        StreamSnapshot {
            message_id: self.message_id.clone(),
            conversation_id: self.conversation_id.clone(),
            text: self.text.as_str()[..self.published.bytes].to_owned(),
            steps: self.steps.as_slice().to_vec(),
        }
    }

    fn in_project<T>(&self, what: T) -> ProjectFrame<T> {
        ProjectFrame { project_id: self.project_id.clone(), what }
    }

    fn pending_frame(&self, frame: ServerFrame) -> PendingFrame {
        PendingFrame { project_id: self.project_id.clone(), audience: Audience::Readers(self.root.clone()), frame }
    }
}

impl TextOffset {
    fn end_of(text: &GrowingText) -> Self {
        Self { bytes: text.as_str().len(), chars: text.chars() }
    }
}

/// The initial state of a stream.
#[derive(Clone, Debug)]
pub(crate) struct NewStream {
    pub(super) message_id: MessageId,
    pub(super) author: MemberId,
    pub(super) project_id: ProjectId,
    pub(super) conversation_id: ConversationId,
    pub(super) root: AccessRoot,
    /// The rules at the start; later changes of the policy apply to later streams.
    pub(super) rules: StreamRules,
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
}

impl NewStream {
    /// The stream of a posted message, if its author is a member.
    pub(super) fn of(message: &Message, rules: StreamRules, root: AccessRoot) -> Option<Self> {
        Some(Self {
            message_id: message.id.clone(),
            author: message.from.member_id()?,
            project_id: message.project_id.clone(),
            conversation_id: message.to.clone(),
            root,
            rules,
            text: message.body.clone(),
            steps: message.steps.clone(),
        })
    }
}
