//! What an answer of a model has cost.

use serde::{Deserialize, Serialize};

use crate::{Refusal, limits, text};

/// What an answer has cost, as its provider counted it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// The model that answered, as the provider names it.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: String,
    /// Tokens that it was given.
    #[serde(default)]
    pub input_tokens: u64,
    /// Those of them that the provider had kept from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens that it wrote.
    #[serde(default)]
    pub output_tokens: u64,
    /// How often it was asked until it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tries: Option<u32>,
    /// Milliseconds from the question to the last token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl Usage {
    /// Refuses numbers of a model without a name.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_not_blank(&self.model)
            .and_then(|()| text::check_line(&self.model, limits::MODEL_CHARS_MAX))
            .map_err(|refusal| refusal.at("usage.model"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_a_name_of_one_line() {
        for model in ["", " ", "a\nb", &"x".repeat(limits::MODEL_CHARS_MAX + 1)] {
            let refusal = Usage { model: model.into(), ..Usage::default() }.check().expect_err(model);
            assert_eq!(refusal.field.as_deref(), Some("usage.model"));
        }
        assert_eq!(Usage { model: "gpt-5".into(), ..Usage::default() }.check(), Ok(()));
    }
}
