//! What a tail says beside the events, on stderr: that it follows, has lost the hub, is back, or has to leave out events.

use std::io::{self, Write};

use parlour_agent::live::LiveItem;
use parlour_core::{
    live::{Gap, GapReason},
    position::Position,
};

/// Says each thing once, however often the client tries.
#[derive(Clone, Debug)]
pub(super) struct Notes {
    project: String,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing was heard yet.
    Starting,
    Following,
    Lost,
}

impl Notes {
    pub(super) fn new(project: &str) -> Self {
        Self { project: project.to_owned(), state: State::Starting }
    }

    /// Says what there is to say about an item.
    pub(super) fn take(&mut self, item: &LiveItem) {
        if let Some(note) = self.note(item) {
            say(&note);
        }
    }

    /// Names the command that goes on from here.
    pub(super) fn say_where_to_go_on(&self, last: Option<&Position>) {
        if let Some(position) = last {
            say(&format!("Go on with: parlour tail --since {position}"));
        }
    }

    fn note(&mut self, item: &LiveItem) -> Option<String> {
        let before = self.state;
        match item {
            LiveItem::Reconnecting(lost) => {
                self.state = State::Lost;
                let why = &lost.why;
                (before != State::Lost).then(|| format!("The hub is gone ({why}); trying again until it is back."))
            }
            LiveItem::Live(position) => {
                self.state = State::Following;
                match before {
                    State::Starting => Some(format!("Following {} after {position}; Ctrl+C stops.", self.project)),
                    State::Lost => Some("The hub is back; going on where it was.".to_owned()),
                    State::Following => None,
                }
            }
            LiveItem::Gap(gap) => Some(gap_note(gap)),
            _ => None,
        }
    }
}

fn gap_note(gap: &Gap) -> String {
    let why = match gap.reason {
        GapReason::Epoch => "the log was begun anew, or the position is of another project",
        GapReason::Expired => "the log no longer reaches back so far",
        GapReason::Ahead => "the log ends before the position; perhaps a backup was restored",
    };
    format!("Events are missing: {why}. Going on after {}; `parlour history` shows what is there.", gap.position)
}

/// Nobody may be listening on stderr; the events still come.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use parlour_agent::live::{Lost, Reconnecting};

    use super::*;

    fn at(text: &str) -> Position {
        text.parse().expect("a position")
    }

    fn lost() -> LiveItem {
        let why = Lost::Unreachable("refused".into());
        LiveItem::Reconnecting(Reconnecting { after: None, why, attempt: 1, pause: Duration::ZERO })
    }

    #[test]
    fn loss_and_return_are_said_once_each() {
        let mut notes = Notes::new("Tour");
        let live = LiveItem::Live(at("E-7"));
        let said: Vec<_> =
            [&live, &lost(), &lost(), &lost(), &live, &live].into_iter().filter_map(|item| notes.note(item)).collect();
        assert_eq!(
            said,
            [
                "Following Tour after E-7; Ctrl+C stops.",
                "The hub is gone (no hub answers: refused); trying again until it is back.",
                "The hub is back; going on where it was.",
            ]
        );
    }

    #[test]
    fn a_gap_says_why_events_are_missing() {
        for (reason, word) in
            [(GapReason::Epoch, "begun anew"), (GapReason::Expired, "reaches back"), (GapReason::Ahead, "backup")]
        {
            let gap = Gap { project_id: "prj_1".parse().expect("id"), reason, position: at("E-3") };
            let note = gap_note(&gap);
            assert!(note.contains(word) && note.contains("E-3"), "{note}");
        }
    }
}
