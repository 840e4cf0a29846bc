//! Open calls of agents, and the loop guard.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    Timestamp,
    call::{Call, HoldRule, PassedCall},
    id::{AgentId, ConversationId, MessageId},
    loop_guard::GuardMark,
    message::Message,
    paging::Page,
};
use parlour_hub::{Hub, use_cases::GuardStop};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Caller, Id, NoParams, OptionalBody, Params},
    http_error::HttpResult,
    routes::request_types::Paging,
};

/// The reason why an agent declines a call.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"reason": "another agent has said it"}))]
pub(crate) struct PassCall {
    /// The reason, for people; a blank text counts as none.
    #[schema(max_length = 2000)]
    reason: Option<String>,
}

/// Lists an agent's open calls, oldest first: for the agent itself and administrators.
///
/// A runner reads them when it connects, so that no call is missed. A call is closed when the agent has started an answer,
/// has passed, or the call has expired. Administrators see only calls in conversations that they may read.
#[utoipa::path(get, path = "/agents/{id}/calls", tag = "calls",
    params(("id" = AgentId, Path, description = "The agent."), Paging),
    responses((status = 200, description = "A page of open calls.", body = Page<Call>)))]
pub(super) async fn list_calls(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Call>>> {
    Ok(Json(hub.open_calls(&caller, &id, &paging.page()?).await?))
}

/// Declines a call without an answer: for the called agent.
///
/// A closed call stays unchanged. The body is optional.
#[utoipa::path(post, path = "/messages/{id}/pass", tag = "calls", request_body = Option<PassCall>,
    params(("id" = MessageId, Path, description = "The calling message.")),
    responses((status = 200, description = "The declined call.", body = PassedCall)))]
pub(super) async fn pass_call(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    OptionalBody(body): OptionalBody<PassCall>,
) -> HttpResult<Json<PassedCall>> {
    Ok(Json(hub.pass_call(&caller, &id, body.reason).await?))
}

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
    /// Converts a host message of the loop guard; `None` for a message that lifts the guard.
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
    params(("id" = ConversationId, Path, description = "The channel, thread or DM.")),
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
    params(("id" = ConversationId, Path, description = "The channel, thread or DM.")),
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
mod loop_guard_tests {
    use parlour_core::id::PersonId;
    use serde_json::json;

    use super::*;

    fn stop(mark: GuardMark) -> GuardStop {
        GuardStop { mark, message_id: MessageId::from_bits(1), at: Timestamp::from_millis(0) }
    }

    #[test]
    fn a_stop_contains_its_rule_and_its_expiry_if_it_expires() {
        let (agents, at) = (vec![AgentId::from_bits(2)], "1970-01-01T00:00:00.000Z");
        let tripped = |until| GuardMark::Tripped { rule: HoldRule::Pair, agents: agents.clone(), until };
        let json_of = |until| serde_json::to_value(Stop::of(stop(tripped(until)))).expect("JSON");
        let expected = json!({"rule": "pair", "agents": agents, "message_id": MessageId::from_bits(1), "at": at});
        assert_eq!(json_of(None), expected);
        assert_eq!(json_of(Some(Timestamp::from_millis(60_000)))["until"], "1970-01-01T00:01:00.000Z");
    }

    #[test]
    fn a_message_that_lifts_the_guard_is_not_a_stop() {
        assert!(Stop::of(stop(GuardMark::Reset { by: PersonId::from_bits(1).into() })).is_none());
    }
}
