//! Which quarters of fingerprints occur more than once. Most do not: then nothing else can be the same by them.

/// Quarters of a fingerprint, of 16 bits each.
pub(super) const QUARTERS: usize = 4;
/// Numbers of 64 bits that have one bit for each value of each quarter.
const PARTS: usize = QUARTERS << 10;

/// The quarters that occur more than once, each with a number.
pub(super) struct Repeated {
    /// A bit for each of them.
    bits: Vec<u64>,
    /// How many there are before each part of these bits.
    before: Vec<u32>,
    /// How many there are.
    pub(super) len: usize,
}

impl Repeated {
    /// Those of these fingerprints.
    pub(super) fn of(prints: impl Iterator<Item = u64>) -> Self {
        let (mut once, mut bits) = (vec![0_u64; PARTS], vec![0_u64; PARTS]);
        for print in prints {
            for quarter in 0..QUARTERS {
                let (part, bit) = place(print, quarter);
                bits[part] |= once[part] & bit;
                once[part] |= bit;
            }
        }
        let mut len = 0;
        let mut count = |bits: &u64| {
            let before = len;
            len += bits.count_ones();
            before
        };
        let before = bits.iter().map(&mut count).collect();
        Self { bits, before, len: len as usize }
    }

    /// The number of a quarter of this fingerprint, if it occurs more than once.
    pub(super) fn number(&self, print: u64, quarter: usize) -> Option<usize> {
        let (part, bit) = place(print, quarter);
        let bits = self.bits[part];
        (bits & bit != 0).then(|| self.before[part] as usize + (bits & (bit - 1)).count_ones() as usize)
    }
}

/// The part and the bit of a quarter.
#[allow(clippy::cast_possible_truncation, reason = "16 bits are taken")]
fn place(print: u64, quarter: usize) -> (usize, u64) {
    let value = (print >> (16 * quarter)) as usize & 0xffff;
    (quarter << 10 | value >> 6, 1 << (value & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_that_occur_once_have_no_number_and_all_others_one_of_their_own() {
        let prints = [0x0001_0002_0003_0004, 0x0001_0009_0003_0004, 0x0001_ffff_0008_0040, 0x0005_ffff_0007_0041];
        let repeated = Repeated::of(prints.into_iter());
        let numbers = |print| [0, 1, 2, 3].map(|quarter| repeated.number(print, quarter));
        assert_eq!(repeated.len, 4);
        assert_eq!(numbers(prints[0]), [Some(0), Some(1), None, Some(3)]);
        assert_eq!(numbers(prints[1]), [Some(0), Some(1), None, Some(3)]);
        assert_eq!(numbers(prints[2]), [None, None, Some(2), Some(3)]);
        assert_eq!(numbers(prints[3]), [None, None, Some(2), None]);
    }
}
