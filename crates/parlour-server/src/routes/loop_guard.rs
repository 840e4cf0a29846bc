//! The loop guard of a conversation: what it has stopped, and lifting it.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    Timestamp,
    call::HoldRule,
    id::{AgentId, ConversationId, MessageId},
    loop_guard::GuardMark,
    message::Message,
};
use parlour_hub::{Hub, use_cases::GuardStop};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    extract::{Caller, Id, NoParams},
    http_error::HttpResult,
};

/// Active stops of the loop guard in a conversation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"stops": [{
    "rule": "depth", "agents": ["agt_01KA3V8Q2N7W4T9Y6B5C0D1E2F"], "message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
    "at": "2026-11-15T09:12:30.000Z"
}]}))]
pub(crate) struct LoopGuard {
    /// Its stops, newest first.
    stops: Vec<Stop>,
}

/// An active stop.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GuardStop)]
pub(crate) struct Stop {
    /// The rule.
    rule: HoldRule,
    /// The stopped agents.
    agents: Vec<AgentId>,
    /// When it expires; absent when a person must lift it.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    /// The host message that reports it.
    message_id: MessageId,
    /// When it was reported.
    at: Timestamp,
}

impl Stop {
    /// A stop as it is told; a mark that lifts the guard is none.
    fn of(stop: GuardStop) -> Option<Self> {
        let GuardStop { mark, message_id, at } = stop;
        match mark {
            GuardMark::Tripped { rule, agents, until } => Some(Self { rule, agents, until, message_id, at }),
            GuardMark::Reset { .. } => None,
        }
    }
}

/// Lists the stops of the loop guard since a person last posted in the conversation or lifted them.
#[utoipa::path(get, path = "/conversations/{id}/loop-guard", tag = "calls",
    params(("id" = ConversationId, Path, description = "The channel, thread or dm.")),
    responses((status = 200, description = "The active stops.", body = LoopGuard)))]
pub(super) async fn get_loop_guard(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ConversationId>,
    _: NoParams,
) -> HttpResult<Json<LoopGuard>> {
    let stops = hub.loop_guard(&caller, &id).await?;
    Ok(Json(LoopGuard { stops: stops.into_iter().filter_map(Stop::of).collect() }))
}

/// Lifts the loop guard in a conversation: for people who may write there.
///
/// Agents may call each other again there. Writing a message there does the same.
#[utoipa::path(post, path = "/conversations/{id}/loop-guard/reset", tag = "calls",
    params(("id" = ConversationId, Path, description = "The channel, thread or dm.")),
    responses((status = 200, description = "The host message that reports it in the conversation.", body = Message)))]
pub(super) async fn reset_loop_guard(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ConversationId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.reset_loop_guard(&caller, &id).await?))
}

#[cfg(test)]
mod tests {
    use parlour_core::id::PersonId;
    use serde_json::json;

    use super::*;

    fn stop(mark: GuardMark) -> GuardStop {
        GuardStop { mark, message_id: MessageId::from_bits(1), at: Timestamp::from_millis(0) }
    }

    #[test]
    fn a_stop_is_told_with_its_rule_and_only_if_time_lifts_it_with_its_end() {
        let (agents, at) = (vec![AgentId::from_bits(2)], "1970-01-01T00:00:00.000Z");
        let tripped = |until| GuardMark::Tripped { rule: HoldRule::Pair, agents: agents.clone(), until };
        let told = |until| serde_json::to_value(Stop::of(stop(tripped(until)))).expect("JSON");
        let expected = json!({"rule": "pair", "agents": agents, "message_id": MessageId::from_bits(1), "at": at});
        assert_eq!(told(None), expected);
        assert_eq!(told(Some(Timestamp::from_millis(60_000)))["until"], "1970-01-01T00:01:00.000Z");
    }

    #[test]
    fn a_mark_that_lifts_the_guard_is_no_stop() {
        assert!(Stop::of(stop(GuardMark::Reset { by: PersonId::from_bits(1).into() })).is_none());
    }
}
