//! Deliveries of messages: list, wait and report.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use parlour_core::{
    Code, Refusal,
    delivery::{Delivery, DeliveryPath, DeliveryState, DeliveryStep},
    id::{AgentId, MemberId, MessageId, RunId},
    limits,
    paging::Page,
};
use parlour_hub::{
    Hub,
    use_cases::{DeliveryWait, ReportDeliveries},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, Params},
    http_error::HttpResult,
    middleware::LongPoll,
    routes::long_poll::{long_poll_mark, until_stop, wait_seconds},
    serve::Connection,
};

/// Long-polling parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeliveriesParams {
    /// Wait until every delivery has reached this state or cannot reach it.
    #[param(inline)]
    wait: Option<Awaited>,
    /// Wait only for this recipient.
    recipient: Option<MemberId>,
    /// Maximum time to wait, in seconds.
    #[param(minimum = 0, maximum = 25, default = 25)]
    seconds: Option<u64>,
}

/// The delivery state to wait for.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Awaited {
    /// A process of the recipient has received the message.
    Queued,
    /// It was part of a prompt.
    Injected,
    /// It was read.
    Seen,
    /// It was answered.
    Answered,
}

/// The delivery state that is reported.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reported {
    /// A process of the recipient has received them.
    Queued,
    /// They were part of a prompt.
    Injected,
    /// The model has continued after reading them.
    Seen,
    /// They could not be delivered, or the run broke off.
    Failed,
}

/// A delivery report of an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "message_ids": ["msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"], "state": "injected", "delivered_via": "hook"
}))]
pub(crate) struct DeliveryReport {
    /// The agent; default: the caller.
    agent_id: Option<AgentId>,
    /// The messages.
    #[schema(min_items = 1, max_items = 200)]
    message_ids: Vec<MessageId>,
    /// The reached state.
    state: Reported,
    /// How they entered the prompt; required for `injected`.
    delivered_via: Option<DeliveryPath>,
    /// The run whose prompt they entered.
    run_id: Option<RunId>,
    /// The reason; required for `failed`.
    #[schema(min_length = 1, max_length = 2000)]
    why: Option<String>,
}

impl DeliveriesParams {
    /// The state to wait for; `None` without `wait`.
    fn wait(self) -> Result<Option<DeliveryWait>, Refusal> {
        let seconds = wait_seconds(self.seconds, limits::WAIT_SECONDS_MAX as u64)?;
        let Some(awaited) = self.wait else {
            let without = [("recipient", self.recipient.is_some()), ("seconds", self.seconds.is_some())];
            return match without.iter().find(|(_, is_given)| *is_given) {
                Some((field, _)) => Err(Refusal::new(Code::BadQuery, "set `wait` to the state to wait for").at(field)),
                None => Ok(None),
            };
        };
        let state = match awaited {
            Awaited::Queued => DeliveryState::Queued,
            Awaited::Injected => DeliveryState::Injected,
            Awaited::Seen => DeliveryState::Seen,
            Awaited::Answered => DeliveryState::Answered,
        };
        Ok(Some(DeliveryWait { state, recipient: self.recipient, seconds }))
    }
}

impl DeliveryReport {
    fn request(self) -> ReportDeliveries {
        let state = match self.state {
            Reported::Queued => DeliveryState::Queued,
            Reported::Injected => DeliveryState::Injected,
            Reported::Seen => DeliveryState::Seen,
            Reported::Failed => DeliveryState::Failed,
        };
        let step = DeliveryStep {
            state,
            delivered_via: self.delivered_via,
            run_id: self.run_id,
            why: self.why,
            answer_id: None,
        };
        ReportDeliveries { agent_id: self.agent_id, message_ids: self.message_ids, step }
    }
}

/// Lists the deliveries of a message, one per recipient: for everybody who may read it.
///
/// Recipients are the agents that have it in their inbox, the mentioned people, and the participants of the DM. A state is
/// reported only after it has happened. With `wait` the response is delayed until all deliveries have reached the state or
/// cannot reach it.
#[utoipa::path(get, path = "/messages/{id}/deliveries", tag = "deliveries",
    params(("id" = MessageId, Path, description = "The message."), DeliveriesParams),
    responses((status = 200, description = "One delivery for each recipient.", body = Page<Delivery>)))]
pub(super) async fn list_deliveries(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Params(params): Params<DeliveriesParams>,
    connection: Connection,
) -> HttpResult<(Option<Extension<LongPoll>>, Json<Page<Delivery>>)> {
    let (now, wait) = (hub.deliveries(&caller, &id), params.wait()?);
    let mark = long_poll_mark(wait.as_ref().map_or(0, |wait| wait.seconds));
    let items = match wait {
        Some(wait) => until_stop(&connection, hub.wait_deliveries(&caller, &id, wait), now).await?,
        None => now.await?,
    };
    Ok((mark, Json(Page { items, next: None })))
}

/// Reports deliveries of an agent: for the agent itself and administrators.
///
/// Report a state only after it has happened. A repeated report changes nothing; a seen message leaves the inbox. The hub
/// itself sets the states `stored`, `answered` and `expired`.
#[utoipa::path(post, path = "/deliveries", tag = "deliveries", request_body = DeliveryReport,
    responses((status = 200, description = "The deliveries as they are now.", body = Page<Delivery>)))]
pub(super) async fn report_deliveries(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(report): Body<DeliveryReport>,
) -> HttpResult<Json<Page<Delivery>>> {
    let items = hub.report_deliveries(&caller, report.request()).await?;
    Ok(Json(Page { items, next: None }))
}
