//! The attachments of a frame.

use parlour_core::{
    Refusal,
    artifact::{check_filename, check_media_type},
    message::Attachment,
    text::check_web_address,
};
use serde_json::{Map, Value};

use crate::json::{Json, Object, wrong_type};

/// The media type of a file without a valid one.
const ANY_MEDIA: &str = "application/octet-stream";
const FIELDS: [&str; 5] = ["id", "filename", "mimeType", "fileSize", "blobUrl"];

/// An attachment of a frame. Known fields have the right types; unknown fields are preserved.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageAttachment(Map<String, Value>);

impl MessageAttachment {
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// The download address.
    pub fn blob_url(&self) -> Option<&str> {
        self.text("blobUrl")
    }

    /// Decodes the list of a frame; a refusal names index and field.
    pub(super) fn list(value: Option<Json<'_>>) -> Result<Option<Vec<Self>>, Refusal> {
        match value {
            None => Ok(None),
            Some(Json::List(items)) => {
                let item =
                    |(index, item)| Self::read(item).map_err(|refusal| refusal.at(&format!("attachments[{index}]")));
                items.into_iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
            }
            Some(other) => Err(wrong_type("attachments", "an array of files", &other)),
        }
    }

    pub(super) fn list_json(files: Vec<Self>) -> Json<'static> {
        Json::List(files.into_iter().map(|file| Object::from(file.0).into()).collect())
    }

    fn read(json: Json<'_>) -> Result<Self, Refusal> {
        let fields = Object::read(json, "a file of Jaibber")?;
        for name in FIELDS {
            let Some(value) = fields.get(name).filter(|value| !value.is_null()) else { continue };
            let (expected, is_right) = match name {
                "fileSize" => ("a non-negative integer", value.as_u64().is_some()),
                _ => ("a string", value.as_str().is_some()),
            };
            if !is_right {
                return Err(wrong_type(name, expected, value));
            }
        }
        Ok(Self(fields.into_map()))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The native attachment, if the fields allow it.
    fn native(&self) -> Option<Attachment> {
        let (_, filename, url) = (self.id()?, self.text("filename")?, self.blob_url()?);
        let (media_type, size) = (self.text("mimeType")?, self.0.get("fileSize")?.as_u64()?);
        let fits = check_filename(filename).is_ok() && check_web_address(url).is_ok();
        let media_type = if check_media_type(media_type).is_ok() { media_type } else { ANY_MEDIA };
        fits.then(|| Attachment {
            filename: filename.to_owned(),
            media_type: media_type.to_owned(),
            size,
            artifact_id: None,
            url: Some(url.to_owned()),
        })
    }

    /// The native attachment with the remaining fields, or all fields if there is no native attachment.
    fn split(mut self) -> Result<(Attachment, Map<String, Value>), Map<String, Value>> {
        let Some(native) = self.native() else { return Err(self.0) };
        let canonical = Self::canonical(&native);
        self.0.retain(|name, value| canonical.0.get(name) != Some(value));
        Ok((native, self.0))
    }

    /// The canonical form of a native attachment.
    fn canonical(file: &Attachment) -> Self {
        let url = file.url.clone().unwrap_or_default();
        let id = file.artifact_id.as_ref().map_or_else(|| url.clone(), ToString::to_string);
        let fields: [Value; 5] =
            [id.into(), file.filename.clone().into(), file.media_type.clone().into(), file.size.into(), url.into()];
        Self(FIELDS.iter().map(|&name| name.to_owned()).zip(fields).collect())
    }
}

/// Splits attachments into native ones and the values to preserve: an object with the remaining fields of a native
/// one, or a list with a file that cannot be native. None if nothing must be preserved.
pub(super) fn split_attachments(files: Vec<MessageAttachment>) -> (Vec<Attachment>, Option<Value>) {
    let (mut natives, mut preserved) = (Vec::new(), Vec::with_capacity(files.len()));
    for file in files {
        preserved.push(match file.split() {
            Ok((native, more)) => {
                natives.push(native);
                Value::Object(more)
            }
            Err(whole) => Value::Array(vec![Value::Object(whole)]),
        });
    }
    let is_plain = !preserved.is_empty() && preserved.iter().all(|entry| entry.as_object().is_some_and(Map::is_empty));
    (natives, (!is_plain).then_some(Value::Array(preserved)))
}

/// The attachments of a message, merged with the preserved values if these match.
pub(super) fn restore_attachments(files: &[Attachment], preserved: Option<&Value>) -> Option<Vec<MessageAttachment>> {
    let canonical = || files.iter().map(MessageAttachment::canonical).collect();
    let restored = preserved.and_then(|preserved| merge_preserved(files, preserved.as_array()?));
    restored.or_else(|| (!files.is_empty()).then(canonical))
}

/// Merges native attachments with the preserved values; none if they do not match.
fn merge_preserved(files: &[Attachment], preserved: &[Value]) -> Option<Vec<MessageAttachment>> {
    let mut natives = files.iter();
    let mut out = Vec::with_capacity(preserved.len());
    for entry in preserved {
        out.push(match entry {
            Value::Array(whole) => MessageAttachment::read(Json::of(whole.first()?)).ok()?,
            more => {
                let MessageAttachment(more) = MessageAttachment::read(Json::of(more)).ok()?;
                let mut file = MessageAttachment::canonical(natives.next()?);
                file.0.extend(more);
                file
            }
        });
    }
    natives.next().is_none().then_some(out)
}
