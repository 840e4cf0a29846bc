//! Which page of a list is wanted.

use parlour_core::{Code, Refusal, limits, paging::PageRequest};
use serde::Deserialize;
use utoipa::IntoParams;

/// Which page of a list is wanted.
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
    /// The page for the hub.
    pub(super) fn page(self) -> Result<PageRequest, Refusal> {
        page(self.limit, self.cursor)
    }
}

/// The page for the hub from its two parameters.
pub(super) fn page(limit: Option<usize>, cursor: Option<String>) -> Result<PageRequest, Refusal> {
    if cursor.as_ref().is_some_and(|cursor| cursor.chars().count() > limits::CURSOR_CHARS_MAX) {
        let detail = format!("a cursor has at most {} characters", limits::CURSOR_CHARS_MAX);
        return Err(Refusal::new(Code::BadQuery, detail).at("cursor"));
    }
    PageRequest::new(cursor, limit)
}
