//! What an envelope means natively.

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ChannelId, ConversationId, DmId, MessageId, ProjectId},
    message::{Message, State},
};
use serde_json::{Map, Value};

use super::{NAME, SPEC, payload};
use crate::{
    Scene,
    fields::{self, missing, wrong},
    foreign_author::foreign_author,
    foreign_id::mapped,
    kept,
};

type Form = Map<String, Value>;

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
    pub(super) fn read(form: &Form) -> Result<Self, Refusal> {
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

/// Reads a message.
pub(super) fn message(form: &Form, scene: &Scene) -> Result<Message, Refusal> {
    if form.contains_key(kept::ABSENT) {
        return Err(Refusal::invalid("an envelope has no such field, and the name is taken").at(kept::ABSENT));
    }
    check_spec(form)?;
    let envelope_type = EnvelopeType::read(form)?;
    text(form, "intent")?;
    let from = first_text(form, "from_id", "from")?.unwrap_or_default();
    let context = context(form)?;
    let tie = |name| text_of(context, name).map_err(|refusal| refusal.at("context"));
    let project = tie("project_id")?.map_or_else(|| ProjectId::from_bits(0), mapped);
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
    Ok(message)
}

/// The context, where there is one.
pub(super) fn context(form: &Form) -> Result<Option<&Form>, Refusal> {
    match form.get("context") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(context)) => Ok(Some(context)),
        Some(other) => Err(wrong("context", "an object", other)),
    }
}

/// A text, where there is one.
pub(super) fn text<'a>(form: &'a Form, name: &str) -> Result<Option<&'a str>, Refusal> {
    match form.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

/// A text of an object that may be absent.
pub(super) fn text_of<'a>(form: Option<&'a Form>, name: &str) -> Result<Option<&'a str>, Refusal> {
    form.map_or(Ok(None), |form| text(form, name))
}

/// A text by its name, else by the name that broadcasts have for it.
pub(super) fn first_text<'a>(form: &'a Form, name: &str, other: &str) -> Result<Option<&'a str>, Refusal> {
    Ok(text(form, name)?.or(text(form, other)?))
}

/// The conversation that envelopes without a receiver stand in.
pub(super) fn commons() -> ConversationId {
    mapped::<ChannelId>(NAME).into()
}

/// The conversation by its id, or the dm of the two agents.
fn conversation(from: &str, to: Option<&str>) -> ConversationId {
    let Some(to) = to else { return commons() };
    to.parse().unwrap_or_else(|_| {
        let (first, second) = if from <= to { (from, to) } else { (to, from) };
        mapped::<DmId>(&format!("{first}:{second}")).into()
    })
}

fn check_spec(form: &Form) -> Result<(), Refusal> {
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
fn id(form: &Form, from: &str) -> Result<MessageId, Refusal> {
    if let Some(id) = text(form, "id")? {
        return Ok(mapped(id));
    }
    let time = first_text(form, "time", "ts")?.ok_or_else(|| missing("id"))?;
    Ok(mapped(&format!("{time} {from} {}", text(form, "intent")?.unwrap_or_default())))
}

fn time(form: &Form, scene: &Scene) -> Result<Timestamp, Refusal> {
    let name = if form.get("time").is_some_and(|time| !time.is_null()) { "time" } else { "ts" };
    text(form, name)?.map_or(Ok(scene.now), |time| fields::time(name, time))
}
