//! Square brackets that belong together, found in one go however many there are.

/// A pair of square brackets, by the places of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) open: usize,
    pub(super) close: usize,
}

/// All pairs, in the order of their beginnings. None goes beyond its paragraph, and a bracket behind `\` is none.
pub(super) fn pairs(text: &str) -> Vec<Pair> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    let (mut is_escaped, mut is_blank_line) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if is_escaped && byte.is_ascii_punctuation() {
            is_escaped = false;
            continue;
        }
        is_escaped = byte == b'\\';
        match byte {
            b'\n' if is_blank_line => open.clear(),
            b'[' => open.push(at),
            b']' => pairs.extend(open.pop().map(|open| Pair { open, close: at })),
            _ => {}
        }
        is_blank_line = byte == b'\n' || is_blank_line && byte == b' ';
    }
    pairs.sort_unstable_by_key(|pair| pair.open);
    pairs
}

/// The pair that begins here.
pub(super) fn at(pairs: &[Pair], open: usize) -> Option<Pair> {
    pairs.binary_search_by_key(&open, |pair| pair.open).ok().map(|found| pairs[found])
}
