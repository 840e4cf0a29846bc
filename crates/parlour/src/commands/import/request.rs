//! From a source message to import requests that the hub accepts.

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ConversationId, MessageId, ProjectId},
    import::ImportedMessage,
    limits,
    message::Message,
    text,
};
use parlour_dialects::extras;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    caco_source::StepEvents,
    original::{BodyPart, CHANGED, EVENTS, PARTS, SIGNS, continuation, noted, parts},
    source::SourceMessage,
    system::System,
};

/// The source system and target project of an import.
#[derive(Clone, Debug)]
pub(super) struct ImportContext {
    pub(super) system: System,
    pub(super) project: ProjectId,
    /// The latest allowed time of messages.
    pub(super) now: Timestamp,
}

/// The input of derived message ids of a conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdScope<'a> {
    pub(super) to: &'a ConversationId,
    /// The key that distinguishes conversations with the same destination.
    pub(super) key: &'a str,
}

impl IdScope<'_> {
    /// The deterministic id of an imported message.
    pub(super) fn id(&self, foreign: &MessageId) -> MessageId {
        derived(&[self.to.as_str(), self.key, foreign.as_str()])
    }

    /// The deterministic id of another message with the same source id.
    pub(super) fn twin_id(&self, foreign: &MessageId, fingerprint: u64) -> MessageId {
        derived(&[self.to.as_str(), self.key, foreign.as_str(), &fingerprint.to_string()])
    }
}

fn derived(texts: &[&str]) -> MessageId {
    MessageId::from_bits(bits_of(texts))
}

/// A hash of texts.
pub(super) fn bits_of(texts: &[&str]) -> u128 {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    let mut bits = [0; 16];
    bits.copy_from_slice(&hasher.finalize()[..16]);
    u128::from_be_bytes(bits)
}

/// A hash of the content, for messages with the same id.
pub(super) fn fingerprint(message: &Message) -> u64 {
    let json = serde_json::to_vec(message).expect("a message is plain data");
    let mut bits = [0; 8];
    bits.copy_from_slice(&Sha256::digest(json)[..8]);
    u64::from_be_bytes(bits)
}

impl ImportContext {
    /// The requests for a message and its continuations, or the reason why it cannot be imported.
    pub(super) fn requests(
        &self,
        source: &SourceMessage,
        id: &MessageId,
        id_scope: IdScope<'_>,
    ) -> Result<Vec<ImportedMessage>, Refusal> {
        let parts = parts(&source.message.body);
        let first = self.first(&source.message, id, id_scope, &parts);
        let latest = self.latest(source);
        let fitter =
            MessageFitter { context: self, original: &source.message, id_scope, parts: &parts, events: &[], latest };
        let mut requests = vec![match shown(&fitter, &first, source.step_events.as_ref()) {
            Some(shown) => shown,
            None => {
                let mut plain = first;
                fitter.make_fit(&mut plain)?;
                plain
            }
        }];
        for (index, part) in parts.iter().enumerate().skip(1) {
            let further = further(&requests[0], index + 1, part);
            further.check(latest)?;
            requests.push(further);
        }
        Ok(requests)
    }

    /// The latest allowed time. A message without a time has the creation time of its channel, by the clock of the hub, which
    /// can be ahead.
    fn latest(&self, source: &SourceMessage) -> Timestamp {
        if source.has_time { self.now } else { self.now.max(source.message.created_at) }
    }

    /// The request with the fields of the original. Artifacts of another hub do not exist here and are omitted.
    fn first(&self, original: &Message, id: &MessageId, id_scope: IdScope<'_>, parts: &[BodyPart]) -> ImportedMessage {
        ImportedMessage {
            id: id.clone(),
            from: self.author(&original.from),
            kind: original.kind,
            body: parts[0].text.clone(),
            content: original.content.clone(),
            artifacts: Vec::new(),
            attachments: original.attachments.iter().filter(|file| file.artifact_id.is_none()).cloned().collect(),
            importance: original.importance,
            reply_to: original.reply_to.as_ref().map(|reply_to| id_scope.id(reply_to)),
            correlation_id: original.correlation_id.clone(),
            state: original.state,
            reason: original.reason.clone(),
            steps: original.steps.clone(),
            metadata: original.metadata.clone(),
            created_at: original.created_at,
        }
    }

    /// The author with a foreign id and a valid name.
    fn author(&self, author: &Author) -> Author {
        let system = self.system.author_prefix();
        let mut known = author.clone();
        if known.foreign_system().is_none() || self.system == System::Native {
            let id = author.id.as_deref().filter(|id| !id.is_empty()).unwrap_or(sort_of(author.author_type));
            known.id = Some(format!("{system}:{id}"));
        }
        let id = known.id.clone().unwrap_or_default();
        if text::check_line(&id, limits::FOREIGN_AUTHOR_ID_CHARS_MAX).is_err() {
            known.id = Some(format!("{system}:{}", derived(&[&id])));
        }
        if text::check_line(&known.name, limits::NAME_CHARS_MAX).is_err() {
            known.name = short_line(&known.name);
        }
        if text::check_not_blank(&known.name).is_err() {
            known.name = system.to_owned();
        }
        known
    }
}

