//! A request to the router.

use std::{future::IntoFuture, pin::Pin};

use axum::{
    Router,
    body::Body,
    http::{HeaderName, HeaderValue, Method, Request, header},
};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use super::Reply;

/// The browser's relation between the requesting page and the hub.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A request under construction; awaiting it sends it.
pub(crate) struct Call {
    router: Router,
    request: Request<Body>,
}

impl Call {
    pub(crate) fn new(router: Router, method: Method, path: &str) -> Self {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("request");
        Self { router, request }
    }

    pub(crate) fn by(self, token: &str) -> Self {
        self.header(header::AUTHORIZATION, &format!("Bearer {token}"))
    }

    pub(crate) fn by_nobody(mut self) -> Self {
        self.request.headers_mut().remove(header::AUTHORIZATION);
        self
    }

    /// As a same-origin request of a browser with this cookie.
    pub(crate) fn by_browser(self, cookie: &str) -> Self {
        self.by_nobody().header(header::COOKIE, cookie).header(SEC_FETCH_SITE, "same-origin")
    }

    /// With an extension that the transport sets.
    pub(crate) fn with_extension<T: Clone + Send + Sync + 'static>(mut self, extension: T) -> Self {
        self.request.extensions_mut().insert(extension);
        self
    }

    pub(crate) fn header(mut self, name: impl Into<HeaderName>, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("header value");
        self.request.headers_mut().insert(name.into(), value);
        self
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better with json!")]
    pub(crate) fn json(self, body: Value) -> Self {
        self.content("application/json", body.to_string())
    }

    pub(crate) fn content(self, media_type: &str, body: impl Into<Body>) -> Self {
        let mut call = self.header(header::CONTENT_TYPE, media_type);
        *call.request.body_mut() = body.into();
        call
    }
}

impl IntoFuture for Call {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let response = self.router.oneshot(self.request).await.expect("infallible");
            let (head, body) = response.into_parts();
            let bytes = body.collect().await.expect("body").to_bytes();
            Reply { status: head.status, headers: head.headers, bytes }
        })
    }
}
