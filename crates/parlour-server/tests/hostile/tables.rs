//! The tables of hostile requests. `$label` is the id of an item of `populated_hub::seed_data`.

pub(crate) const ADDRESSES: &str = include_str!("tables/addresses.table");
pub(crate) const FIELDS: &str = include_str!("tables/fields.table");
pub(crate) const FILES: &str = include_str!("tables/files.table");
pub(crate) const FOREIGN: &str = include_str!("tables/foreign.table");
pub(crate) const FORGED: &str = include_str!("tables/forged.table");
pub(crate) const HEADERS: &str = include_str!("tables/headers.table");
pub(crate) const LOOKALIKES: &str = include_str!("tables/lookalikes.table");
pub(crate) const NAMES: &str = include_str!("tables/names.table");
pub(crate) const QUERIES: &str = include_str!("tables/queries.table");
pub(crate) const TEXTS: &str = include_str!("tables/texts.table");
pub(crate) const VALID: &str = include_str!("tables/valid.table");

/// The lines of a table, without its comments.
pub(crate) fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// The rows of a table with this number of columns.
pub(crate) fn rows<const COLUMNS: usize>(table: &str) -> impl Iterator<Item = [&str; COLUMNS]> {
    lines(table).map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        cells.try_into().expect(line)
    })
}

/// The valid requests with a JSON body: caller, request and body.
pub(crate) fn valid_bodies() -> impl Iterator<Item = [&'static str; 3]> {
    rows(VALID).filter(|[_, _, body]: &[&str; 3]| body.starts_with('{'))
}

/// The caller and the body of a valid request.
pub(crate) fn valid(request: &str) -> (&'static str, &'static str) {
    let found = valid_bodies().find(|row| row[1] == request);
    found.map(|[who, _, body]| (who, body)).expect(request)
}
