//! Whole conversations of agents that never stop by themselves, driven by nothing but the rules.

mod laws;
mod players;
mod random;
mod rings;
mod world;
