//! Lines of the hub's own: who wrote, ids and calls. No word of a message is in them.

use parlour_context::frame::{self, Entry, Framed, HubLine, Label, Tag};
use parlour_core::id::MessageId;

use super::{News, Why};

/// That the agent itself asked something.
pub(super) fn asked(id: &MessageId, place: Option<&str>) -> String {
    let place = place.map(|place| format!(" in {}", Label::of(place).as_str())).unwrap_or_default();
    format!("You asked{place}, and nobody has answered yet ({id}). Wait for it: ask {{\"message_id\":\"{id}\"}}")
}

/// What is said of those that are not told, where they are worth a line: of those that block how many there are.
pub(super) fn rest(left: &[Why], are_all: bool) -> Option<String> {
    let blocks = left.iter().filter(|why| **why == Why::Blocks).count();
    let more = if are_all { "" } else { " more" };
    match blocks {
        0 if left.iter().any(|why| matches!(why, Why::Unread(_))) => Some("More: inbox {}".to_owned()),
        0 if are_all && left.contains(&Why::Asked) => Some("You wait for the answer to your question.".to_owned()),
        0 => None,
        1 => Some(format!("1{more} message waits for your answer: inbox {{\"blocking\":true}}")),
        blocks => Some(format!("{blocks}{more} messages wait for your answer: inbox {{\"blocking\":true}}")),
    }
}

/// A text without words of messages: one line for each message, between those of the delivery path.
pub(super) fn bare(news: &[News], tag: Tag, lead: Option<&str>, end: &[String]) -> String {
    let lines = lead.map(str::to_owned).into_iter().chain(news.iter().map(one)).chain(end.iter().cloned());
    let entries = lines.map(|line| Entry::Hub(HubLine::of(&line))).collect();
    frame::render(&Framed { tag, is_short: false, entries })
}

fn one(news: &News) -> String {
    let (id, name) = (&news.message.id, Label::of(&news.message.from.name));
    let name = name.as_str();
    match news.why {
        Why::Blocks => {
            let answer = format!("reply_thread {{\"thread_id\":\"{id}\",\"body\":\"your answer\"}}");
            format!("You received a message from {name} ({id}). Answer: {answer}")
        }
        Why::Asked => asked(id, None),
        Why::Unread(_) => format!("Unread from {name}: channel_history {{\"channel_id\":\"{id}\"}}"),
    }
}
