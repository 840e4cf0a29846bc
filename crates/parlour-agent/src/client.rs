//! The typed client of the native API.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

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
    tls::{self, TlsFailure, TlsOptions},
};
use transport::Retry;

mod access;
mod messages;
mod projects;
mod runs;
mod sign_in;
pub(crate) mod transport;

pub use access::AuditExport;
pub use messages::HistoryRange;
pub use runs::QuestionFilter;

/// The time limit of a TCP and TLS connection.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// The time limit of a whole call: the hub's own limit and some time for the network.
const CALL_TIME_MAX: Duration = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64 + 5);
/// The most pages of one list.
const PAGES_MAX: usize = 500;

/// A client of one hub with one token. Cheap to clone; all clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    base: Arc<Url>,
    http: reqwest::Client,
    authorization: Option<HeaderValue>,
    tls: Option<Arc<ClientConfig>>,
    retry: Retry,
}

/// Token and TLS files of a client.
#[derive(Clone, Default)]
pub struct ClientOptions {
    pub token: Option<String>,
    /// Used for `https://` only.
    pub tls: TlsOptions,
}

impl fmt::Debug for ClientOptions {
    /// Excludes the token, so that it cannot reach a log.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_token = self.token.is_some();
        out.debug_struct("ClientOptions").field("has_token", &has_token).field("tls", &self.tls).finish()
    }
}

impl Client {
    /// A client that trusts the authorities of its machine. Sends nothing yet.
    pub fn new(base_url: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let options = ClientOptions { token: token.map(str::to_owned), ..ClientOptions::default() };
        Self::with_options(base_url, &options)
    }

    /// A client with these options. Reads the TLS files; sends nothing yet.
    pub fn with_options(base_url: &str, options: &ClientOptions) -> Result<Self, ClientError> {
        let base = parse_hub_url(base_url)?;
        let authorization = options.token.as_deref().map(bearer).transpose()?;
        let tls = is_encrypted(&base).then(|| tls::configure(&options.tls)).transpose()?;
        let builder = reqwest::Client::builder()
            .default_headers(authorization.iter().map(|value| (AUTHORIZATION, value.clone())).collect())
            .connect_timeout(CONNECT_TIME_MAX)
            .timeout(CALL_TIME_MAX)
            .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
            // A redirect would send the token to another address.
            .redirect(redirect::Policy::none());
        // Loopback addresses are never behind a proxy.
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        let builder = match &tls {
            Some(tls) => builder.tls_backend_preconfigured(ClientConfig::clone(tls)),
            None => builder,
        };
        let http = builder.build().map_err(|error| bad_url(base_url, &error.to_string()))?;
        Ok(Self { base: Arc::new(base), http, authorization, tls, retry: Retry::default() })
    }

    /// The same client with other retries for idempotent calls.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    pub(crate) fn retry(&self) -> Retry {
        self.retry
    }

    /// The URL of the hub without a trailing slash.
    pub fn url(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// The TLS configuration; `None` for plain HTTP.
    pub(crate) fn tls(&self) -> Option<&Arc<ClientConfig>> {
        self.tls.as_ref()
    }

    /// The header with the token.
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

    /// A POST without body.
    pub(crate) async fn act<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.call(Method::POST, path, &[], None::<&()>).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.send(Method::DELETE, path, &[], None::<&()>).await.map(drop)
    }

    /// Reads a list page by page, up to `PAGES_MAX` pages; `next` is set if there are more.
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
    ) -> Result<transport::HubResponse, ClientError> {
        let url = endpoint_url(&self.base, path, query);
        let mut request = self.http.request(method, url.clone());
        if let Some(body) = body {
            request = request.json(body);
        }
        self.deliver(request, &url).await
    }

    /// Sends a request and reads its response; a refusal is an error.
    async fn deliver(
        &self,
        request: reqwest::RequestBuilder,
        url: &Url,
    ) -> Result<transport::HubResponse, ClientError> {
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let answer = transport::HubResponse::receive(response)
            .await
            .map_err(|fault| fault.into_client_error(self.url(), url))?;
        answer.refused_or_itself()
    }

    /// A request to this path, for other protocols such as MCP.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, endpoint_url(&self.base, path, &[]))
    }

    /// The error of a request without response: the hub is unreachable, or TLS failed.
    pub(crate) fn unreachable(&self, source: reqwest::Error) -> ClientError {
        let url = self.url().to_owned();
        match TlsFailure::in_chain(&source) {
            Some(trouble) => ClientError::Untrusted { url, trouble },
            None => ClientError::Unreachable { url, source },
        }
    }
}

fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::BadToken)?;
    // Excluded from debug output and so from logs.
    value.set_sensitive(true);
    Ok(value)
}

