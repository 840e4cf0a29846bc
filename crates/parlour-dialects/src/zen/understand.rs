//! What a form of zen means natively.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ChannelId, ConversationId, DmId, MessageId, ProjectId, ThreadId},
    message::{Importance, Message},
};

use super::{
    NAME,
    spelled::{self, Form},
};
use crate::{
    fields::{self, missing},
    foreign_author::foreign_author,
    foreign_id::{mapped, mapped_pair, unmade},
    json::Json,
    kept,
};

/// Reads a message.
pub(super) fn message(form: &Form<'_>) -> Result<Message, Refusal> {
    if form.contains(kept::ABSENT) {
        return Err(Refusal::invalid("zen has no such field, and the name is taken").at(kept::ABSENT));
    }
    let required = |name| spelled::text(form, name)?.ok_or_else(|| missing(name));
    let (from, body, id) = (required("from")?, required("body")?, required("id")?);
    let at = time(form, id)?;
    let place = Place::read(form, id)?;
    check_fate(form)?;
    let ties = Ties::read(form)?;
    let author = foreign_author(NAME, AuthorType::Agent, from, "");
    let mut message = Message::plain(mapped(id), ties.project(form)?, place.to, author, body.to_owned(), at);
    message.reply_to = place.root;
    message.context.task_id = ties.text("task_id")?.map(mapped);
    message.context.batch_id = ties.text("batch_id")?.map(mapped);
    message.correlation_id = match spelled::text(form, "correlation_id")? {
        Some(id) => Some(id.to_owned()),
        None => ties.of_meta("correlation_id")?.map(str::to_owned),
    };
    message.importance = importance(form)?;
    // Only ids of this hub name a member or an artifact here; the others stay in the kept list.
    message.mentions = ids(form, "mentions")?;
    message.artifacts = ids(form, "artifacts")?;
    Ok(message)
}

/// The time in milliseconds, else the time of the specification, else the one that the id holds.
fn time(form: &Form<'_>, id: &str) -> Result<Timestamp, Refusal> {
    if let Some(millis) = spelled::whole(form, "ts")? {
        return moment("ts", millis);
    }
    if let Some(text) = spelled::any(form, "created_at").and_then(Json::as_str)
        && text.contains('T')
    {
        return fields::time("created_at", text);
    }
    if let Some(millis) = spelled::whole(form, "created_at")? {
        return moment("created_at", millis);
    }
    let millis = id_parts(id).and_then(|(_, _, millis)| millis.parse().ok());
    millis.map_or_else(|| Err(missing("ts")), |millis| moment("id", millis))
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
struct Place {
    to: ConversationId,
    root: Option<MessageId>,
}

impl Place {
    fn read(form: &Form<'_>, id: &str) -> Result<Self, Refusal> {
        let has = |name| spelled::any(form, name).is_some();
        let sort = match spelled::text(form, "type")? {
            Some(sort) => sort,
            None if has("root") || id.starts_with("th:") => "thread",
            None if has("members") || has("a") || id.starts_with("dm:") => "dm",
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

fn channel(form: &Form<'_>, id: &str) -> Result<ChannelId, Refusal> {
    let named = spelled::text(form, "channel_id")?.or(spelled::text(form, "to")?);
    let channel = named.or_else(|| id_parts(id).map(|(_, place, _)| place));
    channel.map(mapped).ok_or_else(|| missing("channel_id"))
}

/// A thread is known by the message it hangs below, unless it is one of this hub.
fn thread(form: &Form<'_>, id: &str) -> Result<Place, Refusal> {
    let named = spelled::text(form, "root")?.or(spelled::text(form, "to")?);
    let root = named.or_else(|| id_parts(id).map(|(_, place, _)| place)).ok_or_else(|| missing("root"))?;
    let thread: ThreadId = mapped(root);
    let root = (thread.as_str() != root).then(|| mapped(root));
    Ok(Place { to: thread.into(), root })
}

/// A dm is known by its two members in the order of the alphabet.
fn dm(form: &Form<'_>, id: &str) -> Result<DmId, Refusal> {
    let members = match spelled::texts(form, "members")? {
        Some(members) => Some(members),
        None => match (spelled::text(form, "a")?, spelled::text(form, "b")?) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(vec![Cow::Borrowed(a), Cow::Borrowed(b)]),
            (a, _) => return Err(missing(if a.is_none() { "a" } else { "b" })),
        },
    };
    match members.as_deref() {
        Some([a, b]) => {
            let (first, second) = if a <= b { (a, b) } else { (b, a) };
            Ok(mapped_pair(first, second))
        }
        Some(_) => Err(Refusal::out_of_bounds("a dm has exactly two members").at("members")),
        None => {
            let named = spelled::text(form, "to")?.or_else(|| id_parts(id).map(|(_, place, _)| place));
            named.map(mapped).ok_or_else(|| missing("members"))
        }
    }
}

/// What a message belongs to, as its context or its meta tells.
struct Ties<'f, 'a> {
    context: Option<Cow<'f, Form<'a>>>,
    meta: Option<Cow<'f, Form<'a>>>,
}

impl<'f, 'a> Ties<'f, 'a> {
    fn read(form: &'f Form<'a>) -> Result<Self, Refusal> {
        Ok(Self { context: spelled::object(form, "context")?, meta: spelled::object(form, "meta")? })
    }

    fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let context = self.context.as_deref().map(|context| spelled::text(context, name)).transpose();
        match context.map_err(|refusal| refusal.at("context"))?.flatten() {
            Some(text) => Ok(Some(text)),
            None => self.of_meta(name),
        }
    }

    fn of_meta(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let meta = self.meta.as_deref().map(|meta| spelled::text(meta, name)).transpose();
        meta.map(Option::flatten).map_err(|refusal| refusal.at("meta"))
    }

    /// The project that the message names, else that of its channel's id, else the one that nobody has made.
    fn project(&self, form: &Form<'_>) -> Result<ProjectId, Refusal> {
        let named = spelled::text(form, "project_id")?.or(self.text("project_id")?);
        let of_channel = || form.str("channel_id").and_then(project_of);
        Ok(named.or_else(of_channel).map_or_else(unmade, mapped))
    }
}

/// The project that the id of a channel holds.
pub(super) fn project_of(channel: &str) -> Option<&str> {
    channel.strip_prefix("ch:")?.split_once(':').map(|(project, _)| project)
}

/// Checks what became of a blocking message. It asks nobody any more, so all of it is kept and nothing is made of it.
fn check_fate(form: &Form<'_>) -> Result<(), Refusal> {
    spelled::truth(form, "blocking")?;
    spelled::text(form, "resume_token")?;
    spelled::truth(form, "resolved")?;
    spelled::whole(form, "resolved_ts")?;
    spelled::texts(form, "resolved_by").map(drop)
}

/// The store took any word; one that is unknown counts as usual and is kept.
fn importance(form: &Form<'_>) -> Result<Importance, Refusal> {
    Ok(match spelled::text(form, "importance")? {
        Some("high") => Importance::High,
        Some("critical") => Importance::Critical,
        _ => Importance::Normal,
    })
}

fn ids<I: std::str::FromStr>(form: &Form<'_>, name: &str) -> Result<Vec<I>, Refusal> {
    let texts = spelled::texts(form, name)?.unwrap_or_default();
    Ok(texts.iter().filter_map(|text| text.parse().ok()).collect())
}
