//! The context engine: builds packs, the prompts of models, within a hard token budget, with a receipt of what was
//! omitted.
//!
//! The crate is pure: candidates come in, a pack and a receipt come out. The same input always gives the same bytes.
//!
//! The steps from a stored text to a pack:
//!
//! 1. [`view`]: normal form, no invisible characters, bounded lines, few links.
//! 2. `parlour_redact`: secrets and personal data become numbered marks.
//! 3. [`prepared`]: both, with words and token counts, computed once for each text and cached by the hub.
//! 4. [`candidate`]: a prepared text with its conversation and the reasons for being a candidate.
//! 5. [`dedupe`], [`rank`]: duplicates and scores.
//! 6. [`level`], [`fit`]: the level of detail of each candidate, so that all of them fit into the budget ([`budget`],
//!    [`tokens`]).
//! 7. [`frame`]: quotes that cannot leave their place; a rendered pack can be parsed again.
//! 8. [`pack`]: all steps together.
//!
//! [`summary`] summarises conversations, [`preview`] renders one line of a text for people. Only
//! `parlour_core::model_visibility` decides what may reach a model; whoever gathers candidates asks it.

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
