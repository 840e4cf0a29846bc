//! Export of the messages of a channel and its threads.

use std::collections::{HashMap, HashSet};

use parlour_agent::HistoryRange;
use parlour_core::{
    conversation::Channel,
    id::{ConversationId, MessageId, ThreadId},
    limits,
    message::Message,
    name::Name,
};
use parlour_dialects::Item;

use super::{
    ExportStop,
    sink::{ExportSink, ExportedConversation},
};
use crate::{
    commands::import::{channel_plan, channel_record::ChannelRecord, original, system::System},
    session::Session,
};

/// Exports a channel and its threads, oldest message first.
pub(super) async fn export_channel(
    session: &Session,
    system: System,
    channel: &Channel,
    sink: &mut dyn ExportSink,
) -> Result<(), ExportStop> {
    let threads = session.client.threads(&channel.id).await.map_err(failed)?.items;
    let mut moved = HashMap::new();
    for thread in &threads {
        if let Some(original) = original_id(session, &thread.id.clone().into()).await? {
            moved.insert(thread.id.clone(), original);
        }
    }
    let home = match system {
        System::Native => home(session, channel).await?,
        _ => channel.id.clone().into(),
    };
    let mut writing =
        ChannelExport { system, channel, home, sink, moved, recorded: HashSet::new(), unfinished: Vec::new() };
    writing.record_channel()?;
    writing.conversation(session, &channel.id.clone().into()).await?;
    for thread in threads {
        writing.conversation(session, &thread.id.into()).await?;
    }
    Ok(())
}

/// The id that an imported conversation had in its source, from its first message; none if that was posted here.
async fn original_id(session: &Session, id: &ConversationId) -> Result<Option<ConversationId>, ExportStop> {
    let range = HistoryRange { since: Some("0".to_owned()), limit: Some(1), ..HistoryRange::default() };
    let page = session.client.history(id, &range).await.map_err(failed)?;
    let imported = page.items.into_iter().next().filter(|message| message.from.foreign_system().is_some());
    Ok(imported.map(|message| original::restored(message, &[]).to))
}

/// The conversation id of a channel in native messages: the original one if an import created the channel.
async fn home(session: &Session, channel: &Channel) -> Result<ConversationId, ExportStop> {
    let own = ConversationId::from(channel.id.clone());
    if !channel_plan::is_imported(channel) {
        return Ok(own);
    }
    // A channel without messages has the id only in its topic.
    let noted = channel_plan::foreign_of(System::Native, channel).and_then(|foreign| foreign.parse().ok());
    match noted {
        Some(noted) => Ok(noted),
        None => Ok(original_id(session, &own).await?.unwrap_or(own)),
    }
}

struct ChannelExport<'a> {
    system: System,
    channel: &'a Channel,
    /// The id of the channel in native messages.
    home: ConversationId,
    sink: &'a mut dyn ExportSink,
    /// Imported threads with their original ids.
    moved: HashMap<ThreadId, ConversationId>,
    /// Conversation ids with a channel record.
    recorded: HashSet<ConversationId>,
    /// Messages whose continuation parts were not read yet.
    unfinished: Vec<PartialMessage>,
}

struct PartialMessage {
    first: Message,
    further: Vec<Message>,
    missing: usize,
}

impl ChannelExport<'_> {
    /// Writes the record of the channel, also if it has no messages.
    fn record_channel(&mut self) -> Result<(), ExportStop> {
        let channel = self.channel;
        let is_native = channel_plan::is_native_import(channel, &self.home);
        let title = channel_plan::title_of(channel).filter(|_| is_native).unwrap_or(channel.name.as_str());
        let topic = if is_native { channel_plan::original_topic(channel) } else { channel.topic.as_deref() };
        self.record(&ChannelRecord {
            id: self.home.clone(),
            name: Some(Name::parse(title).unwrap_or_else(|_| channel.name.clone())),
            topic: topic.map(str::to_owned),
            visibility: channel.visibility,
        })
    }

    /// Writes a record before the first message of its conversation id.
    fn record(&mut self, record: &ChannelRecord) -> Result<(), ExportStop> {
        if self.system != System::Native || !self.recorded.insert(record.id.clone()) {
            return Ok(());
        }
        record.encode().map_or(Ok(()), |value| self.sink.write_channel(&value))
    }

    /// Messages of the channel that were imported from another conversation have the visibility of the channel.
    fn record_other_conversation(&mut self, id: &ConversationId) -> Result<(), ExportStop> {
        let visibility = self.channel.visibility;
        self.record(&ChannelRecord { id: id.clone(), name: None, topic: None, visibility })
    }

    /// Moves a message that was posted here to the original conversation.
    fn put_home(&self, message: &mut Message) {
        let original = match &message.to {
            ConversationId::Channel(_) => Some(&self.home),
            ConversationId::Thread(thread) => self.moved.get(thread),
            ConversationId::Dm(_) => None,
        };
        if let Some(original) = original {
            message.to.clone_from(original);
            message.conversation_type = original.conversation_type();
        }
    }

    async fn conversation(&mut self, session: &Session, id: &ConversationId) -> Result<(), ExportStop> {
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
        // Parts are missing after an interrupted import: writes the available ones.
        for PartialMessage { first, further, .. } in std::mem::take(&mut self.unfinished) {
            self.write(first, &further)?;
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<(), ExportStop> {
        if let Some(first) = original::continues(&message)
            && let Some(index) = self.unfinished.iter().position(|one| one.first.id == first)
        {
            return self.add_part(index, message);
        }
        match original::further_parts(&message) {
            0 => self.write(message, &[]),
            missing => {
                self.unfinished.push(PartialMessage { first: message, further: Vec::new(), missing });
                Ok(())
            }
        }
    }

    fn add_part(&mut self, index: usize, part: Message) -> Result<(), ExportStop> {
        let unfinished = &mut self.unfinished[index];
        unfinished.further.push(part);
        unfinished.missing -= 1;
        if unfinished.missing > 0 {
            return Ok(());
        }
        let PartialMessage { first, further, .. } = self.unfinished.swap_remove(index);
        self.write(first, &further)
    }

    fn write(&mut self, mut message: Message, further: &[Message]) -> Result<(), ExportStop> {
        message.thread_id = message.thread_id.filter(|thread| !self.moved.contains_key(thread));
        let id: MessageId = message.id.clone();
        let events = original::step_events(&message);
        let is_in_channel = message.to.as_str() == self.channel.id.as_str();
        let mut restored = original::restored(message, further);
        let is_born_here = restored.id == id;
        if is_born_here && self.system == System::Native {
            self.put_home(&mut restored);
        }
        if is_in_channel {
            self.record_other_conversation(&restored.to)?;
        }
        let Some(mut value) = self.system.dialect().encode(&Item::message(restored)) else { return Ok(()) };
        let foreign = channel_plan::foreign_of(self.system, self.channel);
        if let Some(foreign) = foreign.filter(|_| is_born_here) {
            // Messages that were posted here belong to the same conversation there.
            self.system.put_conversation(&mut value, foreign);
        }
        let foreign = foreign.unwrap_or(self.channel.id.as_str());
        // A message that was imported into an existing channel belongs to another conversation.
        let is_own = is_born_here || channel_plan::is_imported(self.channel);
        let title = channel_plan::title_of(self.channel).filter(|_| is_own);
        let conversation = ExportedConversation { foreign, title };
        self.sink.write(&conversation, value)?;
        events.iter().try_for_each(|event| self.sink.write_step_event(&conversation, event))
    }
}

fn failed(error: parlour_agent::ClientError) -> ExportStop {
    ExportStop::Failed(error.into())
}
