//! What may be shown: candidates, with what they were made of.

use std::{borrow::Cow, sync::Arc};

use parlour_context::{
    candidate::{Candidate, Place, StandsFor},
    prepared::Prepared,
};
use parlour_core::{
    checkpoint::wanted,
    context::{Reason, Section, SubjectType},
    id::{ConversationId, MessageId},
    message::{Importance, Message},
};
use parlour_redact::Mark;

use super::{
    Aim,
    ended::ended,
    gathered::{Card, Sighting},
    places,
    summing::Talk,
    views,
};
use crate::summaries::ConversationSummary;

/// Something that may be shown.
pub(super) struct Item {
    pub(super) subject: Subject,
    pub(super) candidate: Candidate,
    /// The kinds of what was taken out of what an answer is to look like.
    pub(super) wanted_marks: Vec<Cow<'static, str>>,
    /// Whether it stands in another conversation than the one that is to be answered.
    pub(super) is_elsewhere: bool,
}

/// What an item is.
pub(super) enum Subject {
    Message(Box<Message>),
    Card,
}

impl Item {
    pub(super) fn of_message(
        sighting: Sighting,
        section: Section,
        places: &places::Places,
        here: Option<&ConversationId>,
        prepare: &impl Fn(&str) -> Arc<Prepared>,
    ) -> Self {
        let Sighting { mut message, reasons, distance } = sighting;
        let place = places.get(&message.to).cloned();
        let wanted = message.question.as_ref().filter(|question| question.is_open()).and_then(wanted);
        let wanted = wanted.map(|text| prepare(&text));
        let ended = message.question.as_ref().and_then(ended);
        let prepared = match ended.as_ref().and_then(|ended| ended.answer.as_ref()) {
            Some(answer) => prepare(&format!("{}\n{answer}", message.body)),
            None => prepare(&message.body),
        };
        views::strip(&mut message, |text| prepare(text).text.clone());
        let candidate = Candidate {
            subject_type: SubjectType::Message,
            id: message.id.to_string(),
            section,
            place,
            seq: message.seq,
            from: Some(message.from.clone()),
            prepared,
            importance: message.importance,
            reasons: reasons.into_iter().collect(),
            distance,
            reply_to: message.reply_to.as_ref().map(MessageId::to_string),
            note: ended.map(|ended| ended.note),
            wanted: wanted.as_ref().map(|wanted| wanted.text.clone()),
            stands_for: None,
        };
        let is_elsewhere = Some(&message.to) != here;
        let wanted_marks = wanted.iter().flat_map(|wanted| &wanted.marks).map(|mark| mark.kind.clone()).collect();
        Self { subject: Subject::Message(Box::new(message)), candidate, wanted_marks, is_elsewhere }
    }

    pub(super) fn of_card(card: Card, places: &places::Places, prepare: &impl Fn(&str) -> Arc<Prepared>) -> Self {
        let place: Option<Arc<Place>> = card.place.as_ref().and_then(|id| places.get(id).cloned());
        let candidate = Candidate {
            subject_type: card.subject_type,
            id: card.id,
            section: card.section,
            place,
            seq: 0,
            from: card.from,
            prepared: prepare(&card.text),
            importance: Importance::Normal,
            reasons: vec![card.reason],
            distance: card.distance,
            reply_to: None,
            note: None,
            wanted: None,
            stands_for: None,
        };
        Self { subject: Subject::Card, candidate, wanted_marks: Vec::new(), is_elsewhere: true }
    }

    /// A summary was made of texts that may be shown; it is prepared all the same, for a model has written it.
    pub(super) fn of_sum(talk: &Talk, summed: &ConversationSummary, prepared: &Prepared) -> Self {
        let prepared = Arc::new(Prepared { marks: marks_of(summed, &prepared.text), ..prepared.clone() });
        let note = summed.by.as_ref().map(|by| format!("Written by the model {by}, not quoted."));
        let candidate = Candidate {
            subject_type: SubjectType::Summary,
            id: summed.last_id.clone(),
            section: talk.section,
            place: Some(Arc::clone(&talk.place)),
            seq: summed.last_seq,
            from: None,
            prepared,
            // By its place alone it would stand behind every newer message, and never be shown.
            importance: Importance::High,
            reasons: vec![talk.reason],
            distance: talk.distance,
            reply_to: None,
            note,
            wanted: None,
            stands_for: Some(Arc::new(StandsFor { covers: summed.covers.clone(), quotes: summed.quotes.clone() })),
        };
        Self { subject: Subject::Card, candidate, wanted_marks: Vec::new(), is_elsewhere: true }
    }
}

/// Where the marks of what was taken out stand in a summary: its text has no secrets any more by which they were found.
fn marks_of(summed: &ConversationSummary, text: &str) -> Vec<Mark> {
    let mut from = 0;
    let mut find = |(kind, mark): &(Cow<'static, str>, String)| {
        let begin = from + text.get(from..)?.find(mark.as_str())?;
        from = begin + mark.len();
        Some(Mark { kind: kind.clone(), range: begin..from })
    };
    summed.marks.iter().filter_map(&mut find).collect()
}

/// The conversation itself is in the list, where there is one; what of it does not fit there is like any other.
pub(super) fn beside_list(mut candidate: Candidate, has_list: bool) -> Candidate {
    if has_list && candidate.section == Section::History {
        candidate.section = Section::Threads;
    }
    candidate
}

/// In which section a message stands: the conversation that is to be answered is its own, with what stands above it.
pub(super) fn section_of(sighting: &Sighting, here: Option<&ConversationId>, aim: &Aim) -> Section {
    let is_here = Some(&sighting.message.to) == here;
    let is_root = aim.root().is_some_and(|root| *root == sighting.message.id);
    if is_here || is_root || sighting.reasons.contains(&Reason::Current) {
        return Section::History;
    }
    Section::Threads
}
