//! What a form of zen means natively.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ChannelId, ConversationId, DmId, MessageId, ProjectId, ThreadId},
    message::{Importance, Message},
};

use super::{NAME, form::Form, spelled::Field};
use crate::{
    fields,
    foreign_author::foreign_author,
    foreign_id::{mapped, mapped_pair, unmade},
    json::Object,
    kept,
};

/// Reads a message.
pub(super) fn message(object: &Object<'_>) -> Result<Message, Refusal> {
    if object.contains(kept::ABSENT) {
        return Err(Refusal::invalid("zen has no such field, and the name is taken").at(kept::ABSENT));
    }
    let form = Form::of(object);
    let (from, body, id) = (form.from.required_text()?, form.body.required_text()?, form.id.required_text()?);
    let at = time(&form, id)?;
    let place = MessageLocation::read(&form, id)?;
    check_fate(&form)?;
    let ties = MessageLinks::read(&form)?;
    let author = foreign_author(NAME, AuthorType::Agent, from, "");
    let mut message = Message::plain(mapped(id), ties.project(&form)?, place.to, author, body.to_owned(), at);
    message.reply_to = place.root;
    message.context.task_id = ties.text("task_id")?.map(mapped);
    message.context.batch_id = ties.text("batch_id")?.map(mapped);
    message.correlation_id = match form.correlation_id.text()? {
        Some(id) => Some(id.to_owned()),
        None => ties.of_meta("correlation_id")?.map(str::to_owned),
    };
    message.importance = importance(&form)?;
    // Only ids of this hub name a member or an artifact here; the others stay in the kept list.
    message.mentions = ids(form.mentions)?;
    message.artifacts = ids(form.artifacts)?;
    Ok(message)
}

/// The time in milliseconds, else the time of the specification, else the one that the id holds.
fn time(form: &Form<'_, '_>, id: &str) -> Result<Timestamp, Refusal> {
    if let Some(millis) = form.ts.whole()? {
        return moment("ts", millis);
    }
    if let Some(text) = form.created_at.as_text()
        && text.contains('T')
    {
        return fields::time("created_at", text);
    }
    if let Some(millis) = form.created_at.whole()? {
        return moment("created_at", millis);
    }
    let millis = id_parts(id).and_then(|(_, _, millis)| millis.parse().ok());
    millis.map_or_else(|| Err(form.ts.missing()), |millis| moment("id", millis))
}

fn moment(name: &str, millis: i64) -> Result<Timestamp, Refusal> {
    let at = Timestamp::from_millis(millis);
    let is_kept = at.as_millis() == millis;
    is_kept.then_some(at).ok_or_else(|| Refusal::out_of_bounds("this is no time between 1970 and 9999").at(name))
}

/// The sort, place and time that an id of zen holds.
fn id_parts(id: &str) -> Option<(&str, &str, &str)> {
    let (sort, rest) = id.split_once(':')?;
    let rest = match sort {
        "c" | "dm" => rest,
        "th" => rest.rsplit_once(':')?.0,
        _ => return None,
    };
    rest.rsplit_once(':').map(|(place, millis)| (sort, place, millis))
}

/// Where a message stands.
struct MessageLocation {
    to: ConversationId,
    root: Option<MessageId>,
}

impl MessageLocation {
    fn read(form: &Form<'_, '_>, id: &str) -> Result<Self, Refusal> {
        let sort = match form.sort.text()? {
            Some(sort) => sort,
            None if form.root.is_there() || id.starts_with("th:") => "thread",
            None if form.members.is_there() || form.a.is_there() || id.starts_with("dm:") => "dm",
            None => "channel",
        };
        match sort {
            "channel" => Ok(Self { to: channel(form, id)?.into(), root: None }),
            "thread" => thread(form, id),
            "dm" => Ok(Self { to: dm(form, id)?.into(), root: None }),
            _ => {
                let sorts = ["channel", "thread", "dm"].map(str::to_owned).to_vec();
                Err(Refusal::out_of_bounds("this is no sort of conversation").at("type").proposing(sorts))
            }
        }
    }
}

