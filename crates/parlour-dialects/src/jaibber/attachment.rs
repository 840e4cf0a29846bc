//! The files that go with a frame.

use parlour_core::{
    Refusal,
    artifact::{check_filename, check_media_type},
    message::Attachment,
    text::check_web_address,
};
use serde_json::{Map, Value};

use crate::json::{Json, Object, wrong};

/// What a file is when its media type is not said, or is none.
const ANY_MEDIA: &str = "application/octet-stream";
/// The fields of a file, as Jaibber's clients type them.
const FIELDS: [&str; 5] = ["id", "filename", "mimeType", "fileSize", "blobUrl"];

/// A file that goes with a frame. Its fields have the types that they must have; what else it says is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageAttachment(Map<String, Value>);

impl MessageAttachment {
    /// The file's id there.
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// Where it can be fetched.
    pub fn blob_url(&self) -> Option<&str> {
        self.text("blobUrl")
    }

    /// The list on a frame; the refusal names the place and the field.
    pub(super) fn list(value: Option<Json<'_>>) -> Result<Option<Vec<Self>>, Refusal> {
        match value {
            None => Ok(None),
            Some(Json::List(items)) => {
                let item =
                    |(place, item)| Self::read(item).map_err(|refusal| refusal.at(&format!("attachments[{place}]")));
                items.into_iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
            }
            Some(other) => Err(wrong("attachments", "a list of files", &other)),
        }
    }

    pub(super) fn list_json(files: Vec<Self>) -> Json<'static> {
        Json::List(files.into_iter().map(|file| Object::from(file.0).into()).collect())
    }

    fn read(json: Json<'_>) -> Result<Self, Refusal> {
        let fields = Object::read(json, "a file of Jaibber")?;
        for name in FIELDS {
            let Some(value) = fields.get(name).filter(|value| !value.is_null()) else { continue };
            let (wanted, is_right) = match name {
                "fileSize" => ("a whole number from 0", value.as_u64().is_some()),
                _ => ("a text", value.as_str().is_some()),
            };
            if !is_right {
                return Err(wrong(name, wanted, value));
            }
        }
        Ok(Self(fields.into_map()))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The native file, when this can be one.
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

    /// The native file and what it does not say; the file itself when it cannot be a native one.
    fn split(mut self) -> Result<(Attachment, Map<String, Value>), Map<String, Value>> {
        let Some(native) = self.native() else { return Err(self.0) };
        let usual = Self::usual(&native);
        self.0.retain(|name, value| usual.0.get(name) != Some(value));
        Ok((native, self.0))
    }

    /// The file as it is written when nothing else is known of it.
    fn usual(file: &Attachment) -> Self {
        let url = file.url.clone().unwrap_or_default();
        let id = file.artifact_id.as_ref().map_or_else(|| url.clone(), ToString::to_string);
        let fields: [Value; 5] =
            [id.into(), file.filename.clone().into(), file.media_type.clone().into(), file.size.into(), url.into()];
        Self(FIELDS.iter().map(|&name| name.to_owned()).zip(fields).collect())
    }
}

/// The native files, and what of each file has to be kept: an object with what its native one does not say, or a list
/// that holds the file itself when it cannot be a native one. None when there is nothing to keep.
pub(super) fn taken(files: Vec<MessageAttachment>) -> (Vec<Attachment>, Option<Value>) {
    let (mut natives, mut kept) = (Vec::new(), Vec::with_capacity(files.len()));
    for file in files {
        kept.push(match file.split() {
            Ok((native, more)) => {
                natives.push(native);
                Value::Object(more)
            }
            Err(whole) => Value::Array(vec![Value::Object(whole)]),
        });
    }
    let is_plain = !kept.is_empty() && kept.iter().all(|entry| entry.as_object().is_some_and(Map::is_empty));
    (natives, (!is_plain).then_some(Value::Array(kept)))
}

/// The files to write: those of the message, with what was kept of each when that is about them.
pub(super) fn given(files: &[Attachment], kept: Option<&Value>) -> Option<Vec<MessageAttachment>> {
    let usual = || files.iter().map(MessageAttachment::usual).collect();
    let restored = kept.and_then(|kept| restored(files, kept.as_array()?));
    restored.or_else(|| (!files.is_empty()).then(usual))
}

/// Joins the files with what was kept of them; none when that is not about these files.
fn restored(files: &[Attachment], kept: &[Value]) -> Option<Vec<MessageAttachment>> {
    let mut natives = files.iter();
    let mut out = Vec::with_capacity(kept.len());
    for entry in kept {
        out.push(match entry {
            Value::Array(whole) => MessageAttachment::read(Json::of(whole.first()?)).ok()?,
            more => {
                let MessageAttachment(more) = MessageAttachment::read(Json::of(more)).ok()?;
                let mut file = MessageAttachment::usual(natives.next()?);
                file.0.extend(more);
                file
            }
        });
    }
    natives.next().is_none().then_some(out)
}
