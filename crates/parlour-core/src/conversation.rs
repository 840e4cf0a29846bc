//! Conversations: channels, the threads below their messages, and DMs.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{ChannelId, ConversationId, DmId, MemberId, MessageId, ProjectId, ThreadId},
    limits,
    member::patch_text,
    name::Name,
    text,
};

/// The type of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConversationType {
    /// A channel.
    Channel,
    /// A thread.
    Thread,
    /// A DM.
    Dm,
}

/// Who can see a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Every member of the project.
    #[default]
    Project,
    /// Only the members of the channel; for others it does not exist.
    Private,
}

/// A channel of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Channel {
    /// The channel's id.
    pub id: ChannelId,
    /// Its project.
    pub project_id: ProjectId,
    /// The name, unique in the project.
    pub name: Name,
    /// The topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Who can see it.
    pub visibility: Visibility,
    /// The creator; absent if the hub created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<MemberId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was archived, that is, became read-only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
}

/// A change of a channel; absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChannelPatch {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The new topic; an empty text removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 500))]
    pub topic: Option<String>,
    /// Who can see it from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
}

/// A thread below one message of a channel. Everybody who can see the channel can see the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Thread {
    /// The thread's id.
    pub id: ThreadId,
    /// Its project.
    pub project_id: ProjectId,
    /// The channel of the thread.
    pub channel_id: ChannelId,
    /// The root message; a message has at most one thread.
    pub root_message_id: MessageId,
    /// The creator; absent if the hub created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<MemberId>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A direct conversation. Only its participants can see it, and they never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Dm {
    /// The DM's id.
    pub id: DmId,
    /// Its project.
    pub project_id: ProjectId,
    /// The participants, sorted; the same members of one project share one DM.
    pub participants: Vec<MemberId>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// Any conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// A channel.
    Channel(Channel),
    /// A thread.
    Thread(Thread),
    /// A DM.
    Dm(Dm),
}

impl Channel {
    /// Refuses a channel with a value out of range.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_text(self.topic.as_deref().unwrap_or_default(), limits::TOPIC_CHARS_MAX)
            .map_err(|refusal| refusal.at("topic"))
    }

    /// The channel after `patch`, or a refusal.
    pub fn patched(&self, patch: &ChannelPatch) -> Result<Self, Refusal> {
        let patched = Self {
            name: patch.name.clone().unwrap_or_else(|| self.name.clone()),
            topic: patch_text(&self.topic, &patch.topic),
            visibility: patch.visibility.unwrap_or(self.visibility),
            ..self.clone()
        };
        patched.check()?;
        Ok(patched)
    }
}

/// Sorts participants, removes duplicates, and refuses too few or too many.
pub fn dm_participants(mut members: Vec<MemberId>) -> Result<Vec<MemberId>, Refusal> {
    members.sort();
    members.dedup();
    let allowed = 2..=limits::DM_PARTICIPANTS_MAX;
    if allowed.contains(&members.len()) {
        return Ok(members);
    }
    let detail = format!("a DM has 2 to {} different participants, including you", limits::DM_PARTICIPANTS_MAX);
    Err(Refusal::out_of_bounds(detail).at("participants"))
}

impl Conversation {
    /// The conversation's id.
    pub fn id(&self) -> ConversationId {
        match self {
            Self::Channel(channel) => channel.id.clone().into(),
            Self::Thread(thread) => thread.id.clone().into(),
            Self::Dm(dm) => dm.id.clone().into(),
        }
    }

    /// The project of the conversation.
    pub fn project_id(&self) -> &ProjectId {
        match self {
            Self::Channel(channel) => &channel.project_id,
            Self::Thread(thread) => &thread.project_id,
            Self::Dm(dm) => &dm.project_id,
        }
    }
}

impl ConversationId {
    /// The type of conversation that this id names.
    pub fn conversation_type(&self) -> ConversationType {
        match self {
            Self::Channel(_) => ConversationType::Channel,
            Self::Thread(_) => ConversationType::Thread,
            Self::Dm(_) => ConversationType::Dm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AgentId;

    fn general() -> Channel {
        Channel {
            id: ChannelId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            name: Name::parse("general").expect("name"),
            topic: Some("All and sundry".into()),
            visibility: Visibility::Project,
            created_by: None,
            created_at: Timestamp::from_millis(0),
            archived_at: None,
        }
    }

    fn agents(bits: &[u128]) -> Vec<MemberId> {
        bits.iter().map(|bit| AgentId::from_bits(*bit).into()).collect()
    }

    #[test]
    fn participants_are_sorted_and_counted_once() {
        assert_eq!(dm_participants(agents(&[2, 1, 2])), Ok(agents(&[1, 2])));
    }

    #[test]
    fn a_dm_with_oneself_or_a_crowd_is_refused() {
        assert!(dm_participants(agents(&[1, 1])).is_err());
        let crowd: Vec<u128> = (0..=limits::DM_PARTICIPANTS_MAX as u128).collect();
        assert!(dm_participants(agents(&crowd)).is_err());
    }

    #[test]
    fn a_channel_patch_changes_only_what_it_names() {
        let patch = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
        let patched = general().patched(&patch).expect("patched");
        assert_eq!(patched, Channel { visibility: Visibility::Private, ..general() });
    }

    #[test]
    fn a_topic_out_of_bounds_is_refused() {
        let patch = ChannelPatch { topic: Some("x".repeat(limits::TOPIC_CHARS_MAX + 1)), ..ChannelPatch::default() };
        assert_eq!(general().patched(&patch).expect_err("long").field.as_deref(), Some("topic"));
    }

    #[test]
    fn the_native_form_has_the_field_names_of_the_contract() {
        let json = serde_json::to_value(general()).expect("json");
        for field in ["id", "project_id", "name", "topic", "visibility", "created_at"] {
            assert!(json.get(field).is_some(), "{field}");
        }
        assert_eq!(json["visibility"], "project");
    }
}
