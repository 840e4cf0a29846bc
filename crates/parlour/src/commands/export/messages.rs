//! The messages of a channel and its threads, as the other system writes them.

use std::collections::HashSet;

use parlour_agent::HistoryRange;
use parlour_core::{
    conversation::Channel,
    id::{ConversationId, MessageId, ThreadId},
    limits,
    message::Message,
};
use parlour_dialects::Item;

use super::{
    Stop,
    sink::{Conversation, Sink},
};
use crate::{
    commands::import::{kept, naming, system::System},
    session::Session,
};

/// Writes a channel with its threads, the oldest message first.
pub(super) async fn export_channel(
    session: &Session,
    system: System,
    channel: &Channel,
    sink: &mut dyn Sink,
) -> Result<(), Stop> {
    let threads = session.client.threads(&channel.id).await.map_err(failed)?.items;
    let mut moved = HashSet::new();
    for thread in &threads {
        if is_moved(session, &thread.id).await? {
            moved.insert(thread.id.clone());
        }
    }
    let mut writing = Writing { system, channel, sink, moved, unfinished: Vec::new() };
    writing.conversation(session, &channel.id.clone().into()).await?;
    for thread in threads {
        writing.conversation(session, &thread.id.into()).await?;
    }
    Ok(())
}

/// Whether a thread came with an import: then its root names the one that was there, if it named any.
async fn is_moved(session: &Session, id: &ThreadId) -> Result<bool, Stop> {
    let range = HistoryRange { since: Some("0".to_owned()), limit: Some(1), ..HistoryRange::default() };
    let page = session.client.history(&id.clone().into(), &range).await.map_err(failed)?;
    Ok(page.items.first().is_some_and(|message| message.from.foreign_system().is_some()))
}

struct Writing<'a> {
    system: System,
    channel: &'a Channel,
    sink: &'a mut dyn Sink,
    /// Threads that came with an import.
    moved: HashSet<ThreadId>,
    /// Messages whose text goes on in others that have not come yet.
    unfinished: Vec<Unfinished>,
}

struct Unfinished {
    first: Message,
    further: Vec<Message>,
    missing: usize,
}

impl Writing<'_> {
    async fn conversation(&mut self, session: &Session, id: &ConversationId) -> Result<(), Stop> {
        let limit = Some(limits::PAGE_ITEMS_MAX);
        let mut range = HistoryRange { since: Some("0".to_owned()), limit, ..HistoryRange::default() };
        loop {
            let page = session.client.history(id, &range).await.map_err(failed)?;
            for message in page.items {
                self.take(message)?;
            }
            if page.next.is_none() {
                break;
            }
            range = HistoryRange { cursor: page.next, limit, ..HistoryRange::default() };
        }
        // An import that was not finished: what is there is written.
        for Unfinished { first, further, .. } in std::mem::take(&mut self.unfinished) {
            self.write(first, &further)?;
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<(), Stop> {
        if let Some(first) = kept::continues(&message)
            && let Some(place) = self.unfinished.iter().position(|one| one.first.id == first)
        {
            return self.go_on(place, message);
        }
        match kept::further_parts(&message) {
            0 => self.write(message, &[]),
            missing => {
                self.unfinished.push(Unfinished { first: message, further: Vec::new(), missing });
                Ok(())
            }
        }
    }

    fn go_on(&mut self, place: usize, part: Message) -> Result<(), Stop> {
        let unfinished = &mut self.unfinished[place];
        unfinished.further.push(part);
        unfinished.missing -= 1;
        if unfinished.missing > 0 {
            return Ok(());
        }
        let Unfinished { first, further, .. } = self.unfinished.swap_remove(place);
        self.write(first, &further)
    }

    fn write(&mut self, mut message: Message, further: &[Message]) -> Result<(), Stop> {
        message.thread_id = message.thread_id.filter(|thread| !self.moved.contains(thread));
        let id: MessageId = message.id.clone();
        let events = kept::told_events(&message);
        let restored = kept::restored(message, further);
        let is_born_here = restored.id == id;
        let Some(mut value) = self.system.dialect().encode(&Item::message(restored)) else { return Ok(()) };
        let foreign = naming::foreign_of(self.system, self.channel);
        if let Some(foreign) = foreign.filter(|_| is_born_here) {
            // What was said here since belongs to the same conversation there.
            self.system.put_conversation(&mut value, foreign);
        }
        let foreign = foreign.unwrap_or(self.channel.id.as_str());
        let conversation = Conversation { foreign, title: naming::title_of(self.system, self.channel) };
        self.sink.write(&conversation, value)?;
        events.iter().try_for_each(|event| self.sink.write_told(&conversation, event))
    }
}

fn failed(error: parlour_agent::ClientError) -> Stop {
    Stop::Failed(error.into())
}
