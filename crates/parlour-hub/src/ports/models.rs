use async_trait::async_trait;
use parlour_core::engine::Engine;

/// A model that writes summaries. The hub sets a time limit and uses an extract of the messages when it fails.
#[async_trait]
pub trait Summariser: Send + Sync {
    /// Summarises a text in at most `chars_max` characters with an engine that the operator has set up.
    async fn summarise(&self, engine: &Engine, text: &str, chars_max: usize) -> Result<String, ModelError>;
}

/// Rerankers that the operator has set up. The hub sets a time limit and uses its own ranking when one fails.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// The names of the rerankers.
    fn names(&self) -> Vec<String>;

    /// The relevance of each text to the query, 0 to 1, in the order of the texts.
    async fn rerank(&self, name: &str, query: &str, texts: &[String]) -> Result<Vec<f32>, ModelError>;
}

/// The failure of a model, as text for the log. It contains no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

/// No summariser and no reranker.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoModels;

#[async_trait]
impl Summariser for NoModels {
    async fn summarise(&self, _: &Engine, _: &str, _: usize) -> Result<String, ModelError> {
        Err(ModelError("no model is set up".to_owned()))
    }
}

#[async_trait]
impl Reranker for NoModels {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    async fn rerank(&self, _: &str, _: &str, _: &[String]) -> Result<Vec<f32>, ModelError> {
        Err(ModelError("no reranker is set up".to_owned()))
    }
}
