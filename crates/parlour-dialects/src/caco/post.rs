//! What is posted to a session of Caco: `POST /api/sessions/:id/messages`.

use parlour_core::{Refusal, author::Source};
use serde_json::{Map, Value};

use super::{
    image::parse_image_data,
    read::identifier_field,
    source::{source_name, source_named},
};
use crate::fields::{Fields, missing};

/// A prompt for a session.
///
/// Its source is what the caller claims. Whoever serves this decides by the caller's token whether to believe it; the
/// text is never asked.
#[derive(Clone, Debug, PartialEq)]
pub struct PostBody {
    /// The text; never empty.
    pub prompt: String,
    /// An image as a data address, checked.
    pub image_data: Option<String>,
    /// The state of the applet that is open.
    pub applet_state: Option<Value>,
    /// How the applet that is open was come to.
    pub applet_navigation: Option<Value>,
    /// Who claims to send it.
    pub source: Source,
    /// The applet.
    pub applet_slug: Option<String>,
    /// The session whose agent sends it.
    pub from_session: Option<String>,
    /// The schedule.
    pub schedule_slug: Option<String>,
    /// What ties it to calls between agents; there whenever `from_session` is.
    pub correlation_id: Option<String>,
    /// What else was posted.
    pub rest: Map<String, Value>,
}

/// Reads a posted prompt. The prompt is checked first, then that a call between agents can be traced, then the rest.
pub fn decode_post(value: Value) -> Result<PostBody, Refusal> {
    let mut fields = Fields::of(value, "a posted prompt")?;
    let prompt = fields.text("prompt")?.filter(|prompt| !prompt.is_empty()).ok_or_else(|| missing("prompt"))?;
    let from_session = filled(&mut fields, "fromSession")?;
    let correlation_id = filled(&mut fields, "correlationId")?;
    if from_session.is_some() && correlation_id.is_none() {
        let rule = "a prompt of an agent (fromSession) needs the correlation id of the call";
        return Err(Refusal::invalid(rule).at("correlationId"));
    }
    let post = PostBody {
        prompt,
        image_data: image_data(&mut fields)?,
        applet_state: fields.any("appletState"),
        applet_navigation: fields.any("appletNavigation"),
        source: source(&mut fields)?,
        applet_slug: filled(&mut fields, "appletSlug")?,
        from_session,
        schedule_slug: filled(&mut fields, "scheduleSlug")?,
        correlation_id,
        rest: fields.rest(),
    };
    Ok(post)
}

impl PostBody {
    /// Which applet, session or schedule claims to send it.
    pub fn identifier(&self) -> Option<&str> {
        match self.source {
            Source::User => None,
            Source::Applet => self.applet_slug.as_deref(),
            Source::Agent => self.from_session.as_deref(),
            Source::Scheduler => self.schedule_slug.as_deref(),
        }
    }

    /// The field that `identifier` is read from.
    pub fn identifier_field(&self) -> Option<&'static str> {
        identifier_field(self.source)
    }
}

/// A text; an empty one counts as absent.
fn filled(fields: &mut Fields, name: &str) -> Result<Option<String>, Refusal> {
    Ok(fields.text(name)?.filter(|text| !text.is_empty()))
}

fn image_data(fields: &mut Fields) -> Result<Option<String>, Refusal> {
    let image = filled(fields, "imageData")?;
    image.as_deref().map(parse_image_data).transpose().map_err(|refusal| refusal.at("imageData"))?;
    Ok(image)
}

/// Who claims to send it. A caller that does not say is a person, as in Caco.
fn source(fields: &mut Fields) -> Result<Source, Refusal> {
    let Some(name) = filled(fields, "source")? else { return Ok(Source::User) };
    source_named(&name).ok_or_else(|| {
        let known = [Source::User, Source::Applet, Source::Agent, Source::Scheduler];
        let names = known.into_iter().map(|source| source_name(source).to_owned()).collect();
        Refusal::out_of_bounds("this is no source of a message").at("source").proposing(names)
    })
}
