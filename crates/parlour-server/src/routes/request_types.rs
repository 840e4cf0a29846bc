//! Types that the queries and bodies of several routes share.

use parlour_core::{Code, Refusal, limits, name::Name, paging::PageRequest};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Parameters that select a page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Paging {
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

impl Paging {
    /// Checks the parameters.
    pub(super) fn page(self) -> Result<PageRequest, Refusal> {
        page(self.limit, self.cursor)
    }
}

/// Checks `limit` and `cursor` and converts them for the hub.
pub(super) fn page(limit: Option<usize>, cursor: Option<String>) -> Result<PageRequest, Refusal> {
    if cursor.as_ref().is_some_and(|cursor| cursor.chars().count() > limits::CURSOR_CHARS_MAX) {
        let detail =
            format!("cursor has more than {} characters; pass back `next` unchanged", limits::CURSOR_CHARS_MAX);
        return Err(Refusal::new(Code::BadQuery, detail).at("cursor"));
    }
    PageRequest::new(cursor, limit)
}

/// A name in a request. It is parsed after the body, so that a refusal contains the broken rule of names.
///
/// The pattern is a subset of the valid names; names in other scripts are accepted too.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(
    value_type = String, min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9À-ÖØ-öø-ÿ]+([ ._'-][A-Za-z0-9À-ÖØ-öø-ÿ]+)*$",
    example = "Coder-2"
)]
pub(super) struct NameText(String);

impl NameText {
    /// Checks the rules of names.
    pub(super) fn parse(&self) -> Result<Name, Refusal> {
        Name::parse(&self.0).map_err(|refusal| refusal.at("name"))
    }
}
