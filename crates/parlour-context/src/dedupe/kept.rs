//! What is kept, found by its fingerprint: two that say nearly the same have two of its four quarters in common.

use super::{
    Needed,
    repeated::{QUARTERS, Repeated},
    sign::Sign,
};

/// Candidates of one quarter that are looked at: what is the same is among the first of them, and the cost is bounded.
const LOOKS_MAX: usize = 64;
/// Quarters that two have in common which may say the same. One alone is often chance: a pair of words that many use.
const COMMON_LEAST: usize = 2;
const NOTHING: u32 = u32::MAX;

/// The kept candidates: for each quarter that occurs more than once a chain of them, the newest first.
pub(super) struct Kept {
    repeated: Repeated,
    /// The newest in each chain.
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

/// One that is kept, with all that most of those in a chain are passed over by: whoever looks at it fetches one piece of
/// memory.
struct Entry {
    print: u64,
    sign: Sign,
    place: u32,
    /// The last for which it was asked whether this one fits.
    asked_for: u32,
    /// The next in the chain of each quarter.
    next: [u32; QUARTERS],
}

impl Kept {
    /// Keeps nothing yet; only candidates with these fingerprints will be kept and looked for.
    pub(super) fn new(prints: impl Iterator<Item = u64>) -> Self {
        let repeated = Repeated::of(prints);
        Self { heads: vec![NOTHING; repeated.len], repeated, entries: Vec::new() }
    }

    /// Keeps a candidate.
    pub(super) fn keep(&mut self, needed: &Needed, place: usize) {
        let (Ok(place), Ok(number)) = (u32::try_from(place), u32::try_from(self.entries.len())) else { return };
        let chains = self.chains(needed.print);
        if chains == [None; QUARTERS] {
            return;
        }
        let next = chains.map(|chain| chain.map_or(NOTHING, |chain| std::mem::replace(&mut self.heads[chain], number)));
        self.entries.push(Entry { print: needed.print, sign: needed.sign, place, asked_for: NOTHING, next });
    }

    /// The first that is kept and fits, of those with enough quarters in common. Of each it is asked once.
    pub(super) fn first(
        &mut self,
        needed: &Needed,
        place: usize,
        mut fits: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let chains = self.chains(needed.print);
        if chains.iter().flatten().count() < COMMON_LEAST {
            return None;
        }
        let asking = u32::try_from(place).unwrap_or(NOTHING);
        for (quarter, chain) in chains.into_iter().enumerate() {
            let mut at = chain.map_or(NOTHING, |chain| self.heads[chain]);
            for _ in 0..LOOKS_MAX {
                let Some(entry) = self.entries.get_mut(at as usize) else { break };
                at = entry.next[quarter];
                if entry.asked_for == asking || !common(entry.print, needed.print) {
                    continue;
                }
                entry.asked_for = asking;
                if needed.sign.may_be_same(&entry.sign) && fits(entry.place as usize) {
                    return Some(entry.place as usize);
                }
            }
        }
        None
    }

    /// The chains that a candidate with this fingerprint is in.
    fn chains(&self, print: u64) -> [Option<usize>; QUARTERS] {
        std::array::from_fn(|quarter| self.repeated.number(print, quarter))
    }
}

/// Whether enough quarters of two fingerprints are the same.
fn common(one: u64, other: u64) -> bool {
    let differing = one ^ other;
    let is_same = |quarter: usize| usize::from(differing >> (16 * quarter) & 0xffff == 0);
    is_same(0) + is_same(1) + is_same(2) + is_same(3) >= COMMON_LEAST
}
