//! Terminal output of a running agent: one line per runner event.

use std::io::{self, Write};

use parlour_agent::runner::RunnerEvent;
use parlour_core::message::State;
use serde_json::json;

use super::identity::RunnerIdentity;
use crate::{
    output::{
        plain::one_line,
        style::{Emphasis, Style},
    },
    session::Session,
};

/// Prints one line per runner event.
pub(super) struct EventPrinter {
    style: Style,
    is_json: bool,
    /// The line for the first `Ready` event.
    welcome: String,
}

impl EventPrinter {
    pub(super) fn new(session: &Session, identity: &RunnerIdentity, runtime: &str) -> Self {
        let (agent, project) = (&identity.agent, &identity.project);
        let how = if identity.is_new { "was added to" } else { "is connected to" };
        let welcome = format!(
            "Agent {name} ({id}) {how} {project}, engine: {runtime}. Mention @{name} to call it; stop with Ctrl+C.",
            name = agent.name,
            project = project.name,
            id = agent.id,
        );
        Self { style: session.style, is_json: session.is_json, welcome }
    }

    /// Prints an event. Write errors are ignored.
    pub(super) fn show(&self, report: &RunnerEvent) {
        let line = match report {
            report if self.is_json => json_line(report),
            // The line before already names the run.
            RunnerEvent::Running { .. } => return,
            report => self.line(report),
        };
        let mut stdout = io::stdout().lock();
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    }

    fn line(&self, report: &RunnerEvent) -> String {
        match report {
            RunnerEvent::Ready => self.welcome.clone(),
            RunnerEvent::Lost(why) => self
                .style
                .paint(Emphasis::Warning, &format!("Connection to the hub lost ({}); reconnecting.", one_line(why))),
            RunnerEvent::Answering { answer_id, asker } => format!("Answering {} ({answer_id})", one_line(asker)),
            RunnerEvent::Ended { answer_id, state, reason } => {
                self.ended(answer_id.as_str(), *state, reason.as_deref())
            }
            RunnerEvent::Passed(why) => self.style.paint(Emphasis::Dim, &format!("Not answered: {}", one_line(why))),
            RunnerEvent::Task(what) => one_line(what),
            RunnerEvent::Running { run_id, label } => format!("Working on {} ({run_id})", one_line(label)),
            RunnerEvent::Paused { run_id, by, why } => {
                let why = format!("Paused by {}: {} ({run_id})", one_line(by), one_line(why));
                self.style.paint(Emphasis::Warning, &why)
            }
            RunnerEvent::Resumed { run_id } => format!("Resumed ({run_id})"),
            RunnerEvent::Asked { message_id, body } => self
                .style
                .paint(Emphasis::Warning, &format!("Waiting for an answer: {} ({message_id})", one_line(body))),
            RunnerEvent::Nudge(text) => self.style.paint(Emphasis::Dim, &format!("Unread: {}", one_line(text))),
            RunnerEvent::WithoutRuns(why) => {
                let why = format!("Runs are not available, so the agent cannot be paused: {}", one_line(why));
                self.style.paint(Emphasis::Warning, &why)
            }
        }
    }

    fn ended(&self, id: &str, state: State, reason: Option<&str>) -> String {
        let (look, how) = match state {
            State::Complete => (Emphasis::Good, "Answered"),
            State::Failed => (Emphasis::Bad, "Failed"),
            State::Cancelled => (Emphasis::Warning, "Stopped"),
            State::Interrupted => (Emphasis::Warning, "Interrupted"),
            State::Streaming => (Emphasis::Dim, "Still open"),
        };
        let reason = reason.map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
        format!("{} ({id}){reason}", self.style.paint(look, how))
    }
}

fn json_line(report: &RunnerEvent) -> String {
    let value = match report {
        RunnerEvent::Ready => json!({ "what": "ready" }),
        RunnerEvent::Lost(why) => json!({ "what": "lost", "why": why }),
        RunnerEvent::Answering { answer_id, asker } => {
            json!({ "what": "answering", "answer_id": answer_id, "asker": asker })
        }
        RunnerEvent::Ended { answer_id, state, reason } => {
            json!({ "what": "ended", "answer_id": answer_id, "state": state, "reason": reason })
        }
        RunnerEvent::Passed(why) => json!({ "what": "passed", "why": why }),
        RunnerEvent::Task(what) => json!({ "what": "task", "text": what }),
        RunnerEvent::Running { run_id, label } => json!({ "what": "running", "run_id": run_id, "label": label }),
        RunnerEvent::Paused { run_id, by, why } => json!({ "what": "paused", "run_id": run_id, "by": by, "why": why }),
        RunnerEvent::Resumed { run_id } => json!({ "what": "resumed", "run_id": run_id }),
        RunnerEvent::Asked { message_id, body } => json!({ "what": "asked", "message_id": message_id, "body": body }),
        RunnerEvent::Nudge(text) => json!({ "what": "nudge", "text": text }),
        RunnerEvent::WithoutRuns(why) => json!({ "what": "without_runs", "why": why }),
    };
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> EventPrinter {
        EventPrinter { style: Style::PLAIN, is_json: false, welcome: "Coder is in Tour.".into() }
    }

    #[test]
    fn a_json_report_is_one_object_per_line() {
        let report = RunnerEvent::Lost("no\nroute".into());
        assert_eq!(json_line(&report), r#"{"what":"lost","why":"no\nroute"}"#);
    }

    #[test]
    fn every_report_is_one_line() {
        let id: parlour_core::id::MessageId = "msg_1".parse().expect("id");
        let run: parlour_core::id::RunId = "run_1".parse().expect("id");
        for (report, expected) in [
            (RunnerEvent::Ready, "Coder is in Tour."),
            (RunnerEvent::Lost("no\nroute".into()), "Connection to the hub lost (no route); reconnecting."),
            (RunnerEvent::Answering { answer_id: id.clone(), asker: "Mara".into() }, "Answering Mara (msg_1)"),
            (RunnerEvent::Passed("nothing to say".into()), "Not answered: nothing to say"),
            (
                RunnerEvent::Ended {
                    answer_id: id.clone(),
                    state: State::Failed,
                    reason: Some("status 3\nno file".into()),
                },
                "Failed (msg_1): status 3 no file",
            ),
            (RunnerEvent::Ended { answer_id: id.clone(), state: State::Complete, reason: None }, "Answered (msg_1)"),
            (
                RunnerEvent::Running { run_id: run.clone(), label: "Answer\nMara".into() },
                "Working on Answer Mara (run_1)",
            ),
            (
                RunnerEvent::Paused { run_id: run.clone(), by: "Mara".into(), why: "Ship\nit?".into() },
                "Paused by Mara: Ship it? (run_1)",
            ),
            (RunnerEvent::Resumed { run_id: run }, "Resumed (run_1)"),
            (
                RunnerEvent::Asked { message_id: id, body: "Which\none?".into() },
                "Waiting for an answer: Which one? (msg_1)",
            ),
            (RunnerEvent::Nudge("2 unread:\n- hi".into()), "Unread: 2 unread: - hi"),
            (
                RunnerEvent::WithoutRuns("the scope is missing".into()),
                "Runs are not available, so the agent cannot be paused: the scope is missing",
            ),
        ] {
            assert_eq!(reports().line(&report), expected);
        }
    }
}
