//! Compares what a command printed with what the page shows.
//!
//! `…` stands for anything: alone on a line for any lines, else for any text of its line. Ids, times, positions and marks of
//! packs differ from hub to hub and match any of their kind. An id or a word with `…` is a placeholder: the value that was
//! printed in its place is used in later commands of the page.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::{Regex, escape};

/// The parts of a documented text that may differ.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"(?<lines>^…\n)",
        r"(?<id>\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b)",
        r"(?<position>\b[0-9A-Z]{8}(?:\.[0-9A-Z]{8})?-[0-9]+\b)",
        r"(?<time>\b20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d+Z| \d\d:\d\d))",
        r"(?<mark>\[Parlour [0-9a-f]{6}\])",
        r"(?<word>[A-Za-z0-9_.-]*[A-Za-z0-9_-]…[A-Za-z0-9_]*)",
        r"(?<any>…)",
    ];
    Regex::new(&format!("(?m){}", kinds.join("|"))).expect("a pattern")
});

/// The values of placeholders.
#[derive(Default)]
pub(crate) struct Bindings(BTreeMap<String, String>);

impl Bindings {
    pub(crate) fn bind(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// The text with values in place of placeholders; longer ones first, because one may contain another.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut names: Vec<_> = self.0.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name.as_str(), value))
    }
}

/// Whether the command printed what the page shows; if so, its placeholders get their values.
pub(crate) fn matches(documented: &str, printed: &str, bindings: &mut Bindings) -> bool {
    let (documented, printed) = (closed(&without_line_breaks_of_json(documented)), closed(printed));
    let (pattern, names) = pattern_of(&documented);
    let Some(found) = pattern.captures(&printed) else { return false };
    for (index, name) in names.iter().enumerate() {
        bindings.bind(name, found.get(index + 1).map_or("", |value| value.as_str()));
    }
    true
}

/// Binds the placeholders of as many first lines as were printed.
pub(crate) fn bind_first_lines(documented: &str, printed: &str, bindings: &mut Bindings) {
    let lines: Vec<_> = documented.lines().collect();
    let is_bound = |count: &usize| matches(&(lines[..*count].join("\n") + "\n…"), printed, bindings);
    (1..=lines.len()).rev().find(is_bound);
}

/// Both texts as one list of lines: `-` is missing in the output, `+` is not documented.
pub(crate) fn difference(documented: &str, printed: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (documented.lines().collect(), printed.lines().collect());
    let is_equal = |old: &str, new: &str| old == "…" || pattern_of(old).0.is_match(new);
    // The longest common subsequence of the rest of both lists, from each pair of places.
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let together = if is_equal(line, other) { common[i + 1][j + 1] + 1 } else { 0 };
            common[i][j] = together.max(common[i + 1][j]).max(common[i][j + 1]);
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        let is_skipped = i > 0 && old[i - 1] == "…" && j < new.len();
        if i < old.len() && j < new.len() && is_equal(old[i], new[j]) {
            text += &format!("      {}\n", new[j]);
            (i, j) = (i + 1, j + 1);
        } else if is_skipped {
            text += &format!("      {}\n", new[j]);
            j += 1;
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            text += &format!("    - {}\n", old[i]);
            i += 1;
        } else {
            text += &format!("    + {}\n", new[j]);
            j += 1;
        }
    }
    text
}

