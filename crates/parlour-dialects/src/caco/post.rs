//! The body of `POST /api/sessions/:id/messages`.

use parlour_core::{Refusal, author::Source, limits};
use serde_json::{Map, Value};

use super::{
    decode::identifier_field,
    source::{source_name, source_named},
};
use crate::fields::{Fields, missing};

/// A prompt for a session.
///
/// The source is a claim of the caller. The server decides by the caller's token whether to accept it; the text is
/// never used for this.
#[derive(Clone, Debug, PartialEq)]
pub struct PostBody {
    /// Never empty.
    pub prompt: String,
    /// A checked data URL.
    pub image_data: Option<String>,
    /// The state of the open applet.
    pub applet_state: Option<Value>,
    /// The navigation history of the open applet.
    pub applet_navigation: Option<Value>,
    /// The claimed source.
    pub source: Source,
    pub applet_slug: Option<String>,
    /// The session of the sending agent.
    pub from_session: Option<String>,
    pub schedule_slug: Option<String>,
    /// Always present with `from_session`.
    pub correlation_id: Option<String>,
    /// Unknown fields.
    pub rest: Map<String, Value>,
}

/// Decodes a posted prompt. Checks the prompt first, then the correlation id of a call between agents, then the other
/// fields.
pub fn decode_post(value: Value) -> Result<PostBody, Refusal> {
    let mut fields = Fields::of(value, "a posted prompt")?;
    let prompt = fields.text("prompt")?.filter(|prompt| !prompt.is_empty()).ok_or_else(|| missing("prompt"))?;
    let from_session = filled(&mut fields, "fromSession")?;
    let correlation_id = filled(&mut fields, "correlationId")?;
    if from_session.is_some() && correlation_id.is_none() {
        let rule = "a prompt of an agent (fromSession) requires the correlation id of the call";
        return Err(Refusal::invalid(rule).at("correlationId"));
    }
    let post = PostBody {
        prompt,
        image_data: image_data(&mut fields)?,
        applet_state: fields.take_non_null("appletState"),
        applet_navigation: fields.take_non_null("appletNavigation"),
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
    /// The applet, session or schedule of the claimed source.
    pub fn identifier(&self) -> Option<&str> {
        match self.source {
            Source::User => None,
            Source::Applet => self.applet_slug.as_deref(),
            Source::Agent => self.from_session.as_deref(),
            Source::Scheduler => self.schedule_slug.as_deref(),
        }
    }

    /// The field of `identifier`.
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

/// The claimed source; the default is the user.
fn source(fields: &mut Fields) -> Result<Source, Refusal> {
    let Some(name) = filled(fields, "source")? else { return Ok(Source::User) };
    source_named(&name).ok_or_else(|| {
        let known = [Source::User, Source::Applet, Source::Agent, Source::Scheduler];
        let names = known.into_iter().map(|source| source_name(source).to_owned()).collect();
        Refusal::out_of_bounds("unknown source of a message").at("source").proposing(names)
    })
}

/// An image of a data URL; the base64 text is checked, not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageData<'a> {
    /// For example `image/png`.
    pub media_type: &'a str,
    pub base64: &'a str,
    /// The number of decoded bytes.
    pub bytes_len: usize,
}

/// Parses a data URL without copying it. Refuses anything but a base64 image within the size limit.
pub fn parse_image_data(address: &str) -> Result<ImageData<'_>, Refusal> {
    let no_image = || Refusal::invalid("this must be an image as a data URL: data:image/<type>;base64,<bytes>");
    let (media_type, base64) =
        address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")).ok_or_else(no_image)?;
    let subtype = media_type.strip_prefix("image/").ok_or_else(no_image)?;
    if !is_token(subtype) {
        return Err(no_image());
    }
    let bytes_len = decoded_len(base64).ok_or_else(|| Refusal::invalid("the image is not valid base64"))?;
    if bytes_len > limits::IMAGE_DATA_BYTES_MAX {
        let most = limits::IMAGE_DATA_BYTES_MAX;
        return Err(Refusal::out_of_bounds(format!("the image has {bytes_len} bytes; at most {most} are allowed")));
    }
    Ok(ImageData { media_type, base64, bytes_len })
}

fn is_token(subtype: &str) -> bool {
    !subtype.is_empty() && subtype.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(&byte))
}

/// The number of bytes of a base64 text; none if it is empty or invalid.
fn decoded_len(base64: &str) -> Option<usize> {
    let digits = base64.trim_end_matches('=').as_bytes();
    let padding = base64.len() - digits.len();
    let is_whole = base64.len().is_multiple_of(4) && padding <= 2 && !digits.is_empty();
    let value = digits.iter().try_fold(0, |_, byte| digit(*byte))?;
    // The unused bits of the last digit must be zero, so that each byte sequence has one text.
    let unused: u8 = [0, 0b11, 0b1111].get(padding).copied()?;
    (is_whole && value & unused == 0).then_some(base64.len() / 4 * 3 - padding)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
