//! Writes the output of an engine to the streamed message of its answer. The full text of an answer that exceeds a
//! message is uploaded as a file.

use std::sync::Arc;

use async_trait::async_trait;
use parlour_core::{
    Code,
    id::MessageId,
    limits,
    live::AddChunk,
    message::{Message, State},
    post::PostMessage,
    step::{FinishStep, StartStep},
};
use tokio_util::sync::CancellationToken;

use super::{
    RunnerEvent,
    answer_control::AnswerControl,
    questions,
    shared::{self, SharedState, fresh_id, strip_control_chars},
};
use crate::{
    answers::Finished,
    engine::{AnswerSink, AnswerStopped, AskError, EngineQuestion, EngineSignals, QuestionReply},
    link::{HubLink, LinkError, Upload},
    streaming::{
        Ending, StepUpdate, StreamCallError, StreamCalls, StreamCommand, StreamError, StreamHandle, retry_while_away,
    },
};

/// The writer of one answer.
pub(super) struct AnswerWriter {
    shared: Arc<SharedState>,
    place: AnswerTarget,
    text: WholeText,
    /// Steps before the message is open.
    held_steps: Vec<StepUpdate>,
    control: Arc<AnswerControl>,
    /// Cancelled when the answer is no longer wanted or its message has ended.
    ended: CancellationToken,
    /// Cancelled when the text exceeds the size limit.
    full: CancellationToken,
}

/// The destination of the text.
enum AnswerTarget {
    /// A message that is opened with its first visible character.
    Deferred(Box<NewAnswer>),
    /// An open message.
    Open(Box<NewAnswer>, StreamHandle<LinkError>),
    /// No message: the text is only collected.
    Unposted,
    /// A message that could not be opened.
    FailedToOpen(LinkError),
}

/// The message of an answer.
#[derive(Clone, Debug)]
pub(super) struct NewAnswer {
    pub(super) id: MessageId,
    pub(super) request: PostMessage,
    /// The name of the author of the call.
    pub(super) asker: String,
}

impl AnswerWriter {
    /// Creates a writer for a message that is not open yet.
    pub(super) fn new(shared: &Arc<SharedState>, new_answer: NewAnswer, control: &Arc<AnswerControl>) -> Self {
        control.set_answer(&new_answer.id);
        Self::at(shared, AnswerTarget::Deferred(Box::new(new_answer)), control)
    }

    /// Creates a writer without a message.
    pub(super) fn without_message(shared: &Arc<SharedState>, control: &Arc<AnswerControl>) -> Self {
        Self::at(shared, AnswerTarget::Unposted, control)
    }

    fn at(shared: &Arc<SharedState>, place: AnswerTarget, control: &Arc<AnswerControl>) -> Self {
        let (text, full) = (WholeText::default(), CancellationToken::new());
        // A child token: a task continues after its message has ended.
        let ended = control.ended.child_token();
        Self { shared: shared.clone(), place, text, held_steps: Vec::new(), control: control.clone(), ended, full }
    }

    pub(super) async fn open(&mut self) -> Result<(), LinkError> {
        let new_answer = match &self.place {
            AnswerTarget::Deferred(new_answer) => new_answer.clone(),
            AnswerTarget::FailedToOpen(error) => return Err(error.clone()),
            AnswerTarget::Open(..) | AnswerTarget::Unposted => return Ok(()),
        };
        let link = &self.shared.link;
        match retry_while_away(|| link.post(&new_answer.id, &new_answer.request)).await {
            Ok(message) if message.state == State::Streaming => {
                let (answer_id, asker) = (new_answer.id.clone(), new_answer.asker.clone());
                self.shared.emit(RunnerEvent::Answering { answer_id, asker });
                let stream = StreamHandle::start(LinkCalls(link.clone()), &message, self.ended.clone());
                self.place = AnswerTarget::Open(new_answer, stream);
                Ok(())
            }
            Ok(_) => Err(self.close(reused(&new_answer.id))),
            Err(error) => Err(self.close(error)),
        }
    }

    fn close(&mut self, error: LinkError) -> LinkError {
        self.place = AnswerTarget::FailedToOpen(error.clone());
        self.ended.cancel();
        error
    }

    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    pub(super) fn control(&self) -> &Arc<AnswerControl> {
        &self.control
    }