fn short_line(name: &str) -> String {
    let line = crate::output::plain::one_line(name);
    let mut short: String = line.chars().take(limits::NAME_CHARS_MAX - 1).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

fn sort_of(author_type: AuthorType) -> &'static str {
    match author_type {
        AuthorType::Person => "person",
        AuthorType::Agent => "agent",
        AuthorType::Applet => "applet",
        AuthorType::Scheduler => "scheduler",
        AuthorType::Tool => "tool",
        AuthorType::Host => "host",
        AuthorType::System => "system",
    }
}

/// The request with completed steps, if it fits: with the step events, with shortened ones, or without them.
fn shown(
    fitter: &MessageFitter<'_>,
    first: &ImportedMessage,
    step_events: Option<&StepEvents>,
) -> Option<ImportedMessage> {
    let step_events = step_events?;
    step_events.choices().iter().find_map(|events| {
        let mut shown = ImportedMessage { steps: step_events.steps.clone(), ..first.clone() };
        let is_fit = MessageFitter { events, ..*fitter }.make_fit(&mut shown).is_ok();
        (is_fit && shown.steps == step_events.steps).then_some(shown)
    })
}

/// A continuation of the first message.
fn further(first: &ImportedMessage, number: usize, part: &BodyPart) -> ImportedMessage {
    let mut metadata = Map::new();
    if !part.signs.is_empty() {
        metadata.insert(SIGNS.to_owned(), json!(part.signs));
    }
    ImportedMessage {
        id: derived(&[first.id.as_str(), &number.to_string()]),
        from: first.from.clone(),
        kind: first.kind,
        body: part.text.clone(),
        content: Some(continuation(&first.id, number)),
        artifacts: Vec::new(),
        attachments: Vec::new(),
        importance: first.importance,
        reply_to: None,
        correlation_id: None,
        state: first.state,
        reason: None,
        steps: Vec::new(),
        metadata,
        created_at: first.created_at,
    }
}

/// The text of a message without one.
const NO_TEXT: &str = "(no text)";

/// Changes a request until the hub accepts it, and records the changes.
#[derive(Clone, Copy)]
pub(super) struct MessageFitter<'a> {
    pub(super) context: &'a ImportContext,
    pub(super) original: &'a Message,
    pub(super) id_scope: IdScope<'a>,
    pub(super) parts: &'a [BodyPart],
    pub(super) events: &'a [Value],
    /// The latest allowed time.
    pub(super) latest: Timestamp,
}

impl MessageFitter<'_> {
    /// Removes fields that the hub would refuse, as long as they can be recorded for the export.
    pub(super) fn make_fit(&self, request: &mut ImportedMessage) -> Result<(), Refusal> {
        // The original refusal of content that is too large to be recorded elsewhere.
        let mut too_large = None;
        loop {
            self.note_changes(request);
            let Err(refusal) = request.check(self.latest) else { return Ok(()) };
            let field = refusal.field.as_deref().unwrap_or_default();
            let field = &field[..field.find(['.', '[']).unwrap_or(field.len())];
            let original = self.original;
            match field {
                // An empty message must be visible.
                "body" if request.body != NO_TEXT => NO_TEXT.clone_into(&mut request.body),
                "steps" if !request.steps.is_empty() => request.steps.clear(),
                "attachments" if !request.attachments.is_empty() => request.attachments.clear(),
                "correlation_id" if request.correlation_id.is_some() => request.correlation_id = None,
                "reason" if request.reason.is_some() => request.reason = None,
                "content" if request.content == original.content => {
                    request.content = None;
                    too_large = Some(refusal);
                }
                // The content has a higher limit than the metadata.
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

    /// The fields of the original that the stored message will not have. The text is in its parts, unless it was replaced.
    fn changed(&self, request: &ImportedMessage) -> Map<String, Value> {
        let mut understood = request.clone().into_message(self.context.project.clone(), self.id_scope.to.clone());
        if understood.body != NO_TEXT {
            understood.body.clone_from(&self.original.body);
        }
        extras::missing(self.original, &understood).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::id::ChannelId;
    use proptest::prelude::*;

    use super::*;

    fn ids(key: &str, foreign: &str) -> (String, String) {
        let to: ConversationId = ChannelId::from_bits(1).into();
        let (id_scope, foreign) = (IdScope { to: &to, key }, foreign.parse().expect("an id"));
        (id_scope.id(&foreign).to_string(), id_scope.twin_id(&foreign, 7).to_string())
    }

    #[test]
    fn ids_are_stable_between_versions() {
        // A change of these ids would import everything again.
        let (id, twin) = ids("chn_f_general", "msg_f_1");
        assert_eq!(id, "msg_0B2V0ENFQ8HWZHSKBVCMAW1ZW7");
        assert_eq!(twin, "msg_0C134KVREQVD5BXGBBJ307MAWC");
    }

    #[test]
    fn long_names_are_cut_in_one_line() {
        let short = short_line(&format!("Mara\n{}", "x".repeat(100)));
        assert_eq!(short.chars().count(), limits::NAME_CHARS_MAX);
        assert!(short.starts_with("Mara xxx") && short.ends_with("x…"));
        assert_eq!(short_line("Mara\tStone"), "Mara Stone");
    }

    proptest! {
        #[test]
        fn ids_separate_the_texts_that_they_are_made_of(
            one in proptest::collection::vec("[a-c]{0,3}", 0..4),
            other in proptest::collection::vec("[a-c]{0,3}", 0..4),
        ) {
            let bits = |texts: &[String]| bits_of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(one == other, bits(&one) == bits(&other));
        }
    }
}
