//! Reactions to messages.

use std::{str::FromStr, sync::Arc};

use axum::{Json, extract::State};
use parlour_core::{Refusal, id::MessageId, message::Message, reaction::check_emoji};
use parlour_hub::Hub;
use utoipa::ToSchema;

use crate::{
    extract::{Caller, IdPair, NoParams},
    http_error::HttpResult,
};

/// A sign in the address: no blanks, no control characters, no turns of direction, and something to be seen.
#[derive(ToSchema)]
#[schema(
    value_type = String, min_length = 1, max_length = 32, example = "👍",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8][^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
)]
pub(crate) struct Emoji(String);

impl FromStr for Emoji {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        // The extractor names the field itself.
        check_emoji(text).map_err(|refusal| Refusal { field: None, ..refusal })?;
        Ok(Self(text.to_owned()))
    }
}

/// Adds your reaction to a message; idempotent.
#[utoipa::path(put, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = inline(Emoji), Path, description = "The sign, usually an emoji, percent-encoded."),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn react(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.react(&caller, &id, &emoji.0).await?))
}

/// Removes your reaction; idempotent.
#[utoipa::path(delete, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = inline(Emoji), Path, description = "The sign, percent-encoded."),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn unreact(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.unreact(&caller, &id, &emoji.0).await?))
}
