//! Tokens, and the keys that sign them.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use parlour_core::{
    Refusal,
    id::{MemberId, TokenId},
    paging::Page,
    scope::Scopes,
    token::{ActsAs, Token, TokenHash},
};
use parlour_hub::{
    Hub,
    use_cases::{self, TokenFormat},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::request_types,
};

/// A token to issue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "kind": "jwt", "label": "nightly build", "scopes": ["messages:write", "channels:read"], "expires_in_seconds": 604_800
}))]
pub(crate) struct IssueToken {
    /// The member; default: the caller.
    member_id: Option<MemberId>,
    /// Kind of the token.
    kind: IssuedKind,
    /// A label.
    #[schema(max_length = 100)]
    label: Option<String>,
    /// What it may be used for. You cannot give what your own token lacks; absent means all that you can give, for an
    /// agent without `projects:manage`, `tokens:manage` and `admin`.
    scopes: Option<Scopes>,
    /// The applet or schedule that writes with it: its messages are from that, and the person answers for them. Such
    /// a token is never given `projects:manage`, `tokens:manage`, `mentions:wide` or `admin`.
    acts_as: Option<ActsAs>,
    /// Lifetime in seconds; a signed token always expires.
    #[schema(minimum = 1, maximum = 31_622_400)]
    expires_in_seconds: Option<u64>,
    /// The SHA-256 of the certificate in DER, in hexadecimal digits; only for the kind `certificate`.
    #[schema(pattern = "^[0-9a-fA-F]{64}$")]
    certificate_sha256: Option<String>,
    /// The trusted issuer, as it names itself in its tokens; only for the kind `external`.
    #[schema(max_length = 2000)]
    issuer: Option<String>,
    /// The member's subject at that issuer; only for the kind `external`.
    #[schema(max_length = 2000)]
    subject: Option<String>,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IssuedKind {
    /// A JWT signed by the hub.
    Jwt,
    /// A random string.
    Static,
    /// A client certificate.
    Certificate,
    /// A token of a trusted issuer.
    External,
}

impl IssueToken {
    /// A request for the hub. A field that means nothing for this kind is refused: it may have been meant.
    fn request(self) -> Result<use_cases::IssueToken, Refusal> {
        let Self { member_id, kind, label, scopes, acts_as, expires_in_seconds, certificate_sha256, issuer, subject } =
            self;
        let allow = |kinds: IssuedKind, field: &'static str, is_given: bool| match kinds == kind {
            true if !is_given => Err(Refusal::invalid("this kind of token needs it").at(field)),
            false if is_given => Err(Refusal::invalid("this kind of token has none").at(field)),
            _ => Ok(()),
        };
        allow(IssuedKind::Certificate, "certificate_sha256", certificate_sha256.is_some())?;
        allow(IssuedKind::External, "issuer", issuer.is_some())?;
        allow(IssuedKind::External, "subject", subject.is_some())?;
        let format = match kind {
            IssuedKind::Jwt => TokenFormat::Jwt,
            IssuedKind::Static => TokenFormat::Static,
            IssuedKind::Certificate => TokenFormat::Certificate(parse_hash(&certificate_sha256.unwrap_or_default())?),
            IssuedKind::External => {
                TokenFormat::External { issuer: issuer.unwrap_or_default(), subject: subject.unwrap_or_default() }
            }
        };
        let label = label.unwrap_or_default();
        Ok(use_cases::IssueToken { member_id, format, label, scopes, acts_as, expires_in_seconds })
    }
}

/// Reads 64 hexadecimal digits.
fn parse_hash(text: &str) -> Result<TokenHash, Refusal> {
    let refuse = || Refusal::invalid("a SHA-256 has 64 hexadecimal digits").at("certificate_sha256");
    let mut hash = TokenHash::default();
    if text.len() != 2 * hash.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(refuse());
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| refuse())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| refuse())?;
    }
    Ok(hash)
}

/// An issued token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssuedToken {
    #[serde(flatten)]
    token: Token,
    /// What to send as `Authorization: Bearer …`. It is shown only here; certificates and tokens of other issuers have
    /// their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl From<use_cases::IssuedToken> for IssuedToken {
    fn from(issued: use_cases::IssuedToken) -> Self {
        Self { token: issued.token, secret: issued.secret }
    }
}