/// With one line break at its end, as a text of whole lines.
fn closed(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// Pages break long lines of JSON; the hub prints one line.
fn without_line_breaks_of_json(documented: &str) -> String {
    if !documented.starts_with('{') {
        return documented.to_owned();
    }
    documented.lines().map(str::trim_start).collect()
}

/// The pattern of a documented text, and the placeholders that its groups capture.
fn pattern_of(documented: &str) -> (Regex, Vec<String>) {
    let (mut pattern, mut names, mut end) = (String::new(), Vec::new(), 0);
    for found in VARIABLE.captures_iter(documented) {
        let whole = found.get(0).expect("the match");
        pattern += &literal(&documented[end..whole.start()]);
        end = whole.end();
        let is = |kind: &str| found.name(kind).is_some();
        if is("id") || is("word") || is("position") {
            names.push(whole.as_str().to_owned());
            pattern += &format!("({})", value_pattern(whole.as_str(), is("word")));
        } else if is("lines") {
            pattern += r"(?:[^\n]*\n)*?";
        } else if is("time") {
            pattern += r"20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d+Z| \d\d:\d\d)";
        } else if is("mark") {
            pattern += r"\[Parlour [0-9a-f]{6}\]";
        } else {
            pattern += r"[^\n]*";
        }
    }
    pattern += &literal(&documented[end..]);
    (Regex::new(&format!(r"\A{pattern}\z")).expect("a pattern"), names)
}

/// Columns of a table are as wide as their widest cell, which may be in a row that the page leaves out.
fn literal(text: &str) -> String {
    let columns = Regex::new(" {2,}").expect("a pattern");
    columns.replace_all(&escape(text), " {2,}").into_owned()
}

/// Ids and secrets keep their prefix; a word that ends in `…` keeps what stands before it.
fn value_pattern(placeholder: &str, is_word: bool) -> String {
    let prefix = match placeholder.rsplit_once('_') {
        Some((prefix, _)) => format!("{prefix}_"),
        None if is_word => placeholder.split('…').next().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    format!("{}[A-Za-z0-9_.…-]*", escape(&prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(documented: &str, printed: &str, name: &str) -> Option<String> {
        let mut bindings = Bindings::default();
        matches(documented, printed, &mut bindings).then(|| bindings.apply(name))
    }

    #[test]
    fn ids_times_and_positions_match_any_of_their_kind_and_are_remembered() {
        let documented = "Posted msg_01M7GP15QQEJ1A09TY9M62MH28 at 2026-11-15 22:43, FV9T39YK-8.\n";
        let printed = "Posted msg_01KA3V8Q2N7WEJ1A09TY9M62MH at 2027-01-01 00:00, AAAAAAAA.BBBBBBBB-12.\n";
        let name = "msg_01M7GP15QQEJ1A09TY9M62MH28 FV9T39YK-8";
        let values = "msg_01KA3V8Q2N7WEJ1A09TY9M62MH AAAAAAAA.BBBBBBBB-12";
        assert_eq!(value(documented, printed, name).as_deref(), Some(values));
        assert_eq!(value(documented, &printed.replace("msg_", "chn_"), name), None);
    }

    #[test]
    fn a_word_with_an_ellipsis_is_a_placeholder() {
        let line = "  export PARLOUR_TOKEN=parlour_61f6…947d";
        assert_eq!(
            value(line, "  export PARLOUR_TOKEN=parlour_00aa", "parlour_61f6…947d").as_deref(),
            Some("parlour_00aa")
        );
        assert_eq!(
            value("TOKEN=eyJhbGci…", "TOKEN=eyJhbGciOi.x-y.z", "eyJhbGci…").as_deref(),
            Some("eyJhbGciOi.x-y.z")
        );
        assert_eq!(value("TOKEN=eyJhbGci…", "TOKEN=parlour_x", ""), None);
    }

    #[test]
    fn an_ellipsis_stands_for_text_or_for_lines() {
        assert!(value("a … d", "a b c d", "").is_some() && value("a … d", "a b\nc d", "").is_none());
        assert!(value("a\n…\nd", "a\nb\nc\nd", "").is_some() && value("a\n…\nd", "a\nd", "").is_some());
        assert!(value("a\n…", "a", "").is_some() && value("…", "", "").is_some());
        assert!(value("…\nb", "a\nb\nc", "").is_none());
    }

    #[test]
    fn other_text_must_be_equal() {
        assert!(value("a.c\n", "abc\n", "").is_none() && value("", "a", "").is_none() && value("", "", "").is_some());
    }

    #[test]
    fn json_may_be_broken_into_lines() {
        assert!(value("{\"a\":1,\n \"b\":2}\n", "{\"a\":1,\"b\":2}\n", "").is_some());
    }

    #[test]
    fn a_running_command_binds_what_it_has_printed_so_far() {
        let mut bindings = Bindings::default();
        bind_first_lines("one msg_01K…\nlater\n", "one msg_7\n", &mut bindings);
        assert_eq!(bindings.apply("msg_01K…"), "msg_7");
    }

    #[test]
    fn the_difference_shows_both_sides() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n"), "      a\n    - b\n    + x\n      c\n");
    }
}
