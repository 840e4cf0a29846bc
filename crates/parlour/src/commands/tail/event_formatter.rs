//! Events as text: time, conversation, author, content.

use parlour_core::{
    author::Author,
    delivery::{Delivery, DeliveryState},
    event::{Change, ChannelMember, Event, ReactionMark, Subscription},
    id::MemberId,
    message::{Message, State},
    question::{QuestionMark, QuestionState},
    run::Run,
};

use super::name_cache::NameCache;
use crate::output::{
    local_time::LocalTime,
    message::marks,
    plain::{harmless, one_line},
    question::answer_line,
    style::{Emphasis, Style},
};

/// Formats events as text.
pub(super) struct EventFormatter {
    pub(super) style: Style,
    pub(super) local_time: LocalTime,
    pub(super) names: NameCache,
}

impl EventFormatter {
    /// The lines for an event; several for a text with line breaks.
    pub(super) fn show(&mut self, event: &Event) -> Option<String> {
        self.names.apply(&event.change);
        match &event.change {
            Change::MessagePosted(message) if message.state != State::Streaming => Some(self.message(event, message)),
            Change::MessageFinished(message) | Change::MessageEdited(message) => Some(self.message(event, message)),
            change => Some(self.aside(event, &describe(&event.actor, change, &self.names))),
        }
    }

    fn message(&self, event: &Event, message: &Message) -> String {
        let author = self.style.paint(Emphasis::Author(message.from.source()), &one_line(&message.from.name));
        let mut marks = marks(message).join(" · ");
        if let Some(reason) = &message.reason {
            marks += &format!(": {}", one_line(reason));
        }
        let body = harmless(message.body.trim_end());
        let mut lines = body.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let parts = [self.head(event), author, self.style.paint(Emphasis::Warning, &marks), first];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut text = parts.join("  ") + "\n";
        for line in lines {
            text += format!("    {line}").trim_end();
            text.push('\n');
        }
        text
    }

    fn aside(&self, event: &Event, what: &str) -> String {
        format!("{}  {}\n", self.head(event), self.style.paint(Emphasis::Dim, &one_line(what)))
    }

    fn head(&self, event: &Event) -> String {
        let time = self.local_time.show(event.at);
        let conversation = event.change.conversation_id().map(|id| one_line(&self.names.conversation(&id)));
        let parts: Vec<_> = [Some(time), conversation].into_iter().flatten().collect();
        self.style.paint(Emphasis::Dim, &parts.join("  "))
    }
}

/// Describes an event in one line. Messages are formatted by [`EventFormatter`].
pub(super) fn describe(actor: &Author, change: &Change, names: &NameCache) -> String {
    let who = &actor.name;
    match change {
        Change::ProjectCreated(project) => format!("{who} created the project {}", project.name),
        Change::ProjectUpdated(project) => format!("{who} changed the project {}", project.name),
        Change::PersonAdded(person) => format!("{} joined the project", person.name),
        Change::PersonUpdated(person) => format!("{who} is now called {}", person.name),
        Change::PersonRemoved(person) => format!("{} left the project", person.name),
        Change::AgentCreated(agent) => format!("{who} added the agent {}", agent.name),
        Change::AgentUpdated(agent) => format!("{who} changed the agent {}", agent.name),
        Change::TaskCreated(task) => format!("{who} created the task {:?} ({})", task.title, task.id),
        Change::TaskUpdated(task) => format!("{who} changed the task {:?} ({})", task.title, task.id),
        Change::BatchCreated(batch) => format!("{who} created the batch {}", batch.name),
        Change::ArtifactCreated(artifact) => format!("{who} uploaded {} ({})", artifact.filename, artifact.id),
        _ => in_conversation(who, change, names),
    }
}