/// Filter of tokens.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenParams {
    /// The member; default: the caller.
    member_id: Option<MemberId>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Issues a token for yourself, for an agent that you manage, or as an administrator for anybody.
#[utoipa::path(post, path = "/tokens", tag = "tokens", request_body = IssueToken,
    responses((status = 201, description = "The token and its secret, which is shown only once.", body = IssuedToken)))]
pub(super) async fn issue_token(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<IssueToken>,
) -> HttpResult<(StatusCode, Json<IssuedToken>)> {
    let issued = hub.issue_token(&caller, body.request()?).await?;
    Ok((StatusCode::CREATED, Json(issued.into())))
}

/// Lists the tokens of a member, its browsers among them, also those that have ended.
#[utoipa::path(get, path = "/tokens", tag = "tokens", params(TokenParams),
    responses((status = 200, description = "A page of tokens without their secrets, oldest first.", body = Page<Token>)))]
pub(super) async fn list_tokens(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<TokenParams>,
) -> HttpResult<Json<Page<Token>>> {
    let page = request_types::page(params.limit, params.cursor)?;
    let member = params.member_id.unwrap_or_else(|| caller.member.clone());
    Ok(Json(hub.tokens(&caller, &member, &page).await?))
}

/// Revokes a token and closes its live sessions at once.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens",
    params(("id" = TokenId, Path, description = "The token.")),
    responses((status = 204, description = "The token is revoked.")))]
pub(super) async fn revoke_token(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<TokenId>,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.revoke_token(&caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces the token of the request by a new one with the same rights.
#[utoipa::path(post, path = "/me/token", tag = "tokens",
    responses((status = 201, description = "The new token and its secret, which is shown only once.", body = IssuedToken)))]
pub(super) async fn renew_own_token(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<(StatusCode, Json<IssuedToken>)> {
    let issued = hub.renew_token(&caller).await?;
    Ok((StatusCode::CREATED, Json(issued.into())))
}

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

#[cfg(test)]
mod tokens_tests {
    use serde_json::{Value, json};

    use super::*;

    fn request(body: Value) -> Result<use_cases::IssueToken, Refusal> {
        serde_json::from_value::<IssueToken>(body).expect("a body").request()
    }

    #[track_caller]
    fn check_refused(body: Value, field: &str) {
        assert_eq!(request(body).expect_err(field).field.as_deref(), Some(field));
    }

    #[test]
    fn each_kind_of_token_has_its_identifier() {
        assert_eq!(request(json!({"kind": "jwt"})).map(|request| request.format), Ok(TokenFormat::Jwt));
        let digits = "0aF".repeat(21) + "0";
        let format = request(json!({"kind": "certificate", "certificate_sha256": digits})).expect("a request").format;
        assert!(matches!(format, TokenFormat::Certificate(hash) if hash[..3] == [0x0a, 0xf0, 0xaf]));
        let external = json!({"kind": "external", "issuer": "https://id.example", "subject": "mara"});
        assert!(matches!(request(external).expect("a request").format, TokenFormat::External { .. }));
    }

    #[test]
    fn missing_fields_of_a_kind_are_refused() {
        check_refused(json!({"kind": "certificate"}), "certificate_sha256");
        check_refused(json!({"kind": "external", "subject": "mara"}), "issuer");
        check_refused(json!({"kind": "external", "issuer": "https://id.example"}), "subject");
    }

    #[test]
    fn fields_of_another_kind_are_refused() {
        check_refused(json!({"kind": "jwt", "certificate_sha256": "0".repeat(64)}), "certificate_sha256");
        check_refused(json!({"kind": "static", "issuer": "x"}), "issuer");
        check_refused(json!({"kind": "jwt", "subject": "x"}), "subject");
    }

    #[test]
    fn a_hash_is_64_hexadecimal_digits() {
        for text in ["", "0", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            check_refused(json!({"kind": "certificate", "certificate_sha256": text}), "certificate_sha256");
        }
    }
}
