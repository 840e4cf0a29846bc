//! The context engine of the hub: builds packs, the prompts of models, from what a viewer may read.
//!
//! One pipeline: `Query` (what is requested) → `Gathered` (candidates read from the store) → `PackBuilder` (chooses, fits,
//! renders; uses the crate `parlour-context`) → `Pack`.
//!
//! | module | content |
//! |---|---|
//! | `requests`, `written` | requests for a pack, as text or in the format of a provider |
//! | `query` | `Query` and `Viewer`: loads what a request names; hides what agent or caller may not read |
//! | `gather` | `Gathered`: reads messages, cards and files from the store |
//! | `candidates` | redacted and prepared items |
//! | `rules` | effective rules and token budgets |
//! | `pack_builder` | `PackBuilder` |
//! | `list`, `list_text` | the conversation as a list of messages |
//! | `summaries` | summaries of messages that a pack does not show |
//! | `receipt` | receipt rows of the hub |
//! | `checkpoint_text` | texts about new messages at checkpoints, tool results and run ends |
//! | `question_outcomes` | texts about the outcomes of questions that an agent asked |
//! | `injections` | recorded packs and texts of runs |
//! | `model_view` | whole messages, redacted |
//! | `usage` | token estimates corrected by reported usage |
//! | `caches` | what is kept in memory between packs |

mod caches;
mod candidates;
mod checkpoint_text;
mod gather;
mod injections;
mod list;
mod list_text;
mod model_view;
mod pack_builder;
mod query;
mod question_outcomes;
mod receipt;
mod requests;
mod rules;
mod summaries;
mod usage;
mod written;

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
pub use requests::BuiltContext;
pub(crate) use rules::Rules;
pub(crate) use summaries::PreviousPack;
pub use written::{ContextWriter, WrittenPack};

use parlour_core::engine::EngineOffer;

use crate::{
    Failure, Fault,
    access::Access,
    infrastructure::Infrastructure,
    ports::{Blobs, Clock, Ids, Reranker, Store, Summariser},
    project_state::ProjectStates,
    summaries::Summaries,
};

/// Builds and records packs, checkpoint texts and previews.
pub(crate) struct ContextService {
    access: Access,
    store: Arc<dyn Store>,
    blobs: Arc<dyn Blobs>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    projects: Arc<ProjectStates>,
    /// The engines whose models can write summaries.
    engines: Arc<[EngineOffer]>,
    caches: Arc<PackCaches>,
    summaries: Summaries,
    reranker: Arc<dyn Reranker>,
    rerank_failures: AtomicU64,
}

impl ContextService {
    /// A service with empty caches.
    pub(crate) fn new(
        parts: &Infrastructure,
        engines: &Arc<[EngineOffer]>,
        (summariser, reranker): (Arc<dyn Summariser>, Arc<dyn Reranker>),
    ) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            blobs: Arc::clone(&parts.ports.blobs),
            clock: parts.clock(),
            ids: parts.ids(),
            projects: Arc::clone(&parts.projects),
            engines: Arc::clone(engines),
            caches: Arc::default(),
            summaries: Summaries::new(parts.store() as _, summariser),
            reranker,
            rerank_failures: AtomicU64::new(0),
        }
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
