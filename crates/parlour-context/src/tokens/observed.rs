//! What was learned about each model that reported something.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Learned, Tokenizer};

/// What providers reported, by model. Its memory is bounded: of models beyond [`Observed::MODELS_MAX`] nothing is learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Observed {
    by_model: BTreeMap<String, Learned>,
}

/// Of a longer name nothing is learned.
const NAME_BYTES_MAX: usize = 512;

impl Observed {
    /// Models about which something is kept.
    pub const MODELS_MAX: usize = 256;

    /// Learns from one request: a provider reported `reported` tokens for it, and it held at least texts for which
    /// [`Tokenizer::for_model`] says `counted`. What is more in it only makes the bound come down less; it never goes up.
    ///
    /// The count is that of the model's plain bound, not of [`Observed::tokenizer`], which may have changed since.
    pub fn observe(&mut self, model: &str, counted: u64, reported: u64) {
        let name = name(model);
        let has_room = self.by_model.len() < Self::MODELS_MAX && name.len() <= NAME_BYTES_MAX;
        if Tokenizer::for_model(model).counting().is_exact || !(has_room || self.by_model.contains_key(&name)) {
            return;
        }
        let known = self.by_model.get(&name).copied().unwrap_or_default();
        let learned = known.with(counted, reported);
        if learned != known {
            self.by_model.insert(name, learned);
        }
    }

    /// The way of counting for a model, with what was learned about it.
    pub fn tokenizer(&self, model: &str) -> Tokenizer {
        let learned = self.by_model.get(&name(model)).copied().unwrap_or_default();
        Tokenizer::for_model(model).with_learned(learned)
    }
}

/// A model by its name, however that is written.
fn name(model: &str) -> String {
    model.trim().to_ascii_lowercase()
}
