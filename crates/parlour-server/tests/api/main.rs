//! The native API as its callers see it: one file for each noun.

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod artifacts;
mod audit;
mod borders;
mod calls;
mod channel_members;
mod channels;
mod deliveries;
mod dms;
mod editing;
mod engines;
mod history;
mod hub;
mod imports;
mod inbox;
mod invites;
mod keys;
mod loop_guard;
mod messages;
mod openapi;
mod people;
mod presence;
mod problems;
mod project_people;
mod projects;
mod questions;
mod rates;
mod reactions;
mod requests;
mod runs;
mod scopes;
mod search;
mod serving;
mod sign_in;
mod snapshot;
mod streams;
mod subscriptions;
mod tasks;
mod threads;
mod tokens;
mod usage;
mod wide_mentions;
mod work_stage;
