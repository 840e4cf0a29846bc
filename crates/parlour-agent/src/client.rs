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
    tls::{self, TlsOptions, TlsTrouble},
};
use transport::Retry;

mod access;
mod messages;
mod projects;
mod runs;
pub(crate) mod transport;

pub use access::AuditExport;
pub use messages::HistoryRange;
pub use runs::Asked;

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
        let base = parse_hub_url(base_url)?;
        let authorization = options.token.as_deref().map(bearer).transpose()?;
        let tls = is_encrypted(&base).then(|| tls::configure(&options.tls)).transpose()?;
        let builder = reqwest::Client::builder()
            .default_headers(authorization.iter().map(|value| (AUTHORIZATION, value.clone())).collect())
            .connect_timeout(CONNECT_TIME_MAX)
            .timeout(CALL_TIME_MAX)
            .user_agent(concat!("parlour/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the token to an address that nobody has chosen.
            .redirect(redirect::Policy::none());
        // The own machine is never behind a proxy.
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        let builder = match &tls {
            Some(tls) => builder.tls_backend_preconfigured(ClientConfig::clone(tls)),
            None => builder,
        };
        let http = builder.build().map_err(|error| bad_url(base_url, &error.to_string()))?;
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
    ) -> Result<transport::Answer, ClientError> {
        let url = endpoint_url(&self.base, path, query);
        let mut request = self.http.request(method, url.clone());
        if let Some(body) = body {
            request = request.json(body);
        }
        self.deliver(request, &url).await
    }

    /// Sends a request as it is and takes its answer, or the hub's no.
    async fn deliver(&self, request: reqwest::RequestBuilder, url: &Url) -> Result<transport::Answer, ClientError> {
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let answer = transport::Answer::receive(response).await.map_err(|fault| fault.told(self.url(), url))?;
        answer.refused_or_itself()
    }

    /// A request to this path, for those that speak another protocol with the hub.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, endpoint_url(&self.base, path, &[]))
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

/// Which page of a list is wanted; without marks the first one of the usual size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageAt {
    /// How many items at the most.
    pub limit: Option<usize>,
    /// Where to go on, as a page before has said.
    pub cursor: Option<String>,
}

/// Parameters of a call; those without a value are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(Vec<(&'static str, String)>);

impl PageAt {
    /// The first page of at most so many items.
    pub fn first(limit: usize) -> Self {
        Self { limit: Some(limit), cursor: None }
    }
}

impl Query {
    /// The parameters of a page.
    pub(super) fn page(page: &PageAt) -> Self {
        Self::default().with("limit", page.limit).with("cursor", page.cursor.as_deref())
    }

    /// One parameter more, when it has a value.
    pub(super) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// The same for a value that has a word in JSON.
    pub(super) fn with_word(self, name: &'static str, value: Option<impl Serialize>) -> Self {
        let word = value.and_then(|value| serde_json::to_value(value).ok());
        self.with(name, word.as_ref().and_then(serde_json::Value::as_str))
    }

    /// A parameter that is either `true` or not there.
    pub(super) fn with_flag(self, name: &'static str, is_set: bool) -> Self {
        self.with(name, is_set.then_some("true"))
    }

    /// The parameters as a call takes them.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

/// Takes a text as the address of a hub: http or https, a host, perhaps a port and a folder, nothing more.
pub(super) fn parse_hub_url(text: &str) -> Result<Url, ClientError> {
    let url: Url = text.parse().map_err(|_| bad_url(text, "an address looks like http://127.0.0.1:4870"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad_url(text, "an address starts with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad_url(text, "an address holds no user name or password; the token is given apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad_url(text, "an address ends before any ? or #"));
    }
    Ok(url)
}

pub(super) fn bad_url(url: &str, reason: &str) -> ClientError {
    ClientError::BadUrl { url: url.to_owned(), reason: reason.to_owned() }
}

/// Whether TLS is spoken there.
pub(super) fn is_encrypted(url: &Url) -> bool {
    url.scheme() == "https"
}

/// Whether this is the own machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address of `path` on the hub. Ids are safe in a path as they are; query values are escaped.
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
    fn only_what_has_a_value_is_asked_for() {
        assert!(Query::page(&PageAt::default()).with_flag("open", false).pairs().is_empty());
        let page = PageAt { cursor: Some("here".to_owned()), ..PageAt::first(7) };
        let query = Query::page(&page).with_word("importance", Some(Importance::High)).with_flag("open", true);
        assert_eq!(query.pairs(), [("limit", "7"), ("cursor", "here"), ("importance", "high"), ("open", "true")]);
    }

    #[test]
    fn usual_addresses_are_taken() {
        for text in ["http://127.0.0.1:4870", "http://localhost", "http://[::1]:1/", "http://hub.example/parlour"] {
            assert!(parse_hub_url(text).is_ok_and(|url| !is_encrypted(&url)), "{text}");
        }
        for text in ["https://hub.example", "HTTPS://[::1]:4870"] {
            assert!(parse_hub_url(text).is_ok_and(|url| is_encrypted(&url)), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason() {
        for (text, word) in [
            ("", "looks like"),
            ("127.0.0.1:4870", "looks like"),
            ("localhost:4870", "starts with http://"),
            ("ftp://x", "starts with http://"),
            ("http://me:secret@hub.example", "token"),
            ("http://hub.example/?a=1", "before any ?"),
        ] {
            let message = parse_hub_url(text).expect_err(text).to_string();
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn the_own_machine_is_known_by_all_its_names() {
        let is_own = |text| is_loopback(&parse_hub_url(text).expect(text));
        assert!(is_own("http://127.0.0.1:1") && is_own("http://localhost:1") && is_own("http://[::1]:1"));
        assert!(!is_own("http://10.0.0.1:1") && !is_own("http://localhost.example"));
    }

    #[test]
    fn paths_stand_below_the_folder_and_values_are_escaped() {
        let at = |base| endpoint_url(&parse_hub_url(base).expect(base), "/search", &[("q", "a b&c")]).to_string();
        assert_eq!(at("http://hub.example"), "http://hub.example/search?q=a+b%26c");
        assert_eq!(at("http://hub.example/parlour/"), "http://hub.example/parlour/search?q=a+b%26c");
    }
}
