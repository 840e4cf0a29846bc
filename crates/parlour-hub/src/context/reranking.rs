//! A reranker is asked, within a time limit. Without an answer the hub ranks by itself.

use std::{sync::atomic::Ordering, time::Duration};

use tokio::time::timeout;

use crate::Hub;

/// Candidates that a reranker is asked about.
pub(super) const SHORTLIST_MAX: usize = 100;
/// Characters of each of them.
pub(super) const TEXT_CHARS_MAX: usize = 2_000;
/// How long a reranker may take.
const TIME_MAX: Duration = Duration::from_millis(800);

/// What a reranker is asked about: which candidates, and their texts.
pub(super) struct Shortlist {
    pub(super) query: String,
    pub(super) indexes: Vec<usize>,
    pub(super) texts: Vec<String>,
}

impl Hub {
    /// What the reranker says of these candidates, 0 to 1; nothing when it fails or takes too long.
    pub(super) async fn rerank(&self, name: &str, list: &Shortlist) -> Vec<(usize, f32)> {
        if list.texts.is_empty() || list.query.trim().is_empty() {
            return Vec::new();
        }
        let cause = match timeout(TIME_MAX, self.reranker.rerank(name, &list.query, &list.texts)).await {
            Ok(Ok(scores)) if scores.len() == list.indexes.len() && scores.iter().all(|score| score.is_finite()) => {
                let scores = scores.into_iter().map(|score| score.clamp(0.0, 1.0));
                return list.indexes.iter().copied().zip(scores).collect();
            }
            Ok(Ok(_)) => "its answer does not fit what it was asked".to_owned(),
            Ok(Err(trouble)) => trouble.to_string(),
            Err(_) => format!("it took more than {} ms", TIME_MAX.as_millis()),
        };
        let failures = self.rerank_failures.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(name, cause, failures, "a reranker failed; the hub ranks by itself");
        Vec::new()
    }

    /// How often rerankers have failed since the start of the hub.
    pub fn rerank_failures(&self) -> u64 {
        self.rerank_failures.load(Ordering::Relaxed)
    }
}
