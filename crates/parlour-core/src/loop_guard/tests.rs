//! The loop guard, rule by rule and in whole conversations.

mod arena;
mod budget;
mod chain;
mod correlation;
mod depth;
mod judging;
mod lifting;
mod marks;
mod no_progress;
mod notices;
mod pair;
mod stage;
