//! Reading events.

use std::borrow::Cow;

use parlour_core::{
    Refusal,
    author::{Author, AuthorType, Source},
    message::Kind,
};
use serde_json::Value;

use super::{
    NAME, SYSTEM_NAME,
    event::{Event, EventContent, EventType, in_data},
    source::{parse_stored_source, source_name, source_named},
    tool,
};
use crate::{
    DecodeContext, Frame, InputTrust, Item,
    fields::missing,
    foreign_author::foreign_author,
    json::{Json, Object, wrong},
};

/// The type of the frame in which a socket wraps an event.
pub(super) const SOCKET_EVENT: &str = "event";

/// Reads one event, alone or as a socket wraps it.
pub(crate) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let outer = Object::read(json, "a Caco event")?;
    let name = type_of(&outer)?;
    if name == SOCKET_EVENT {
        return read_wrapped(outer, scene);
    }
    match EventType::of(&outer, name) {
        None => Ok(signal(outer, scene)),
        Some(event_type) => read_event(event_type, outer, None, scene),
    }
}

fn read_wrapped(mut socket: Object<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let in_event = |refusal: Refusal| refusal.at("event");
    let session = match socket.get("sessionId") {
        Some(Json::Text(session)) => session.clone(),
        None | Some(Json::Null) => return Err(missing("sessionId")),
        Some(other) => return Err(wrong("sessionId", "a text", other)),
    };
    let known = match socket.get("event") {
        Some(Json::Object(event)) => EventType::of(event, type_of(event).map_err(in_event)?),
        None | Some(Json::Null) => return Err(missing("event")),
        Some(other) => return Err(wrong("event", "an object", other)),
    };
    let Some(event_type) = known else { return Ok(signal(socket, scene)) };
    socket.take("type");
    match socket.take("event") {
        Some(Json::Object(event)) => read_event(event_type, event, Some((session, socket)), scene).map_err(in_event),
        _ => Err(missing("event")),
    }
}

fn type_of<'a>(event: &'a Object<'_>) -> Result<&'a str, Refusal> {
    match event.get("type") {
        Some(Json::Text(name)) => Ok(name),
        None | Some(Json::Null) => Err(missing("type")),
        Some(other) => Err(wrong("type", "a text", other)),
    }
}

/// A signal has the time that it says, if it says one.
fn signal(form: Object<'_>, scene: &DecodeContext) -> Item {
    let event = form.get("event").map_or(Some(&form), Json::as_object);
    let time = event.and_then(|event| event.str("timestamp"));
    let at = time.and_then(|text| text.parse().ok()).unwrap_or(scene.now);
    Item::signal(NAME, Value::Object(form.into_map()), at)
}

fn read_event<'a>(
    event_type: EventType,
    top: Object<'a>,
    around: Option<(Cow<'a, str>, Object<'a>)>,
    scene: &DecodeContext,
) -> Result<Item, Refusal> {
    let mut event = Event::open(event_type, top, scene)?;
    if let Some((session, socket)) = around {
        event.session = Some(session);
        event.keeping.socket = socket;
    }
    let (frame, said) = read_said(&mut event, scene)?;
    event.into_item(frame, said)
}

fn read_said(event: &mut Event<'_>, scene: &DecodeContext) -> Result<(Frame, EventContent), Refusal> {
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
fn read_prompt(event: &mut Event<'_>, scene: &DecodeContext) -> Result<EventContent, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let correlation_id = event.data.text("correlationId").map_err(in_data)?.map(Cow::into_owned);
    let (from, body) = match event.data.text("source").map_err(in_data)? {
        Some(name) => (named_author(event, source_named(&name).unwrap_or(Source::User))?, content.into_owned()),
        None => unnamed_author(event, &content, scene.trust),
    };
    Ok(EventContent { kind: Kind::User, correlation_id, ..EventContent::plain(Some(id), from, body) })
}

fn named_author(event: &mut Event<'_>, source: Source) -> Result<Author, Refusal> {
    let Some(field) = identifier_field(source) else { return Ok(author(source, None)) };
    let given = event.data.text(field).map_err(in_data)?;
    if let Some(identifier) = given.as_deref().filter(|identifier| !identifier.is_empty()) {
        return Ok(author(source, Some(identifier)));
    }
    event.keeping.data.set_some(field, given);
    if !event.keeping.data.contains(field) {
        event.keeping.absent.push(field);
    }
    Ok(author(source, None))
}

/// The author of a prompt that does not name its source, and its text. Only a history without any such field is
/// believed: whoever writes to a connection could have typed the prefix.
fn unnamed_author(event: &mut Event<'_>, content: &str, trust: InputTrust) -> (Author, String) {
    let names_somebody = ["appletSlug", "fromSession", "scheduleSlug"].iter().any(|field| event.data.contains(field));
    if trust == InputTrust::Live || names_somebody {
        event.keeping.prefix = Some(String::new());
        return (author(Source::User, None), content.to_owned());
    }
    let parsed = parse_stored_source(content);
    let from = author(parsed.source, parsed.identifier);
    let (prefix, body) = content.split_at(content.len() - parsed.clean_content.len());
    event.keeping.prefix = Some(prefix.to_owned());
    (from, body.to_owned())
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
fn read_answer(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let content = event.data.required_text("content").map_err(in_data)?;
    let steps = tool::read_requests(event)?;
    Ok(EventContent { steps, ..EventContent::plain(Some(id), event.assistant(), content.into_owned()) })
}

fn read_piece(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let piece = event.data.required_text("deltaContent").map_err(in_data)?;
    Ok(EventContent::plain(Some(id), event.assistant(), piece.into_owned()))
}

/// The agent is at work. Caco does not know the id of the answer yet.
fn read_turn(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?;
    Ok(EventContent::plain(id, event.assistant(), String::new()))
}

/// Lasting context for the model.
fn read_context(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let given = event.data.text("name").map_err(in_data)?;
    let name = given.as_deref().filter(|name| !name.is_empty()).unwrap_or(SYSTEM_NAME);
    let from = system_author(name);
    if name == SYSTEM_NAME {
        // Nothing is written for the usual name, so one that was there is kept.
        event.keeping.data.set_some("name", given);
    }
    Ok(EventContent::plain(Some(id), from, content.into_owned()))
}

/// What Caco tells people about its own operation, failures included. No model ever sees it.
fn read_news(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let text = event.data.required_text("message").map_err(in_data)?;
    let id = event.event_id(&text)?;
    if event.event_type != EventType::SessionInfo {
        event.keeping.event_type = Some(event.event_type.name());
    }
    let from = host_author();
    Ok(EventContent::plain(Some(id), from, text.into_owned()))
}

/// Whoever gives a model lasting context.
pub(super) fn system_author(name: &str) -> Author {
    foreign_author(NAME, AuthorType::System, "system", name)
}

/// Caco itself.
pub(super) fn host_author() -> Author {
    foreign_author(NAME, AuthorType::Host, "host", SYSTEM_NAME)
}
