//! Tables of hostile requests. In all of them `$label` is the id of a thing of the world, see `attack::world`.
#![allow(dead_code)] // Each test binary uses a part of it.

pub mod json;

pub const ADDRESSES: &str = include_str!("addresses.table");
pub const FIELDS: &str = include_str!("fields.table");
pub const FILES: &str = include_str!("files.table");
pub const FOREIGN: &str = include_str!("foreign.table");
pub const FORGED: &str = include_str!("forged.table");
pub const HEADERS: &str = include_str!("headers.table");
pub const LOOKALIKES: &str = include_str!("lookalikes.table");
pub const NAMES: &str = include_str!("names.table");
pub const QUERIES: &str = include_str!("queries.table");
pub const TEXTS: &str = include_str!("texts.table");
pub const VALID: &str = include_str!("valid.table");

/// The rows of a table with this number of columns.
pub fn rows<const COLUMNS: usize>(table: &str) -> impl Iterator<Item = [&str; COLUMNS]> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| {
        let cells: Vec<_> = line.split('|').map(|cell| cell.strip_prefix(' ').unwrap_or(cell)).collect();
        let cells: Vec<_> = cells.iter().map(|cell| cell.strip_suffix(' ').unwrap_or(cell)).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{COLUMNS} columns: {cells:?}"))
    })
}

/// What stands in the tables for a value of another type than a field takes.
pub fn wrong_values(kind: &str) -> &'static [&'static str] {
    match kind {
        "text" => &["0", "-0", "true", "[]", "{}", "[\"a\"]", "{\"a\":1}"],
        "id" => &[
            "0", "true", "[]", "{}", "\"\"", "\"*\"", "\">\"", "\"zzz_1\"", "\"1\"", "\"chn\"", "\"msg_\"",
            "\"prj_a.b\"", "\"per_a:b\"", "\"chn_a/b\"", "\"msg_../b\"", "\"tsk_*\"", "\"agt_>\"", "\"dm_a b\"",
            "\" prj_1\"", "\"prj_1\\n\"", "\"per_\\u0000\"", "\"chn_\\u00e9\"", "\"msg_\\u202e1\"", "\"PRJ_1\"",
            "\"per_1234567890123456789012345678901234567890123456789012345678901\"",
        ],
        "flag" => &["0", "1", "\"true\"", "\"\"", "[]", "{}"],
        "choice" => &["0", "true", "\"\"", "\"nope\"", "\"HIGH\"", "\"high \"", "[]", "[\"high\"]", "{\"high\":null}"],
        "count" => &[
            "-1", "-0", "1.5", "1e2", "1.0", "\"5\"", "true", "[]", "{}", "18446744073709551616",
            "-9223372036854775809", "1e308",
        ],
        "list" => &["0", "true", "\"a\"", "{}", "[0]", "[null]", "[[]]", "[{}]", "[true]"],
        "object" => &["0", "true", "\"a\"", "[]", "[null,null,null]", "[\"a\"]"],
        other => panic!("no kind {other}"),
    }
}
