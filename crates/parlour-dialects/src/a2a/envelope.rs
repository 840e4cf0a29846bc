//! What an envelope means natively.

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ChannelId, ConversationId, DmId, MessageId, ThreadId},
    message::{Message, State},
};

use super::{
    NAME, SPEC,
    payload::{self, PayloadForm},
};
use crate::{
    DecodeContext,
    fields::{self, missing},
    foreign_author::foreign_author,
    foreign_id::{mapped, mapped_pair, unmade},
    json::{Json, Object, wrong},
    kept,
};

/// What an envelope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopeType {
    Request,
    Response,
    Event,
    Error,
}

impl EnvelopeType {
    /// Reads the type; the calls between agents have names of their own for two of them.
    pub(super) fn read(form: &Object<'_>) -> Result<Self, Refusal> {
        match text(form, "type")?.ok_or_else(|| missing("type"))? {
            "request" | "rpc_request" => Ok(Self::Request),
            "response" | "rpc_response" => Ok(Self::Response),
            "event" => Ok(Self::Event),
            "error" => Ok(Self::Error),
            _ => {
                let types = ["request", "response", "event", "error"].map(str::to_owned).to_vec();
                Err(Refusal::out_of_bounds("this is no type of envelope").at("type").proposing(types))
            }
        }
    }
}

/// Reads a message, and how its payload said it.
pub(super) fn message(form: &Object<'_>, scene: &DecodeContext) -> Result<(Message, PayloadForm), Refusal> {
    if form.contains(kept::ABSENT) {
        return Err(Refusal::invalid("an envelope has no such field, and the name is taken").at(kept::ABSENT));
    }
    check_spec(form)?;
    let envelope_type = EnvelopeType::read(form)?;
    text(form, "intent")?;
    let from = first_text(form, "from_id", "from")?.unwrap_or_default();
    let context = context(form)?;
    let tie = |name| text_of(context, name).map_err(|refusal| refusal.at("context"));
    let project = tie("project_id")?.map_or_else(unmade, mapped);
    let to = conversation(from, first_text(form, "to_id", "to")?);
    let author = foreign_author(NAME, AuthorType::Agent, from, "");
    let said = payload::read(form.get("payload"), envelope_type);
    let mut message = Message::plain(id(form, from)?, project, to, author, said.body, time(form, scene)?);
    message.content = said.content;
    message.reason = said.reason;
    message.state = if envelope_type == EnvelopeType::Error { State::Failed } else { State::Complete };
    message.reply_to = text(form, "causation_id")?.map(mapped);
    message.correlation_id = text(form, "correlation_id")?.map(str::to_owned);
    message.context.task_id = tie("task_id")?.map(mapped);
    message.context.batch_id = tie("batch_id")?.map(mapped);
    Ok((message, said.said_as))
}

/// The context, where there is one.
pub(super) fn context<'f, 'a>(form: &'f Object<'a>) -> Result<Option<&'f Object<'a>>, Refusal> {
    match form.get("context") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(context)) => Ok(Some(context)),
        Some(other) => Err(wrong("context", "an object", other)),
    }
}

/// A text, where there is one.
pub(super) fn text<'f>(form: &'f Object<'_>, name: &str) -> Result<Option<&'f str>, Refusal> {
    match form.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

/// A text of an object that may be absent.
pub(super) fn text_of<'f>(form: Option<&'f Object<'_>>, name: &str) -> Result<Option<&'f str>, Refusal> {
    form.map_or(Ok(None), |form| text(form, name))
}

/// A text by its name, else by the name that broadcasts have for it.
pub(super) fn first_text<'f>(form: &'f Object<'_>, name: &str, other: &str) -> Result<Option<&'f str>, Refusal> {
    Ok(text(form, name)?.or(text(form, other)?))
}

/// The conversation that envelopes without a receiver stand in.
pub(super) fn commons() -> ConversationId {
    mapped::<ChannelId>(NAME).into()
}

/// The conversation by its id, or the dm of the two agents.
fn conversation(from: &str, to: Option<&str>) -> ConversationId {
    let Some(to) = to else { return commons() };
    native_conversation(to).unwrap_or_else(|| {
        let (first, second) = if from <= to { (from, to) } else { (to, from) };
        mapped_pair::<DmId>(first, second).into()
    })
}

/// The conversation of this hub that has this id. Most texts are names of agents; a look at the prefix tells that for
/// less than a refusal costs.
pub(super) fn native_conversation(text: &str) -> Option<ConversationId> {
    let (prefix, _) = text.split_once('_')?;
    [ChannelId::PREFIX, ThreadId::PREFIX, DmId::PREFIX].contains(&prefix).then(|| text.parse().ok()).flatten()
}

fn check_spec(form: &Object<'_>) -> Result<(), Refusal> {
    match text(form, "spec")? {
        None => Err(missing("spec")),
        Some(SPEC) => Ok(()),
        Some(_) => {
            let refusal = Refusal::out_of_bounds("this version of envelopes is not read here");
            Err(refusal.at("spec").proposing(vec![SPEC.to_owned()]))
        }
    }
}

/// A broadcast has no id: its moment, sender and intent stand for one.
fn id(form: &Object<'_>, from: &str) -> Result<MessageId, Refusal> {
    if let Some(id) = text(form, "id")? {
        return Ok(mapped(id));
    }
    let time = first_text(form, "time", "ts")?.ok_or_else(|| missing("id"))?;
    Ok(mapped(&format!("{time} {from} {}", text(form, "intent")?.unwrap_or_default())))
}

fn time(form: &Object<'_>, scene: &DecodeContext) -> Result<Timestamp, Refusal> {
    let name = if form.get("time").is_some_and(|time| !time.is_null()) { "time" } else { "ts" };
    text(form, name)?.map_or(Ok(scene.now), |time| fields::time(name, time))
}
