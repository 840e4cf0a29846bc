//! Reactions to messages.

use std::{str::FromStr, sync::Arc};

use axum::{Json, extract::State};
use parlour_core::{Refusal, id::MessageId, message::Message, reaction::check_emoji};
use parlour_hub::Hub;

use crate::{
    denied::Answer,
    extract::{Caller, IdPair},
};

/// A sign in the address.
pub(crate) struct Emoji(String);

impl FromStr for Emoji {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        // The extractor names the field itself.
        check_emoji(text).map_err(|refusal| Refusal { field: None, ..refusal })?;
        Ok(Self(text.to_owned()))
    }
}

/// Adds your reaction to a message; doing it again changes nothing.
#[utoipa::path(put, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = String, Path, description = "The sign, usually an emoji, percent-encoded.", min_length = 1,
            max_length = 32, pattern = r"^[^\s\x00-\x1f\x7f-\x9f]+$", example = "👍"),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn react(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
) -> Answer<Json<Message>> {
    Ok(Json(hub.react(&caller, &id, &emoji.0).await?))
}

/// Takes your reaction back; doing it again changes nothing.
#[utoipa::path(delete, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = String, Path, description = "The sign, percent-encoded.", min_length = 1, max_length = 32,
            pattern = r"^[^\s\x00-\x1f\x7f-\x9f]+$", example = "👍"),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn unreact(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
) -> Answer<Json<Message>> {
    Ok(Json(hub.unreact(&caller, &id, &emoji.0).await?))
}
