//! From a message of another system to what the hub is sent.

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ConversationId, MessageId, ProjectId},
    import::ImportedMessage,
    limits,
    message::Message,
    text,
};
use serde_json::{Map, json};
use sha2::{Digest, Sha256};

use super::{
    fitting::Fitting,
    kept::{SIGNS, continuation},
    parts::{Part, parts},
    system::System,
    told::Told,
    walker::MetMessage,
};

/// Where messages go, and where from.
#[derive(Clone, Debug)]
pub(super) struct Takeover {
    pub(super) system: System,
    pub(super) project: ProjectId,
    /// Nothing may have been written later.
    pub(super) now: Timestamp,
}

/// What makes the ids of a conversation its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roots<'a> {
    /// Where its messages go.
    pub(super) to: &'a ConversationId,
    /// What keeps it apart from others that go to the same place.
    pub(super) key: &'a str,
}

impl Roots<'_> {
    /// The id here of a message there: the same for the same, in every run.
    pub(super) fn id(&self, foreign: &MessageId) -> MessageId {
        derived(&[self.to.as_str(), self.key, foreign.as_str()])
    }

    /// The id here of another message there that has the same id.
    pub(super) fn twin_id(&self, foreign: &MessageId, fingerprint: u64) -> MessageId {
        derived(&[self.to.as_str(), self.key, foreign.as_str(), &fingerprint.to_string()])
    }
}

/// An id that follows from these texts.
fn derived(texts: &[&str]) -> MessageId {
    MessageId::from_bits(bits_of(texts))
}

/// A number that follows from these texts.
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

/// What tells messages with the same id apart.
pub(super) fn fingerprint(message: &Message) -> u64 {
    let json = serde_json::to_vec(message).expect("a message is plain data");
    let mut bits = [0; 8];
    bits.copy_from_slice(&Sha256::digest(json)[..8]);
    u64::from_be_bytes(bits)
}

impl Takeover {
    /// The message as it is sent, with the messages in which its text goes on; or why it cannot be taken over.
    pub(super) fn requests(
        &self,
        met: &MetMessage,
        id: &MessageId,
        roots: Roots<'_>,
    ) -> Result<Vec<ImportedMessage>, Refusal> {
        let parts = parts(&met.message.body);
        let first = self.first(&met.message, id, roots, &parts);
        let latest = self.latest(met);
        let fitting = Fitting { takeover: self, original: &met.message, roots, parts: &parts, events: &[], latest };
        let mut requests = vec![match shown(&fitting, &first, met.told.as_ref()) {
            Some(shown) => shown,
            None => {
                let mut plain = first;
                fitting.make_fit(&mut plain)?;
                plain
            }
        }];
        for (place, part) in parts.iter().enumerate().skip(1) {
            let further = further(&requests[0], place + 1, part);
            further.check(latest)?;
            requests.push(further);
        }
        Ok(requests)
    }

    /// When a message may have been written at the latest. One that carries no time gets that of its channel, by the clock of the
    /// hub, which may be ahead of the one here.
    fn latest(&self, met: &MetMessage) -> Timestamp {
        if met.has_time { self.now } else { self.now.max(met.message.created_at) }
    }

    /// The fields that go over as they are. Artifacts of another hub are not here: they are kept by name alone.
    fn first(&self, original: &Message, id: &MessageId, roots: Roots<'_>, parts: &[Part]) -> ImportedMessage {
        ImportedMessage {
            id: id.clone(),
            from: self.author(&original.from),
            kind: original.kind,
            body: parts[0].text.clone(),
            content: original.content.clone(),
            artifacts: Vec::new(),
            attachments: original.attachments.iter().filter(|file| file.artifact_id.is_none()).cloned().collect(),
            importance: original.importance,
            reply_to: original.reply_to.as_ref().map(|reply_to| roots.id(reply_to)),
            correlation_id: original.correlation_id.clone(),
            state: original.state,
            reason: original.reason.clone(),
            steps: original.steps.clone(),
            metadata: original.metadata.clone(),
            created_at: original.created_at,
        }
    }

    /// Nobody of this hub, and with a name that can be shown.
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

/// The beginning of a name in one line.
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

/// The message with what became of its steps, where there is room for it: with the events that told of it, with their
/// beginnings, or without them.
fn shown(fitting: &Fitting<'_>, first: &ImportedMessage, told: Option<&Told>) -> Option<ImportedMessage> {
    let told = told?;
    told.choices().iter().find_map(|events| {
        let mut shown = ImportedMessage { steps: told.steps.clone(), ..first.clone() };
        let is_fit = Fitting { events, ..*fitting }.make_fit(&mut shown).is_ok();
        (is_fit && shown.steps == told.steps).then_some(shown)
    })
}

/// A message in which the text of the first one goes on.
fn further(first: &ImportedMessage, number: usize, part: &Part) -> ImportedMessage {
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

#[cfg(test)]
mod tests {
    use parlour_core::id::ChannelId;
    use proptest::prelude::*;

    use super::*;

    fn ids(key: &str, foreign: &str) -> (String, String) {
        let to: ConversationId = ChannelId::from_bits(1).into();
        let (roots, foreign) = (Roots { to: &to, key }, foreign.parse().expect("an id"));
        (roots.id(&foreign).to_string(), roots.twin_id(&foreign, 7).to_string())
    }

    #[test]
    fn ids_are_those_of_every_import_before() {
        // Whoever changes this lets everything that was imported be imported once more.
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
        fn texts_are_not_taken_for_others_that_look_the_same_together(
            one in proptest::collection::vec("[a-c]{0,3}", 0..4),
            other in proptest::collection::vec("[a-c]{0,3}", 0..4),
        ) {
            let bits = |texts: &[String]| bits_of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(one == other, bits(&one) == bits(&other));
        }
    }
}
