//! One sign again and again, as in lines that are drawn, says no more than a short row of it, and takes long to count.

use super::edit::{Edit, Edited};

/// Characters of a row of one sign that are shown.
pub(super) const ROW_CHARS_MAX: usize = 32;

/// Rows of one sign lose what is too much. Digits stay: they are numbers; and ends of lines are looked at elsewhere.
pub(super) fn repeats(edited: &Edited) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut last, mut kept_to, mut count) = ('\n', 0, 0);
    for (at, sign) in edited.text.char_indices().chain([(edited.text.len(), '\n')]) {
        if sign == last && at < edited.text.len() {
            count += 1;
            if count == ROW_CHARS_MAX {
                kept_to = at + sign.len_utf8();
            }
            continue;
        }
        if count > ROW_CHARS_MAX && last != '\n' && !last.is_numeric() {
            edits.push((kept_to..at, String::new()));
        }
        (last, count) = (sign, 1);
    }
    edits
}
