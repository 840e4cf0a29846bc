//! Strict extractors: a value of the expected type, or a refusal that names the field.

mod body;
mod caller;
#[cfg(test)]
mod fuzz;
pub(crate) mod json;
mod params;
mod request_value;

pub(crate) use body::{Body, LargeBody, OptionalBody, read_bytes};
pub(crate) use caller::{Caller, OptionalCredential, RequestCredential};
#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;
pub(crate) use params::{Id, IdPair, NoParams, Params};

/// Characters of an error text that quotes the request.
const DETAIL_CHARS_MAX: usize = 400;

/// Truncates a text that quotes the request, so that a hostile request cannot make the response grow.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(DETAIL_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
