//! The second walk: every message is sent, in order and in batches. The hub takes each one once, however often it comes.

use std::collections::HashMap;

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
    places::{self, Place, Plan},
    progress::Progress,
    source::Source,
    survey::{Survey, give_time},
    takeover::{Roots, Takeover},
    walker::{Met, MetMessage, Walker},
};
use crate::{commands::convert::problems::in_words, failure::Failure, session::Session};

/// Bytes of the messages of one batch; what the hub takes at the most is more, and one message never has that much.
const BATCH_BYTES_MAX: usize = limits::IMPORT_BODY_BYTES_MAX / 4;
/// Bytes that wait in all batches together.
const WAITING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A walk that sends.
pub(super) struct Sending<'a> {
    pub(super) session: &'a Session,
    pub(super) project: &'a Project,
    pub(super) takeover: &'a Takeover,
    pub(super) survey: &'a Survey,
    pub(super) plan: &'a [Plan],
    pub(super) progress: Progress,
    /// Channels that were made, by the conversation that they were made for.
    pub(super) made: HashMap<usize, Channel>,
    pub(super) outcome: ImportOutcome,
    /// Messages that are here with another content.
    pub(super) changed: u64,
    /// Messages that cannot be taken over.
    unfit: u64,
    batches: Vec<Batch>,
    places: HashMap<usize, Place>,
    waiting_bytes: usize,
}

/// Which conversations a walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Channels,
    Threads,
}

impl Sort {
    fn of(plan: &Plan) -> Self {
        if matches!(plan, Plan::Thread(_)) { Self::Threads } else { Self::Channels }
    }
}

/// What waits to be sent to one conversation.
#[derive(Default)]
struct Batch {
    messages: Vec<ImportedMessage>,
    bytes: usize,
    /// The time of the last message that was met.
    last: Option<Timestamp>,
}

impl<'a> Sending<'a> {
    pub(super) fn new(
        (session, project): (&'a Session, &'a Project),
        takeover: &'a Takeover,
        survey: &'a Survey,
        plan: &'a [Plan],
    ) -> Self {
        Self {
            session,
            project,
            takeover,
            survey,
            plan,
            progress: Progress::sending(survey.rows),
            made: HashMap::new(),
            outcome: ImportOutcome::default(),
            changed: 0,
            unfit: 0,
            batches: plan.iter().map(|_| Batch::default()).collect(),
            places: HashMap::new(),
            waiting_bytes: 0,
        }
    }

    /// Sends everything: threads last, because the messages below which they hang have to be there.
    pub(super) async fn go(&mut self, source: &dyn Source) -> Result<(), Failure> {
        self.walk(source, Sort::Channels).await?;
        if self.plan.iter().any(|plan| Sort::of(plan) == Sort::Threads) {
            self.walk(source, Sort::Threads).await?;
        }
        self.mark_read().await?;
        self.progress.finish();
        Ok(())
    }

    async fn walk(&mut self, source: &dyn Source, sort: Sort) -> Result<(), Failure> {
        let mut walker = Walker::new(source.rows(self.survey.order)?);
        while let Some(met) = walker.next()? {
            if sort == Sort::Channels {
                self.progress.step();
            }
            if let Met::Message(met) = met {
                let place = self.survey.conversations.known(&met.key).ok_or_else(changed)?;
                if Sort::of(&self.plan[place]) == sort {
                    self.take(place, *met).await?;
                }
            }
        }
        for place in 0..self.plan.len() {
            self.flush(place).await?;
        }
        Ok(())
    }

    async fn take(&mut self, place: usize, mut met: MetMessage) -> Result<(), Failure> {
        let to = self.place(place).await?;
        give_time(&mut met, self.batches[place].last, to.since);
        let roots = Roots { to: &to.id, key: &met.key };
        let id = match met.twin {
            None => roots.id(&met.message.id),
            Some(print) => roots.twin_id(&met.message.id, print),
        };
        match self.takeover.requests(&met, &id, roots) {
            Err(refusal) => self.leave_out(&met.place, &refusal),
            Ok(requests) => {
                self.batches[place].last = Some(met.message.created_at);
                for request in requests {
                    self.add(place, request).await?;
                }
                Ok(())
            }
        }
    }

    /// What cannot be taken over was told by the first walk, or else something is wrong.
    fn leave_out(&mut self, place: &str, refusal: &Refusal) -> Result<(), Failure> {
        self.unfit += 1;
        if self.unfit <= self.survey.unfit {
            return Ok(());
        }
        Err(Failure::new(format!("{place}: {}", in_words(refusal))))
    }

