//! A sorted list that is sorted only as far as it is looked at.

/// Those that are sorted at first; then as many again as there are already.
const FIRST_LEN: usize = 256;

/// Keys, the smallest first.
pub(super) struct Gradual {
    keys: Vec<u128>,
    /// How many of them are in their place.
    sorted_len: usize,
}

impl Gradual {
    pub(super) fn new(keys: Vec<u128>) -> Self {
        Self { keys, sorted_len: 0 }
    }

    /// The key at this place.
    pub(super) fn get(&mut self, at: usize) -> Option<u128> {
        while at >= self.sorted_len && self.sorted_len < self.keys.len() {
            let begin = self.sorted_len;
            let rest = &mut self.keys[begin..];
            let len = begin.max(FIRST_LEN).min(rest.len());
            if len < rest.len() {
                rest.select_nth_unstable(len);
            }
            rest[..len].sort_unstable();
            self.sorted_len = begin + len;
        }
        self.keys.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_sorted_wherever_it_is_looked_at(
            keys in proptest::collection::vec(0u128..500, 0..1_500),
            looks in proptest::collection::vec(0usize..1_600, 0..20),
        ) {
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let mut gradual = Gradual::new(keys);
            for at in looks {
                prop_assert_eq!(gradual.get(at), sorted.get(at).copied());
            }
        }
    }
}
