//! Sign-in and sign-out of people in browsers, passwords and sign-in links.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRef, FromRequestParts, State},
    http::{HeaderName, HeaderValue, StatusCode, header, request::Parts},
};
use parlour_core::{Refusal, attribution::Surface, id::PersonId};
use parlour_hub::{
    Failure, Fault, Hub, SignInAttempt,
    use_cases::{IssuedToken, SignedIn},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams},
    http_error::{HttpError, HttpResult},
    http_guard::{HttpGuard, SessionCookie},
    rate_limits::RequestMeter,
    routes::hub::Me,
};

/// Name and password, or the code of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Mara", "password": "correct horse battery staple"}))]
pub(crate) struct SignIn {
    /// The person's name; goes with the password.
    #[schema(max_length = 64)]
    name: Option<String>,
    /// The password; goes with the name.
    #[schema(max_length = 256)]
    password: Option<String>,
    /// The code of a link, which works once; goes alone.
    #[schema(max_length = 4096)]
    code: Option<String>,
}

/// A new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"current": "correct horse battery staple", "password": "a better one than before"}))]
pub(crate) struct SetPassword {
    /// The current password, if there is one; not required of administrators.
    current: Option<String>,
    /// The password.
    #[schema(min_length = 10, max_length = 256)]
    password: String,
}

/// A sign-in link that works once.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"code": "parlour_2b7e1516", "path": "/sign-in#code=parlour_2b7e1516"}))]
pub(crate) struct SignInLink {
    /// The code of the link. It is shown only here.
    code: String,
    /// Path of the link on this hub. The code is in the fragment, so that no log contains it.
    path: String,
}

/// The session cookie of a sign-in request; requests of foreign pages are refused.
pub(crate) struct OwnPage(SessionCookie);

impl<S> FromRequestParts<S> for OwnPage
where
    HttpGuard: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let http_guard = HttpGuard::from_ref(state);
        http_guard.check_page(parts)?;
        Ok(Self(http_guard.session_cookie(&parts.headers, &parts.extensions)))
    }
}

/// A `Set-Cookie` header.
type CookieHeader = [(HeaderName, HeaderValue); 1];

/// Signs a person in with name and password, or with the code of a link. Needs no token.
///
/// The response sets a session cookie, which is accepted from the pages of the hub only.
#[utoipa::path(post, path = "/sign-in", tag = "people", security(()), request_body = SignIn,
    responses((status = 200, description = "The signed-in person.", body = Me,
        headers(("Set-Cookie" = String, description = "The session: HttpOnly, SameSite=Strict.")))))]
pub(super) async fn sign_in(
    State(hub): State<Arc<Hub>>,
    OwnPage(cookie): OwnPage,
    meter: RequestMeter,
    Body(body): Body<SignIn>,
) -> HttpResult<(CookieHeader, Json<Me>)> {
    let SignedIn { caller, session } = begin_session(&hub, &meter, body).await?;
    Ok((session_header(&hub, cookie, &session)?, Json(Me::from(caller))))
}

async fn begin_session(hub: &Hub, meter: &RequestMeter, body: SignIn) -> Result<SignedIn, Failure> {
    match body {
        SignIn { name: Some(name), password: Some(password), code: None } => {
            let signing_in = hub.sign_in_with_password(&name, password, Surface::Http);
            meter.attempt(hub, SignInAttempt::Password(&name), signing_in).await
        }
        SignIn { name: None, password: None, code: Some(code) } => {
            meter.attempt(hub, SignInAttempt::Code, hub.sign_in_with_link(&code, Surface::Http)).await
        }
        _ => Err(Refusal::invalid("send name and password, or the code of a link alone").into()),
    }
}

fn session_header(hub: &Hub, cookie: SessionCookie, session: &IssuedToken) -> Result<CookieHeader, Fault> {
    let no_secret = || Fault::new("sign in", "the session has no secret or no end");
    let (secret, ends) = session.secret.as_ref().zip(session.token.expires_at).ok_or_else(no_secret)?;
    let millis = ends.as_millis().saturating_sub(hub.clock().now().as_millis());
    let seconds = u64::try_from(millis / 1_000).unwrap_or_default();
    Ok([(header::SET_COOKIE, cookie.set(secret, seconds))])
}

/// Signs this browser out. Tokens of other kinds stay valid.
#[utoipa::path(post, path = "/sign-out", tag = "people",
    responses((status = 204, description = "The session is ended and the cookie deleted.")))]
pub(super) async fn sign_out(
    State(hub): State<Arc<Hub>>,
    OwnPage(cookie): OwnPage,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<(StatusCode, CookieHeader)> {
    hub.sign_out(&caller).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie.clear())]))
}

/// Sets a password: for administrators, and for the person with the current password.
///
/// The other browsers of that person are signed out.
#[utoipa::path(put, path = "/people/{id}/password", tag = "people", request_body = SetPassword,
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 204, description = "The password is set.")))]
pub(super) async fn set_password(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    meter: RequestMeter,
    Id(id): Id<PersonId>,
    Body(body): Body<SetPassword>,
) -> HttpResult<StatusCode> {
    let setting = hub.set_password(&caller, &id, body.current, body.password);
    // Counted like a sign-in attempt: a stolen session must not allow guessing the password.
    meter.attempt(&hub, SignInAttempt::Password(caller.name.as_str()), setting).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Creates a sign-in link that works once: for the person and administrators.
#[utoipa::path(post, path = "/people/{id}/link", tag = "people",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 201, description = "The link, which is shown only once.", body = SignInLink)))]
pub(super) async fn make_link(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<PersonId>,
    _: NoParams,
) -> HttpResult<(StatusCode, Json<SignInLink>)> {
    let code = hub.make_link(&caller, &id).await?;
    let path = format!("/sign-in#code={code}");
    Ok((StatusCode::CREATED, Json(SignInLink { code, path })))
}
