//! The promises of the store port, one function each. Each area is a file, and `promise_list.rs` lists all of them.

pub mod accounts;
pub mod audit;
pub mod batches;
pub mod call_lists;
pub mod calls;
pub mod context_records;
pub mod conversations;
pub mod deliveries;
pub mod directory;
pub mod events;
mod fixtures;
pub mod history;
pub mod inbox;
pub mod invites;
pub mod model;
pub mod names;
pub mod numbers;
mod promise_list;
pub mod pruning;
pub mod questions;
pub mod read_positions;
pub mod refusals;
pub mod related_lookups;
pub mod repeated_writes;
pub mod runs;
pub mod search;
pub mod snapshots;
pub mod starts;
pub mod streams;
pub mod tokens;
pub mod visibility;
pub mod watchers;
pub mod work;

#[cfg(test)]
mod tests;
