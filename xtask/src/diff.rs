//! A short difference of two texts for the terminal.

/// Lines per side; `cargo xtask docs` and `git diff` show the whole difference.
const CHANGED_LINES_SHOWN: usize = 8;

/// The first difference with removed (`-`) and added (`+`) lines; empty for equal texts.
pub(crate) fn short_diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same_head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same_head..], &new[same_head..]);
    let same_tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (gone, come) = (&old[..old.len() - same_tail], &new[..new.len() - same_tail]);
    if gone.is_empty() && come.is_empty() {
        return String::new();
    }
    format!("@ line {}\n{}{}", same_head + 1, marked('-', gone), marked('+', come))
}

/// The lines with their prefix, cut at the limit.
fn marked(mark: char, lines: &[&str]) -> String {
    let shown: String = lines.iter().take(CHANGED_LINES_SHOWN).map(|line| format!("{mark} {line}\n")).collect();
    match lines.len().saturating_sub(CHANGED_LINES_SHOWN) {
        0 => shown,
        more => format!("{shown}{mark} … {more} more lines\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        assert_eq!(short_diff(old, new), expected);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        check("a\nb\n", "a\nb\n", "");
        check("", "", "");
    }

    #[test]
    fn a_changed_line_is_shown_before_and_after() {
        check("a\nb\nc\n", "a\nx\nc\n", "@ line 2\n- b\n+ x\n");
    }

    #[test]
    fn an_added_line_removes_none() {
        check("a\nc\n", "a\nb\nc\n", "@ line 2\n+ b\n");
    }

    #[test]
    fn a_removed_line_adds_nothing() {
        check("a\nb\n", "a\n", "@ line 2\n- b\n");
    }

    #[test]
    fn a_repeated_line_is_not_both_common_prefix_and_suffix() {
        check("a\n", "a\na\n", "@ line 2\n+ a\n");
        check("a\na\na\n", "a\n", "@ line 2\n- a\n- a\n");
    }

    #[test]
    fn a_new_text_starts_at_its_first_line() {
        check("", "a\n", "@ line 1\n+ a\n");
    }

    #[test]
    fn a_long_difference_is_cut_and_states_the_rest() {
        let new: String = (0..10).map(|number| format!("{number}\n")).collect();
        let diff = short_diff("", &new);
        assert!(diff.ends_with("+ 7\n+ … 2 more lines\n"), "{diff}");
    }
}
