//! What the hub would refuse of a message is left out, and noted so that an export puts it back.

use parlour_core::{Refusal, Timestamp, import::ImportedMessage, message::Message};
use parlour_dialects::extras;
use serde_json::{Map, Value, json};

use super::{
    kept::{CHANGED, EVENTS, PARTS, SIGNS, noted},
    parts::Part,
    takeover::{Roots, Takeover},
};

/// Shown in place of a text that is empty.
const NO_TEXT: &str = "(no text)";

/// A message that is to be made fit, and what goes with it.
#[derive(Clone, Copy)]
pub(super) struct Fitting<'a> {
    pub(super) takeover: &'a Takeover,
    pub(super) original: &'a Message,
    pub(super) roots: Roots<'a>,
    pub(super) parts: &'a [Part],
    /// Events that told of its steps.
    pub(super) events: &'a [Value],
    /// When it may have been written at the latest.
    pub(super) latest: Timestamp,
}

impl Fitting<'_> {
    /// Notes what was changed, and leaves out what the hub would refuse as long as it can be noted.
    pub(super) fn make_fit(&self, request: &mut ImportedMessage) -> Result<(), Refusal> {
        // What is left out because it is too large needs room elsewhere; if there is none, that is what is wrong.
        let mut too_large = None;
        loop {
            self.note_changes(request);
            let Err(refusal) = request.check(self.latest) else { return Ok(()) };
            let field = refusal.field.as_deref().unwrap_or_default();
            let field = &field[..field.find(['.', '[']).unwrap_or(field.len())];
            let original = self.original;
            match field {
                // People have to see that there was something.
                "body" if request.body != NO_TEXT => NO_TEXT.clone_into(&mut request.body),
                "steps" if !request.steps.is_empty() => request.steps.clear(),
                "attachments" if !request.attachments.is_empty() => request.attachments.clear(),
                "correlation_id" if request.correlation_id.is_some() => request.correlation_id = None,
                "reason" if request.reason.is_some() => request.reason = None,
                "content" if request.content == original.content => {
                    request.content = None;
                    too_large = Some(refusal);
                }
                // There is more room in the content than in the metadata.
                "metadata" if request.content.is_none() || request.content == original.content => {
                    self.note_in_content(request);
                    return request.check(self.latest).map_err(|_| too_large.unwrap_or(refusal));
                }
                _ => return Err(refusal),
            }
        }
    }

    fn note_changes(&self, request: &mut ImportedMessage) {
        request.metadata.clone_from(&self.original.metadata);
        for key in [CHANGED, SIGNS, PARTS, EVENTS] {
            request.metadata.remove(key);
        }
        let changed = self.changed(request);
        self.note_parts(request);
        request.metadata.insert(CHANGED.to_owned(), noted(Value::Object(changed)));
        if !self.events.is_empty() {
            request.metadata.insert(EVENTS.to_owned(), noted(self.events.into()));
        }
    }

    fn note_in_content(&self, request: &mut ImportedMessage) {
        (request.metadata, request.content) = (Map::new(), None);
        let changed = noted(Value::Object(self.changed(request)));
        self.note_parts(request);
        request.content = Some(match self.events {
            [] => json!({ CHANGED: changed }),
            events => json!({ CHANGED: changed, EVENTS: noted(events.into()) }),
        });
    }

    fn note_parts(&self, request: &mut ImportedMessage) {
        let signs = &self.parts[0].signs;
        if !signs.is_empty() {
            request.metadata.insert(SIGNS.to_owned(), json!(signs));
        }
        if self.parts.len() > 1 {
            request.metadata.insert(PARTS.to_owned(), json!(self.parts.len()));
        }
    }

    /// What of the original the hub will not have. The text is in its parts, unless something else is shown for it.
    fn changed(&self, request: &ImportedMessage) -> Map<String, Value> {
        let mut understood = request.clone().into_message(self.takeover.project.clone(), self.roots.to.clone());
        if understood.body != NO_TEXT {
            understood.body.clone_from(&self.original.body);
        }
        extras::missing(self.original, &understood).unwrap_or_default()
    }
}
