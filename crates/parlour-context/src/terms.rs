//! The words of a text as ranking sees them: folded, stemmed, and counted.

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Each word as a number that stands for it, with how often it occurs, in ascending order of the numbers.
    pub counts: Vec<(u32, u16)>,
    /// How many words there are in all.
    pub len: u32,
}

impl Terms {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let _ = text;
        Self::default()
    }
}