fn channel(form: &Form<'_, '_>, id: &str) -> Result<ChannelId, Refusal> {
    let named = form.channel_id.text()?.or(form.to.text()?);
    let channel = named.or_else(|| id_parts(id).map(|(_, place, _)| place));
    channel.map(mapped).ok_or_else(|| form.channel_id.missing())
}

/// A thread is known by the message it hangs below, unless it is one of this hub.
fn thread(form: &Form<'_, '_>, id: &str) -> Result<MessageLocation, Refusal> {
    let named = form.root.text()?.or(form.to.text()?);
    let root = named.or_else(|| id_parts(id).map(|(_, place, _)| place)).ok_or_else(|| form.root.missing())?;
    let thread: ThreadId = mapped(root);
    let root = (thread.as_str() != root).then(|| mapped(root));
    Ok(MessageLocation { to: thread.into(), root })
}

/// A dm is known by its two members in the order of the alphabet.
fn dm(form: &Form<'_, '_>, id: &str) -> Result<DmId, Refusal> {
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
            Ok(mapped_pair(first, second))
        }
        Some(_) => Err(Refusal::out_of_bounds("a dm has exactly two members").at("members")),
        None => {
            let named = form.to.text()?.or_else(|| id_parts(id).map(|(_, place, _)| place));
            named.map(mapped).ok_or_else(|| form.members.missing())
        }
    }
}

/// What a message belongs to, as its context or its meta tells.
struct MessageLinks<'f, 'a> {
    context: Option<Cow<'f, Object<'a>>>,
    meta: Option<Cow<'f, Object<'a>>>,
}

impl<'f, 'a> MessageLinks<'f, 'a> {
    fn read(form: &Form<'f, 'a>) -> Result<Self, Refusal> {
        Ok(Self { context: form.context.object()?, meta: form.meta.object()? })
    }

    fn text(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        let context = self.context.as_deref().map(|context| Field::of(context, name).text()).transpose();
        match context.map_err(|refusal| refusal.at("context"))?.flatten() {
            Some(text) => Ok(Some(text)),
            None => self.of_meta(name),
        }
    }

    fn of_meta(&self, name: &'static str) -> Result<Option<&str>, Refusal> {
        let meta = self.meta.as_deref().map(|meta| Field::of(meta, name).text()).transpose();
        meta.map(Option::flatten).map_err(|refusal| refusal.at("meta"))
    }

    /// The project that the message names, else that of its channel's id, else the one that nobody has made.
    fn project(&self, form: &Form<'_, '_>) -> Result<ProjectId, Refusal> {
        let named = form.project_id.text()?.or(self.text("project_id")?);
        let of_channel = || form.channel_id.as_text().and_then(project_of);
        Ok(named.or_else(of_channel).map_or_else(unmade, mapped))
    }
}

/// The project that the id of a channel holds.
pub(super) fn project_of(channel: &str) -> Option<&str> {
    channel.strip_prefix("ch:")?.split_once(':').map(|(project, _)| project)
}

/// Checks what became of a blocking message. It asks nobody any more, so all of it is kept and nothing is made of it.
fn check_fate(form: &Form<'_, '_>) -> Result<(), Refusal> {
    form.blocking.truth()?;
    form.resume_token.text()?;
    form.resolved.truth()?;
    form.resolved_ts.whole()?;
    form.resolved_by.texts().map(drop)
}

/// The store took any word; one that is unknown counts as usual and is kept.
fn importance(form: &Form<'_, '_>) -> Result<Importance, Refusal> {
    Ok(match form.importance.text()? {
        Some("high") => Importance::High,
        Some("critical") => Importance::Critical,
        _ => Importance::Normal,
    })
}

fn ids<I: std::str::FromStr>(field: Field<'_, '_>) -> Result<Vec<I>, Refusal> {
    let texts = field.texts()?.unwrap_or_default();
    Ok(texts.iter().filter_map(|text| text.parse().ok()).collect())
}
