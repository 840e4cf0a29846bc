//! All tables, in the order in which they are printed. A new one: a file with a `table` like the others, and a line here.

use std::path::Path;

pub(crate) mod budget;
pub(crate) mod cache;
pub(crate) mod chat;
pub(crate) mod dialogue;
pub(crate) mod frame;
pub(crate) mod held_out;
pub(crate) mod locomo;
pub(crate) mod qmsum;
pub(crate) mod recall;
pub(crate) mod redaction;
pub(crate) mod rouge;
pub(crate) mod skipped;
pub(crate) mod speed;
pub(crate) mod table;

use table::Table;

/// Makes a table of the data in this folder; nothing where its data is not there.
pub(crate) type Make = fn(&Path) -> Option<Table>;

/// Each table by its name.
pub(crate) const TABLES: &[(&str, Make)] = &[
    ("locomo", locomo::table),
    ("qmsum", qmsum::table),
    ("held_out", held_out::table),
    ("rouge", rouge::table),
    ("redaction", redaction::table),
    ("budget", budget::table),
    ("frame", frame::table),
    ("cache", cache::table),
    ("speed", speed::table),
];
