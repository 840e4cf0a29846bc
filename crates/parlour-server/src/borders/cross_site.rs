//! Whether another page has made a request. Browsers send cookies and client certificates along with it by themselves,
//! and another port of the same host is the same site to a cookie: so what the browser tells about the page decides.

use axum::http::{HeaderMap, HeaderName, Method, header, request::Parts};
use parlour_core::{Code, Refusal};

use super::{Borders, origins::PageOrigin};

/// How the browser sees the way from the page to the hub (Fetch Metadata).
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Who has made a request, as far as the browser tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// A page of the hub, one that was listed, or the person at the address bar.
    Trusted,
    /// Another page.
    Foreign,
    /// Nobody says: a program, or an old browser that only reads.
    Unknown,
}

impl Borders {
    /// Refuses a cookie that another page has sent, and one with which something is changed while nobody says from where.
    pub(crate) fn check_cookie(&self, parts: &Parts) -> Result<(), Refusal> {
        match self.maker(parts) {
            Maker::Trusted => Ok(()),
            Maker::Unknown if parts.method.is_safe() => Ok(()),
            Maker::Unknown => {
                Err(refuse("a change with a cookie needs the header Origin or Sec-Fetch-Site; programs send a token"))
            }
            Maker::Foreign => Err(refuse("another page has sent this cookie")),
        }
    }

    /// Refuses what another page has made a browser do. Programs tell nothing about pages, and no browser leaves both
    /// headers out of a request that needs the type of its body allowed.
    pub(crate) fn check_page(&self, parts: &Parts) -> Result<(), Refusal> {
        match self.maker(parts) {
            Maker::Trusted | Maker::Unknown => Ok(()),
            Maker::Foreign => Err(refuse("another page has sent this request")),
        }
    }

    fn maker(&self, parts: &Parts) -> Maker {
        let is_secure = self.is_secure(&parts.headers, &parts.extensions);
        let origin = self.origins.judge(&parts.headers, &parts.uri, is_secure);
        maker(fetch_site(&parts.headers), origin, &parts.method)
    }
}

fn refuse(detail: &str) -> Refusal {
    Refusal::new(Code::CrossSite, detail)
}

fn maker(site: Option<&str>, origin: PageOrigin, method: &Method) -> Maker {
    match (site, origin) {
        // A page that was listed may speak to the hub from wherever it is.
        (_, PageOrigin::Listed) | (Some("same-origin"), _) => Maker::Trusted,
        // No page at all: an address that was typed or a bookmark. That only reads.
        (Some("none"), _) if method.is_safe() => Maker::Trusted,
        (Some(_), _) => Maker::Foreign,
        (None, PageOrigin::Own) => Maker::Trusted,
        (None, PageOrigin::Foreign) => Maker::Foreign,
        (None, PageOrigin::Untold) => Maker::Unknown,
    }
}

/// The word of the browser. What stands twice or cannot be read is no word of a browser, and no trust either.
fn fetch_site(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(FETCH_SITE).iter();
    let first = sent.next()?;
    let only = if sent.next().is_some() { None } else { first.to_str().ok() };
    Some(only.unwrap_or_default())
}

