//! A table as a value: printed for people, written as JSON for programs.

use serde_json::{Map, Value, json};

/// A table.
pub(crate) struct Table {
    name: &'static str,
    about: &'static str,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Words.
    Text(String),
    /// How many.
    Count(u64),
    /// A share or a ratio; shown with three decimals.
    Share(f64),
}

impl Table {
    /// A table without rows; `about` says in one sentence what its figures mean.
    pub(crate) fn new(name: &'static str, about: &'static str, columns: &[&str]) -> Self {
        Self { name, about, columns: columns.iter().map(|&column| column.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row: one cell for each column.
    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row of {} has another length than its head", self.name);
        self.rows.push(row);
    }

    /// Its rows.
    #[allow(dead_code, reason = "tests look at them")]
    pub(crate) fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// For people: columns aligned, words to the left and figures to the right.
    pub(crate) fn text(&self) -> String {
        let width = |place: usize| {
            let cells = self.rows.iter().map(|row| row[place].text().chars().count());
            cells.chain([self.columns[place].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_words = |place: usize| self.rows.iter().all(|row| matches!(row[place], Cell::Text(_)));
        let line = |cells: Vec<String>| {
            let padded = cells.iter().enumerate().map(|(place, cell)| match (is_words(place), widths[place]) {
                (true, width) => format!("{cell:<width$}"),
                (false, width) => format!("{cell:>width$}"),
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let head = line(self.columns.clone());
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(Cell::text).collect())).collect();
        format!("{}: {}\n{head}{rows}", self.name, self.about)
    }

    /// For programs: each row as an object with the columns as its keys.
    pub(crate) fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Map<String, Value> {
            self.columns.iter().cloned().zip(row.iter().map(Cell::json)).collect()
        };
        let rows: Vec<Map<String, Value>> = self.rows.iter().map(object).collect();
        json!({ "name": self.name, "about": self.about, "rows": rows })
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Share(share) => format!("{share:.3}"),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Count(count) => json!(count),
            Self::Share(share) => json!((share * 10_000.0).round() / 10_000.0),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Cell {
    fn from(share: f64) -> Self {
        Self::Share(share)
    }
}
