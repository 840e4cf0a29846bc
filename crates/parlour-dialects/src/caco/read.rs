//! Reading events.

use parlour_core::{
    Refusal,
    author::{Author, AuthorType, Source},
    message::Kind,
};
use serde_json::{Map, Value};

use super::{
    NAME, SYSTEM_NAME,
    event::{Event, EventType, Said, in_data, keep_text},
    source::{parse_stored_source, source_name, source_named},
    tool,
};
use crate::{
    Frame, Item, Scene, Trust, extras,
    fields::{Fields, missing, wrong},
    foreign_author::foreign_author,
};

/// The type of the frame in which a socket wraps an event.
pub(super) const SOCKET_EVENT: &str = "event";

/// Reads one event, alone or as a socket wraps it.
pub(super) fn read(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    let outer = Fields::of(value, "a Caco event")?.rest();
    let name = type_of(&outer)?;
    if name == SOCKET_EVENT {
        return read_wrapped(outer, scene);
    }
    match EventType::of(&outer, name) {
        None => Ok(signal(outer, scene)),
        Some(event_type) => read_event(event_type, outer, None, scene),
    }
}

fn read_wrapped(mut socket: Map<String, Value>, scene: &Scene) -> Result<Item, Refusal> {
    let in_event = |refusal: Refusal| refusal.at("event");
    let session = match socket.get("sessionId") {
        Some(Value::String(session)) => session.clone(),
        None | Some(Value::Null) => return Err(missing("sessionId")),
        Some(other) => return Err(wrong("sessionId", "a text", other)),
    };
    let known = match socket.get("event") {
        Some(Value::Object(event)) => EventType::of(event, type_of(event).map_err(in_event)?),
        None | Some(Value::Null) => return Err(missing("event")),
        Some(other) => return Err(wrong("event", "an object", other)),
    };
    let Some(event_type) = known else { return Ok(signal(socket, scene)) };
    socket.remove("type");
    match socket.remove("event") {
        Some(Value::Object(event)) => read_event(event_type, event, Some((session, socket)), scene).map_err(in_event),
        _ => Err(missing("event")),
    }
}

fn type_of(event: &Map<String, Value>) -> Result<&str, Refusal> {
    match event.get("type") {
        Some(Value::String(name)) => Ok(name),
        None | Some(Value::Null) => Err(missing("type")),
        Some(other) => Err(wrong("type", "a text", other)),
    }
}

/// A signal has the time that it says, if it says one.
fn signal(value: Map<String, Value>, scene: &Scene) -> Item {
    let time = match value.get("event") {
        Some(event) => event.get("timestamp"),
        None => value.get("timestamp"),
    };
    let at = time.and_then(Value::as_str).and_then(|text| text.parse().ok()).unwrap_or(scene.now);
    Item::signal(NAME, Value::Object(value), at)
}

fn read_event(
    event_type: EventType,
    mut top: Map<String, Value>,
    around: Option<(String, Map<String, Value>)>,
    scene: &Scene,
) -> Result<Item, Refusal> {
    let kept_beside = top.remove(extras::KEY);
    let mut event = Event::open(event_type, top, scene)?;
    if let Some((session, socket)) = around {
        event.session = Some(session);
        event.keeping.socket = socket;
    }
    let (frame, said) = read_said(&mut event, scene)?;
    let mut item = Item { frame, message: event.into_message(said) };
    if let Some(extras) = kept_beside {
        extras::restore_from(&mut item.message, &mut Map::from_iter([(extras::KEY.to_owned(), extras)]))?;
    }
    Ok(item)
}

fn read_said(event: &mut Event, scene: &Scene) -> Result<(Frame, Said), Refusal> {
    match event.event_type {
        EventType::UserMessage => Ok((Frame::Message, read_prompt(event, scene)?)),
        EventType::AssistantMessage => Ok((Frame::Message, read_answer(event)?)),
        EventType::AssistantDelta => Ok((Frame::Piece, read_piece(event)?)),
        EventType::TurnStart => Ok((Frame::Typing, read_turn(event)?)),
        EventType::ToolStart | EventType::ToolComplete => Ok((Frame::Step, tool::read_step(event)?)),
        EventType::SystemMessage => Ok((Frame::Message, read_context(event)?)),
        EventType::SessionInfo | EventType::SessionWarning | EventType::SessionError => {
            Ok((Frame::Message, read_news(event)?))
        }
    }
}

