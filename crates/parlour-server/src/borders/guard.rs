//! The gate that every request passes first, and every answer last.

use std::sync::{Arc, OnceLock};

use axum::{
    extract::Request,
    http::header,
    response::{IntoResponse as _, Response},
};
use parlour_core::{Code, access::Principal};

use super::{Borders, cross_site::has_authorization};
use crate::denied::Denied;

/// Who has made the request, once somebody has asked. It goes along with the request, and with the answer where it is
/// known: for all that is noted about both.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownCaller(Arc<OnceLock<Principal>>);

impl KnownCaller {
    /// Remembers the caller; the first one counts.
    pub(crate) fn remember(&self, caller: &Principal) {
        let _ = self.0.set(caller.clone());
    }

    /// The caller, when it is known.
    pub(crate) fn get(&self) -> Option<&Principal> {
        self.0.get()
    }
}

/// Refuses requests to names that are not the hub's, and takes a cookie away that was refused.
///
/// What holds for every request, whoever makes it, has its place before `next`; who makes it is known to `Caller` only.
pub(crate) async fn guard(
    borders: &Borders,
    mut request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    if let Err(refusal) = borders.hosts.check(request.headers(), request.uri()) {
        return Denied::from(refusal).into_response();
    }
    let cookie = borders.session_cookie(request.headers(), request.extensions());
    let is_shown = !has_authorization(request.headers()) && cookie.is_in(request.headers());
    let caller = KnownCaller::default();
    request.extensions_mut().insert(caller.clone());
    let mut response = next(request).await;
    if is_shown && is_unknown(&response) {
        response.headers_mut().append(header::SET_COOKIE, cookie.clear());
    }
    response.extensions_mut().insert(caller);
    response
}

/// Whether what was shown signs nobody in. A request that another page has made leaves the cookie alone.
fn is_unknown(response: &Response) -> bool {
    response.extensions().get::<Denied>().is_some_and(|denied| denied.code() == Code::Unauthenticated)
}
