//! The typed client of the native API.

use std::{fmt, sync::Arc, time::Duration};

use parlour_core::{limits, paging::Page};
use reqwest::{
    Method, Url,
    header::{AUTHORIZATION, HeaderValue},
    redirect,
};
use rustls::ClientConfig;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    ClientError,
    tls::{self, TlsOptions, TlsTrouble},
};

mod address;
mod answer;
mod artifacts;
mod audit;
mod calls;
mod channels;
mod context;
mod deliveries;
mod dms;
mod imports;
mod inbox;
mod invites;
mod members;
mod messages;
mod projects;
mod query;
mod questions;
pub(crate) mod retry;
mod runs;
mod streams;
mod tasks;
mod tokens;

pub use audit::AuditExport;
pub use messages::HistoryRange;
pub use query::PageAt;
pub use questions::Asked;
use retry::Retry;

/// How long it may take until somebody takes the call.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// How long a call may take as a whole: the hub's own bound and a little for the way.
const CALL_TIME_MAX: Duration = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64 + 5);
/// How many pages are read when a whole list is wanted.
const PAGES_MAX: usize = 500;

/// A hub at some address, as the owner of one token sees it. Cheap to clone; all clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    base: Arc<Url>,
    http: reqwest::Client,
    authorization: Option<HeaderValue>,
    tls: Option<Arc<ClientConfig>>,
    retry: Retry,
}

/// How a hub is called.
#[derive(Clone, Default)]
pub struct ClientOptions {
    /// The bearer token.
    pub token: Option<String>,
    /// Whom to trust and what to show; matters only for a hub at `https://`.
    pub tls: TlsOptions,
}

impl fmt::Debug for ClientOptions {
    /// The token is kept out, so that it cannot end in a log.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_token = self.token.is_some();
        out.debug_struct("ClientOptions").field("has_token", &has_token).field("tls", &self.tls).finish()
    }
}

impl Client {
    /// A client for the hub at `base_url` that trusts the authorities of its machine. Nothing is sent yet.
    pub fn new(base_url: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let options = ClientOptions { token: token.map(str::to_owned), ..ClientOptions::default() };
        Self::with_options(base_url, &options)
    }

    /// A client for the hub at `base_url`. Nothing is sent yet, but the files of TLS are read.
    pub fn with_options(base_url: &str, options: &ClientOptions) -> Result<Self, ClientError> {
        let base = address::parse(base_url)?;
        let authorization = options.token.as_deref().map(bearer).transpose()?;
        let tls = address::is_encrypted(&base).then(|| tls::configure(&options.tls)).transpose()?;
        let builder = reqwest::Client::builder()
            .default_headers(authorization.iter().map(|value| (AUTHORIZATION, value.clone())).collect())
            .connect_timeout(CONNECT_TIME_MAX)
            .timeout(CALL_TIME_MAX)
            .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the token to an address that nobody has chosen.
            .redirect(redirect::Policy::none());
        // The own machine is never behind a proxy.
        let builder = if address::is_loopback(&base) { builder.no_proxy() } else { builder };
        let builder = match &tls {
            Some(tls) => builder.tls_backend_preconfigured(ClientConfig::clone(tls)),
            None => builder,
        };
        let http = builder.build().map_err(|error| address::refuse(base_url, &error.to_string()))?;
        Ok(Self { base: Arc::new(base), http, authorization, tls, retry: Retry::default() })
    }

    /// The same client with another patience for posts.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Its patience for posts.
    pub(crate) fn retry(&self) -> Retry {
        self.retry
    }

    /// Where the hub is, without a slash at the end.
    pub fn url(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Where the hub is.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// How TLS is spoken with the hub; none when it speaks plain HTTP.
    pub(crate) fn tls(&self) -> Option<&Arc<ClientConfig>> {
        self.tls.as_ref()
    }

    /// What tells the hub who is calling.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, ClientError> {
        self.call(Method::GET, path, query, None::<&()>).await
    }

    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    pub(crate) async fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        self.call(Method::PATCH, path, &[], Some(body)).await
    }

    /// A POST that says everything by its address.
    pub(crate) async fn act<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.call(Method::POST, path, &[], None::<&()>).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.send(Method::DELETE, path, &[], None::<&()>).await.map(drop)
    }

    /// Reads a whole list, page by page, up to `PAGES_MAX` pages; `next` is there when it has still more.
    pub(crate) async fn whole_list<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Page<T>, ClientError> {
        let limit = limits::PAGE_ITEMS_MAX.to_string();
        let mut whole = Page { items: Vec::new(), next: None };
        for _ in 0..PAGES_MAX {
            let mut query = [query, &[("limit", limit.as_str())]].concat();
            query.extend(whole.next.as_deref().map(|next| ("cursor", next)));
            let page: Page<T> = self.get(path, &query).await?;
            whole.items.extend(page.items);
            whole.next = page.next;
            if whole.next.is_none() {
                break;
            }
        }
        Ok(whole)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        self.send(method, path, query, body).await?.read()
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&impl Serialize>,
    ) -> Result<answer::Answer, ClientError> {
        let url = address::join(&self.base, path, query);
        let mut request = self.http.request(method, url.clone());
        if let Some(body) = body {
            request = request.json(body);
        }
        self.deliver(request, &url).await
    }

    /// Sends a request as it is and takes its answer, or the hub's no.
    async fn deliver(&self, request: reqwest::RequestBuilder, url: &Url) -> Result<answer::Answer, ClientError> {
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let answer = answer::Answer::receive(response).await.map_err(|fault| fault.told(self.url(), url))?;
        answer.refused_or_itself()
    }

    /// A request to this path, for those that speak another protocol with the hub.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, address::join(&self.base, path, &[]))
    }

    /// Why no answer came: nobody is there, or it is not safe to speak with whoever is.
    pub(crate) fn unreachable(&self, source: reqwest::Error) -> ClientError {
        let url = self.url().to_owned();
        match TlsTrouble::in_chain(&source) {
            Some(trouble) => ClientError::Untrusted { url, trouble },
            None => ClientError::Unreachable { url, source },
        }
    }
}

fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::BadToken)?;
    // Kept out of debug output, so that it cannot end in a log.
    value.set_sensitive(true);
    Ok(value)
}
