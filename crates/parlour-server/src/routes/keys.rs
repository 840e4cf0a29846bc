//! The keys with which the hub signs tokens.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use parlour_hub::Hub;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    extract::{Caller, NoParams},
    http_error::HttpResult,
};

/// A new signing key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RotatedKey {
    /// The key id (`kid`) in the header of tokens.
    kid: String,
}

/// Reads the public keys that verify the tokens of this hub, as a JWK set (RFC 7517). Needs no token.
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "tokens", security(()),
    responses((status = 200, description = "The keys, the newest first.", body = Object,
        content_type = "application/jwk-set+json")))]
pub(super) async fn get_jwks(State(hub): State<Arc<Hub>>) -> ([(HeaderName, &'static str); 1], Json<Value>) {
    ([(header::CONTENT_TYPE, "application/jwk-set+json")], Json(hub.jwks()))
}

/// Rotates the signing key: for administrators. Tokens signed with older keys stay valid.
#[utoipa::path(post, path = "/keys/rotate", tag = "tokens",
    responses((status = 201, description = "The new key.", body = RotatedKey)))]
pub(super) async fn rotate_key(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<(StatusCode, Json<RotatedKey>)> {
    let kid = hub.rotate_key(&caller).await?;
    Ok((StatusCode::CREATED, Json(RotatedKey { kid })))
}
