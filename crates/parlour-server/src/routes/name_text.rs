//! Names in request bodies.

use parlour_core::{Refusal, name::Name};
use serde::Deserialize;
use utoipa::ToSchema;

/// A name as it was sent. It is read as a text first, so that a refusal tells which rule of names it breaks.
///
/// The pattern is a subset that is always well-formed; names in other scripts are taken too.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(
    value_type = String, min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9À-ÖØ-öø-ÿ]+([ ._'-][A-Za-z0-9À-ÖØ-öø-ÿ]+)*$",
    example = "Coder-2"
)]
pub(super) struct NameText(String);

impl NameText {
    /// The name, or why it cannot be one.
    pub(super) fn parse(&self) -> Result<Name, Refusal> {
        Name::parse(&self.0).map_err(|refusal| refusal.at("name"))
    }
}
