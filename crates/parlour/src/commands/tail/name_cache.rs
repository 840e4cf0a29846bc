//! Names of conversations and members, updated by events.

use std::collections::HashMap;

use parlour_core::{
    conversation::{Dm, Thread},
    event::Change,
    id::{ChannelId, ConversationId, MemberId},
    name::Name,
    snapshot::Snapshot,
};

/// The names of a project for one reader.
#[derive(Clone, Debug, Default)]
pub(super) struct NameCache {
    reader: Option<MemberId>,
    conversations: HashMap<ConversationId, String>,
    members: HashMap<MemberId, String>,
}

impl NameCache {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut names = Self { reader: Some(snapshot.reader.clone()), ..Self::default() };
        snapshot.people.iter().for_each(|person| names.call_member(person.id.clone(), &person.name));
        snapshot.agents.iter().for_each(|agent| names.call_member(agent.id.clone(), &agent.name));
        snapshot.channels.iter().for_each(|channel| names.call_channel(&channel.id, &channel.name));
        snapshot.threads.iter().for_each(|thread| names.call_thread(thread));
        snapshot.dms.iter().for_each(|dm| names.call_dm(dm));
        names
    }

    /// Updates the names by an event.
    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::PersonAdded(person) => self.call_member(person.id.clone(), &person.name),
            Change::AgentCreated(agent) | Change::AgentUpdated(agent) => {
                self.call_member(agent.id.clone(), &agent.name);
            }
            Change::ChannelCreated(new) => self.call_channel(&new.channel.id, &new.channel.name),
            Change::ChannelUpdated(channel) | Change::ChannelOpened(channel) => {
                self.call_channel(&channel.id, &channel.name);
            }
            Change::ThreadCreated(thread) => self.call_thread(thread),
            Change::DmCreated(dm) => self.call_dm(dm),
            _ => {}
        }
    }

    /// `#general`, `#general > thread`, `@Coder`, or the id where no name is known.
    pub(super) fn conversation(&self, id: &ConversationId) -> String {
        self.conversations.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// The name of a member, or the id where none is known.
    pub(super) fn member(&self, id: &MemberId) -> String {
        self.members.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn call_member(&mut self, id: impl Into<MemberId>, name: &Name) {
        self.members.insert(id.into(), name.to_string());
    }

    fn call_channel(&mut self, id: &ChannelId, name: &Name) {
        self.conversations.insert(id.clone().into(), format!("#{name}"));
    }

    fn call_thread(&mut self, thread: &Thread) {
        let channel = self.conversation(&thread.channel_id.clone().into());
        self.conversations.insert(thread.id.clone().into(), format!("{channel} > thread"));
    }

    /// The label of a DM: its other members.
    fn call_dm(&mut self, dm: &Dm) {
        let others = dm.participants.iter().filter(|id| Some(*id) != self.reader.as_ref());
        let names: Vec<_> = others.map(|id| format!("@{}", self.member(id))).collect();
        self.conversations.insert(dm.id.clone().into(), names.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(json: Value) -> Box<T> {
        Box::new(serde_json::from_value(json).expect("a thing"))
    }

    const AT: &str = "2026-11-15T09:12:00.000Z";

    fn names() -> NameCache {
        let mut names = NameCache { reader: Some("per_1".parse().expect("id")), ..NameCache::default() };
        names.apply(&Change::AgentCreated(read(json!({
            "id": "agt_1", "project_id": "prj_1", "name": "Coder", "owner": "per_1", "created_at": AT,
        }))));
        names.apply(&Change::ChannelCreated(read(json!({
            "id": "chn_1", "project_id": "prj_1", "name": "general", "visibility": "project", "created_at": AT,
        }))));
        names
    }

    fn conversation(names: &NameCache, id: &str) -> String {
        names.conversation(&id.parse().expect("id"))
    }

    #[test]
    fn names_are_learned_from_events() {
        let mut names = names();
        assert_eq!(
            (conversation(&names, "chn_1"), names.member(&"agt_1".parse().expect("id"))),
            ("#general".into(), "Coder".into())
        );
        names.apply(&Change::ThreadCreated(read(json!({
            "id": "thr_1", "project_id": "prj_1", "channel_id": "chn_1", "root_message_id": "msg_1", "created_at": AT,
        }))));
        assert_eq!(conversation(&names, "thr_1"), "#general > thread");
        names.apply(&Change::DmCreated(read(json!({
            "id": "dm_1", "project_id": "prj_1", "participants": ["agt_1", "per_1"], "created_at": AT,
        }))));
        assert_eq!(conversation(&names, "dm_1"), "@Coder");
    }

    #[test]
    fn unknown_names_are_shown_as_ids() {
        assert_eq!(
            (conversation(&names(), "chn_9"), names().member(&"per_9".parse().expect("id"))),
            ("chn_9".into(), "per_9".into())
        );
    }
}
