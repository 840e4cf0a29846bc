use async_trait::async_trait;
use parlour_core::engine::Engine;

/// A model that writes summaries. The hub gives it a time limit and does without it when it fails.
#[async_trait]
pub trait Summariser: Send + Sync {
    /// Summarises a text in at most so many characters. The engine is one of those that the operator has set up.
    async fn summarise(&self, engine: &Engine, text: &str, chars_max: usize) -> Result<String, ModelError>;
}

/// A reranker that the operator has set up. The hub gives it a time limit and ranks by itself when it fails.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// The names of those that there are.
    fn names(&self) -> Vec<String>;

    /// How well each text fits the query, 0 to 1, in the order of the texts.
    async fn rerank(&self, name: &str, query: &str, texts: &[String]) -> Result<Vec<f32>, ModelError>;
}

/// Why a model did not do what was asked, in words for the log. It holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

/// A hub without models.
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