/// A page of a list; by default the first one with the default size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageAt {
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub cursor: Option<String>,
}

/// Query parameters; those without a value are omitted.
#[derive(Clone, Debug, Default)]
pub(super) struct QueryParams(Vec<(&'static str, String)>);

impl PageAt {
    /// The first page with at most `limit` items.
    pub fn first(limit: usize) -> Self {
        Self { limit: Some(limit), cursor: None }
    }
}

impl QueryParams {
    pub(super) fn page(page: &PageAt) -> Self {
        Self::default().with("limit", page.limit).with("cursor", page.cursor.as_deref())
    }

    /// Adds a parameter if it has a value.
    pub(super) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Adds a value by its serde name.
    pub(super) fn with_word(self, name: &'static str, value: Option<impl Serialize>) -> Self {
        let word = value.and_then(|value| serde_json::to_value(value).ok());
        self.with(name, word.as_ref().and_then(serde_json::Value::as_str))
    }

    /// Adds `true`, or nothing.
    pub(super) fn with_flag(self, name: &'static str, is_set: bool) -> Self {
        self.with(name, is_set.then_some("true"))
    }

    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

/// The normal form of the URL of a hub, as [`Client::url`] returns it. Two URLs are the same hub if their forms are equal.
pub fn normal_hub_url(text: &str) -> Result<String, ClientError> {
    Ok(parse_hub_url(text)?.as_str().trim_end_matches('/').to_owned())
}

/// Parses the URL of a hub: `http` or `https`, a host, optionally a port and a path.
pub(super) fn parse_hub_url(text: &str) -> Result<Url, ClientError> {
    let url: Url = text.parse().map_err(|_| bad_url(text, "use the form http://127.0.0.1:4870"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad_url(text, "it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad_url(text, "it must not contain a user name or password; pass the token separately"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad_url(text, "it must not contain ? or #"));
    }
    Ok(url)
}

pub(super) fn bad_url(url: &str, reason: &str) -> ClientError {
    ClientError::BadUrl { url: url.to_owned(), reason: reason.to_owned() }
}

pub(super) fn is_encrypted(url: &Url) -> bool {
    url.scheme() == "https"
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The URL of `path` on the hub. Ids need no escaping in a path; query values are escaped.
pub(super) fn endpoint_url(base: &Url, path: &str, query: &[(&str, &str)]) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

#[cfg(test)]
mod tests {
    use parlour_core::message::Importance;

    use super::*;

    #[test]
    fn parameters_without_a_value_are_omitted() {
        assert!(QueryParams::page(&PageAt::default()).with_flag("open", false).pairs().is_empty());
        let page = PageAt { cursor: Some("here".to_owned()), ..PageAt::first(7) };
        let query = QueryParams::page(&page).with_word("importance", Some(Importance::High)).with_flag("open", true);
        assert_eq!(query.pairs(), [("limit", "7"), ("cursor", "here"), ("importance", "high"), ("open", "true")]);
    }

    #[test]
    fn http_and_https_urls_are_accepted() {
        for text in ["http://127.0.0.1:4870", "http://localhost", "http://[::1]:1/", "http://hub.example/parlour"] {
            assert!(parse_hub_url(text).is_ok_and(|url| !is_encrypted(&url)), "{text}");
        }
        for text in ["https://hub.example", "HTTPS://[::1]:4870"] {
            assert!(parse_hub_url(text).is_ok_and(|url| is_encrypted(&url)), "{text}");
        }
    }

    #[test]
    fn invalid_urls_are_refused_with_a_reason() {
        for (text, word) in [
            ("", "use the form"),
            ("127.0.0.1:4870", "use the form"),
            ("localhost:4870", "start with http://"),
            ("ftp://x", "start with http://"),
            ("http://me:secret@hub.example", "token"),
            ("http://hub.example/?a=1", "? or #"),
        ] {
            let message = parse_hub_url(text).expect_err(text).to_string();
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn loopback_hosts_are_recognised() {
        let is_own = |text| is_loopback(&parse_hub_url(text).expect(text));
        assert!(is_own("http://127.0.0.1:1") && is_own("http://localhost:1") && is_own("http://[::1]:1"));
        assert!(!is_own("http://10.0.0.1:1") && !is_own("http://localhost.example"));
    }

    #[test]
    fn paths_are_appended_to_the_base_path_and_values_are_escaped() {
        let at = |base| endpoint_url(&parse_hub_url(base).expect(base), "/search", &[("q", "a b&c")]).to_string();
        assert_eq!(at("http://hub.example"), "http://hub.example/search?q=a+b%26c");
        assert_eq!(at("http://hub.example/parlour/"), "http://hub.example/parlour/search?q=a+b%26c");
    }
}
