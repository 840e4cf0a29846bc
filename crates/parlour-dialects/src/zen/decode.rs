//! Decodes zen messages to native ones.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ChannelId, ConversationId, DmId, MessageId, ProjectId, ThreadId},
    message::{Importance, Message},
};
use serde_json::Value;

use super::{
    NAME,
    encode::{CODEC, canonical_fields},
    wire::{FormField, MessageFields},
};
use crate::{
    DecodeContext, Item, canonical_form, extras, fields,
    foreign_id::{foreign_author, native_id, native_pair_id, nil_id},
    json::{Json, Object},
};

/// Like [`super::decode()`], for borrowed JSON.
pub(crate) fn decode_json(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, "a zen message")?;
    if is_record(&form) {
        return Ok(Item::signal(NAME, Value::Object(form.into_map()), decode_context.now));
    }
    let extras = form.take(extras::KEY);
    let mut message = decode_form(&form, decode_context)?;
    extras.map_or(Ok(()), |extras| extras::restore_json(&mut message, extras))?;
    Ok(Item::message(message))
}

pub(super) fn decode_form(form: &Object<'_>, _decode_context: &DecodeContext) -> Result<Message, Refusal> {
    let mut message = decode_message(form)?;
    let deviations = CODEC.deviations(form, &canonical_fields(&message, Some(form)));
    CODEC.preserve(&mut message, deviations);
    Ok(message)
}

/// Whether this is the record of a conversation instead of a message.
pub(super) fn is_record(form: &Object<'_>) -> bool {
    let has = |name: &str| form.get(name).is_some_and(|field| !field.is_null());
    !has("body") && has("id") && ["visibility", "participants", "root_message_id"].into_iter().any(has)
}

pub(super) fn decode_message(object: &Object<'_>) -> Result<Message, Refusal> {
    if object.contains(canonical_form::ABSENT) {
        return Err(Refusal::invalid("this field name is reserved").at(canonical_form::ABSENT));
    }
    let form = MessageFields::of(object);
    let (from, body, id) = (form.from.required_text()?, form.body.required_text()?, form.id.required_text()?);
    let at = time(&form, id)?;
    let location = MessageLocation::read(&form, id)?;
    check_resolution(&form)?;
    let links = MessageLinks::read(&form)?;
    let author = foreign_author(NAME, AuthorType::Agent, from, "");
    let mut message = Message::plain(native_id(id), links.project(&form)?, location.to, author, body.to_owned(), at);
    message.reply_to = location.root;
    message.context.task_id = links.text("task_id")?.map(native_id);
    message.context.batch_id = links.text("batch_id")?.map(native_id);
    message.correlation_id = match form.correlation_id.text()? {
        Some(id) => Some(id.to_owned()),
        None => links.of_meta("correlation_id")?.map(str::to_owned),
    };
    message.importance = importance(&form)?;
    // Only native ids become mentions and artifacts; the others stay in the preserved list.
    message.mentions = native_ids(form.mentions)?;
    message.artifacts = native_ids(form.artifacts)?;
    Ok(message)
}

/// The time in `ts`, else in `created_at`, else in the id.
fn time(form: &MessageFields<'_, '_>, id: &str) -> Result<Timestamp, Refusal> {
    if let Some(millis) = form.ts.whole()? {
        return timestamp_from_millis("ts", millis);
    }
    if let Some(text) = form.created_at.as_text()
        && text.contains('T')
    {
        return fields::parse_time("created_at", text);
    }
    if let Some(millis) = form.created_at.whole()? {
        return timestamp_from_millis("created_at", millis);
    }
    let millis = id_parts(id).and_then(|(_, _, millis)| millis.parse().ok());
    millis.map_or_else(|| Err(form.ts.missing()), |millis| timestamp_from_millis("id", millis))
}

fn timestamp_from_millis(name: &str, millis: i64) -> Result<Timestamp, Refusal> {
    let at = Timestamp::from_millis(millis);
    let is_kept = at.as_millis() == millis;
    is_kept.then_some(at).ok_or_else(|| Refusal::out_of_bounds("the time must be between 1970 and 9999").at(name))
}

/// The conversation type, conversation and time in an id of zen.
fn id_parts(id: &str) -> Option<(&str, &str, &str)> {
    let (conversation_type, rest) = id.split_once(':')?;
    let rest = match conversation_type {
        "c" | "dm" => rest,
        "th" => rest.rsplit_once(':')?.0,
        _ => return None,
    };
    rest.rsplit_once(':').map(|(location, millis)| (conversation_type, location, millis))
}

/// The conversation of a message.
struct MessageLocation {
    to: ConversationId,
    root: Option<MessageId>,
}

