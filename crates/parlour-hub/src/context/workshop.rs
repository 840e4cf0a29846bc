//! What packs are made with, kept between them: redactors, prepared texts, and the texts of files.

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
    summary::{Pieces, Signs},
    tokens::{Observed, Tokenizer},
    view::Plain,
};
use parlour_core::{
    artifact::ContentHash,
    context::{ContextFormat, RedactionRules},
    id::{AgentId, ConversationId},
    limits,
};
use parlour_redact::{InvalidRule, Redactor};
use tokio::sync::Semaphore;

use super::{files::TEXTS_KEPT_MAX, stands::Previous, telling::RawAnswer};
use crate::cache::LoadCache;

/// Packs whose texts are prepared and ranked at the same moment; the others wait.
const MAKING_MAX: usize = 4;
/// Redactors that are kept: one for each set of rules.
const REDACTORS_MAX: usize = 64;
/// Bytes of prepared texts that are kept.
const PREPARED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Readers of whom it is kept what the last pack showed them.
const PACKS_MAX: usize = 500;
/// Agents whose usage is remembered; beyond them, what was learned first is learned anew.
const LEARNERS_MAX: usize = 500;

/// What packs are made with.
pub(crate) struct Workshop {
    redactors: Mutex<HashMap<String, Kept>>,
    redactors_made: AtomicU64,
    prepared: Mutex<Shelves<Prepared>>,
    /// What summaries know of texts.
    pieces: Mutex<Shelves<Pieces>>,
    /// Drawn anew with each start, so that nobody can write two texts that are taken for one.
    hashers: [RandomState; 2],
    pub(super) files: LoadCache<ContentHash, Arc<str>>,
    /// What the last pack showed that a model was given, by its reader and conversation.
    packs: Mutex<HashMap<PackKey, (String, Arc<Previous>)>>,
    /// What runs were told last.
    pub(super) given: RawAnswer,
    /// What the usage of each agent says about the models that it uses. By agent, because agents report what they like:
    /// a wrong report can only make the agent's own packs longer than its model counts.
    observed: Mutex<HashMap<AgentId, Observed>>,
    /// Holds back work of the processor, so that other requests get their share of it.
    pub(super) benches: Arc<Semaphore>,
}

/// A redactor, with a number that no other one has.
#[derive(Clone)]
pub(crate) struct Kept {
    no: u64,
    redactor: Arc<Redactor>,
}

/// Who reads packs, in which form, and where the agent answers.
pub(crate) type PackKey = (AgentId, ContextFormat, Option<ConversationId>);

/// A text under a set of rules. The text itself is the key, so that a changed one is never found under it.
type Key = (u64, [u64; 2]);

/// What is known of texts in two generations: when the young one is full it becomes the old one, and the old one is forgotten.
struct Shelves<T> {
    young: HashMap<Key, (Arc<T>, usize)>,
    old: HashMap<Key, (Arc<T>, usize)>,
    young_bytes: usize,
}

impl<T> Default for Shelves<T> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), young_bytes: 0 }
    }
}

impl Default for Workshop {
    fn default() -> Self {
        Self {
            redactors: Mutex::default(),
            redactors_made: AtomicU64::new(0),
            prepared: Mutex::default(),
            pieces: Mutex::default(),
            hashers: [RandomState::new(), RandomState::new()],
            files: LoadCache::new(TEXTS_KEPT_MAX),
            packs: Mutex::default(),
            given: RawAnswer::default(),
            observed: Mutex::default(),
            benches: Arc::new(Semaphore::new(MAKING_MAX)),
        }
    }
}

impl Workshop {
    /// The redactor for these rules. Making one takes a while: not for the async runtime.
    pub(crate) fn redactor(&self, rules: &RedactionRules) -> Result<Kept, InvalidRule> {
        let key = serde_json::to_string(rules).unwrap_or_default();
        if let Some(kept) = self.redactors.lock().get(&key) {
            return Ok(kept.clone());
        }
        let redactor = Arc::new(prepared::redactor(rules)?);
        let kept = Kept { no: self.redactors_made.fetch_add(1, Ordering::Relaxed), redactor };
        let mut redactors = self.redactors.lock();
        if redactors.len() >= REDACTORS_MAX {
            redactors.clear();
        }
        Ok(redactors.entry(key).or_insert(kept).clone())
    }

    /// A text prepared under these rules: from memory, or made now.
    pub(crate) fn prepared(&self, text: &str, kept: &Kept) -> Arc<Prepared> {
        let key = (kept.no, [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)]);
        if let Some(prepared) = self.prepared.lock().take_up(&key) {
            return prepared;
        }
        let prepared = Arc::new(Prepared::of(text, &kept.redactor));
        self.prepared.lock().put(key, Arc::clone(&prepared), prepared.text.len());
        prepared
    }

    /// What a summary knows of a text that may be shown: from memory, or found out now.
    pub(super) fn pieces(&self, text: &str) -> Arc<Pieces> {
        let key = (0, [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)]);
        if let Some(pieces) = self.pieces.lock().take_up(&key) {
            return pieces;
        }
        let pieces = Arc::new(Pieces::of(text, Signs::default().trims));
        self.pieces.lock().put(key, Arc::clone(&pieces), pieces.bytes());
        pieces
    }
}

impl Kept {
    /// A text at its whole length without what the rules take out. Where it is not too long for that, it is brought into
    /// normal form first, so that nothing hides between invisible signs.
    pub(super) fn redact(&self, text: &str) -> String {
        let plain = Plain::of(text);
        self.redactor.redact(if plain.left_out_bytes == 0 { &plain.text } else { text }).text
    }
}

