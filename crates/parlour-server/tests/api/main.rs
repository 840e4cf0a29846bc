//! The native API as its callers see it: one file for each noun.

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod artifacts;
mod channel_members;
mod channels;
mod dms;
mod editing;
mod history;
mod hub;
mod inbox;
mod messages;
mod openapi;
mod people;
mod presence;
mod problems;
mod project_people;
mod projects;
mod reactions;
mod requests;
mod search;
mod serving;
mod snapshot;
mod streams;
mod subscriptions;
mod tasks;
mod threads;
