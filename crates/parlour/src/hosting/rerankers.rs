//! Rerankers with their keys, as the hub uses them.

use async_trait::async_trait;
use parlour_agent::{
    TlsOptions,
    engines::models::{ModelClient, RerankModel, RerankSettings},
};
use parlour_hub::ports::{ModelError, Reranker};

use super::providers::{find_key, weakness};
use crate::{failure::Failure, settings::RerankerSettings};

/// The rerankers of this hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rerankers(Vec<OpenReranker>);

/// A reranker that is ready to be asked.
#[derive(Clone, Debug)]
struct OpenReranker {
    settings: RerankerSettings,
    model: RerankModel,
    has_key: bool,
    weakness: Option<String>,
}

impl Rerankers {
    /// Finds the keys, without network access. A refusal names the reranker and the source of its key, never the key.
    pub(crate) fn try_open(settings: &[RerankerSettings]) -> Result<Self, String> {
        if settings.is_empty() {
            return Ok(Self::default());
        }
        let client = ModelClient::new(&TlsOptions::default()).map_err(|error| error.to_string())?;
        let opened: Result<Vec<_>, _> = settings.iter().map(|one| OpenReranker::open(one, &client)).collect();
        Ok(Self(opened?))
    }

    /// The same for a hub that starts: one whose key cannot be had is refused, for an operator who names it wants it.
    pub(crate) fn open(settings: &[RerankerSettings]) -> Result<Self, Failure> {
        let rerankers = Self::try_open(settings).map_err(|reason| Failure::new(reason).hint("parlour doctor"))?;
        if let Some(weakness) = rerankers.weakness() {
            tracing::warn!("{weakness}");
        }
        Ok(rerankers)
    }

    /// What their operator should look at first.
    pub(crate) fn weakness(&self) -> Option<&str> {
        self.0.iter().find_map(|one| one.weakness.as_deref())
    }

    /// What they are, for people: `fast (https://api.cohere.com/v2/rerank, model rerank-v3.5)`.
    pub(crate) fn about(&self) -> String {
        self.0.iter().map(OpenReranker::about).collect::<Vec<_>>().join(", ")
    }
}

impl OpenReranker {
    fn open(settings: &RerankerSettings, client: &ModelClient) -> Result<Self, String> {
        let whose = format!("the reranker {}", settings.name);
        let refuse = |reason| format!("{whose}: {reason}");
        let key = find_key(&settings.key).map_err(refuse)?;
        let has_key = key.is_some();
        let asked = RerankSettings { url: settings.url.clone(), model: settings.model.clone(), key };
        let model = RerankModel::with_client(&asked, client).map_err(|error| refuse(error.to_string()))?;
        Ok(Self { settings: settings.clone(), model, has_key, weakness: weakness(&whose, &settings.key) })
    }

    fn about(&self) -> String {
        let model = self.settings.model.as_ref().map(|name| format!(", model {name}")).unwrap_or_default();
        let key = if self.has_key { "" } else { ", without a key" };
        format!("{} ({}{model}{key})", self.settings.name, self.settings.url)
    }
}

#[async_trait]
impl Reranker for Rerankers {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|one| one.settings.name.clone()).collect()
    }

    async fn rerank(&self, name: &str, query: &str, texts: &[String]) -> Result<Vec<f32>, ModelError> {
        let found = self.0.iter().find(|one| one.settings.name == name);
        let reranker = found.ok_or_else(|| ModelError("it is not set up".to_owned()))?;
        reranker.model.rerank(query, texts).await.map_err(|trouble| ModelError(trouble.to_string()))
    }
}

#[cfg(test)]
mod tests;
