//! The context engine of the hub: builds packs, the prompts of models, from what a viewer may read.
//!
//! One pipeline: `Query` (what is requested) → `Gathered` (candidates read from the store) → `PackBuilder` (chooses, fits,
//! renders; uses the crate `parlour-context`) → `Pack`.
//!
//! | module | content |
//! |---|---|
//! | `query` | `Query` and `Viewer`: loads what a request names; hides what agent or caller may not read |
//! | `gather` | `Gathered`: reads messages, cards and files from the store |
//! | `candidates` | redacted and prepared items |
//! | `rules` | effective rules and token budgets |
//! | `pack_builder` | `PackBuilder` |
//! | `list`, `list_text` | the conversation as a list of messages |
//! | `summaries` | summaries of messages that a pack does not show |
//! | `receipt` | receipt rows of the hub |
//! | `checkpoint_text` | texts about new messages at checkpoints, tool results and run ends |
//! | `model_view` | whole messages, redacted |
//! | `usage` | token estimates corrected by reported usage |
//! | `caches` | what is kept in memory between packs |

mod caches;
mod candidates;
mod checkpoint_text;
mod gather;
mod list;
mod list_text;
mod model_view;
mod pack_builder;
mod query;
mod receipt;
mod rules;
mod summaries;
mod usage;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub(crate) use caches::{PackCaches, PackKey};
pub(crate) use checkpoint_text::{CheckpointMessage, CheckpointReason, CheckpointTextRequest};
pub(crate) use gather::gather;
pub(crate) use list_text::with_list;
pub(crate) use pack_builder::{BuildError, PackBuilder, PackDraft, day_of};
pub(crate) use query::{Query, Viewer};
pub(crate) use receipt::empty as empty_receipt;
pub(crate) use rules::Rules;
pub(crate) use summaries::PreviousPack;

use crate::{
    Failure, Fault,
    ports::{Blobs, Ids, NoModels, Reranker, Store, Summariser},
    summaries::Summaries,
};

/// The state of the context engine: its ports, its caches and the models that it uses.
pub(crate) struct ContextService {
    store: Arc<dyn Store>,
    blobs: Arc<dyn Blobs>,
    ids: Arc<dyn Ids>,
    pub(crate) caches: Arc<PackCaches>,
    summaries: Summaries,
    reranker: Arc<dyn Reranker>,
    rerank_failures: AtomicU64,
}

impl ContextService {
    /// A service with empty caches, without summariser and reranker.
    pub(crate) fn new(store: Arc<dyn Store>, blobs: Arc<dyn Blobs>, ids: Arc<dyn Ids>) -> Self {
        let summaries = Summaries::new(Arc::clone(&store) as _, Arc::new(NoModels));
        let (caches, reranker) = (Arc::default(), Arc::new(NoModels));
        Self { store, blobs, ids, caches, summaries, reranker, rerank_failures: AtomicU64::new(0) }
    }

    /// Sets the model that writes summaries, where the rules of a project name one.
    pub(crate) fn set_summariser(&mut self, summariser: Arc<dyn Summariser>) {
        self.summaries = Summaries::new(Arc::clone(&self.store) as _, summariser);
    }

    /// Sets the rerankers that the rules of a project can name.
    pub(crate) fn set_reranker(&mut self, reranker: Arc<dyn Reranker>) {
        self.reranker = reranker;
    }

    pub(crate) fn summaries(&self) -> &Summaries {
        &self.summaries
    }

    /// The number of failed rerank requests since the start.
    pub(crate) fn rerank_failures(&self) -> u64 {
        self.rerank_failures.load(Ordering::Relaxed)
    }

    /// Runs CPU-bound work outside the async runtime, a few jobs at a time.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&PackCaches) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let fault = |error: Box<dyn std::error::Error + Send + Sync>| Fault::new("build a pack", error);
        let jobs = Arc::clone(&self.caches.blocking_jobs);
        let permit = jobs.acquire_owned().await.map_err(|error| fault(error.into()))?;
        let caches = Arc::clone(&self.caches);
        let working = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&caches)
        });
        Ok(working.await.map_err(|error| fault(error.into()))?)
    }
}
