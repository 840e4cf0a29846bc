//! Aligned tables.

use super::{
    plain::{cells, one_line},
    style::{Emphasis, Style},
};

/// Maximum width of a column, except the last one.
const COLUMN_CELLS_MAX: usize = 48;
const GAP: &str = "  ";

/// A table with a heading. Cells are escaped to one line.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heading: &[&'static str]) -> Self {
        Self { heading: heading.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with as many cells as the heading.
    pub(crate) fn row(&mut self, cells: &[&str]) {
        debug_assert_eq!(cells.len(), self.heading.len());
        let last = cells.len().saturating_sub(1);
        let shown = |(index, text): (usize, &&str)| if index == last { one_line(text) } else { cut(&one_line(text)) };
        self.rows.push(cells.iter().enumerate().map(shown).collect());
    }

    pub(crate) fn render(&self, style: Style) -> String {
        let heading: Vec<String> = self.heading.iter().map(|text| text.to_uppercase()).collect();
        let widths: Vec<usize> = (0..heading.len())
            .map(|index| self.rows.iter().chain([&heading]).map(|row| cells(&row[index])).max().unwrap_or(0))
            .collect();
        let mut text = style.paint(Emphasis::Dim, &line(&heading, &widths)) + "\n";
        for row in &self.rows {
            text += &line(row, &widths);
            text.push('\n');
        }
        text
    }
}

/// Trailing blanks are removed.
fn line(row: &[String], widths: &[usize]) -> String {
    let padded = row.iter().zip(widths).map(|(text, width)| text.clone() + &" ".repeat(width - cells(text)));
    padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
}

/// Cuts a text to the maximum width of a column.
fn cut(text: &str) -> String {
    if cells(text) <= COLUMN_CELLS_MAX {
        return text.to_owned();
    }
    let mut shown = String::new();
    for character in text.chars() {
        shown.push(character);
        if cells(&shown) >= COLUMN_CELLS_MAX {
            shown.pop();
            break;
        }
    }
    shown + "…"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_are_aligned_with_wide_characters() {
        let mut table = Table::new(&["name", "topic"]);
        table.row(&["general", "Begin here"]);
        table.row(&["日本", ""]);
        let expected = "NAME     TOPIC\ngeneral  Begin here\n日本\n";
        assert_eq!(table.render(Style::PLAIN), expected);
    }

    #[test]
    fn a_cell_is_one_escaped_line_and_only_the_last_may_be_long() {
        let long = "x".repeat(60);
        let mut table = Table::new(&["a", "b"]);
        table.row(&[&long, &format!("two\nlines\x1b {long}")]);
        let text = table.render(Style::PLAIN);
        let row = text.lines().nth(1).expect("a row");
        assert!(row.starts_with(&format!("{}…  two lines\u{FFFD} ", "x".repeat(47))), "{row}");
        assert!(row.ends_with(&long));
    }

    proptest! {
        #[test]
        fn second_columns_start_at_the_same_cell(texts in proptest::collection::vec("[a-z日🏠é ]{0,60}", 1..6)) {
            let mut table = Table::new(&["first", "second"]);
            texts.iter().for_each(|text| table.row(&[text, "|"]));
            let text = table.render(Style::PLAIN);
            let starts: Vec<_> = text.lines().skip(1).map(|line| cells(line.trim_end_matches('|'))).collect();
            prop_assert!(starts.windows(2).all(|pair| pair[0] == pair[1]), "{}", text);
            prop_assert!(starts[0] <= COLUMN_CELLS_MAX + GAP.len());
        }
    }

    #[test]
    fn an_empty_table_is_its_heading() {
        assert_eq!(Table::new(&["id", "name"]).render(Style::PLAIN), "ID  NAME\n");
    }
}
