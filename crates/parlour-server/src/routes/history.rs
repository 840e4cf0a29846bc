//! Messages of a channel, thread or DM.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    id::{ChannelId, ConversationId, DmId, MessageId, ThreadId},
    message::Message,
    paging::Page,
};
use parlour_hub::{
    Hub,
    use_cases::{HistoryMark, HistoryQuery},
};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{Caller, Id, Params},
    http_error::HttpResult,
    routes::request_types::page,
};

/// Stores keep message numbers as signed 64-bit integers.
const SEQ_MAX: u64 = i64::MAX as u64;

/// Selects messages of a conversation; default: the newest.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryParams {
    /// Maximum number of messages.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// Only messages before this one, newest first: an id, a sequence number or a time (RFC 3339). Not with `since`.
    #[param(
        pattern = r"^([0-9]{1,18}|msg_[A-Za-z0-9_-]{1,60}|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9]))$"
    )]
    before: Option<String>,
    /// Only messages after this one, oldest first: an id, a sequence number or a time (RFC 3339). Not with `before`.
    #[param(
        pattern = r"^([0-9]{1,18}|msg_[A-Za-z0-9_-]{1,60}|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9]))$"
    )]
    since: Option<String>,
    /// The `next` of the previous page; it contains the direction.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Reads the messages of a channel, newest first unless `since` is given.
#[utoipa::path(get, path = "/channels/{id}/messages", tag = "messages",
    params(("id" = ChannelId, Path, description = "The channel."), HistoryParams),
    responses((status = 200, description = "A page of messages.", body = Page<Message>)))]
pub(super) async fn list_channel_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Params(params): Params<HistoryParams>,
) -> HttpResult<Json<Page<Message>>> {
    read(&hub, &caller, &id.into(), params).await
}

/// Reads the messages of a thread, newest first unless `since` is given.
#[utoipa::path(get, path = "/threads/{id}/messages", tag = "messages",
    params(("id" = ThreadId, Path, description = "The thread."), HistoryParams),
    responses((status = 200, description = "A page of messages.", body = Page<Message>)))]
pub(super) async fn list_thread_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ThreadId>,
    Params(params): Params<HistoryParams>,
) -> HttpResult<Json<Page<Message>>> {
    read(&hub, &caller, &id.into(), params).await
}

/// Reads the messages of a DM, newest first unless `since` is given.
#[utoipa::path(get, path = "/dms/{id}/messages", tag = "messages",
    params(("id" = DmId, Path, description = "The DM."), HistoryParams),
    responses((status = 200, description = "A page of messages.", body = Page<Message>)))]
pub(super) async fn list_dm_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<DmId>,
    Params(params): Params<HistoryParams>,
) -> HttpResult<Json<Page<Message>>> {
    read(&hub, &caller, &id.into(), params).await
}

async fn read(
    hub: &Hub,
    caller: &Principal,
    id: &ConversationId,
    params: HistoryParams,
) -> HttpResult<Json<Page<Message>>> {
    let query = HistoryQuery { before: mark("before", params.before)?, since: mark("since", params.since)? };
    Ok(Json(hub.history(caller, id, &query, &page(params.limit, params.cursor)?).await?))
}

/// Parses `before` or `since`: digits are a message number, `msg_…` is an id, everything else must be a time.
fn mark(field: &str, text: Option<String>) -> Result<Option<HistoryMark>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let shown: String = text.chars().take(40).collect();
    let refuse = || {
        let detail = format!("{shown:?} is not a message id, a message number or an RFC 3339 time");
        Refusal::new(Code::BadQuery, detail).at(field)
    };
    let found = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok().filter(|seq| *seq <= SEQ_MAX).map(HistoryMark::Seq)
    } else if text.starts_with(MessageId::PREFIX) {
        text.parse().ok().map(HistoryMark::Message)
    } else {
        text.parse::<Timestamp>().ok().map(HistoryMark::Time)
    };
    found.map(Some).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_mark(text: &str) -> Option<HistoryMark> {
        mark("before", Some(text.to_owned())).ok().flatten()
    }

    #[test]
    fn numbers_ids_and_times_are_parsed() {
        assert_eq!(read_mark("42"), Some(HistoryMark::Seq(42)));
        assert_eq!(read_mark("msg_1"), Some(HistoryMark::Message("msg_1".parse().expect("id"))));
        let at = Timestamp::from_millis(1_763_197_920_000);
        assert_eq!(read_mark("2025-11-15T09:12:00Z"), Some(HistoryMark::Time(at)));
    }

    #[test]
    fn anything_else_is_refused_by_its_field() {
        for text in ["", "-1", "1.5", "99999999999999999999", "chn_1", "msg_", "msg", "yesterday", "2025-11-15"] {
            let refusal = mark("since", Some(text.to_owned())).expect_err(text);
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("since")), "{text}");
        }
    }
}
