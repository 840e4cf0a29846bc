//! `PackCaches`: redactors, prepared texts, file texts, previous packs and usage observations, kept in memory between packs.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use parlour_context::{
    prepared::{self, Prepared},
    summary::{ExtractWeights, TextSentences},
    tokens::{Tokenizer, UsageObservations},
    view::NormalizedText,
};
use parlour_core::{
    artifact::ContentHash,
    context::{ContextFormat, RedactionRules},
    delivery::DeliveryPath,
    id::{AgentId, ConversationId, RunId},
    limits,
};
use parlour_redact::{InvalidRule, Redactor};
use tokio::sync::Semaphore;

use super::{gather::CACHED_FILES_MAX, summaries::PreviousPack};
use crate::{Fault, cache::LoadCache};

/// CPU-bound jobs of packs that run at the same time; others wait.
const BLOCKING_JOBS_MAX: usize = 4;
/// Cached redactors, one for each set of rules; all are dropped when there are more.
const REDACTORS_MAX: usize = 64;
/// Bytes of cached texts.
const PREPARED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Cached previous packs; all are dropped when there are more.
const PACKS_MAX: usize = 500;
/// Agents with cached usage observations; all are dropped when there are more.
const OBSERVED_AGENTS_MAX: usize = 500;

/// In-memory caches of the context service.
pub(crate) struct PackCaches {
    redactors: Mutex<HashMap<String, CachedRedactor>>,
    redactors_made: AtomicU64,
    prepared: Mutex<TextCache<Prepared>>,
    /// Texts split into sentences, for summaries.
    sentences: Mutex<TextCache<TextSentences>>,
    /// Randomly keyed at start, so that nobody can construct two texts with the same hash.
    hashers: [RandomState; 2],
    pub(super) files: LoadCache<ContentHash, Arc<str>>,
    /// The last pack given to a model, with its day.
    packs: Mutex<HashMap<PackKey, (String, Arc<PreviousPack>)>>,
    pub(super) last_texts: LastTexts,
    /// Token usage by agent. Agents report their own usage, so a false report must affect only the agent itself.
    observed: Mutex<HashMap<AgentId, UsageObservations>>,
    /// Limits CPU-bound jobs, so that other requests get processor time.
    pub(super) blocking_jobs: Arc<Semaphore>,
}

/// A redactor with a unique number, which is part of the cache key of prepared texts.
#[derive(Clone)]
pub(crate) struct CachedRedactor {
    no: u64,
    redactor: Arc<Redactor>,
}

/// The agent that reads the pack, its format, and the conversation to answer.
pub(crate) type PackKey = (AgentId, ContextFormat, Option<ConversationId>);

/// Number of the redactor, and two hashes of the text.
type Key = (u64, [u64; 2]);

/// A cache with two generations: when the young one is full it replaces the old one.
struct TextCache<T> {
    young: HashMap<Key, (Arc<T>, usize)>,
    old: HashMap<Key, (Arc<T>, usize)>,
    young_bytes: usize,
}

impl<T> Default for TextCache<T> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), young_bytes: 0 }
    }
}

impl Default for PackCaches {
    fn default() -> Self {
        Self {
            redactors: Mutex::default(),
            redactors_made: AtomicU64::new(0),
            prepared: Mutex::default(),
            sentences: Mutex::default(),
            hashers: [RandomState::new(), RandomState::new()],
            files: LoadCache::new(CACHED_FILES_MAX),
            packs: Mutex::default(),
            last_texts: LastTexts::default(),
            observed: Mutex::default(),
            blocking_jobs: Arc::new(Semaphore::new(BLOCKING_JOBS_MAX)),
        }
    }
}

impl PackCaches {
    /// The redactor for these rules. Compiling one is slow: call it outside the async runtime.
    pub(crate) fn redactor(&self, rules: &RedactionRules) -> Result<CachedRedactor, InvalidRule> {
        let key = serde_json::to_string(rules).unwrap_or_default();
        if let Some(kept) = self.redactors.lock().get(&key) {
            return Ok(kept.clone());
        }
        let redactor = Arc::new(prepared::redactor(rules)?);
        let kept = CachedRedactor { no: self.redactors_made.fetch_add(1, Ordering::Relaxed), redactor };
        let mut redactors = self.redactors.lock();
        if redactors.len() >= REDACTORS_MAX {
            redactors.clear();
        }
        Ok(redactors.entry(key).or_insert(kept).clone())
    }

    /// The redactor for stored rules, which were checked when they were set.
    pub(super) fn redactor_for(&self, rules: &RedactionRules) -> Result<CachedRedactor, Fault> {
        self.redactor(rules).map_err(|invalid| Fault::new("use the rules of redaction", invalid))
    }