impl Workshop {
    /// What the last pack showed this reader on this day, as far as that is known. On another day the marks are others,
    /// so that no cache knows its beginning again.
    pub(crate) fn last_pack(&self, key: &PackKey, day: &str) -> Option<Arc<Previous>> {
        let packs = self.packs.lock();
        packs.get(key).filter(|(of_day, _)| of_day == day).map(|(_, previous)| Arc::clone(previous))
    }

    /// Remembers what a pack shows that a model is given.
    pub(crate) fn keep_pack(&self, key: PackKey, day: String, mut previous: Previous) {
        previous.receipt.items.retain(|item| item.level.is_some());
        let mut packs = self.packs.lock();
        if packs.len() >= PACKS_MAX {
            packs.clear();
        }
        packs.insert(key, (day, Arc::new(previous)));
    }
}

impl Workshop {
    /// How the tokens of a model are counted for an agent.
    pub(crate) fn tokenizer(&self, agent: &AgentId, model: &str) -> Tokenizer {
        let observed = self.observed.lock();
        observed.get(agent).map_or_else(|| Tokenizer::for_model(model), |observed| observed.tokenizer(model))
    }

    /// Learns from a request of an agent that held at least texts with so many tokens by the plain bound of the model.
    pub(crate) fn observe(&self, agent: &AgentId, model: &str, counted: u64, reported: u64) {
        let mut observed = self.observed.lock();
        if observed.len() >= LEARNERS_MAX && !observed.contains_key(agent) {
            observed.clear();
        }
        observed.entry(agent.clone()).or_default().observe(model, counted, reported);
    }
}

impl<T> Shelves<T> {
    /// Finds a text; one of the old generation is young again afterwards.
    fn take_up(&mut self, key: &Key) -> Option<Arc<T>> {
        if let Some((found, _)) = self.young.get(key) {
            return Some(Arc::clone(found));
        }
        let (found, bytes) = self.old.remove(key)?;
        self.put(*key, Arc::clone(&found), bytes);
        Some(found)
    }

    fn put(&mut self, key: Key, known: Arc<T>, bytes: usize) {
        let is_full =
            self.young.len() >= limits::CONTEXT_CACHE_LEN_MAX / 2 || self.young_bytes >= PREPARED_BYTES_MAX / 2;
        if is_full {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (known, bytes));
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
        let workshop = Workshop::default();
        let [one, same, other] = ["a", "a", "b"].map(|kind| workshop.redactor(&rules(kind)).expect("rules"));
        let first = workshop.prepared("hello", &one);
        assert!(Arc::ptr_eq(&first, &workshop.prepared("hello", &same)));
        assert!(!Arc::ptr_eq(&first, &workshop.prepared("hello", &other)), "other rules");
        assert!(!Arc::ptr_eq(&first, &workshop.prepared("hello!", &one)), "another text");
    }

    #[test]
    fn memory_is_bounded_and_what_is_used_stays() {
        let workshop = Workshop::default();
        let kept = workshop.redactor(&RedactionRules::default()).expect("rules");
        let often = workshop.prepared("often", &kept);
        for number in 0..limits::CONTEXT_CACHE_LEN_MAX * 2 {
            workshop.prepared(&number.to_string(), &kept);
            if number % 1_000 == 0 {
                assert!(Arc::ptr_eq(&often, &workshop.prepared("often", &kept)));
            }
        }
        let shelves = workshop.prepared.lock();
        assert!(shelves.young.len() + shelves.old.len() <= limits::CONTEXT_CACHE_LEN_MAX);
    }

    #[test]
    fn a_pack_does_not_go_on_after_one_of_another_day() {
        let workshop = Workshop::default();
        let key = (AgentId::from_bits(1), ContextFormat::Native, None);
        let receipt = parlour_core::context::Receipt {
            budget: 1,
            used: 1,
            frame: 1,
            counting: Tokenizer::for_model("gpt-4o").counting(),
            sections: Vec::new(),
            items: Vec::new(),
            unlisted: 0,
            redactions: Vec::new(),
            invisible: 0,
        };
        let previous = || Previous { receipt: receipt.clone(), stands: Vec::new() };
        workshop.keep_pack(key.clone(), "2026-11-16".into(), previous());
        assert!(workshop.last_pack(&key, "2026-11-16").is_some());
        assert!(workshop.last_pack(&key, "2026-11-17").is_none());
        workshop.keep_pack(key.clone(), "2026-11-17".into(), previous());
        assert!(workshop.last_pack(&key, "2026-11-16").is_none(), "one pack is remembered for each reader and place");
    }

    #[test]
    fn redactors_are_bounded() {
        let workshop = Workshop::default();
        for number in 0..REDACTORS_MAX + 10 {
            workshop.redactor(&rules(&format!("k{number}"))).expect("rules");
        }
        assert!(workshop.redactors.lock().len() <= REDACTORS_MAX);
    }

    #[test]
    fn what_an_agent_reports_changes_its_own_packs_only_and_memory_is_bounded() {
        let (workshop, model, text) =
            (Workshop::default(), "claude-sonnet-4-5", "plain words and more of them ".repeat(50));
        let [liar, other] = [1, 2].map(AgentId::from_bits);
        let plain = Tokenizer::for_model(model).count(&text);
        for _ in 0..100 {
            workshop.observe(&liar, model, plain, plain * 7 / 10);
        }
        assert!(workshop.tokenizer(&liar, model).count(&text) < plain);
        assert_eq!(workshop.tokenizer(&other, model).count(&text), plain);
        for bits in 10..10 + 2 * LEARNERS_MAX as u128 {
            workshop.observe(&AgentId::from_bits(bits), model, plain, plain);
        }
        assert!(workshop.observed.lock().len() <= LEARNERS_MAX);
    }
}
