//! Messages in the terminal.

use parlour_core::{
    author::AuthorType,
    message::{Importance, Message, State},
};

use super::{
    local_time::LocalTime,
    plain::{harmless, one_line},
    question::{option_lines, state_line},
    style::{Emphasis, Style},
};

#[derive(Clone, Debug)]
pub(crate) struct MessageView {
    pub(crate) style: Style,
    pub(crate) local_time: LocalTime,
}

impl MessageView {
    /// A head line, and the indented text.
    pub(crate) fn show(&self, message: &Message) -> String {
        let body = match message.removed_at {
            Some(_) => self.style.paint(Emphasis::Dim, "(removed)"),
            None => harmless(&message.body),
        };
        let mut text = self.head(message) + "\n";
        for line in body.trim_end().lines() {
            text += format!("    {line}").trim_end();
            text.push('\n');
        }
        text + &self.question(message)
    }

    /// The options and state of the question of a blocking message.
    fn question(&self, message: &Message) -> String {
        let Some(question) = &message.question else { return String::new() };
        let options: String = option_lines(question).iter().map(|line| format!("      {line}\n")).collect();
        let state = self.style.paint(Emphasis::Warning, &format!("? {}", state_line(question, &self.local_time)));
        format!("{options}    {state}\n")
    }

    /// The head line: number, time, author, marks and id.
    pub(crate) fn head(&self, message: &Message) -> String {
        let author = self.style.paint(Emphasis::Author(message.from.source()), &one_line(&message.from.name));
        let about = format!("{:>3}  {}", message.seq, self.local_time.show(message.created_at));
        let marks = marks(message).join(" · ");
        let id = self.style.paint(Emphasis::Dim, message.id.as_str());
        let parts = [self.style.paint(Emphasis::Dim, &about), author, self.style.paint(Emphasis::Warning, &marks), id];
        parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("  ")
    }
}

/// The marks of a message, the most important first.
pub(crate) fn marks(message: &Message) -> Vec<String> {
    let mut marks = Vec::new();
    match message.from.author_type {
        AuthorType::Person => {}
        AuthorType::Host => marks.push("🏠 host".to_owned()),
        AuthorType::Agent => marks.push("agent".to_owned()),
        AuthorType::Applet => marks.push("applet".to_owned()),
        AuthorType::Scheduler => marks.push("scheduler".to_owned()),
        AuthorType::Tool => marks.push("tool".to_owned()),
        AuthorType::System => marks.push("system".to_owned()),
    }
    if let Some(system) = message.from.foreign_system() {
        marks.push(format!("from {system}"));
    }
    match message.importance {
        Importance::Normal => {}
        Importance::High => marks.push("high".to_owned()),
        Importance::Critical => marks.push("critical".to_owned()),
    }
    if message.blocking {
        marks.push("blocking".to_owned());
    }
    if let Some(id) = &message.reply_to {
        marks.push(format!("reply to {id}"));
    }
    if let Some(id) = &message.thread_id {
        marks.push(format!("thread {id}"));
    }
    match message.state {
        State::Complete => {}
        State::Streaming => marks.push("streaming".to_owned()),
        State::Failed => marks.push("failed".to_owned()),
        State::Cancelled => marks.push("cancelled".to_owned()),
        State::Interrupted => marks.push("interrupted".to_owned()),
    }
    if message.edited_at.is_some() && message.removed_at.is_none() {
        marks.push("edited".to_owned());
    }
    marks
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(changes: Value) -> String {
        let mut message = json!({
            "id": "msg_7", "project_id": "prj_1", "type": "channel", "to": "chn_1", "seq": 3,
            "from": {"type": "person", "id": "per_1", "name": "Mara"}, "kind": "user", "body": "Hello",
            "importance": "normal", "blocking": false, "state": "complete",
            "context": {"project_id": "prj_1"}, "created_at": "2026-11-15T09:12:00.000Z",
        });
        let Value::Object(changes) = changes else { panic!("changes are an object") };
        message.as_object_mut().expect("object").extend(changes);
        let message: Message = serde_json::from_value(message).expect("a message");
        // The checks below ignore the time, which depends on the zone.
        MessageView { style: Style::PLAIN, local_time: LocalTime::local() }.show(&message)
    }

    /// Header and body without the time.
    fn without_moment(text: &str) -> String {
        format!("{}{}", &text[..5], &text[21..])
    }

    #[test]
    fn a_message_has_a_header_and_an_indented_text() {
        let text = shown(json!({"body": "Hello\n\n  world\n"}));
        assert_eq!(without_moment(&text), "  3    Mara  msg_7\n    Hello\n\n      world\n");
    }

    #[test]
    fn special_properties_are_in_the_header() {
        let text = shown(json!({
            "from": {"type": "agent", "id": "agt_1", "name": "Coder"}, "importance": "critical", "blocking": true,
            "reply_to": "msg_1", "thread_id": "thr_1", "edited_at": "2026-11-15T09:13:00.000Z",
        }));
        let expected = "Coder  agent · critical · blocking · reply to msg_1 · thread thr_1 · edited  msg_7";
        assert!(text.lines().next().expect("a head").ends_with(expected), "{text}");
    }

    #[test]
    fn a_blocking_message_shows_its_question_and_outcome() {
        let text = shown(json!({"blocking": true, "question": {
            "addressees": ["per_1"], "expires_at": "2026-11-15T09:12:00.000Z", "state": "answered",
            "options": [{"id": "yes", "label": "Ship it"}], "answer": {"option": "yes"},
            "closed_by": {"type": "person", "id": "per_1", "name": "Mara"},
        }}));
        assert!(text.ends_with("    Hello\n      yes  Ship it\n    ? answered by Mara: yes\n"), "{text}");
    }

    #[test]
    fn an_imported_message_names_its_system() {
        let text = shown(json!({"from": {"type": "person", "id": "pynchy:4917", "name": "Mara"}}));
        assert!(text.contains("Mara  from pynchy  msg_7"), "{text}");
    }

    #[test]
    fn host_messages_are_marked_with_a_house() {
        let text = shown(json!({"from": {"type": "host", "name": "Parlour"}, "kind": "host"}));
        assert!(text.contains("Parlour  🏠 host  msg_7"), "{text}");
    }

    #[test]
    fn a_removed_message_shows_only_that_it_was_removed() {
        let text = shown(json!({
            "body": "", "removed_at": "2026-11-15T09:13:00.000Z", "edited_at": "2026-11-15T09:12:30.000Z",
        }));
        assert!(text.ends_with("Mara  msg_7\n    (removed)\n"), "{text}");
    }

    #[test]
    fn message_texts_cannot_control_the_terminal() {
        let text = shown(json!({
            "body": "a\u{1b}[2Jb", "from": {"type": "applet", "name": "x\u{1b}[0m\ny"},
        }));
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(text.lines().count(), 2);
    }
}
