//! The engines of hosted agents: the built-in guide and the configured providers.

use std::sync::Arc;

use parlour_agent::{
    TlsOptions,
    engine::Engine,
    engines::{
        GuideEngine,
        models::{ModelClient, ModelEngine},
    },
};
use parlour_core::engine::{BUILT_IN, Engine as Wanted, EngineOffer};

use super::{missing::MissingEngine, providers::Provider};
use crate::{failure::Failure, settings::ProviderSettings};

#[derive(Clone, Debug)]
pub(crate) struct Engines {
    providers: Vec<Provider>,
    /// The shared HTTP client; none without providers, so that no CA certificates are needed.
    client: Option<ModelClient>,
}

impl Engines {
    /// Opens all providers. A missing API key is an error.
    pub(crate) fn open(settings: &[ProviderSettings]) -> Result<Self, Failure> {
        if settings.is_empty() {
            return Ok(Self { providers: Vec::new(), client: None });
        }
        let client = ModelClient::new(&TlsOptions::default())
            .map_err(|error| Failure::broken("create the HTTP client for providers", &error))?;
        let providers: Result<Vec<_>, _> = settings.iter().map(|one| Provider::open(one, &client)).collect();
        let providers = providers.map_err(|reason| Failure::new(reason).hint("parlour doctor"))?;
        for weakness in providers.iter().filter_map(|provider| provider.weakness.as_ref()) {
            tracing::warn!("{weakness}");
        }
        Ok(Self { providers, client: Some(client) })
    }

    pub(crate) fn offers(&self) -> Vec<EngineOffer> {
        let built_in = EngineOffer { provider: BUILT_IN.to_owned(), interface: BUILT_IN.to_owned(), model: None };
        [built_in].into_iter().chain(self.providers.iter().map(Provider::offer)).collect()
    }

    /// The model of a provider, or the reason why there is none.
    pub(super) fn model(&self, wanted: &Wanted) -> Result<ModelEngine, String> {
        let provider = self.providers.iter().find(|provider| provider.name == wanted.provider);
        let (Some(provider), Some(client)) = (provider, &self.client) else {
            return Err(format!("the provider {} is not configured on this hub", wanted.provider));
        };
        provider.engine(wanted.model.as_deref(), client).map_err(|error| error.to_string())
    }

    /// The engine of an agent, or one that reports why there is none.
    pub(super) fn engine(&self, wanted: &Wanted) -> Arc<dyn Engine> {
        if wanted.provider == BUILT_IN {
            return Arc::new(GuideEngine);
        }
        let provider = self.providers.iter().find(|provider| provider.name == wanted.provider);
        let (Some(provider), Some(client)) = (provider, &self.client) else {
            return Arc::new(MissingEngine::unknown(&wanted.provider));
        };
        match provider.engine(wanted.model.as_deref(), client) {
            Ok(engine) => Arc::new(engine),
            Err(error) => Arc::new(MissingEngine::broken(&wanted.provider, &error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use parlour_agent::engines::models::Interface;

    use super::*;
    use crate::settings::KeyPlace;

    fn local(key: KeyPlace) -> ProviderSettings {
        ProviderSettings {
            name: "local".into(),
            interface: Interface::OpenAi,
            base_url: Some("http://127.0.0.1:1/v1".into()),
            model: Some("llama3.2".into()),
            key,
        }
    }

    fn runtime(engines: &Engines, provider: &str, model: Option<&str>) -> String {
        let wanted = Wanted { provider: provider.into(), model: model.map(Into::into) };
        engines.engine(&wanted).runtime()
    }

    #[test]
    fn the_built_in_engine_is_always_available() {
        let providers =
            |engines: &Engines| engines.offers().into_iter().map(|offer| offer.provider).collect::<Vec<_>>();
        assert_eq!(providers(&Engines::open(&[]).expect("none")), [BUILT_IN]);
        assert_eq!(providers(&Engines::open(&[local(KeyPlace::Nowhere)]).expect("one")), [BUILT_IN, "local"]);
    }

    #[test]
    fn an_agent_can_override_the_model_of_the_provider() {
        let engines = Engines::open(&[local(KeyPlace::Nowhere)]).expect("one");
        assert_eq!(runtime(&engines, "local", None), "openai: llama3.2");
        assert_eq!(runtime(&engines, "local", Some("big")), "openai: big");
        assert_eq!(runtime(&engines, BUILT_IN, None), BUILT_IN);
    }

    #[test]
    fn a_removed_provider_is_reported_as_missing() {
        let engines = Engines::open(&[]).expect("none");
        assert_eq!(runtime(&engines, "local", None), "local (not configured)");
    }

    #[test]
    fn an_incomplete_provider_prevents_the_start() {
        let refused = Engines::open(&[local(KeyPlace::Variable("MINE".into(), None))]).expect_err("no key");
        assert!(refused.to_string().contains("the provider local: the environment variable MINE"), "{refused}");
    }
}
