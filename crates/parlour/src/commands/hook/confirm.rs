//! Shows file changes as a diff and asks for confirmation.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::Path,
};

use crate::{
    failure::{EXIT_FAILED, Failure},
    output::Output,
};

/// Asks for confirmation; returns the output of the command if it was not given.
pub(super) fn ask(plan: &str, is_sure: bool) -> Result<Option<Output>, Failure> {
    if is_sure {
        return Ok(None);
    }
    if !io::stdin().is_terminal() {
        let text = format!(
            "{plan}\nNothing was written: stdin is not a terminal, so there is no confirmation. Run it again with --yes.\n"
        );
        return Ok(Some(Output { text, exit: EXIT_FAILED }));
    }
    let shown = io::stdout().write_all(plan.as_bytes()).and_then(|()| io::stdout().flush());
    shown.map_err(|error| Failure::broken("show the plan", &error))?;
    let answer = dialoguer::Confirm::new().with_prompt("Write these changes?").default(false).interact();
    let is_wanted = answer.map_err(|error| Failure::broken("ask", &error))?;
    let refused = || Output { text: "Nothing was written.\n".to_owned(), exit: EXIT_FAILED };
    Ok((!is_wanted).then(refused))
}

/// Formats the change of a file as a diff.
pub(super) fn show_change(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let what = match (before, after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    };
    format!("{} ({what})\n{}", path.display(), difference(before.unwrap_or_default(), after.unwrap_or_default()))
}

/// Context lines around a change.
const AROUND: usize = 2;
/// Limit of the table for the common part; larger texts are shown as replaced.
const CELLS_MAX: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffLine<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// A line diff of two texts.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let lines = compare(&old, &new);
    let is_near = |at: usize| {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(lines.len()));
        lines[from..to].iter().any(|line| !matches!(line, DiffLine::Same(_)))
    };
    let mut text = String::new();
    let mut is_gap = false;
    for (at, line) in lines.iter().enumerate() {
        if !is_near(at) {
            is_gap = true;
            continue;
        }
        if is_gap && !text.is_empty() {
            text.push_str("   …\n");
        }
        is_gap = false;
        let (mark, line) = match line {
            DiffLine::Same(line) => (' ', line),
            DiffLine::Gone(line) => ('-', line),
            DiffLine::New(line) => ('+', line),
        };
        text.push_str(format!("{mark} {line}").trim_end());
        text.push('\n');
    }
    text
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffLine<'a>> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<_> = old[..head].iter().copied().map(DiffLine::Same).collect();
    lines.extend(compare_middle(old_middle, new_middle));
    lines.extend(old_rest[old_rest.len() - tail..].iter().copied().map(DiffLine::Same));
    lines
}

/// The longest common subsequence.
fn compare_middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffLine<'a>> {
    if old.len() * new.len() > CELLS_MAX {
        return old.iter().copied().map(DiffLine::Gone).chain(new.iter().copied().map(DiffLine::New)).collect();
    }
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        let is_same = i < old.len() && j < new.len() && old[i] == new[j];
        let goes = |i: usize, j: usize| common[i * width + j];
        if is_same {
            lines.push(DiffLine::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && goes(i + 1, j) >= goes(i, j + 1)) {
            lines.push(DiffLine::Gone(old[i]));
            i += 1;
        } else {
            lines.push(DiffLine::New(new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_changes_and_their_context_are_shown() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nX\nb\nc\nd\ne\nf\ng\nY\n";
        assert_eq!(difference(before, after), "  a\n+ X\n  b\n  c\n   …\n  f\n  g\n- h\n+ Y\n");
        assert_eq!(difference("", "a\n"), "+ a\n");
        assert_eq!(difference("a", "a"), "");
    }

    proptest! {
        #[test]
        fn a_diff_contains_both_texts(
            old in proptest::collection::vec("[abc]", 0..12), new in proptest::collection::vec("[abc]", 0..12),
        ) {
            let old: Vec<_> = old.iter().map(String::as_str).collect();
            let new: Vec<_> = new.iter().map(String::as_str).collect();
            let lines = compare(&old, &new);
            let of = |wanted: fn(&DiffLine<'_>) -> bool| {
                let texts = lines.iter().filter(|line| wanted(line)).map(|line| match line {
                    DiffLine::Same(text) | DiffLine::Gone(text) | DiffLine::New(text) => *text,
                });
                texts.collect::<Vec<_>>()
            };
            prop_assert_eq!(of(|line| !matches!(line, DiffLine::New(_))), old.clone());
            prop_assert_eq!(of(|line| !matches!(line, DiffLine::Gone(_))), new.clone());
        }
    }
}
