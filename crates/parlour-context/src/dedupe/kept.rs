//! What is kept, found by its fingerprint: two that say nearly the same have two of its four quarters in common.

/// Quarters of a fingerprint, of 16 bits each.
pub(super) const QUARTERS: usize = 4;
/// Candidates of one quarter that are looked at: what is the same is among the first of them, and the cost is bounded.
const LOOKS_MAX: usize = 64;
/// Quarters that two have in common which may say the same. One alone is often chance: a pair of words that many use.
const COMMON_LEAST: usize = 2;
const NOTHING: u32 = u32::MAX;

/// The kept candidates: for each value of each quarter a chain of them, the newest first.
pub(super) struct Kept {
    heads: Vec<u32>,
    /// The next in the chain of each quarter.
    next: Vec<[u32; QUARTERS]>,
    /// The fingerprints, side by side: most of those in a chain are passed over by them alone.
    prints: Vec<u64>,
}

impl Kept {
    /// Room for so many candidates.
    pub(super) fn new(count: usize) -> Self {
        let next = vec![[NOTHING; QUARTERS]; count];
        Self { heads: vec![NOTHING; QUARTERS << 16], next, prints: vec![0; count] }
    }

    /// Keeps a candidate. What has no words is found by nobody.
    pub(super) fn keep(&mut self, print: u64, place: usize) {
        let Ok(number) = u32::try_from(place) else { return };
        self.prints[place] = print;
        for quarter in 0..QUARTERS {
            let head = &mut self.heads[head(print, quarter)];
            self.next[place][quarter] = std::mem::replace(head, number);
        }
    }

    /// The first that is kept and fits, of those with enough quarters in common. Of one that does not fit this is asked
    /// again for each other quarter that it has in common.
    pub(super) fn first(&self, print: u64, mut fits: impl FnMut(usize) -> bool) -> Option<usize> {
        (0..QUARTERS).find_map(|quarter| {
            let begin = self.heads[head(print, quarter)];
            let step = |at: &u32| Some(self.next[*at as usize][quarter]).filter(|next| *next != NOTHING);
            let chain = std::iter::successors(Some(begin).filter(|at| *at != NOTHING), step);
            let mut near = chain.take(LOOKS_MAX).map(|at| at as usize).filter(|at| common(self.prints[*at], print));
            near.find(|place| fits(*place))
        })
    }
}

/// Whether enough quarters of two fingerprints are the same.
fn common(one: u64, other: u64) -> bool {
    let differing = one ^ other;
    let is_same = |quarter: usize| usize::from(differing >> (16 * quarter) & 0xffff == 0);
    is_same(0) + is_same(1) + is_same(2) + is_same(3) >= COMMON_LEAST
}

#[allow(clippy::cast_possible_truncation, reason = "16 bits are taken")]
fn head(print: u64, quarter: usize) -> usize {
    quarter << 16 | (print >> (16 * quarter)) as usize & 0xffff
}
