//! The second pass of an import: sends all messages in batches. The hub stores each message once.

use std::{
    collections::HashMap,
    io::{IsTerminal, stderr},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parlour_agent::{ClientError, requests::ReadMessages};
use parlour_core::{
    Code, Refusal, Timestamp,
    conversation::Channel,
    id::ConversationId,
    import::{ImportMessages, ImportOutcome, ImportedMessage},
    limits,
    project::Project,
};

use super::{
    channel_plan::{self, ChannelPlan, Destination},
    request::{IdScope, ImportContext},
    source::{ClassifiedRow, ImportSource, MessageReader, SourceMessage},
    survey::{SourceSurvey, set_missing_time},
};
use crate::{commands::convert::decode::in_words, failure::Failure, session::Session};

/// Maximum bytes of a batch: below the limit of the hub, and above the size of any message.
const BATCH_BYTES_MAX: usize = limits::IMPORT_BODY_BYTES_MAX / 4;
/// Maximum bytes of all waiting batches.
const WAITING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The upload of all messages of a source.
pub(super) struct ImportUpload<'a> {
    pub(super) session: &'a Session,
    pub(super) project: &'a Project,
    pub(super) context: &'a ImportContext,
    pub(super) survey: &'a SourceSurvey,
    pub(super) plan: &'a [ChannelPlan],
    pub(super) progress: ImportProgress,
    /// Created channels by the index of their conversation.
    pub(super) made: HashMap<usize, Channel>,
    pub(super) outcome: ImportOutcome,
    /// Messages that are stored with another content.
    pub(super) changed: u64,
    unfit: u64,
    batches: Vec<UploadBatch>,
    destinations: HashMap<usize, Destination>,
    waiting_bytes: usize,
}

/// The conversations of one pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UploadPass {
    Channels,
    Threads,
}

impl UploadPass {
    fn of(plan: &ChannelPlan) -> Self {
        if matches!(plan, ChannelPlan::Thread(_)) { Self::Threads } else { Self::Channels }
    }
}

/// Messages that wait to be sent to one conversation.
#[derive(Default)]
struct UploadBatch {
    messages: Vec<ImportedMessage>,
    bytes: usize,
    /// The time of the last message.
    last: Option<Timestamp>,
}

impl<'a> ImportUpload<'a> {
    pub(super) fn new(
        (session, project): (&'a Session, &'a Project),
        context: &'a ImportContext,
        survey: &'a SourceSurvey,
        plan: &'a [ChannelPlan],
    ) -> Self {
        Self {
            session,
            project,
            context,
            survey,
            plan,
            progress: ImportProgress::sending(survey.rows),
            made: HashMap::new(),
            outcome: ImportOutcome::default(),
            changed: 0,
            unfit: 0,
            batches: plan.iter().map(|_| UploadBatch::default()).collect(),
            destinations: HashMap::new(),
            waiting_bytes: 0,
        }
    }

    /// Sends all messages: threads last, because their root messages must exist.
    pub(super) async fn go(&mut self, source: &dyn ImportSource) -> Result<(), Failure> {
        self.create_recorded_channels().await?;
        self.walk(source, UploadPass::Channels).await?;
        if self.plan.iter().any(|plan| UploadPass::of(plan) == UploadPass::Threads) {
            self.walk(source, UploadPass::Threads).await?;
        }
        self.mark_read().await?;
        self.progress.finish();
        Ok(())
    }

    /// Creates the channels of a native export, also those without messages.
    async fn create_recorded_channels(&mut self) -> Result<(), Failure> {
        for index in 0..self.plan.len() {
            let is_recorded = self.survey.conversations.record(&self.survey.conversations.list[index]).is_some();
            if is_recorded && matches!(self.plan[index], ChannelPlan::New { .. }) {
                self.destination(index).await?;
            }
        }
        Ok(())
    }

