//! Frames by their sorts, counted.

use parlour_dialects::Frame;

/// How many frames of each sort there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameCounts([u64; SORTS.len()]);

/// The sorts with their names, for one and for several.
const SORTS: [(Frame, &str, &str); 5] = [
    (Frame::Message, "message", "messages"),
    (Frame::Typing, "sign of typing", "signs of typing"),
    (Frame::Piece, "piece", "pieces"),
    (Frame::Step, "step", "steps"),
    (Frame::Signal, "signal", "signals"),
];

impl FrameCounts {
    /// Counts one.
    pub(crate) fn add(&mut self, frame: Frame) {
        let place = SORTS.iter().position(|(sort, ..)| *sort == frame).expect("every frame has its sort: tested");
        self.0[place] += 1;
    }

    /// Counts others too.
    pub(crate) fn join(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(count, more)| *count += more);
    }

    /// All of them.
    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// For example `10 pieces, 2 signals`; empty when there were none.
    pub(crate) fn in_words(&self) -> String {
        let counted = SORTS.iter().zip(self.0).filter(|(_, count)| *count > 0);
        let words =
            counted.map(|((_, one, several), count)| format!("{count} {}", if count == 1 { one } else { several }));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_counted_and_named() {
        let mut counts = FrameCounts::default();
        assert_eq!(counts.in_words(), "");
        for frame in [Frame::Message, Frame::Typing, Frame::Piece, Frame::Piece, Frame::Step, Frame::Signal] {
            counts.add(frame);
        }
        assert_eq!(counts.in_words(), "1 message, 1 sign of typing, 2 pieces, 1 step, 1 signal");
        assert_eq!(counts.sum(), 6);
        counts.join(counts);
        assert_eq!(counts.sum(), 12);
    }
}
