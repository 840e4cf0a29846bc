//! How a new token is shown: once, with the line that puts it to use.

use crate::session::Session;

/// The token and how to sign in with it.
pub(super) fn show_token(session: &Session, token: &str) -> String {
    format!("{SHOWN_ONCE}\n  {}\n", sign_in_line(session.client.url(), token))
}

/// Said wherever a token appears.
pub(super) const SHOWN_ONCE: &str = "The token is shown only now; sign in with:";

/// The line to paste into a shell.
pub(super) fn sign_in_line(url: &str, token: &str) -> String {
    format!("export PARLOUR_URL={url} PARLOUR_TOKEN={token}")
}