    pub(crate) fn prepared(&self, text: &str, redactor: &CachedRedactor) -> Arc<Prepared> {
        let key = (redactor.no, [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)]);
        if let Some(prepared) = self.prepared.lock().get(&key) {
            return prepared;
        }
        let prepared = Arc::new(Prepared::of(text, &redactor.redactor));
        self.prepared.lock().put(key, Arc::clone(&prepared), prepared.text.len());
        prepared
    }

    /// A redacted text split into sentences.
    pub(super) fn sentences(&self, text: &str) -> Arc<TextSentences> {
        let key = (0, [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)]);
        if let Some(pieces) = self.sentences.lock().get(&key) {
            return pieces;
        }
        let pieces = Arc::new(TextSentences::of(text, ExtractWeights::default().trims));
        self.sentences.lock().put(key, Arc::clone(&pieces), pieces.bytes());
        pieces
    }
}

impl CachedRedactor {
    /// Redacts a text without shortening it. A text within the size limit of views is normalised first, so that invisible
    /// characters cannot hide a secret.
    pub(super) fn redact(&self, text: &str) -> String {
        let plain = NormalizedText::of(text);
        self.redactor.redact(if plain.left_out_bytes == 0 { &plain.text } else { text }).text
    }
}

impl PackCaches {
    /// The previous pack of the same day. Frame tags change with the day, so an older pack cannot be continued.
    pub(crate) fn last_pack(&self, key: &PackKey, day: &str) -> Option<Arc<PreviousPack>> {
        let packs = self.packs.lock();
        packs.get(key).filter(|(of_day, _)| of_day == day).map(|(_, previous)| Arc::clone(previous))
    }

    /// Stores a pack that was given to a model; only the rows of shown items are kept.
    pub(crate) fn keep_pack(&self, key: PackKey, day: String, mut previous: PreviousPack) {
        previous.receipt.items.retain(|item| item.level.is_some());
        let mut packs = self.packs.lock();
        if packs.len() >= PACKS_MAX {
            packs.clear();
        }
        packs.insert(key, (day, Arc::new(previous)));
    }
}

impl PackCaches {
    /// The tokenizer for a model, corrected by the usage that the agent has reported.
    pub(crate) fn tokenizer(&self, agent: &AgentId, model: &str) -> Tokenizer {
        let observed = self.observed.lock();
        observed.get(agent).map_or_else(|| Tokenizer::for_model(model), |observed| observed.tokenizer(model))
    }

    /// Records that the provider reported `reported` tokens for a request with at least `counted` estimated tokens.
    pub(crate) fn observe(&self, agent: &AgentId, model: &str, counted: u64, reported: u64) {
        let mut observed = self.observed.lock();
        if observed.len() >= OBSERVED_AGENTS_MAX && !observed.contains_key(agent) {
            observed.clear();
        }
        observed.entry(agent.clone()).or_default().observe(model, counted, reported);
    }
}

impl<T> TextCache<T> {
    /// Finds an entry and moves it to the young generation.
    fn get(&mut self, key: &Key) -> Option<Arc<T>> {
        if let Some((found, _)) = self.young.get(key) {
            return Some(Arc::clone(found));
        }
        let (found, bytes) = self.old.remove(key)?;
        self.put(*key, Arc::clone(&found), bytes);
        Some(found)
    }

    fn put(&mut self, key: Key, value: Arc<T>, bytes: usize) {
        let is_full =
            self.young.len() >= limits::CONTEXT_CACHE_LEN_MAX / 2 || self.young_bytes >= PREPARED_BYTES_MAX / 2;
        if is_full {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (value, bytes));
    }
}

/// Last texts that are remembered; all are dropped when there are more, and a text may be recorded once more.
const LAST_TEXTS_MAX: usize = 1_000;

/// A hash of the last text for each run and delivery path, so that an unchanged text is recorded once.
#[derive(Default)]
pub(super) struct LastTexts {
    last: Mutex<HashMap<(RunId, DeliveryPath), [u64; 2]>>,
    hashers: [RandomState; 2],
}

