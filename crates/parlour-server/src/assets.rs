//! The pages inside the binary: the start page, the API documentation, and what they load.
//!
//! The build script makes the files from `web/`. Nothing is read from disk, and nothing is loaded from elsewhere.

mod negotiate;
mod respond;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, get};

/// A file of the binary.
struct EmbeddedFile {
    /// Below the build folder: `index.html`, `assets/docs.45214c056edb2fd4.js`.
    path: &'static str,
    mime: &'static str,
    /// Its name is made from its content, so a browser may keep it for good.
    is_immutable: bool,
    plain: Form,
    /// Only texts have it.
    brotli: Option<Form>,
}

/// One way to send a file.
struct Form {
    etag: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A page: where it is, which file it is, and what it may do in the browser.
struct Page {
    route: &'static str,
    path: &'static str,
    policy: &'static str,
}

const PAGES: [Page; 4] = [
    Page { route: "/", path: "index.html", policy: CHAT_POLICY },
    Page { route: "/d/diagram.html", path: "d/diagram.html", policy: DIAGRAM_POLICY },
    Page { route: "/docs", path: "docs.html", policy: PAGE_POLICY },
    Page { route: "/sign-in", path: "sign-in.html", policy: SIGN_IN_POLICY },
];

/// Own scripts and styles from files, requests to this hub, and no more: no inline code, no frame around the page.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The same for the chat, which shows pictures before they are sent and frames that draw diagrams. No text becomes
/// markup but the templates of its own build.
const CHAT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types parlour-template";
/// The frame that draws diagrams from texts of anybody: it has no origin, no network and no way to its page but words.
/// Its own scripts are named by `'self'`, which is the hub it came from; diagrams bring styles of their own.
const DIAGRAM_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; \
     font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";
/// The same for the page that takes passwords: nothing from data, and its form goes nowhere else.
const SIGN_IN_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// An asset opened by itself is only looked at.
const ASSET_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// What the frame of diagrams loads. It has no origin of its own, so these files are open to any.
const DIAGRAM_ASSETS: &str = "d/assets/";

/// Routes for the pages and for each asset by its full name; any other name falls through to the caller's fallback.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| match PAGES.iter().find(|page| page.path == file.path) {
        Some(page) => router.route(page.route, serve(file, page.policy)),
        None => router.route(&format!("/{}", file.path), serve(file, ASSET_POLICY)),
    })
}

fn serve<S: Clone + Send + Sync + 'static>(file: &'static EmbeddedFile, policy: &'static str) -> MethodRouter<S> {
    get(move |headers: HeaderMap| async move { respond::respond(file, policy, &headers) })
}
