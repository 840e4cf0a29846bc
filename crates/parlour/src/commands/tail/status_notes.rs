//! Status notes of a tail on stderr: connected, reconnecting, gap.

use std::io::{self, Write};

use parlour_agent::live::LiveItem;
use parlour_core::{
    live::{Gap, GapReason},
    position::Position,
};

/// Prints each change of the connection once.
#[derive(Clone, Debug)]
pub(super) struct StatusNotes {
    project: String,
    state: ConnectionState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    Starting,
    Following,
    Lost,
}

impl StatusNotes {
    pub(super) fn new(project: &str) -> Self {
        Self { project: project.to_owned(), state: ConnectionState::Starting }
    }

    /// Prints the note for an item, if any.
    pub(super) fn take(&mut self, item: &LiveItem) {
        if let Some(note) = self.note(item) {
            say(&note);
        }
    }

    /// NameCache the command that goes on from here.
    pub(super) fn print_how_to_continue(&self, last: Option<&Position>) {
        if let Some(position) = last {
            say(&format!("Continue with: parlour tail --since {position}"));
        }
    }

    fn note(&mut self, item: &LiveItem) -> Option<String> {
        let before = self.state;
        match item {
            LiveItem::Reconnecting(lost) => {
                self.state = ConnectionState::Lost;
                let why = &lost.why;
                (before != ConnectionState::Lost).then(|| format!("Connection to the hub lost ({why}); reconnecting."))
            }
            LiveItem::Live(position) => {
                self.state = ConnectionState::Following;
                match before {
                    ConnectionState::Starting => {
                        Some(format!("Following {} after {position}; stop with Ctrl+C.", self.project))
                    }
                    ConnectionState::Lost => Some("Reconnected; continuing after the last event.".to_owned()),
                    ConnectionState::Following => None,
                }
            }
            LiveItem::Gap(gap) => Some(gap_note(gap)),
            _ => None,
        }
    }
}

fn gap_note(gap: &Gap) -> String {
    let why = match gap.reason {
        GapReason::Epoch => "the log was recreated, or the position belongs to another project or copy of the log",
        GapReason::Expired => "the log no longer contains this position",
        GapReason::Ahead => "the log has lost events before this position; a backup may have been restored",
    };
    format!(
        "Events are missing: {why}. Continuing after {}; `parlour history` shows the stored messages.",
        gap.position
    )
}

/// Write errors of stderr are ignored.
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
    fn disconnect_and_reconnect_are_reported_once_each() {
        let mut notes = StatusNotes::new("Tour");
        let live = LiveItem::Live(at("E-7"));
        let said: Vec<_> =
            [&live, &lost(), &lost(), &lost(), &live, &live].into_iter().filter_map(|item| notes.note(item)).collect();
        assert_eq!(
            said,
            [
                "Following Tour after E-7; stop with Ctrl+C.",
                "Connection to the hub lost (no hub answers: refused); reconnecting.",
                "Reconnected; continuing after the last event.",
            ]
        );
    }

    #[test]
    fn a_gap_is_reported_with_its_reason() {
        for (reason, word) in
            [(GapReason::Epoch, "recreated"), (GapReason::Expired, "no longer contains"), (GapReason::Ahead, "backup")]
        {
            let gap = Gap { project_id: "prj_1".parse().expect("id"), reason, position: at("E-3") };
            let note = gap_note(&gap);
            assert!(note.contains(word) && note.contains("E-3"), "{note}");
        }
    }
}
