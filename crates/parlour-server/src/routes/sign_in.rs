//! People in browsers: signing in and out, passwords and links.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRef, FromRequestParts, State},
    http::{HeaderName, HeaderValue, StatusCode, header, request::Parts},
};
use parlour_core::{Refusal, id::PersonId, origin::Surface};
use parlour_hub::{
    Failure, Fault, Hub, SignInAttempt,
    use_cases::{IssuedToken, SignedIn},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::hub::Me;
use crate::{
    borders::{Borders, SessionCookie},
    denied::{Answer, Denied},
    extract::{Body, Caller, Id, NoParams},
    rates::Visit,
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
    /// The password before, if there is one; administrators need not know it.
    current: Option<String>,
    /// The password.
    #[schema(min_length = 10, max_length = 256)]
    password: String,
}

/// A link by which a person signs in, once.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"code": "parlour_2b7e1516", "path": "/sign-in#code=parlour_2b7e1516"}))]
pub(crate) struct SignInLink {
    /// The code of the link. It is shown only here.
    code: String,
    /// Where the link leads on this hub. The code stands behind the `#`, so that it reaches no log on the way.
    path: String,
}

/// The cookie for the browser that signs in; another page cannot make it do so, as somebody else or at all.
pub(crate) struct OwnPage(SessionCookie);

impl<S> FromRequestParts<S> for OwnPage
where
    Borders: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let borders = Borders::from_ref(state);
        borders.check_page(parts)?;
        Ok(Self(borders.session_cookie(&parts.headers, &parts.extensions)))
    }
}

/// A header that gives or takes the cookie.
type CookieHeader = [(HeaderName, HeaderValue); 1];

/// Signs a person in with name and password, or with the code of a link. Needs no token.
///
/// The answer sets a cookie, which browsers then send by themselves. It counts for the hub's own pages only.
#[utoipa::path(post, path = "/sign-in", tag = "people", security(()), request_body = SignIn,
    responses((status = 200, description = "Who is signed in now.", body = Me,
        headers(("Set-Cookie" = String, description = "The session: HttpOnly, SameSite=Strict.")))))]
pub(super) async fn sign_in(
    State(hub): State<Arc<Hub>>,
    OwnPage(cookie): OwnPage,
    visit: Visit,
    Body(body): Body<SignIn>,
) -> Answer<(CookieHeader, Json<Me>)> {
    let SignedIn { caller, session } = begin_session(&hub, &visit, body).await?;
    Ok((session_header(&hub, cookie, &session)?, Json(Me::from(caller))))
}

async fn begin_session(hub: &Hub, visit: &Visit, body: SignIn) -> Result<SignedIn, Failure> {
    match body {
        SignIn { name: Some(name), password: Some(password), code: None } => {
            let signing_in = hub.sign_in_with_password(&name, password, Surface::Http);
            visit.attempt(hub, SignInAttempt::Password(&name), signing_in).await
        }
        SignIn { name: None, password: None, code: Some(code) } => {
            visit.attempt(hub, SignInAttempt::Code, hub.sign_in_with_link(&code, Surface::Http)).await
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

/// Ends the session of this browser. Whoever shows a token of another kind keeps it.
#[utoipa::path(post, path = "/sign-out", tag = "people",
    responses((status = 204, description = "This browser is signed out, and its cookie taken away.")))]
pub(super) async fn sign_out(
    State(hub): State<Arc<Hub>>,
    OwnPage(cookie): OwnPage,
    Caller(caller): Caller,
    _: NoParams,
) -> Answer<(StatusCode, CookieHeader)> {
    hub.sign_out(&caller).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie.clear())]))
}

/// Gives a person a password: by that person, who has to know the one before, or by an administrator.
///
/// The other browsers of that person are signed out.
#[utoipa::path(put, path = "/people/{id}/password", tag = "people", request_body = SetPassword,
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 204, description = "From now on this password counts.")))]
pub(super) async fn set_password(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    visit: Visit,
    Id(id): Id<PersonId>,
    Body(body): Body<SetPassword>,
) -> Answer<StatusCode> {
    let setting = hub.set_password(&caller, &id, body.current, body.password);
    // Counted like signing in: whoever has taken over a session must not guess the password with it.
    visit.attempt(&hub, SignInAttempt::Password(caller.name.as_str()), setting).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a link by which a person signs in, once: by that person or an administrator.
#[utoipa::path(post, path = "/people/{id}/link", tag = "people",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 201, description = "The link, this once.", body = SignInLink)))]
pub(super) async fn make_link(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<PersonId>,
    _: NoParams,
) -> Answer<(StatusCode, Json<SignInLink>)> {
    let code = hub.make_link(&caller, &id).await?;
    let path = format!("/sign-in#code={code}");
    Ok((StatusCode::CREATED, Json(SignInLink { code, path })))
}