    pub(super) fn full(&self) -> &CancellationToken {
        &self.full
    }

    /// Whether no visible character was written.
    pub(super) fn is_blank(&self) -> bool {
        shared::is_blank(self.text.as_str())
    }

    /// The full text, up to the size limit.
    pub(super) fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Whether the text exceeds a message.
    pub(super) fn is_cut(&self) -> bool {
        self.text.is_cut()
    }

    /// Why the message could not be opened.
    pub(super) fn not_opened(&self) -> Option<&LinkError> {
        match &self.place {
            AnswerTarget::FailedToOpen(error) => Some(error),
            _ => None,
        }
    }

    /// The id of the open message.
    pub(super) fn id(&self) -> Option<&MessageId> {
        match &self.place {
            AnswerTarget::Open(new_answer, _) => Some(&new_answer.id),
            _ => None,
        }
    }

    pub(super) fn is_opened(&self) -> bool {
        matches!(self.place, AnswerTarget::Open(..))
    }

    /// Sends the rest of the text and ends the message; uploads the full text if it exceeds a message.
    pub(super) async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<LinkError>> {
        let AnswerTarget::Open(new_answer, mut stream) = self.place else { return Err(StreamError::Over) };
        let rest = self.text.last_piece(OVERFLOW_FILENAME);
        stream.send(StreamCommand::Write(rest)).await?;
        let finished = stream.end(ending).await?;
        if self.text.is_cut() {
            upload_overflow(&self.shared, &new_answer, self.text).await;
        }
        Ok(finished)
    }

    /// Why the message ended, if its stream has already returned.
    pub(super) async fn why_ended(self) -> Option<StreamError<LinkError>> {
        match self.place {
            // A stream that still waits for the hub would only repeat what an event has told already.
            AnswerTarget::Open(_, mut stream) if stream.is_over() => Some(stream.ended().await),
            _ => None,
        }
    }
}

#[async_trait]
impl AnswerSink for AnswerWriter {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.wait_until_writable().await?;
        if !text.is_empty() {
            self.control.mark_prompt_read();
        }
        let piece = self.text.push(text).to_owned();
        let piece = match &self.place {
            // The text so far was blank; send it with the first visible character.
            AnswerTarget::Deferred(_) if !self.is_blank() => {
                self.open().await.map_err(|_| AnswerStopped)?;
                for step in std::mem::take(&mut self.held_steps) {
                    self.send(StreamCommand::Step(step)).await?;
                }
                self.text.shown().to_owned()
            }
            _ => piece,
        };
        self.send(StreamCommand::Write(piece)).await?;
        if self.text.is_full() {
            self.full.cancel();
            return Err(AnswerStopped);
        }
        Ok(())
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        self.wait_until_writable().await?;
        self.control.begin_step();
        self.send(StreamCommand::Step(StepUpdate::Start(step))).await
    }

    async fn finish_step(&mut self, step_id: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        self.control.end_step();
        self.send(StreamCommand::Step(StepUpdate::Finish(step_id.to_owned(), end))).await
    }

    fn signals(&self) -> EngineSignals {
        self.control.signals()
    }

    async fn ask(&mut self, question: EngineQuestion) -> Result<QuestionReply, AskError> {
        let (place, reply_to) = match &self.place {
            AnswerTarget::Open(new_answer, _) => (new_answer.request.conversation().ok(), Some(new_answer.id.clone())),
            AnswerTarget::Deferred(new_answer) => (new_answer.request.conversation().ok(), None),
            AnswerTarget::Unposted | AnswerTarget::FailedToOpen(_) => (None, None),
        };
        let place = place.ok_or_else(|| AskError::new("there is no conversation to ask in"))?;
        questions::ask(
            &self.shared,
            &self.control,
            &questions::QuestionTarget { conversation: place, reply_to },
            question,
        )
        .await
    }
}

impl AnswerWriter {
    /// Waits while the answer is held or paused.
    async fn wait_until_writable(&self) -> Result<(), AnswerStopped> {
        if self.control.may_write(&self.ended).await { Ok(()) } else { Err(AnswerStopped) }
    }

