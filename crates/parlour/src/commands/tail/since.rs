//! Where a tail begins.

use std::str::FromStr;

use parlour_agent::live::Start;
use parlour_core::position::Position;

/// What can be typed after `--since`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Since {
    /// Nothing: from now on.
    #[default]
    Now,
    /// `start`: from the first event of the log on.
    Start,
    /// A position: after it.
    After(Position),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Self::Start),
            "now" => Ok(Self::Now),
            _ => text.parse().map(Self::After).map_err(|_| {
                "a position looks like 4XQ0Z7-128, as a tail or an event has shown it; `start` is the first event"
                    .into()
            }),
        }
    }
}

impl From<Since> for Start {
    fn from(since: Since) -> Self {
        match since {
            Since::Now => Self::Now,
            Since::Start => Self::Beginning,
            Since::After(position) => Self::After(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_two_words_are_understood() {
        assert_eq!("start".parse(), Ok(Since::Start));
        assert_eq!("now".parse(), Ok(Since::Now));
        assert_eq!("E-7".parse(), Ok(Since::After(Position::new("E", 7).expect("a position"))));
        for text in ["", "7", "yesterday", "E-x"] {
            assert!(text.parse::<Since>().expect_err(text).contains("looks like"), "{text}");
        }
    }
}
