//! Byte pair encoding: a token table, and the pattern that splits a text into pieces before its pairs are merged.

use std::{cmp::Reverse, collections::BinaryHeap, hash::BuildHasher};

use hashbrown::{DefaultHashBuilder, HashTable};
use regex::Regex;

/// Bytes of the longest token.
pub(super) const TOKEN_BYTES_MAX: usize = 128;

/// A token table. The tokens stand in the file in the order of their ranks, each after a byte with its length, so the
/// offset of a token in the file compares like its rank and serves as one.
pub(super) struct TokenTable {
    file: &'static [u8],
    ranks: HashTable<u32>,
    hasher: DefaultHashBuilder,
    piece: Regex,
}

impl TokenTable {
    /// Loads a table. The pattern matches the next piece at the start of a text, and any text has a match.
    ///
    /// # Panics
    /// If the file is cut off or the pattern is malformed. Both are compiled in, and a test loads each table.
    pub(super) fn load(file: &'static [u8], piece: &str) -> Self {
        let hasher = DefaultHashBuilder::default();
        let mut ranks = HashTable::with_capacity(file.len() / 8);
        let mut offset = 0;
        while offset < file.len() {
            let token = token_at(file, offset);
            ranks.insert_unique(hasher.hash_one(token), offset as u32, |&at| {
                hasher.hash_one(token_at(file, at as usize))
            });
            offset += 1 + token.len();
        }
        let piece = Regex::new(&format!("^(?:{piece})")).unwrap_or_else(|error| unreachable!("{error}"));
        Self { file, ranks, hasher, piece }
    }

    /// The number of tokens of a text.
    pub(super) fn count(&self, text: &str) -> usize {
        self.pieces(text).map(|piece| self.count_piece(piece.as_bytes())).sum()
    }

    /// Splits a text into the pieces that are encoded on their own.
    ///
    /// The published patterns leave the last blank before a word to the word by a negative look-ahead, `\s+(?!\S)|\s+`.
    /// Here the pattern ends in `\s+`, and the last of several blanks is given back: look-ahead would make the search
    /// several times slower. Runs that end in a line break are a piece of their own and are not followed by the word.
    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let mut end = self.piece.find(rest)?.end();
            if end < rest.len() {
                end -= blank_of_next_word(&rest[..end]);
            }
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some(piece)
        })
    }

    /// The number of tokens of a piece: merges the adjacent pair with the lowest rank, the leftmost first, until no
    /// pair is a token. Takes O(n log n) for n bytes, whatever they are.
    pub(super) fn count_piece(&self, piece: &[u8]) -> usize {
        if piece.len() < 2 || self.rank(piece).is_some() {
            return piece.len().min(1);
        }
        let mut parts = Parts::new(piece.len());
        let mut pairs = BinaryHeap::with_capacity(piece.len());
        let update = |parts: &mut Parts, pairs: &mut BinaryHeap<_>, start: usize| {
            let rank = parts.end_of_pair(start).and_then(|end| self.rank(&piece[start..end]));
            parts.pair_rank[start] = rank;
            pairs.extend(rank.map(|rank| Reverse((rank, start as u32))));
        };
        (0..piece.len()).for_each(|start| update(&mut parts, &mut pairs, start));
        while let Some(Reverse((rank, start))) = pairs.pop() {
            // Pairs that have changed since stay in the heap with their old rank.
            let start = start as usize;
            if parts.pair_rank[start] == Some(rank) {
                parts.merge(start);
                update(&mut parts, &mut pairs, start);
                if start > 0 {
                    let before = parts.before[start] as usize;
                    update(&mut parts, &mut pairs, before);
                }
            }
        }
        parts.len
    }

    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > TOKEN_BYTES_MAX {
            return None;
        }
        self.ranks.find(self.hasher.hash_one(bytes), |&at| token_at(self.file, at as usize) == bytes).copied()
    }

    /// All tokens in the order of their ranks.
    #[cfg(test)]
    pub(super) fn tokens(&self) -> impl Iterator<Item = &'static [u8]> {
        let mut ranks: Vec<u32> = self.ranks.iter().copied().collect();
        ranks.sort_unstable();
        ranks.into_iter().map(|at| token_at(self.file, at as usize))
    }
}

fn token_at(file: &'static [u8], offset: usize) -> &'static [u8] {
    &file[offset + 1..][..usize::from(file[offset])]
}

/// The bytes of the last blank of a run of several that the next word begins with.
fn blank_of_next_word(piece: &str) -> usize {
    let Some(last) = piece.chars().next_back().filter(|last| last.is_whitespace() && !matches!(last, '\r' | '\n'))
    else {
        return 0;
    };
    let before = &piece[..piece.len() - last.len_utf8()];
    if before.is_empty() || !before.chars().all(char::is_whitespace) { 0 } else { last.len_utf8() }
}

/// A piece cut into parts, as a linked list over the offsets of its bytes.
struct Parts {
    /// For the start of a part its end, which is the start of the next one.
    end: Vec<u32>,
    /// For the start of a part the start of the one before it.
    before: Vec<u32>,
    /// For the start of a part the rank of the token that it forms with the next one, if there is such a token.
    pair_rank: Vec<Option<u32>>,
    len: usize,
}

impl Parts {
    /// One part per byte.
    fn new(bytes: usize) -> Self {
        let starts = 0..bytes as u32;
        Self {
            end: starts.clone().map(|start| start + 1).collect(),
            before: starts.map(|start| start.saturating_sub(1)).collect(),
            pair_rank: vec![None; bytes],
            len: bytes,
        }
    }

    /// The end of the part after this one, if there is one.
    fn end_of_pair(&self, start: usize) -> Option<usize> {
        self.end.get(self.end[start] as usize).map(|end| *end as usize)
    }

    /// Merges the part at `start` with the next one.
    fn merge(&mut self, start: usize) {
        let middle = self.end[start] as usize;
        let end = self.end[middle];
        self.end[start] = end;
        self.pair_rank[middle] = None;
        if let Some(before) = self.before.get_mut(end as usize) {
            *before = start as u32;
        }
        self.len -= 1;
    }
}
