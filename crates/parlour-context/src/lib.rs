//! The context engine: what a model will see, within a hard budget, and a receipt of what it will not.
//!
//! It is pure. Candidates and stored facts come in, a pack and a receipt come out; where a summary or a reranking is
//! wanted, the engine asks for it by a value that the hub fulfils. The same inputs always give the same bytes.
//!
//! The way of a text to a model, one module for each step:
//!
//! 1. [`view`]: a stored text becomes what may be looked at: normal form, nothing invisible, bounded lines, few links.
//! 2. `parlour_redact`: secrets and personal data become numbered marks.
//! 3. [`prepared`]: both, with the words and tokens of the text, once for each text; the hub keeps it.
//! 4. [`candidate`]: a prepared text with where it stands and why it comes into question.
//! 5. [`dedupe`], [`rank`]: what says the same goes, what matters comes first.
//! 6. [`level`], [`fit`]: each gets a length, so that all of it fits under the ceiling of [`budget`], counted by
//!    [`tokens`].
//! 7. [`frame`]: it is written so that no text can leave its place, and can be read back.
//! 8. [`pack`]: all of these, one after the other.
//!
//! [`summary`] writes what stands for a whole conversation, [`preview`] one line of a text for people. Only
//! `parlour_core::audience` decides what may reach a model: whoever gathers candidates asks it.

mod authors;
pub mod budget;
pub mod candidate;
pub mod dedupe;
pub mod fit;
pub mod frame;
pub mod level;
pub mod pack;
pub mod prepared;
pub mod preview;
pub mod rank;
pub mod summary;
pub mod terms;
pub mod tokens;
pub mod view;