impl MessageLocation {
    fn read(form: &MessageFields<'_, '_>, id: &str) -> Result<Self, Refusal> {
        let conversation_type = match form.conversation_type.text()? {
            Some(conversation_type) => conversation_type,
            None if form.root.is_there() || id.starts_with("th:") => "thread",
            None if form.members.is_there() || form.a.is_there() || id.starts_with("dm:") => "dm",
            None => "channel",
        };
        match conversation_type {
            "channel" => Ok(Self { to: channel(form, id)?.into(), root: None }),
            "thread" => thread(form, id),
            "dm" => Ok(Self { to: dm(form, id)?.into(), root: None }),
            _ => {
                let known_types = ["channel", "thread", "dm"].map(str::to_owned).to_vec();
                Err(Refusal::out_of_bounds("unknown conversation type").at("type").proposing(known_types))
            }
        }
    }
}

fn channel(form: &MessageFields<'_, '_>, id: &str) -> Result<ChannelId, Refusal> {
    let named = form.channel_id.text()?.or(form.to.text()?);
    let channel = named.or_else(|| id_parts(id).map(|(_, location, _)| location));
    channel.map(native_id).ok_or_else(|| form.channel_id.missing())
}

/// A thread is identified by its root message, unless it is a thread of this hub.
fn thread(form: &MessageFields<'_, '_>, id: &str) -> Result<MessageLocation, Refusal> {
    let named = form.root.text()?.or(form.to.text()?);
    let root = named.or_else(|| id_parts(id).map(|(_, location, _)| location)).ok_or_else(|| form.root.missing())?;
    let thread: ThreadId = native_id(root);
    let root = (thread.as_str() != root).then(|| native_id(root));
    Ok(MessageLocation { to: thread.into(), root })
}

/// A DM is identified by its two members in sorted order.
fn dm(form: &MessageFields<'_, '_>, id: &str) -> Result<DmId, Refusal> {
    let members = match form.members.texts()? {
        Some(members) => Some(members),
        None => match (form.a.text()?, form.b.text()?) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(vec![Cow::Borrowed(a), Cow::Borrowed(b)]),
            (a, _) => return Err(if a.is_none() { form.a } else { form.b }.missing()),
        },
    };
    match members.as_deref() {
        Some([a, b]) => {
            let (first, second) = if a <= b { (a, b) } else { (b, a) };
            Ok(native_pair_id(first, second))
        }
        Some(_) => Err(Refusal::out_of_bounds("a DM has exactly two members").at("members")),
        None => {
            let named = form.to.text()?.or_else(|| id_parts(id).map(|(_, location, _)| location));
            named.map(native_id).ok_or_else(|| form.members.missing())
        }
    }
}

/// The project, task and batch of a message, from `context` or `meta`.
struct MessageLinks<'f, 'a> {
    context: Option<Cow<'f, Object<'a>>>,
    meta: Option<Cow<'f, Object<'a>>>,
}

impl<'f, 'a> MessageLinks<'f, 'a> {
    fn read(form: &MessageFields<'f, 'a>) -> Result<Self, Refusal> {
        Ok(Self { context: form.context.object()?, meta: form.meta.object()? })
    }

    fn text(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        let context = self.context.as_deref().map(|context| FormField::of(context, name).text()).transpose();
        match context.map_err(|refusal| refusal.at("context"))?.flatten() {
            Some(text) => Ok(Some(text)),
            None => self.of_meta(name),
        }
    }

    fn of_meta(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        let meta = self.meta.as_deref().map(|meta| FormField::of(meta, name).text()).transpose();
        meta.map(Option::flatten).map_err(|refusal| refusal.at("meta"))
    }

    /// The project of the message, else of its channel id, else the nil project.
    fn project(&self, form: &MessageFields<'_, '_>) -> Result<ProjectId, Refusal> {
        let named = form.project_id.text()?.or(self.text("project_id")?);
        let of_channel = || form.channel_id.as_text().and_then(project_of);
        Ok(named.or_else(of_channel).map_or_else(nil_id, native_id))
    }
}

/// The project in the id of a channel.
pub(super) fn project_of(channel: &str) -> Option<&str> {
    channel.strip_prefix("ch:")?.split_once(':').map(|(project, _)| project)
}

/// Checks the fields of a resolved blocking message. They are preserved only: the question is closed.
fn check_resolution(form: &MessageFields<'_, '_>) -> Result<(), Refusal> {
    form.blocking.truth()?;
    form.resume_token.text()?;
    form.resolved.truth()?;
    form.resolved_ts.whole()?;
    form.resolved_by.texts().map(drop)
}

/// The importance. The store accepted any word; an unknown one counts as normal and is preserved.
fn importance(form: &MessageFields<'_, '_>) -> Result<Importance, Refusal> {
    Ok(match form.importance.text()? {
        Some("high") => Importance::High,
        Some("critical") => Importance::Critical,
        _ => Importance::Normal,
    })
}

fn native_ids<I: std::str::FromStr>(field: FormField<'_, '_>) -> Result<Vec<I>, Refusal> {
    let texts = field.texts()?.unwrap_or_default();
    Ok(texts.iter().filter_map(|text| text.parse().ok()).collect())
}
