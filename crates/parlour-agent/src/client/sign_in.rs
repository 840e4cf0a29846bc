//! Sign-in of a person: a short browser session that issues a bearer token and ends.

use reqwest::{
    Method, Response,
    header::{COOKIE, HeaderValue, SET_COOKIE},
};
use serde::Serialize;

use super::{Client, endpoint_url, transport::HubResponse};
use crate::{
    ClientError,
    answers::IssuedToken,
    requests::{IssueToken, SignIn},
};

/// The hub accepts a session cookie from its own pages only, and from programs that say so.
const FETCH_SITE: (&str, &str) = ("Sec-Fetch-Site", "same-origin");

impl Client {
    /// Signs a person in and issues a token with the rights of that person.
    ///
    /// Opens a session, issues the token with it, and ends the session, also if no token was issued. A sign-in link is
    /// used up in any case.
    pub async fn sign_in(&self, credential: &SignIn, token: &IssueToken) -> Result<IssuedToken, ClientError> {
        let response = self.post_as_page("/sign-in", None, Some(credential)).await?;
        let cookie = session_cookie(&response);
        let signed_in = self.accept(response).await?;
        let cookie = cookie.ok_or_else(|| signed_in.bad("it sets no session cookie"))?;
        let issued = self.issue_in_session(&cookie, token).await;
        // The session ends by itself later; the token is worth more than an error here.
        let _ = self.post_as_page("/sign-out", Some(&cookie), None::<&()>).await;
        issued
    }

    async fn issue_in_session(&self, cookie: &HeaderValue, token: &IssueToken) -> Result<IssuedToken, ClientError> {
        let response = self.post_as_page("/tokens", Some(cookie), Some(token)).await?;
        self.accept(response).await?.read()
    }

    async fn post_as_page(
        &self,
        path: &str,
        cookie: Option<&HeaderValue>,
        body: Option<&impl Serialize>,
    ) -> Result<Response, ClientError> {
        let mut request = self.request(Method::POST, path).header(FETCH_SITE.0, FETCH_SITE.1);
        if let Some(cookie) = cookie {
            request = request.header(COOKIE, cookie.clone());
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.map_err(|error| self.unreachable(error))
    }

    async fn accept(&self, response: Response) -> Result<HubResponse, ClientError> {
        let url = endpoint_url(self.base(), response.url().path(), &[]);
        let received = HubResponse::receive(response).await;
        received.map_err(|fault| fault.into_client_error(self.url(), &url))?.refused_or_itself()
    }
}

/// The pair `name=value` of the session cookie, without its attributes.
fn session_cookie(response: &Response) -> Option<HeaderValue> {
    let header = response.headers().get(SET_COOKIE)?.to_str().ok()?;
    let mut cookie = HeaderValue::from_str(header.split(';').next()?.trim()).ok()?;
    cookie.set_sensitive(true);
    Some(cookie)
}