    async fn add(&mut self, place: usize, request: ImportedMessage) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(&request).map_or(0, |json| json.len());
        if self.batches[place].bytes + bytes > BATCH_BYTES_MAX {
            self.flush(place).await?;
        }
        let batch = &mut self.batches[place];
        batch.messages.push(request);
        batch.bytes += bytes;
        self.waiting_bytes += bytes;
        if batch.messages.len() >= limits::IMPORT_MESSAGES_MAX {
            self.flush(place).await?;
        }
        if self.waiting_bytes > WAITING_BYTES_MAX {
            for place in 0..self.plan.len() {
                self.flush(place).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self, place: usize) -> Result<(), Failure> {
        let batch = &mut self.batches[place];
        let messages = std::mem::take(&mut batch.messages);
        self.waiting_bytes -= std::mem::take(&mut batch.bytes);
        if messages.is_empty() {
            return Ok(());
        }
        let to = self.place(place).await?;
        self.send(&to.id, messages).await
    }

    /// Sends messages. One that is here already and has changed there since stays as it is here.
    async fn send(&mut self, to: &ConversationId, mut messages: Vec<ImportedMessage>) -> Result<(), Failure> {
        while !messages.is_empty() {
            let refused = match self.session.client.import(&wish_to(to, messages.clone())).await {
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
                // Those before it were taken over: which of them are new is not known any more.
                self.outcome.known += self.session.client.import(&wish_to(to, messages)).await?.known;
            }
            messages = rest;
        }
        Ok(())
    }

    /// Where a conversation goes; what is not there yet is made now.
    async fn place(&mut self, place: usize) -> Result<Place, Failure> {
        if let Some(known) = self.places.get(&place) {
            return Ok(known.clone());
        }
        let found = match &self.plan[place] {
            Plan::Thread(root) => self.thread(place, *root).await?,
            Plan::Known(channel) => place_of(channel),
            new @ Plan::New { .. } => {
                let channel = places::make(self.session, self.project, new).await?.ok_or_else(changed)?;
                let found = place_of(&channel);
                self.made.insert(place, channel);
                found
            }
        };
        self.places.insert(place, found.clone());
        Ok(found)
    }

    /// Opens the thread below its message.
    async fn thread(&mut self, place: usize, root: usize) -> Result<Place, Failure> {
        let channel = Box::pin(self.place(root)).await?.id;
        let (_, message) = self.survey.conversations.root(place).ok_or_else(changed)?;
        let roots = Roots { to: &channel, key: &self.survey.conversations.list[root].key };
        let ConversationId::Channel(id) = &channel else { return Err(changed()) };
        let thread = self.session.client.open_thread(id, &roots.id(message)).await?;
        Ok(Place { since: thread.created_at, id: thread.id.into() })
    }

    /// Nobody wants to see an old history as unread, least of all who has brought it.
    async fn mark_read(&self) -> Result<(), Failure> {
        for place in self.places.values() {
            let request = ReadMessages { conversation_id: Some(place.id.clone()), ..ReadMessages::default() };
            self.session.client.read_messages(&request).await?;
        }
        Ok(())
    }
}

fn place_of(channel: &Channel) -> Place {
    Place { id: channel.id.clone().into(), since: channel.created_at }
}

fn wish_to(to: &ConversationId, messages: Vec<ImportedMessage>) -> ImportMessages {
    match to.clone() {
        ConversationId::Thread(thread) => ImportMessages { channel_id: None, thread_id: Some(thread), messages },
        ConversationId::Channel(channel) => ImportMessages { channel_id: Some(channel), thread_id: None, messages },
        // Nothing is ever sent to a dm: the hub would say so.
        ConversationId::Dm(_) => ImportMessages { channel_id: None, thread_id: None, messages },
    }
}

/// Which message of a batch the hub has with another content, as it says it: `messages[17].id`.
fn changed_at(error: &ClientError) -> Option<usize> {
    let ClientError::Problem(problem) = error else { return None };
    let field = problem.field.as_deref().filter(|_| problem.is(Code::ClientIdReused))?;
    field.strip_prefix("messages[")?.split_once(']')?.0.parse().ok()
}

/// A source that grows while it is read is read to its end by the next import.
fn changed() -> Failure {
    Failure::new("the source has changed while it was read")
        .hint("run the same command again; nothing is written twice")
}