    async fn walk(&mut self, source: &dyn ImportSource, sort: UploadPass) -> Result<(), Failure> {
        let mut reader = MessageReader::new(source.rows(self.survey.order)?);
        while let Some(row) = reader.next()? {
            if sort == UploadPass::Channels {
                self.progress.step();
            }
            if let ClassifiedRow::Message(row) = row {
                let index = self.survey.conversations.known(&row.key).ok_or_else(changed)?;
                if UploadPass::of(&self.plan[index]) == sort {
                    self.take(index, *row).await?;
                }
            }
        }
        for index in 0..self.plan.len() {
            self.flush(index).await?;
        }
        Ok(())
    }

    async fn take(&mut self, index: usize, mut row: SourceMessage) -> Result<(), Failure> {
        let to = self.destination(index).await?;
        set_missing_time(&mut row, self.batches[index].last, to.since);
        let roots = IdScope { to: &to.id, key: &row.key };
        let id = match row.twin {
            None => roots.id(&row.message.id),
            Some(print) => roots.twin_id(&row.message.id, print),
        };
        match self.context.requests(&row, &id, roots) {
            Err(refusal) => self.leave_out(&row.location, &refusal),
            Ok(requests) => {
                self.batches[index].last = Some(row.message.created_at);
                for request in requests {
                    self.add(index, request).await?;
                }
                Ok(())
            }
        }
    }

    /// Skips a message that the first pass reported; any other is an error.
    fn leave_out(&mut self, location: &str, refusal: &Refusal) -> Result<(), Failure> {
        self.unfit += 1;
        if self.unfit <= self.survey.unfit {
            return Ok(());
        }
        Err(Failure::new(format!("{location}: {}", in_words(refusal))))
    }

    async fn add(&mut self, index: usize, request: ImportedMessage) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(&request).map_or(0, |json| json.len());
        if self.batches[index].bytes + bytes > BATCH_BYTES_MAX {
            self.flush(index).await?;
        }
        let batch = &mut self.batches[index];
        batch.messages.push(request);
        batch.bytes += bytes;
        self.waiting_bytes += bytes;
        if batch.messages.len() >= limits::IMPORT_MESSAGES_MAX {
            self.flush(index).await?;
        }
        if self.waiting_bytes > WAITING_BYTES_MAX {
            for index in 0..self.plan.len() {
                self.flush(index).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self, index: usize) -> Result<(), Failure> {
        let batch = &mut self.batches[index];
        let messages = std::mem::take(&mut batch.messages);
        self.waiting_bytes -= std::mem::take(&mut batch.bytes);
        if messages.is_empty() {
            return Ok(());
        }
        let to = self.destination(index).await?;
        self.send(&to.id, messages).await
    }

    /// Sends messages. A stored message that changed in the source is not updated.
    async fn send(&mut self, to: &ConversationId, mut messages: Vec<ImportedMessage>) -> Result<(), Failure> {
        while !messages.is_empty() {
            let refused = match self.session.client.import(&import_request(to, messages.clone())).await {
                Ok(outcome) => {
                    self.outcome.stored += outcome.stored;
                    self.outcome.known += outcome.known;
                    return Ok(());
                }
                Err(error) => error,
            };
            let Some(at) = changed_at(&refused).filter(|at| *at < messages.len()) else { return Err(refused.into()) };
            let rest = messages.split_off(at + 1);
            messages.pop();
            self.changed += 1;
            if !messages.is_empty() {
                // The messages before it were stored; which of them are new is unknown.
                self.outcome.known += self.session.client.import(&import_request(to, messages)).await?.known;
            }
            messages = rest;
        }
        Ok(())
    }

    /// The destination of a conversation, created on first use.
    async fn destination(&mut self, index: usize) -> Result<Destination, Failure> {
        if let Some(known) = self.destinations.get(&index) {
            return Ok(known.clone());
        }
        let found = match &self.plan[index] {
            ChannelPlan::Thread(root) => self.thread(index, *root).await?,
            ChannelPlan::Known(channel) => destination_of(channel),
            new @ ChannelPlan::New { .. } => {
                let channel = channel_plan::make(self.session, self.project, new).await?.ok_or_else(changed)?;
                let found = destination_of(&channel);
                self.made.insert(index, channel);
                found
            }
        };
        self.destinations.insert(index, found.clone());
        Ok(found)
    }

    /// Opens the thread of its root message.
    async fn thread(&mut self, index: usize, root: usize) -> Result<Destination, Failure> {
        let channel = Box::pin(self.destination(root)).await?.id;
        let (_, message) = self.survey.conversations.root(index).ok_or_else(changed)?;
        let roots = IdScope { to: &channel, key: &self.survey.conversations.list[root].key };
        let ConversationId::Channel(id) = &channel else { return Err(changed()) };
        let thread = self.session.client.open_thread(id, &roots.id(message)).await?;
        Ok(Destination { since: thread.created_at, id: thread.id.into() })
    }

    /// Marks the imported messages as read for the importing person.
    async fn mark_read(&self) -> Result<(), Failure> {
        for destination in self.destinations.values() {
            let request = ReadMessages { conversation_id: Some(destination.id.clone()), ..ReadMessages::default() };
            self.session.client.read_messages(&request).await?;
        }
        Ok(())
    }
}

fn destination_of(channel: &Channel) -> Destination {
    Destination { id: channel.id.clone().into(), since: channel.created_at }
}

fn import_request(to: &ConversationId, messages: Vec<ImportedMessage>) -> ImportMessages {
    match to.clone() {
        ConversationId::Thread(thread) => ImportMessages { channel_id: None, thread_id: Some(thread), messages },
        ConversationId::Channel(channel) => ImportMessages { channel_id: Some(channel), thread_id: None, messages },
        // Not used; the hub would refuse it.
        ConversationId::Dm(_) => ImportMessages { channel_id: None, thread_id: None, messages },
    }
}

/// The index of the message that is stored with another content, from the field `messages[17].id` of the refusal.
fn changed_at(error: &ClientError) -> Option<usize> {
    let ClientError::Problem(problem) = error else { return None };
    let field = problem.field.as_deref().filter(|_| problem.is(Code::ClientIdReused))?;
    field.strip_prefix("messages[")?.split_once(']')?.0.parse().ok()
}

/// The error for a source that changes during the import.
fn changed() -> Failure {
    Failure::new("the source changed during the import").hint("run the same command again; no message is stored twice")
}

/// A progress bar if stderr is a terminal.
#[derive(Default)]
pub(super) struct ImportProgress(Option<ProgressBar>);

impl ImportProgress {
    /// A spinner for the first pass, whose number of rows is unknown.
    pub(super) fn reading() -> Self {
        Self(target().map(|target| bar(target, None)))
    }

