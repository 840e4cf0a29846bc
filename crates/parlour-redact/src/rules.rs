//! The rules of the hub: tables, one for each field.

mod answers;
mod calls;
mod clouds;
mod commands;
mod devices;
mod models;
mod personal;
mod relays;
mod services;
mod shops;
mod signing;
mod sites;
mod spoken;
mod stores;
mod tools;
mod wire;

use super::rule::Rule;

/// All tables. Of two rules that find the same place, the one that stands first gives it its kind.
pub(super) const TABLES: &[&[Rule]] = &[
    wire::KEYS,
    clouds::RULES,
    sites::RULES,
    services::RULES,
    models::RULES,
    tools::RULES,
    stores::RULES,
    shops::RULES,
    wire::RULES,
    commands::RULES,
    calls::RULES,
    signing::RULES,
    relays::RULES,
    devices::RULES,
    spoken::RULES,
    answers::RULES,
    personal::RULES,
];