/// Somebody's prompt. Who sent it stands in its fields; in a history without these, before its text.
fn read_prompt(event: &mut Event, scene: &Scene) -> Result<Said, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let correlation_id = event.data.text("correlationId").map_err(in_data)?;
    let (from, body) = match event.data.text("source").map_err(in_data)? {
        Some(name) => (named_author(event, source_named(&name).unwrap_or(Source::User))?, content),
        None => unnamed_author(event, content, scene.trust),
    };
    Ok(Said { kind: Kind::User, correlation_id, ..Said::plain(Some(id), from, body) })
}

fn named_author(event: &mut Event, source: Source) -> Result<Author, Refusal> {
    let Some(field) = identifier_field(source) else { return Ok(author(source, None)) };
    let given = event.data.text(field).map_err(in_data)?;
    if let Some(identifier) = given.as_deref().filter(|identifier| !identifier.is_empty()) {
        return Ok(author(source, Some(identifier)));
    }
    keep_text(&mut event.keeping.data, field, given);
    if !event.keeping.data.contains_key(field) {
        event.keeping.absent.push(field);
    }
    Ok(author(source, None))
}

/// The author of a prompt that does not name its source, and its text. Only a history without any such field is
/// believed: whoever writes to a connection could have typed the prefix.
fn unnamed_author(event: &mut Event, mut content: String, trust: Trust) -> (Author, String) {
    let names_somebody =
        ["appletSlug", "fromSession", "scheduleSlug"].iter().any(|field| event.data.peek(field).is_some());
    if trust == Trust::Live || names_somebody {
        event.keeping.prefix = Some(String::new());
        return (author(Source::User, None), content);
    }
    let parsed = parse_stored_source(&content);
    let from = author(parsed.source, parsed.identifier);
    let body = content.split_off(content.len() - parsed.clean_content.len());
    event.keeping.prefix = Some(content);
    (from, body)
}

/// The field that tells which applet, session or schedule it was.
pub(super) fn identifier_field(source: Source) -> Option<&'static str> {
    match source {
        Source::User => None,
        Source::Applet => Some("appletSlug"),
        Source::Agent => Some("fromSession"),
        Source::Scheduler => Some("scheduleSlug"),
    }
}

/// The author that Caco knows by this identifier; one that it does not name is known by its source.
pub(super) fn author(source: Source, identifier: Option<&str>) -> Author {
    let author_type = match source {
        Source::User => return foreign_author(NAME, AuthorType::Person, "user", "User"),
        Source::Applet => AuthorType::Applet,
        Source::Agent => AuthorType::Agent,
        Source::Scheduler => AuthorType::Scheduler,
    };
    foreign_author(NAME, author_type, identifier.unwrap_or(source_name(source)), "")
}

/// An answer, with the calls of tools that it asks for.
fn read_answer(event: &mut Event) -> Result<Said, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let content = event.data.required_text("content").map_err(in_data)?;
    let steps = tool::read_requests(event)?;
    Ok(Said { steps, ..Said::plain(Some(id), event.assistant(), content) })
}

fn read_piece(event: &mut Event) -> Result<Said, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let piece = event.data.required_text("deltaContent").map_err(in_data)?;
    Ok(Said::plain(Some(id), event.assistant(), piece))
}

/// The agent is at work. Caco does not know the id of the answer yet.
fn read_turn(event: &mut Event) -> Result<Said, Refusal> {
    let id = event.message_id()?;
    Ok(Said::plain(id, event.assistant(), String::new()))
}

/// Lasting context for the model.
fn read_context(event: &mut Event) -> Result<Said, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let given = event.data.text("name").map_err(in_data)?;
    let name = given.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| SYSTEM_NAME.to_owned());
    if name == SYSTEM_NAME {
        // Nothing is written for the usual name, so one that was there is kept.
        keep_text(&mut event.keeping.data, "name", given);
    }
    let from = system_author(&name);
    Ok(Said::plain(Some(id), from, content))
}

/// What Caco tells people about its own operation, failures included. No model ever sees it.
fn read_news(event: &mut Event) -> Result<Said, Refusal> {
    let text = event.data.required_text("message").map_err(in_data)?;
    let id = event.event_id(&text)?;
    if event.event_type != EventType::SessionInfo {
        event.keeping.event_type = Some(event.event_type.name());
    }
    let from = host_author();
    Ok(Said::plain(Some(id), from, text))
}

/// Whoever gives a model lasting context.
pub(super) fn system_author(name: &str) -> Author {
    foreign_author(NAME, AuthorType::System, "system", name)
}

/// Caco itself.
pub(super) fn host_author() -> Author {
    foreign_author(NAME, AuthorType::Host, "host", SYSTEM_NAME)
}
