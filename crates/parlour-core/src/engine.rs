//! The engine of an agent: its provider and model, and the tokens that it used.

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, limits, text};

/// The engine that needs no key and no network.
pub const BUILT_IN: &str = "built-in";

/// What answers for an agent that the hub runs itself: one of the providers that the operator has set up, by its name.
/// Addresses and keys of providers never come from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The provider, as `GET /engines` names it; `built-in` needs no key.
    #[cfg_attr(feature = "schema", schema(max_length = 64, pattern = "^[a-z0-9-]*$"))]
    pub provider: String,
    /// The model; absent means the one that the operator has set for the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: Option<String>,
}

/// A provider that agents of this hub can have as their engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EngineOffer {
    /// Its name.
    pub provider: String,
    /// The API of the provider: `built-in`, `openai`, `anthropic` or `gemini`.
    pub interface: String,
    /// The model that is used when an agent names none; without one an agent must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Engine {
    /// Refuses an unknown provider and a missing model. An engine without a provider means no engine; its model name is
    /// checked all the same.
    pub fn check(&self, offers: &[EngineOffer]) -> Result<(), Refusal> {
        self.check_model()?;
        if self.provider.is_empty() {
            return Ok(());
        }
        let Some(offer) = offers.iter().find(|offer| offer.provider == self.provider) else {
            let shown: String = self.provider.chars().take(limits::NAME_CHARS_MAX).collect();
            let detail = format!(
                "the hub has no provider {shown:?}; the operator configures providers in the setting `providers`"
            );
            let names = offers.iter().map(|offer| offer.provider.clone()).collect();
            return Err(Refusal::new(Code::OutOfBounds, detail).at("engine.provider").proposing(names));
        };
        if self.model.is_none() && offer.model.is_none() && offer.interface != BUILT_IN {
            let detail = format!("the provider {} has no default model; name one in `model`", self.provider);
            return Err(Refusal::invalid(detail).at("engine.model"));
        }
        Ok(())
    }

    fn check_model(&self) -> Result<(), Refusal> {
        let Some(model) = &self.model else { return Ok(()) };
        text::check_not_blank(model)
            .and_then(|()| text::check_line(model, limits::MODEL_CHARS_MAX))
            .map_err(|refusal| refusal.at("engine.model"))
    }
}

/// The token usage of an answer, as its provider reported it.
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
    /// Input tokens that the provider served from its cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens that it wrote.
    #[serde(default)]
    pub output_tokens: u64,
    /// The number of attempts.
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

    fn offers() -> Vec<EngineOffer> {
        let offer = |provider: &str, interface: &str, model: Option<&str>| EngineOffer {
            provider: provider.into(),
            interface: interface.into(),
            model: model.map(ToOwned::to_owned),
        };
        vec![offer(BUILT_IN, BUILT_IN, None), offer("local", "openai", None), offer("cloud", "openai", Some("small"))]
    }

    fn engine(provider: &str, model: Option<&str>) -> Engine {
        Engine { provider: provider.into(), model: model.map(ToOwned::to_owned) }
    }

    #[test]
    fn an_unknown_provider_is_refused_with_those_that_exist() {
        let refusal = engine("clout", None).check(&offers()).expect_err("unknown");
        assert_eq!(refusal.candidates, [BUILT_IN, "local", "cloud"]);
        assert_eq!(refusal.field.as_deref(), Some("engine.provider"));
    }

    #[test]
    fn a_model_is_named_by_the_agent_or_by_the_operator() {
        assert_eq!(engine("local", None).check(&offers()).expect_err("none").field.as_deref(), Some("engine.model"));
        for good in [engine("local", Some("m")), engine("cloud", None), engine(BUILT_IN, None)] {
            assert_eq!(good.check(&offers()), Ok(()), "{good:?}");
        }
        assert!(engine("local", Some(" ")).check(&offers()).is_err());
    }

    #[test]
    fn an_engine_without_a_provider_is_accepted_and_its_model_name_is_checked() {
        assert_eq!(engine("", None).check(&offers()), Ok(()));
        assert_eq!(engine("", Some("m")).check(&[]), Ok(()));
        for model in ["", " ", "a\u{9b}"] {
            let refusal = engine("", Some(model)).check(&offers()).expect_err(model);
            assert_eq!(refusal.field.as_deref(), Some("engine.model"));
        }
    }

    #[test]
    fn a_model_name_is_one_line() {
        for model in ["", " ", "a\nb", &"x".repeat(limits::MODEL_CHARS_MAX + 1)] {
            let refusal = Usage { model: model.into(), ..Usage::default() }.check().expect_err(model);
            assert_eq!(refusal.field.as_deref(), Some("usage.model"));
        }
        assert_eq!(Usage { model: "gpt-5".into(), ..Usage::default() }.check(), Ok(()));
    }
}