    /// Sends a command to the open message. Before it is open, steps are held back; text is kept anyway.
    async fn send(&mut self, command: StreamCommand) -> Result<(), AnswerStopped> {
        if self.ended.is_cancelled() {
            return Err(AnswerStopped);
        }
        match &mut self.place {
            AnswerTarget::Open(_, stream) => stream.send(command).await.map_err(|_| AnswerStopped),
            AnswerTarget::Deferred(_) => {
                if let StreamCommand::Step(step) = command
                    && self.held_steps.len() < HELD_STEPS_MAX
                {
                    self.held_steps.push(step);
                }
                Ok(())
            }
            AnswerTarget::Unposted => Ok(()),
            AnswerTarget::FailedToOpen(_) => Err(AnswerStopped),
        }
    }
}

/// The message id belongs to an answer that has ended: the call was answered before.
fn reused(id: &MessageId) -> LinkError {
    let detail = format!("{id} was answered before");
    LinkError::Refused { code: Code::ClientIdReused.as_str().to_owned(), detail }
}

/// The most starts and ends of steps that are held back.
const HELD_STEPS_MAX: usize = 2 * limits::STEPS_PER_MESSAGE_MAX;
/// Space at the end of a message for the note about the attached file.
const NOTE_BYTES_MAX: usize = 256;
/// The part of a text that is streamed while its length is unknown.
const SHOWN_BYTES_MAX: usize = limits::MESSAGE_BODY_BYTES_MAX - NOTE_BYTES_MAX;

/// A growing text and the part of it that the message contains.
#[derive(Debug, Default)]
pub(super) struct WholeText {
    text: String,
    shown_bytes: usize,
    is_full: bool,
}

impl WholeText {
    /// Appends to the text and returns the part to send now.
    pub(super) fn push(&mut self, text: &str) -> &str {
        let text = strip_control_chars(text);
        let room = limits::ANSWER_BYTES_MAX - self.text.len();
        let kept = text.floor_char_boundary(room);
        self.is_full |= kept < text.len();
        self.text.push_str(&text[..kept]);
        self.show_up_to(SHOWN_BYTES_MAX)
    }

    /// Whether the text reached the size limit.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether the text exceeds a message.
    pub(super) fn is_cut(&self) -> bool {
        self.text.len() > limits::MESSAGE_BODY_BYTES_MAX
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The part that was sent.
    pub(super) fn shown(&self) -> &str {
        &self.text[..self.shown_bytes]
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// The last part to send: the rest, or a note about the attached file.
    pub(super) fn last_piece(&mut self, filename: &str) -> String {
        if !self.is_cut() {
            return self.show_up_to(limits::MESSAGE_BODY_BYTES_MAX).to_owned();
        }
        let fence = if is_in_code(self.shown()) { "\n```" } else { "" };
        format!("{fence}\n\n*This answer is longer than a message can be. The whole of it follows as {filename}.*")
    }

    fn show_up_to(&mut self, bytes_max: usize) -> &str {
        let from = self.shown_bytes;
        self.shown_bytes = self.text.floor_char_boundary(bytes_max).max(from);
        &self.text[from..self.shown_bytes]
    }
}

/// Whether a text ends within a code block.
fn is_in_code(text: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
}

pub(super) const OVERFLOW_FILENAME: &str = "answer.md";

/// Uploads the full text of an answer and posts a notice about it. A failure is emitted as an event; the message
/// stays as it is.
pub(super) async fn upload_overflow(shared: &Arc<SharedState>, new_answer: &NewAnswer, text: WholeText) {
    let is_full = text.is_full();
    let bytes = text.as_str().len();
    if let Err(error) = post_file(shared, new_answer, text.into_bytes(), notice_text(bytes, is_full)).await {
        shared.emit(RunnerEvent::Lost(format!("the whole text of {} could not be kept: {error}", new_answer.id)));
    }
}

async fn post_file(
    shared: &SharedState,
    new_answer: &NewAnswer,
    content: Vec<u8>,
    body: String,
) -> Result<(), LinkError> {
    let conversation_id = match new_answer.request.conversation() {
        Ok(conversation) => conversation,
        Err(refusal) => return Err(LinkError::Away(refusal.detail)),
    };
    let file = Upload {
        conversation_id,
        filename: OVERFLOW_FILENAME.to_owned(),
        media_type: "text/markdown".to_owned(),
        content,
    };
    let artifact = retry_while_away(|| shared.link.upload(file.clone())).await?;
    let request = PostMessage { body, artifacts: vec![artifact], ..notice_after(&new_answer.id, &new_answer.request) };
    let id = fresh_id();
    retry_while_away(|| shared.link.post(&id, &request)).await.map(drop)
}

/// A notice about an answer; it calls nobody.
fn notice_after(answer: &MessageId, request: &PostMessage) -> PostMessage {
    PostMessage {
        channel_id: request.channel_id.clone(),
        thread_id: request.thread_id.clone(),
        dm_id: request.dm_id.clone(),
        context: request.context.clone(),
        reply_to: Some(answer.clone()),
        is_notice: true,
        ..PostMessage::default()
    }
}

fn notice_text(bytes: usize, is_full: bool) -> String {
    if is_full {
        let most = limits::ANSWER_BYTES_MAX / (1024 * 1024);
        return format!(
            "The answer was stopped because it went on for ever. Its first {most} MiB are in {OVERFLOW_FILENAME}."
        );
    }
    format!("The whole answer, {bytes} bytes, is in {OVERFLOW_FILENAME}.")
}

/// Streams over a link.
pub(super) struct LinkCalls(pub(super) Arc<dyn HubLink>);

impl StreamCalls for LinkCalls {
    type Error = LinkError;

    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        self.0.lease_seconds().await
    }

    async fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> Result<(), LinkError> {
        self.0.add_chunk(id, chunk.clone()).await
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        self.0.beat(id).await
    }

    async fn step(&self, id: &MessageId, step: &StepUpdate) -> Result<(), LinkError> {
        match step {
            StepUpdate::Start(step) => self.0.start_step(id, step.clone()).await,
            StepUpdate::Finish(step, end) => self.0.finish_step(id, step, end.clone()).await,
        }
    }

    async fn end(&self, id: &MessageId, ending: &Ending) -> Result<Finished, LinkError> {
        match ending {
            Ending::Complete(end) => self.0.complete(id, end.clone()).await,
            Ending::Fail(end) => self.0.fail(id, end.clone()).await.map(Finished::from),
            Ending::Cancel(end) => self.0.cancel(id, end.clone()).await.map(Finished::from),
        }
    }

    async fn read(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.0.message(id).await
    }
}

impl StreamCallError for LinkError {
    fn is_retryable(&self) -> bool {
        self.is_retryable()
    }

