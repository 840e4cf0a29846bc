//! The context engine: what a model will see, within a hard budget, and a receipt of what it will not.
//!
//! It is pure. Candidates and stored facts come in, a pack and a receipt come out; where a summary is wanted, the
//! engine asks for it by a value that the hub fulfils. The same inputs always give the same bytes.
//!
//! The way of a pack: candidates (unread messages by importance, mentions, active threads, the task, its neighbours in
//! the graph, artifacts, history) → access and audience → redaction → duplicates out → ranking → the budget → rendering
//! with marks of origin. Only `parlour_core::audience` decides what may reach a model.
//!
//! The first piece is [`budget`]: the ceiling that every later step draws on, and that cannot be overdrawn.

pub mod budget;
