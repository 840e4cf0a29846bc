//! What decoding needs to know besides the text.

use parlour_core::Timestamp;

/// Where a foreign message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The time that messages get which carry none.
    pub now: Timestamp,
    /// How far the text itself is believed.
    pub trust: Trust,
}

/// How far a text is believed that names its own source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It comes from a connection: whoever typed it could have typed anything, so nothing is read from it. Fields are
    /// read as they are, also those that we wrote ourselves: a surface takes author, kind and time from the connection
    /// and never from an item.
    Live,
    /// It is a stored history that a person chose to read.
    History,
}

impl Scene {
    /// A history that is read at this moment.
    pub fn history(now: Timestamp) -> Self {
        Self { now, trust: Trust::History }
    }

    /// A connection at this moment.
    pub fn live(now: Timestamp) -> Self {
        Self { now, trust: Trust::Live }
    }
}
