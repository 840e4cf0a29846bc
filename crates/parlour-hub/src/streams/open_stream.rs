//! One open stream: its text, its steps, its lease and what readers were sent of it.

use parlour_core::{
    Refusal, Timestamp,
    audience::{AccessRoot, Audience},
    id::{ConversationId, MemberId, MessageId, ProjectId},
    live::{ProjectFrame, ServerFrame, StepFrame},
    message::{Message, State},
    policy::StreamRules,
    step::{FinishStep, StartStep, Step},
    stream::{Chunk, GrowingText, Running},
};

use crate::{
    ports::SavedStream,
    streams::{
        StreamLease, refuse_ended,
        steps::{Progress, Steps},
    },
};

/// What is to be told to readers of a project.
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

/// An answer that is being written.
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
    /// How much of the text readers know.
    published: Mark,
    /// When what they do not know yet is told.
    window_until: Option<Timestamp>,
    /// When it is interrupted unless its producer renews the lease.
    pub(super) lease_until: Timestamp,
    /// Whether the message itself is known to readers. Before that nothing of it is told: a piece of something unknown
    /// would be lost on them.
    is_announced: bool,
    /// How often it has changed, and how often it had when it was kept last.
    changes: u64,
    changes_saved: u64,
    /// How many ends are being tried, and as what the first of them; meanwhile the text does not grow.
    closings: u32,
    closing_as: State,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    bytes: usize,
    chars: u64,
}

impl OpenStream {
    pub(super) fn new(new_stream: NewStream, lease_until: Timestamp) -> Self {
        let text = GrowingText::new(new_stream.text);
        Self {
            published: Mark::end_of(&text),
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

    /// Who writes it.
    pub(crate) fn author(&self) -> &MemberId {
        &self.author
    }

    pub(super) fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// Adds a piece of text; the first one that readers do not know starts the window.
    pub(crate) fn add(&mut self, start: Option<u64>, piece: &str, now: Timestamp) -> Result<(), Refusal> {
        let chars = self.text.chars();
        self.text.add(start, piece)?;
        if self.text.chars() > chars {
            self.changes += 1;
            self.window_until.get_or_insert_with(|| now.plus_millis(self.rules.window_ms));
        }
        Ok(())
    }

    /// Begins a step. Readers learn of it at once, after the text before it.
    pub(crate) fn start_step(
        &mut self,
        request: StartStep,
        now: Timestamp,
        out: &mut Vec<PendingFrame>,
    ) -> Result<Step, Refusal> {
        let progress = self.steps.start(request, now)?;
        Ok(self.publish_step(progress, ServerFrame::StepStarted, out))
    }

    /// Ends a step. Readers learn of it at once, after the text before it.
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

    /// How it stands with its producer.
    pub(crate) fn lease(&self) -> StreamLease {
        StreamLease { message_id: self.message_id.clone(), chars: self.text.chars(), lease_until: self.lease_until }
    }

    pub(super) fn lease_seconds(&self) -> u64 {
        self.rules.lease_seconds
    }

    /// When the text that readers do not know is to be told.
    pub(super) fn window_until(&self) -> Option<Timestamp> {
        self.window_until.filter(|_| self.is_announced)
    }

    /// Readers know the message from now on. Steps that they would have missed are told with the whole text.
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

    /// Tells the text that readers do not know yet.
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

    /// Stops the growth while an end is tried.
    pub(super) fn close(&mut self, state: State, out: &mut Vec<PendingFrame>) {
        if self.closings == 0 {
            self.closing_as = state;
        }
        self.closings += 1;
        self.flush(out);
    }

    /// Goes on growing, unless another end is being tried.
    pub(super) fn reopen(&mut self) {
        self.closings = self.closings.saturating_sub(1);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closings > 0
    }

    pub(super) fn check_grows(&self) -> Result<(), Refusal> {
        if self.is_closing() { Err(refuse_ended(&self.message_id, self.closing_as)) } else { Ok(()) }
    }

    /// The text and the steps so far, told or not.
    pub(crate) fn text_and_steps(&self) -> (String, Vec<Step>) {
        (self.text.as_str().to_owned(), self.steps.as_slice().to_vec())
    }

    /// The stream as readers know it, with those who may.
    pub(super) fn published_state(&self) -> (Audience, Running) {
        (Audience::Readers(self.root.clone()), self.running())
    }

    /// What is to be kept, if something has changed since the last time, with the number of its changes.
    pub(super) fn unsaved(&self) -> Option<(SavedStream, u64)> {
        self.is_changed().then(|| {
            let (text, steps) = self.text_and_steps();
            (SavedStream { message_id: self.message_id.clone(), text, steps }, self.changes)
        })
    }

    /// Notes that it was kept as it was after so many changes.
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
        self.published = Mark::end_of(&self.text);
        self.window_until = None;
    }

    fn running(&self) -> Running {
        Running {
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

impl Mark {
    fn end_of(text: &GrowingText) -> Self {
        Self { bytes: text.as_str().len(), chars: text.chars() }
    }
}

/// What an open stream begins with.
#[derive(Clone, Debug)]
pub(crate) struct NewStream {
    pub(super) message_id: MessageId,
    pub(super) author: MemberId,
    pub(super) project_id: ProjectId,
    pub(super) conversation_id: ConversationId,
    pub(super) root: AccessRoot,
    /// As the project has them at this moment; later changes count for later answers.
    pub(super) rules: StreamRules,
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
}

impl NewStream {
    /// The stream of a message as it was posted, if its author is a member.
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