impl LastTexts {
    /// Whether the text differs from the last one; stores it as the last one.
    pub(super) fn replace(&self, run: &RunId, delivered_via: DeliveryPath, text: &str) -> bool {
        let hash = [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)];
        let mut last = self.last.lock();
        let key = (run.clone(), delivered_via);
        if last.len() >= LAST_TEXTS_MAX && !last.contains_key(&key) {
            last.clear();
        }
        last.insert(key, hash) != Some(hash)
    }

    /// Removes a text that could not be recorded.
    pub(super) fn remove(&self, run: &RunId, delivered_via: DeliveryPath) {
        self.last.lock().remove(&(run.clone(), delivered_via));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(kind: &str) -> RedactionRules {
        let add = vec![parlour_core::context::RedactionRule { kind: kind.into(), pattern: "x+".into() }];
        RedactionRules { add, ..RedactionRules::default() }
    }

    #[test]
    fn a_text_is_prepared_once_under_the_same_rules() {
        let caches = PackCaches::default();
        let [one, same, other] = ["a", "a", "b"].map(|kind| caches.redactor(&rules(kind)).expect("rules"));
        let first = caches.prepared("hello", &one);
        assert!(Arc::ptr_eq(&first, &caches.prepared("hello", &same)));
        assert!(!Arc::ptr_eq(&first, &caches.prepared("hello", &other)), "other rules");
        assert!(!Arc::ptr_eq(&first, &caches.prepared("hello!", &one)), "another text");
    }

    #[test]
    fn the_text_cache_is_bounded_and_keeps_texts_in_use() {
        let caches = PackCaches::default();
        let kept = caches.redactor(&RedactionRules::default()).expect("rules");
        let often = caches.prepared("often", &kept);
        for number in 0..limits::CONTEXT_CACHE_LEN_MAX * 2 {
            caches.prepared(&number.to_string(), &kept);
            if number % 1_000 == 0 {
                assert!(Arc::ptr_eq(&often, &caches.prepared("often", &kept)));
            }
        }
        let cache = caches.prepared.lock();
        assert!(cache.young.len() + cache.old.len() <= limits::CONTEXT_CACHE_LEN_MAX);
    }

    #[test]
    fn a_pack_of_another_day_is_not_continued() {
        let caches = PackCaches::default();
        let key = (AgentId::from_bits(1), ContextFormat::Native, None);
        let receipt = crate::context::receipt::empty(1, 1, Tokenizer::for_model("gpt-4o").counting());
        let previous = || PreviousPack { receipt: receipt.clone(), summarized: Vec::new() };
        caches.keep_pack(key.clone(), "2026-11-16".into(), previous());
        assert!(caches.last_pack(&key, "2026-11-16").is_some());
        assert!(caches.last_pack(&key, "2026-11-17").is_none());
        caches.keep_pack(key.clone(), "2026-11-17".into(), previous());
        assert!(caches.last_pack(&key, "2026-11-16").is_none(), "one pack is remembered for each reader and place");
    }

    #[test]
    fn the_redactor_cache_is_bounded() {
        let caches = PackCaches::default();
        for number in 0..REDACTORS_MAX + 10 {
            caches.redactor(&rules(&format!("k{number}"))).expect("rules");
        }
        assert!(caches.redactors.lock().len() <= REDACTORS_MAX);
    }

    #[test]
    fn a_usage_report_affects_only_its_agent_and_observations_are_bounded() {
        let (caches, model, text) =
            (PackCaches::default(), "claude-sonnet-4-5", "plain words and more of them ".repeat(50));
        let [liar, other] = [1, 2].map(AgentId::from_bits);
        let plain = Tokenizer::for_model(model).count(&text);
        for _ in 0..100 {
            caches.observe(&liar, model, plain, plain * 7 / 10);
        }
        assert!(caches.tokenizer(&liar, model).count(&text) < plain);
        assert_eq!(caches.tokenizer(&other, model).count(&text), plain);
        for bits in 10..10 + 2 * OBSERVED_AGENTS_MAX as u128 {
            caches.observe(&AgentId::from_bits(bits), model, plain, plain);
        }
        assert!(caches.observed.lock().len() <= OBSERVED_AGENTS_MAX);
    }

    #[test]
    fn only_a_changed_text_differs_from_the_last() {
        let (texts, run) = (LastTexts::default(), RunId::from_bits(1));
        let differs = |delivered_via, text| texts.replace(&run, delivered_via, text);
        assert!(differs(DeliveryPath::Tool, "a"));
        assert!(!differs(DeliveryPath::Tool, "a"));
        assert!(differs(DeliveryPath::Checkpoint, "a"), "another delivery path");
        assert!(texts.replace(&RunId::from_bits(2), DeliveryPath::Tool, "a"), "another run");
        assert!(differs(DeliveryPath::Tool, "b") && differs(DeliveryPath::Tool, "a"), "an earlier text counts again");
        texts.remove(&run, DeliveryPath::Tool);
        assert!(differs(DeliveryPath::Tool, "a"));
    }

    #[test]
    fn last_texts_are_bounded() {
        let texts = LastTexts::default();
        for number in 0..LAST_TEXTS_MAX as u128 * 3 {
            assert!(texts.replace(&RunId::from_bits(number), DeliveryPath::Tool, "a"));
        }
        assert!(texts.last.lock().len() <= LAST_TEXTS_MAX);
    }
}