    fn is(&self, code: Code) -> bool {
        self.is(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a message whose text is written in these parts.
    fn shown(pieces: &[&str]) -> (String, WholeText) {
        let mut whole = WholeText::default();
        let mut shown: String = pieces.iter().map(|piece| whole.push(piece).to_owned()).collect();
        shown.push_str(&whole.last_piece("answer.md"));
        (shown, whole)
    }

    #[test]
    fn a_text_within_the_limit_is_shown_whole() {
        let long = "é".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2);
        let (shown, whole) = shown(&[&long]);
        assert_eq!((shown == long, whole.is_cut(), whole.is_full()), (true, false, false));
    }

    #[test]
    fn a_longer_text_is_cut_between_characters_with_a_note() {
        let long = "é".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2 + 1);
        let (shown, whole) = shown(&["x", &long]);
        assert!(shown.len() <= limits::MESSAGE_BODY_BYTES_MAX && shown.ends_with("follows as answer.md.*"));
        assert_eq!((whole.is_cut(), whole.as_str().len()), (true, long.len() + 1));
    }

    #[test]
    fn the_note_is_outside_of_code_blocks() {
        let code = format!("```\n{}", "x\n".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2));
        let (shown, _) = shown(&[&code]);
        assert!(shown.contains("\n```\n\n*This answer"), "{}", &shown[shown.len() - 200..]);
        assert!(shown.len() <= limits::MESSAGE_BODY_BYTES_MAX);
    }

    #[test]
    fn an_endless_text_is_kept_up_to_a_limit() {
        let piece = "x".repeat(limits::ANSWER_BYTES_MAX / 2 + 1);
        let (_, whole) = shown(&[&piece, &piece]);
        assert_eq!((whole.as_str().len(), whole.is_full()), (limits::ANSWER_BYTES_MAX, true));
    }

    #[test]
    fn the_note_states_the_kept_length() {
        assert_eq!(notice_text(70_000, false), "The whole answer, 70000 bytes, is in answer.md.");
        assert!(notice_text(0, true).contains("first 16 MiB"));
    }
}