/// Whether the request shows a token itself. No browser adds one by itself, so it needs no look at the page.
pub(super) fn has_authorization(headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, Request};

    use super::*;
    use crate::peer::PeerAddress;

    /// A request of a browser to `localhost:4870`, read with `https://friend.example` listed.
    fn parts(method: Method, headers: &[(&'static str, &'static str)]) -> Parts {
        let request = Request::builder().method(method).uri("/projects").header("host", "localhost:4870");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(()).expect("a request").into_parts().0
    }

    fn borders() -> Borders {
        Borders { origins: "https://friend.example".parse().expect("a list"), ..Borders::default() }
    }

    const OWN: &str = "http://localhost:4870";
    const OTHER_PORT: &str = "http://localhost:9999";
    const FRIEND: &str = "https://friend.example";

    #[track_caller]
    fn check_cookie(method: &Method, headers: &[(&'static str, &'static str)], may: bool) {
        let found = borders().check_cookie(&parts(method.clone(), headers)).map_err(|refusal| refusal.code);
        assert_eq!(found, if may { Ok(()) } else { Err(Code::CrossSite) }, "{method} {headers:?}");
    }

    #[test]
    fn the_own_page_may_do_everything() {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            check_cookie(&method, &[("sec-fetch-site", "same-origin")], true);
            check_cookie(&method, &[("sec-fetch-site", "same-origin"), ("origin", OWN)], true);
            check_cookie(&method, &[("origin", OWN)], true);
            check_cookie(&method, &[("origin", FRIEND)], true);
            check_cookie(&method, &[("origin", FRIEND), ("sec-fetch-site", "cross-site")], true);
        }
    }

    #[test]
    fn another_port_of_the_same_host_is_another_page() {
        for method in [Method::GET, Method::POST] {
            check_cookie(&method, &[("sec-fetch-site", "same-site")], false);
            check_cookie(&method, &[("sec-fetch-site", "same-site"), ("origin", OTHER_PORT)], false);
            check_cookie(&method, &[("origin", OTHER_PORT)], false);
        }
    }

    #[test]
    fn other_sites_may_do_nothing() {
        for origin in ["https://evil.example", "null", "https://friend.example.evil", ""] {
            check_cookie(&Method::GET, &[("sec-fetch-site", "cross-site"), ("origin", origin)], false);
            check_cookie(&Method::POST, &[("origin", origin)], false);
        }
        check_cookie(&Method::POST, &[("sec-fetch-site", "cross-site"), ("origin", OWN)], false);
        check_cookie(&Method::POST, &[("sec-fetch-site", ""), ("origin", OWN)], false);
    }

    #[test]
    fn the_address_bar_only_reads() {
        check_cookie(&Method::GET, &[("sec-fetch-site", "none")], true);
        check_cookie(&Method::HEAD, &[("sec-fetch-site", "none")], true);
        check_cookie(&Method::POST, &[("sec-fetch-site", "none")], false);
        check_cookie(&Method::DELETE, &[("sec-fetch-site", "none"), ("origin", OWN)], false);
    }

    #[test]
    fn nothing_is_changed_by_a_cookie_of_which_nobody_says_where_it_comes_from() {
        check_cookie(&Method::GET, &[], true);
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            check_cookie(&method, &[], false);
        }
    }

    #[test]
    fn a_word_that_stands_twice_is_no_word() {
        let mut twice = parts(Method::GET, &[("sec-fetch-site", "same-origin")]);
        twice.headers.append(FETCH_SITE, HeaderValue::from_static("same-origin"));
        assert!(borders().check_cookie(&twice).is_err());
        let mut twice = parts(Method::POST, &[("origin", OWN)]);
        twice.headers.append(header::ORIGIN, HeaderValue::from_static(OWN));
        assert!(borders().check_cookie(&twice).is_err());
    }

    #[test]
    fn over_tls_the_plain_page_of_the_same_host_is_another_one() {
        let secure = Borders { is_tls: true, ..borders() };
        assert!(secure.check_cookie(&parts(Method::POST, &[("origin", OWN)])).is_err());
        assert!(secure.check_cookie(&parts(Method::POST, &[("origin", "https://localhost:4870")])).is_ok());
    }

    #[test]
    fn only_a_listed_proxy_is_believed_that_it_was_tls() {
        let borders = Borders { proxies: "10.0.0.7".parse().expect("a list"), ..borders() };
        let is_secure = |peer: &str| {
            let mut parts = parts(Method::GET, &[("x-forwarded-proto", "https")]);
            parts.extensions.insert(PeerAddress(peer.parse().expect("an address")));
            borders.is_secure(&parts.headers, &parts.extensions)
        };
        assert!(is_secure("10.0.0.7") && !is_secure("10.0.0.8"));
        let unknown = parts(Method::GET, &[("x-forwarded-proto", "https")]);
        assert!(!borders.is_secure(&unknown.headers, &unknown.extensions));
    }

    #[test]
    fn programs_without_a_page_may_sign_in_and_other_pages_may_not() {
        assert!(borders().check_page(&parts(Method::POST, &[])).is_ok());
        assert!(borders().check_page(&parts(Method::POST, &[("origin", OWN)])).is_ok());
        for headers in [[("origin", OTHER_PORT)], [("sec-fetch-site", "same-site")], [("sec-fetch-site", "none")]] {
            let refusal = borders().check_page(&parts(Method::POST, &headers)).expect_err("foreign");
            assert_eq!(refusal.code, Code::CrossSite, "{headers:?}");
        }
    }
}
