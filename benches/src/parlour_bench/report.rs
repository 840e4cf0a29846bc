//! The report of a benchmark: a table, and ratios with their goals.

use std::fmt;

use serde_json::{Map, Value, json};

use super::figures::median;

#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    pub(super) ratios: Vec<Ratio>,
    /// Notes on the validity of the figures.
    pub(super) notes: Vec<String>,
}

/// A column of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The JSON key, with the unit.
    pub(super) key: &'static str,
    /// The title, with the unit.
    pub(super) title: &'static str,
    pub(super) decimals: usize,
}

/// The figures of one subject, in column order; `None` if not measured.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) values: Vec<Option<f64>>,
}

/// One comparison, with its value in each round.
#[derive(Debug)]
pub(super) struct Ratio {
    pub(super) name: String,
    pub(super) rounds: Vec<f64>,
    pub(super) unit: &'static str,
    pub(super) goal: Option<Goal>,
}

/// The goal of a ratio.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(out, "≥ {bound}"),
            Self::AtMost(bound) => write!(out, "≤ {bound}"),
        }
    }
}

impl Ratio {
    /// A ratio of two measurements.
    pub(super) fn times(name: impl Into<String>, rounds: Vec<f64>, goal: Option<Goal>) -> Self {
        Self { name: name.into(), rounds, unit: "×", goal }
    }

    /// A count that must be 0.
    pub(super) fn none(name: impl Into<String>, count: u64) -> Self {
        Self { name: name.into(), rounds: vec![count as f64], unit: " ", goal: Some(Goal::AtMost(0.0)) }
    }

    /// The median of all rounds; it decides whether the goal is met.
    fn value(&self) -> Option<f64> {
        median(&self.rounds)
    }

    fn low_and_high(&self) -> (f64, f64) {
        self.rounds.iter().fold((f64::INFINITY, 0.0), |(low, high), round| (round.min(low), round.max(high)))
    }

    fn to_json(&self) -> Value {
        let value = self.value();
        let (low, high) = self.low_and_high();
        json!({
            "name": self.name,
            "value": value,
            "unit": self.unit,
            "low": value.map(|_| low),
            "high": value.map(|_| high),
            "goal": self.goal.map(|goal| goal.to_string()),
            "met": self.goal.zip(value).map(|(goal, value)| goal.is_met_by(value)),
        })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.value() else {
            return write!(out, "not measured");
        };
        let (low, high) = self.low_and_high();
        write!(out, "{value:>6.2} {}  ({low:.2} to {high:.2})", self.unit)?;
        match self.goal {
            Some(goal) => write!(out, "  goal {goal}  {}", if goal.is_met_by(value) { "✓" } else { "✗" }),
            None => Ok(()),
        }
    }
}

impl Report {
    /// The report as JSON, with unrounded figures.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "title": self.title,
            "rows": self.rows.iter().map(|row| self.row_to_json(row)).collect::<Vec<_>>(),
            "ratios": self.ratios.iter().map(Ratio::to_json).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let figures = self.columns.iter().zip(&row.values).map(|(column, value)| cell(*value, column.decimals));
        std::iter::once(row.name.clone()).chain(figures).collect()
    }

    fn row_to_json(&self, row: &Row) -> Value {
        let figures = self.columns.iter().zip(&row.values).map(|(column, value)| (column.key.to_owned(), json!(value)));
        let name = ("name".to_owned(), json!(row.name));
        Value::Object(std::iter::once(name).chain(figures).collect::<Map<_, _>>())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}\n", self.title)?;
        let heads = std::iter::once("").chain(self.columns.iter().map(|column| column.title));
        let mut lines: Vec<Vec<String>> = vec![heads.map(str::to_owned).collect()];
        lines.extend(self.rows.iter().map(|row| self.cells(row)));
        let widths: Vec<_> =
            (0..=self.columns.len()).map(|index| width(lines.iter().map(|line| line[index].as_str()))).collect();
        for line in &lines {
            write!(out, "{:1$}", line[0], widths[0])?;
            line.iter().zip(&widths).skip(1).try_for_each(|(cell, width)| write!(out, "  {cell:>width$}"))?;
            writeln!(out)?;
        }
        writeln!(out)?;
        let ratio_width = width(self.ratios.iter().map(|ratio| ratio.name.as_str()));
        self.ratios.iter().try_for_each(|ratio| writeln!(out, "{:ratio_width$}  {ratio}", ratio.name))?;
        self.notes.iter().try_for_each(|note| writeln!(out, "\n{note}"))
    }
}

fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

/// Formats a figure with thousands separators.
fn cell(value: Option<f64>, decimals: usize) -> String {
    let Some(value) = value else {
        return "–".to_owned();
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left % 3 == 0 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests;
