//! What host messages say about the guard, in a form that the guard reads again.

use serde::{Deserialize, Serialize};

use super::since;
use crate::{
    Timestamp,
    author::AuthorType,
    call::HoldRule,
    id::{AgentId, MemberId},
    message::{Kind, Message},
};

/// What a host message says about the guard; it stands in the message's structured content under `loop_guard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum GuardMark {
    /// The guard has stopped agents.
    Tripped {
        /// By which rule.
        rule: HoldRule,
        /// Who is stopped.
        agents: Vec<AgentId>,
        /// When time alone lifts it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// A person has lifted it.
    Reset {
        /// Who.
        by: MemberId,
    },
}

impl GuardMark {
    /// The mark of a host message, if it has one. Messages of others never do, whatever they hold.
    pub fn of(message: &Message) -> Option<Self> {
        let is_hosts =
            since::is_own(message) && message.from.author_type == AuthorType::Host && message.kind == Kind::Host;
        let mark = message.content.as_ref().filter(|_| is_hosts)?.get("loop_guard")?;
        Self::deserialize(mark).ok()
    }

    /// The structured content of its host message.
    pub fn content(&self) -> serde_json::Value {
        serde_json::json!({ "loop_guard": self })
    }
}

/// The stops that still stand in a conversation, newest first, each with the host message that tells it: those since a
/// person spoke there or lifted the guard which time has not lifted. `window` are its last messages, newest first.
pub fn standing_stops(window: &[Message], now: Timestamp) -> Vec<(GuardMark, &Message)> {
    let marked = since::in_window(window).filter_map(|message| Some((GuardMark::of(message)?, message)));
    let is_standing = |mark: &GuardMark| match mark {
        GuardMark::Tripped { until, .. } => until.is_none_or(|until| now < until),
        GuardMark::Reset { .. } => false,
    };
    marked.filter(|(mark, _)| is_standing(mark)).collect()
}
