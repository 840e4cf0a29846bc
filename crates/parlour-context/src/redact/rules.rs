//! The rules of the hub: tables, one for each field.

mod clouds;
mod commands;
mod models;
mod personal;
mod services;
mod sites;
mod wire;

use super::rule::Rule;

/// All tables. Of two rules that find the same place, the one that stands first gives it its kind.
pub(super) const TABLES: &[&[Rule]] = &[
    wire::KEYS,
    clouds::RULES,
    sites::RULES,
    services::RULES,
    models::RULES,
    wire::RULES,
    commands::RULES,
    personal::RULES,
];
