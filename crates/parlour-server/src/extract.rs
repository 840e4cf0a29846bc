//! Reading requests strictly: a value of the wanted type, or a refusal that names the field.

mod body;
mod caller;
#[cfg(test)]
mod fuzz;
mod id;
pub(crate) mod json;
mod params;
mod pass;
mod percent;
mod shape;
mod strict_json;
mod text_value;
mod value_reader;

pub(crate) use body::{Body, LargeBody, OptionalBody, read_bytes};
pub(crate) use caller::Caller;
#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;
pub(crate) use id::{Id, IdPair};
pub(crate) use params::{NoParams, Params};
pub(crate) use pass::{MaybePass, Pass};

/// Characters of a detail that may quote the request.
const DETAIL_CHARS_MAX: usize = 400;

/// Cuts a text that may quote the request, so that no answer grows with a hostile one.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(DETAIL_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
