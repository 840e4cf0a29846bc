//! Presence: connected members with their state and abilities.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{MemberId, ProjectId},
    limits,
    name::Name,
    text,
};

/// The activity of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PresenceState {
    /// Nothing in particular.
    #[default]
    Idle,
    /// It waits for an answer.
    Paused,
    /// It is at work.
    Working,
}

/// The abilities of a connected program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Abilities {
    /// Whether it writes its answers chunk by chunk.
    pub can_stream: bool,
    /// Whether a blocking message pauses it.
    pub can_be_paused: bool,
    /// Whether a mention makes it answer.
    pub can_be_woken: bool,
}

/// The presence that one connection reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PresenceUpdate {
    /// The activity.
    pub state: PresenceState,
    /// The machine it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 128))]
    pub machine_name: Option<String>,
    /// The name and version of its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 128))]
    pub runtime: Option<String>,
    /// The abilities.
    pub abilities: Abilities,
}

/// A member that is there. Several connections of one member are one presence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Presence {
    /// The member.
    pub member_id: MemberId,
    /// Its name.
    pub name: Name,
    /// Whether it is an agent.
    pub is_agent: bool,
    /// The projects in which the reader of this meets it.
    pub project_ids: Vec<ProjectId>,
    /// The instructions of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The machine it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_name: Option<String>,
    /// The name and version of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The activity.
    pub state: PresenceState,
    /// The abilities.
    pub abilities: Abilities,
    /// Since when it is there.
    pub since: Timestamp,
}

impl PresenceUpdate {
    /// Refuses a request with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        for (field, value) in [("machine_name", &self.machine_name), ("runtime", &self.runtime)] {
            let value = value.as_deref().unwrap_or_default();
            text::check_text(value, limits::PRESENCE_TEXT_CHARS_MAX).map_err(|refusal| refusal.at(field))?;
        }
        Ok(())
    }
}

impl Abilities {
    /// The abilities of several connections together: those that any of them has.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            can_stream: self.can_stream || other.can_stream,
            can_be_paused: self.can_be_paused || other.can_be_paused,
            can_be_woken: self.can_be_woken || other.can_be_woken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bounded() {
        let long = Some("x".repeat(limits::PRESENCE_TEXT_CHARS_MAX + 1));
        let request = PresenceUpdate { machine_name: long.clone(), ..PresenceUpdate::default() };
        assert_eq!(request.check().expect_err("long").field.as_deref(), Some("machine_name"));
        let request = PresenceUpdate { runtime: long, ..PresenceUpdate::default() };
        assert_eq!(request.check().expect_err("long").field.as_deref(), Some("runtime"));
    }

    #[test]
    fn abilities_of_connections_are_combined() {
        let one = Abilities { can_stream: true, ..Abilities::default() };
        let other = Abilities { can_be_woken: true, ..Abilities::default() };
        assert_eq!(one.or(other), Abilities { can_stream: true, can_be_paused: false, can_be_woken: true });
    }

    #[test]
    fn working_ranks_above_paused_and_paused_above_idle() {
        assert!(PresenceState::Working > PresenceState::Paused && PresenceState::Paused > PresenceState::Idle);
    }
}