    /// A bar for the second pass.
    pub(super) fn sending(rows: u64) -> Self {
        Self(target().map(|target| bar(target, Some(rows))))
    }

    pub(super) fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn target() -> Option<ProgressDrawTarget> {
    stderr().is_terminal().then(ProgressDrawTarget::stderr)
}

fn bar(target: ProgressDrawTarget, rows: Option<u64>) -> ProgressBar {
    let template =
        if rows.is_some() { "{wide_bar} {pos} of {len} rows, {eta} left" } else { "{spinner} {pos} rows read" };
    let bar = ProgressBar::with_draw_target(rows, target);
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use indicatif::TermLike;

    use super::*;

    /// A terminal that remembers all that was ever shown.
    #[derive(Clone, Debug, Default)]
    struct Seen(Arc<Mutex<String>>);

    impl TermLike for Seen {
        fn width(&self) -> u16 {
            60
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("one test").push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The terminal output of this many steps.
    fn seen(rows: Option<u64>, steps: u64) -> String {
        let seen = Seen::default();
        let progress = ImportProgress(Some(bar(ProgressDrawTarget::term_like(Box::new(seen.clone())), rows)));
        (0..steps).for_each(|_| progress.step());
        if let Some(bar) = &progress.0 {
            bar.force_draw();
        }
        progress.finish();
        seen.0.lock().expect("one test").clone()
    }

    #[test]
    fn both_passes_report_their_progress() {
        let reading = seen(None, 7);
        assert!(reading.contains("7 rows read"), "{reading:?}");
        let sending = seen(Some(10), 7);
        assert!(sending.contains("7 of 10"), "{sending:?}");
    }
}
