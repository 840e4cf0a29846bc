//! Where a text may be cut: between signs as readers see them, and never inside of a mark.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::prepared::Prepared;

/// A text with all places where it may be cut, by their numbers: 0 is its beginning, `end` its end.
pub(super) struct Cuts<'a> {
    text: &'a str,
    /// Bytes and characters before each cut.
    cuts: Vec<(usize, usize)>,
}

impl<'a> Cuts<'a> {
    pub(super) fn of(prepared: &'a Prepared) -> Self {
        let text = prepared.text.as_str();
        let mut marks = prepared.marks.iter().map(|mark| &mark.range).peekable();
        let mut cuts = Vec::with_capacity(text.len() + 1);
        let mut chars = 0;
        for (byte, sign) in text.grapheme_indices(true) {
            while marks.peek().is_some_and(|mark| mark.end <= byte) {
                marks.next();
            }
            if marks.peek().is_none_or(|mark| byte <= mark.start) {
                cuts.push((byte, chars));
            }
            chars += sign.chars().count();
        }
        cuts.push((text.len(), chars));
        Self { text, cuts }
    }

    /// The last cut: the end of the text.
    pub(super) fn end(&self) -> usize {
        self.cuts.len() - 1
    }

    /// What stands between two cuts.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[self.cuts[from].0..self.cuts[to].0]
    }

    /// Characters between two cuts.
    pub(super) fn chars(&self, from: usize, to: usize) -> usize {
        self.cuts[to].1 - self.cuts[from].1
    }

    /// Whether there is nothing but blanks between two cuts.
    pub(super) fn is_blank(&self, from: usize, to: usize) -> bool {
        self.slice(from, to).chars().all(char::is_whitespace)
    }

    /// The part between two cuts without blanks at its ends.
    pub(super) fn trimmed(&self, mut from: usize, mut to: usize) -> (usize, usize) {
        while from < to && self.is_blank(from, from + 1) {
            from += 1;
        }
        while from < to && self.is_blank(to - 1, to) {
            to -= 1;
        }
        (from, to)
    }

    /// The farthest cut behind `from` with at most this many characters in between, at the end of a word if one ends in
    /// the second half.
    pub(super) fn ahead(&self, from: usize, chars_max: usize) -> usize {
        let most = self.cuts[from].1.saturating_add(chars_max);
        let farthest = self.cuts.partition_point(|cut| cut.1 <= most) - 1;
        let ends_word = |cut: &usize| self.chars(from, *cut) * 2 > chars_max && self.is_border(*cut);
        (from..=farthest).rev().find(ends_word).unwrap_or(farthest)
    }

    /// The farthest cut before the end with at most this many characters in between, at the beginning of a word if one
    /// begins in the first half.
    pub(super) fn back_from_end(&self, chars_max: usize) -> usize {
        let end = self.end();
        let least = self.cuts[end].1.saturating_sub(chars_max);
        let farthest = self.cuts.partition_point(|cut| cut.1 < least);
        let begins_word = |cut: &usize| self.chars(*cut, end) * 2 > chars_max && self.is_border(*cut);
        (farthest..=end).find(begins_word).unwrap_or(farthest)
    }

    fn is_border(&self, cut: usize) -> bool {
        let end = self.end();
        cut == 0 || cut == end || self.is_blank(cut - 1, cut) || self.is_blank(cut, cut + 1)
    }

    /// The cuts in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> Vec<usize> {
        self.cuts.iter().map(|cut| cut.0).collect()
    }
}