fn in_conversation(who: &str, change: &Change, names: &NameCache) -> String {
    match change {
        Change::ChannelCreated(_) => format!("{who} created the channel"),
        Change::ChannelUpdated(_) => format!("{who} changed the channel"),
        Change::ChannelClosed(_) => format!("{who} made the channel private"),
        Change::ChannelOpened(_) => format!("{who} opened the channel to the project"),
        Change::ChannelArchived(_) => format!("{who} archived the channel"),
        Change::ChannelUnarchived(_) => format!("{who} unarchived the channel"),
        Change::ChannelMemberAdded(one) => format!("{} joined", joined(one, names)),
        Change::ChannelMemberRemoved(one) => format!("{} left", joined(one, names)),
        Change::Subscribed(one) => format!("{} subscribed to the channel", follower(one, names)),
        Change::Unsubscribed(one) => format!("{} unsubscribed from the channel", follower(one, names)),
        Change::ThreadCreated(thread) => format!("{who} opened a thread below {}", thread.root_message_id),
        Change::DmCreated(_) => format!("{who} opened the DM"),
        Change::MessageRemoved(message) => format!("{who} removed {}", message.id),
        Change::MessagePosted(message) => format!("{who} is writing {} …", message.id),
        Change::Reacted(mark) => format!("{} reacted {} to {}", reader(mark, names), mark.emoji, mark.message_id),
        Change::Unreacted(mark) => {
            format!("{} removed {} from {}", reader(mark, names), mark.emoji, mark.message_id)
        }
        Change::CallPassed(passed) => format!("{who} declined to answer {}", passed.message_id),
        Change::Read(mark) => format!("{} read up to number {}", names.member(&mark.reader), mark.seq),
        Change::Delivered(mark) => {
            mark.deliveries.iter().map(|one| delivered(one, names)).collect::<Vec<_>>().join(", ")
        }
        Change::QuestionChanged(mark) => format!("{who} {}", settled(mark)),
        Change::RunStarted(run) => format!("{} started {}", names.member(&run.agent_id.clone().into()), worked(run)),
        Change::RunPaused(run) => format!("{} paused {}", names.member(&run.agent_id.clone().into()), worked(run)),
        Change::RunResumed(run) => {
            format!("{} resumed {}", names.member(&run.agent_id.clone().into()), worked(run))
        }
        Change::RunEnded(run) => {
            format!("{} ended {}: {}", names.member(&run.agent_id.clone().into()), worked(run), run.state.as_str())
        }
        other => other.name().to_owned(),
    }
}

/// The state of one delivery.
fn delivered(one: &Delivery, names: &NameCache) -> String {
    let to = names.member(&one.recipient);
    match one.state {
        _ if one.handled_at.is_some() && one.answered_at.is_none() => format!("{to} handled {}", one.message_id),
        DeliveryState::Stored => format!("{} is stored for {to}", one.message_id),
        DeliveryState::Queued => format!("{} is queued for {to}", one.message_id),
        DeliveryState::Injected => format!("{} was injected for {to}", one.message_id),
        DeliveryState::Seen => format!("{to} saw {}", one.message_id),
        DeliveryState::Answered => format!("{to} answered {}", one.message_id),
        DeliveryState::Expired => format!("{} expired for {to}", one.message_id),
        DeliveryState::Failed => format!("delivery of {} to {to} failed", one.message_id),
    }
}

fn settled(mark: &QuestionMark) -> String {
    let id = &mark.message_id;
    match (&mark.question.state, mark.question.answer.as_ref().map(answer_line)) {
        (QuestionState::Open, _) => format!("will not answer {id}"),
        (QuestionState::Answered, Some(answer)) => format!("answered {id}: {answer}"),
        (QuestionState::Answered, None) => format!("answered {id}"),
        (QuestionState::Expired, _) => format!("let {id} expire"),
        (QuestionState::Ignored, _) => format!("declined to answer {id} as the last addressee"),
        (QuestionState::Unanswered, _) => format!("went on without an answer to {id} as the last addressee"),
        (QuestionState::Withdrawn, _) => format!("withdrew {id}"),
    }
}

/// The label of a run, or its id.
fn worked(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{label:?} ({})", run.id),
        None => run.id.to_string(),
    }
}

fn joined(one: &ChannelMember, names: &NameCache) -> String {
    names.member(&one.member_id)
}

fn follower(one: &Subscription, names: &NameCache) -> String {
    names.member(&MemberId::from(one.agent_id.clone()))
}

fn reader(mark: &ReactionMark, names: &NameCache) -> String {
    names.member(&mark.member_id)
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
        let mut lines =
            EventFormatter { style: Style::PLAIN, local_time: LocalTime::local(), names: NameCache::default() };
        let text = lines.show(&event).expect("a text");
        // Without the time, which depends on the zone.
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
    fn other_events_have_a_short_text() {
        let mark = json!({"message_id": "msg_7", "conversation_id": "chn_1", "emoji": "👍", "member_id": "per_1"});
        for (name, data, expected) in [
            ("messaging.reacted", mark.clone(), "chn_1  per_1 reacted 👍 to msg_7\n"),
            ("messaging.unreacted", mark, "chn_1  per_1 removed 👍 from msg_7\n"),
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
    fn message_texts_cannot_control_the_terminal_or_imitate_lines() {
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
