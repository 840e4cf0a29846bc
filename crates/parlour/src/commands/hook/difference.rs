//! The difference between two texts, line by line, with a little around it.

/// Lines around a change that are shown.
const AROUND: usize = 2;
/// Longer texts are compared from both ends only.
const CELLS_MAX: usize = 4_000_000;

/// One line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// What changes from one text to the other.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let lines = compare(&old, &new);
    let is_near = |at: usize| {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(lines.len()));
        lines[from..to].iter().any(|line| !matches!(line, Line::Same(_)))
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
            Line::Same(line) => (' ', line),
            Line::Gone(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        text.push_str(format!("{mark} {line}").trim_end());
        text.push('\n');
    }
    text
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<_> = old[..head].iter().copied().map(Line::Same).collect();
    lines.extend(compare_middle(old_middle, new_middle));
    lines.extend(old_rest[old_rest.len() - tail..].iter().copied().map(Line::Same));
    lines
}

/// The longest common part, found the plain way.
fn compare_middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    if old.len() * new.len() > CELLS_MAX {
        return old.iter().copied().map(Line::Gone).chain(new.iter().copied().map(Line::New)).collect();
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
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && goes(i + 1, j) >= goes(i, j + 1)) {
            lines.push(Line::Gone(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
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
    fn only_changes_and_what_is_near_them_are_shown() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nX\nb\nc\nd\ne\nf\ng\nY\n";
        assert_eq!(difference(before, after), "  a\n+ X\n  b\n  c\n   …\n  f\n  g\n- h\n+ Y\n");
        assert_eq!(difference("", "a\n"), "+ a\n");
        assert_eq!(difference("a", "a"), "");
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_out_of_it(
            old in proptest::collection::vec("[abc]", 0..12), new in proptest::collection::vec("[abc]", 0..12),
        ) {
            let old: Vec<_> = old.iter().map(String::as_str).collect();
            let new: Vec<_> = new.iter().map(String::as_str).collect();
            let lines = compare(&old, &new);
            let of = |wanted: fn(&Line<'_>) -> bool| {
                let texts = lines.iter().filter(|line| wanted(line)).map(|line| match line {
                    Line::Same(text) | Line::Gone(text) | Line::New(text) => *text,
                });
                texts.collect::<Vec<_>>()
            };
            prop_assert_eq!(of(|line| !matches!(line, Line::New(_))), old.clone());
            prop_assert_eq!(of(|line| !matches!(line, Line::Gone(_))), new.clone());
        }
    }
}
