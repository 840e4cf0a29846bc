//! Authors and steps as they are sent with an import: strictly, while those of stored messages may have fields that a
//! later version adds.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{
    Timestamp,
    author::{Author, AuthorType},
    step::Step,
};

/// Somebody whom another system knew.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ForeignAuthor {
    /// The sort of author.
    #[serde(rename = "type")]
    author_type: AuthorType,
    /// The name of the other system, a colon, and the author's id there: never the id of a member.
    #[cfg_attr(
        feature = "schema",
        schema(
            max_length = 256,
            example = "pynchy:u-7",
            pattern = r"^[a-z0-9-]{1,20}:[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$"
        )
    )]
    id: String,
    /// The name shown to people.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    name: String,
}

/// A step on the way to an answer that was written elsewhere.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportedStep {
    /// The producer's own id for the step, unique in the answer.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128, pattern = "^[!-.0-~]+$"))]
    id: String,
    /// What was done, for example the name of a tool.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    name: String,
    /// What it was given.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    input: Option<Value>,
    /// What came out.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    output: Option<Value>,
    /// Whether it went wrong.
    #[serde(default)]
    is_error: bool,
    /// When it began.
    started_at: Timestamp,
    /// When it ended.
    finished_at: Option<Timestamp>,
}

impl From<ImportedStep> for Step {
    fn from(sent: ImportedStep) -> Self {
        let ImportedStep { id, name, input, output, is_error, started_at, finished_at } = sent;
        Self { id, name, input, output, is_error, started_at, finished_at }
    }
}

pub(super) fn author<'de, D: Deserializer<'de>>(input: D) -> Result<Author, D::Error> {
    let ForeignAuthor { author_type, id, name } = ForeignAuthor::deserialize(input)?;
    Ok(Author { author_type, id: Some(id), name })
}

pub(super) fn steps<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Step>, D::Error> {
    let sent: Option<Vec<ImportedStep>> = Option::deserialize(input)?;
    Ok(sent.unwrap_or_default().into_iter().map(Step::from).collect())
}
