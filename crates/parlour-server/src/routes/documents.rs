//! What can be read about the API itself.

use std::str::FromStr;

use axum::{http::header, response::IntoResponse};
use parlour_core::Refusal;

use crate::{extract::Id, http_error::page_of, openapi};

/// The page of one code.
pub(crate) struct ErrorPage(String);

impl FromStr for ErrorPage {
    type Err = Refusal;

    fn from_str(code: &str) -> Result<Self, Refusal> {
        let shown: String = code.chars().take(40).collect();
        page_of(code).map(Self).ok_or_else(|| Refusal::not_found("code", format!("{shown:?}")))
    }
}

/// Describes this API as OpenAPI 3.1. Needs no token.
#[utoipa::path(get, path = "/openapi.json", tag = "hub", security(()),
    responses((status = 200, description = "This document.", body = Object, content_type = "application/json")))]
pub(super) async fn openapi_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], openapi::served())
}

/// Explains a code. Needs no token.
#[utoipa::path(get, path = "/errors/{code}", tag = "hub", security(()),
    params(("code" = String, Path, description = "The code of a problem.", pattern = "^PARLOUR-[A-Z][0-9]{2}$",
        example = "PARLOUR-C02")),
    responses((status = 200, description = "What happened and what to do.", body = String, content_type = "text/markdown")))]
pub(super) async fn error_page(Id(page): Id<ErrorPage>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page.0)
}
