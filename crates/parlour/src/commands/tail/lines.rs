//! Events as people read them: time, place, author, text.

use parlour_core::{
    event::{Change, Event},
    message::{Message, State},
};

use super::{describe::describe, names::Names};
use crate::output::{
    message::marks,
    moment::Moments,
    plain::{harmless, one_line},
    style::{Look, Style},
};

/// How events are shown to people.
pub(super) struct Lines {
    pub(super) style: Style,
    pub(super) moments: Moments,
    pub(super) names: Names,
}

impl Lines {
    /// The lines for an event, line breaks included: one for most, more for a text with several lines.
    pub(super) fn show(&mut self, event: &Event) -> Option<String> {
        self.names.apply(&event.change);
        match &event.change {
            Change::MessagePosted(message) if message.state != State::Streaming => Some(self.message(event, message)),
            Change::MessageFinished(message) | Change::MessageEdited(message) => Some(self.message(event, message)),
            change => Some(self.aside(event, &describe(&event.actor, change, &self.names))),
        }
    }

    /// A message with its text, which is final now.
    fn message(&self, event: &Event, message: &Message) -> String {
        let author = self.style.paint(Look::Author(message.from.source()), &one_line(&message.from.name));
        let mut marks = marks(message).join(" · ");
        if let Some(reason) = &message.reason {
            marks += &format!(": {}", one_line(reason));
        }
        let body = harmless(message.body.trim_end());
        let mut lines = body.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let parts = [self.head(event), author, self.style.paint(Look::Warning, &marks), first];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut text = parts.join("  ") + "\n";
        for line in lines {
            text += format!("    {line}").trim_end();
            text.push('\n');
        }
        text
    }

    /// Something of less weight, in one line.
    fn aside(&self, event: &Event, what: &str) -> String {
        format!("{}  {}\n", self.head(event), self.style.paint(Look::Dim, &one_line(what)))
    }

    /// When and where.
    fn head(&self, event: &Event) -> String {
        let time = self.moments.show(event.at);
        let place = event.change.conversation_id().map(|id| one_line(&self.names.place(&id)));
        let parts: Vec<_> = [Some(time), place].into_iter().flatten().collect();
        self.style.paint(Look::Dim, &parts.join("  "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(name: &str, data: &Value) -> String {
        let event = json!({
            "position": "E-7", "project_id": "prj_1", "at": "2026-11-15T09:12:00.000Z",
            "actor": {"type": "person", "id": "per_1", "name": "Mara"}, "name": name, "data": data,
        });
        let event: Event = serde_json::from_value(event).expect("an event");
        let mut lines = Lines { style: Style::PLAIN, moments: Moments::local(), names: Names::default() };
        let text = lines.show(&event).expect("a text");
        // Without the moment, which depends on the zone.
        text["2026-11-15 09:12  ".len()..].to_owned()
    }

    fn message(changes: Value) -> Value {
        let mut message = json!({
            "id": "msg_7", "project_id": "prj_1", "type": "channel", "to": "chn_1", "seq": 3,
            "from": {"type": "person", "id": "per_1", "name": "Mara"}, "kind": "user", "body": "Hello",
            "importance": "normal", "blocking": false, "state": "complete",
            "context": {"project_id": "prj_1"}, "created_at": "2026-11-15T09:12:00.000Z",
        });
        let Value::Object(changes) = changes else { panic!("changes are an object") };
        message.as_object_mut().expect("object").extend(changes);
        message
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(shown("messaging.posted", &message(json!({}))), "chn_1  Mara  Hello\n");
    }

    #[test]
    fn further_lines_of_a_text_are_indented() {
        let text = shown("messaging.posted", &message(json!({"body": "a\nb\n\nc\n"})));
        assert_eq!(text, "chn_1  Mara  a\n    b\n\n    c\n");
    }

    #[test]
    fn an_answer_is_announced_when_it_begins_and_shown_when_it_ends() {
        let begun = shown("messaging.posted", &message(json!({"state": "streaming", "body": ""})));
        assert_eq!(begun, "chn_1  Mara is writing msg_7 …\n");
        assert_eq!(shown("messaging.finished", &message(json!({}))), "chn_1  Mara  Hello\n");
        let failed = shown("messaging.finished", &message(json!({"state": "failed", "reason": "no model"})));
        assert_eq!(failed, "chn_1  Mara  failed: no model  Hello\n");
        let empty = shown("messaging.finished", &message(json!({"state": "cancelled", "body": ""})));
        assert_eq!(empty, "chn_1  Mara  cancelled\n");
    }

    #[test]
    fn what_else_happens_is_told_in_a_few_words() {
        let mark = json!({"message_id": "msg_7", "conversation_id": "chn_1", "emoji": "👍", "member_id": "per_1"});
        for (name, data, expected) in [
            ("messaging.reacted", mark.clone(), "chn_1  per_1 reacted 👍 to msg_7\n"),
            ("messaging.unreacted", mark, "chn_1  per_1 took 👍 back from msg_7\n"),
            ("messaging.removed", message(json!({"body": ""})), "chn_1  Mara removed msg_7\n"),
            (
                "messaging.edited",
                message(json!({"edited_at": "2026-11-15T09:13:00.000Z"})),
                "chn_1  Mara  edited  Hello\n",
            ),
            ("channels.member_added", json!({"channel_id": "chn_1", "member_id": "agt_1"}), "chn_1  agt_1 joined\n"),
            (
                "messaging.read",
                json!({"reader": "per_1", "conversation_id": "chn_1", "seq": 3}),
                "chn_1  per_1 read up to number 3\n",
            ),
            (
                "projects.person_added",
                json!({"id": "per_2", "name": "Ada", "is_admin": false, "created_at": "2026-11-15T09:12:00.000Z"}),
                "Ada joined the project\n",
            ),
        ] {
            assert_eq!(shown(name, &data), expected, "{name}");
        }
    }

    #[test]
    fn texts_of_others_cannot_steer_the_terminal_or_pose_as_lines() {
        let text = shown(
            "messaging.posted",
            &message(json!({
                "body": "a\u{1b}[2J\nb", "from": {"type": "applet", "name": "x\n2026-11-15 09:12  #general  Mara"},
            })),
        );
        assert!(!text.contains('\u{1b}') && text.lines().count() == 2, "{text}");
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("    ")), "{text}");
    }
}
