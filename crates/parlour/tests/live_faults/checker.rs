//! The promises to a reader, checked on what it has heard: nothing lost, nothing twice, in order, every hole announced,
//! and nothing that is not for it.

use serde_json::Value;

use crate::{
    sight::{Sight, essence},
    stream_checker::Texts,
    transcript::{Heard, Session, Transcript, text},
};

/// Complaints that are told of one reader; a broken hub would fill the screen.
const COMPLAINTS_MAX: usize = 12;

/// All broken promises to one reader, in words; none when all is well.
pub(crate) fn complaints(transcript: &Transcript, sight: &Sight) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut reached = None;
    for (number, session) in transcript.sessions.iter().enumerate() {
        let mut walk = Walk::begin(session, sight, reached);
        session.heard.iter().for_each(|heard| walk.hear(heard));
        reached = reached.max(walk.place);
        let told = walk.complaints.into_iter();
        complaints.extend(told.map(|complaint| format!("{}, session {number}: {complaint}", transcript.reader)));
    }
    if reached.is_none_or(|reached| reached < sight.end) {
        complaints.push(format!("{}: reached {reached:?} of {}", transcript.reader, sight.end));
    }
    complaints.truncate(COMPLAINTS_MAX);
    complaints
}

/// The way of one session along the log.
struct Walk<'sight> {
    sight: &'sight Sight,
    /// Everything up to here was told, or is not for the reader; unknown until somebody who wants only news is live.
    place: Option<u64>,
    /// Whether the reader asked for something that no longer is, so that a gap must come first.
    needs_gap: bool,
    texts: Texts<'sight>,
    complaints: Vec<String>,
}

impl<'sight> Walk<'sight> {
    fn begin(session: &Session, sight: &'sight Sight, reached: Option<u64>) -> Self {
        let after = session.after.as_ref();
        let needs_gap = after.is_some_and(|after| after.epoch() != sight.epoch || after.offset() > sight.end);
        let place = after.filter(|_| !needs_gap).map(|after| after.offset());
        let mut complaints = Vec::new();
        if let (Some(reached), Some(place)) = (reached, place)
            && place > reached
            && !session.is_fresh
        {
            complaints.push(format!("began after {place}, but had reached only {reached}"));
        }
        Self { sight, place, needs_gap, texts: Texts::new(sight), complaints }
    }

    fn hear(&mut self, heard: &Heard) {
        match heard.kind() {
            "event" => self.hear_event(heard),
            "live" | "position" => self.hear_place(heard),
            "gap" => self.hear_gap(heard),
            "broken" => self.complaints.push(format!("broken frame: {}", heard.frame["detail"])),
            "refused" => self.complaints.push(format!("refused: {}", heard.frame)),
            _ => {}
        }
        self.look_for_secrets(heard);
        self.complaints.extend(self.texts.hear(&heard.frame));
    }

    fn hear_event(&mut self, heard: &Heard) {
        let Some(offset) = self.offset_of(heard) else { return };
        match self.place {
            Some(place) if offset <= place => {
                self.complaints.push(format!("doubled or moved: {} came after {place}", name(&heard.frame)));
            }
            Some(_) => self.demand(offset - 1, &heard.frame),
            None => self.complaints.push(format!("{} came before `live` or a gap", name(&heard.frame))),
        }
        self.place = self.place.max(Some(offset));
        match self.sight.event(offset) {
            None => self.complaints.push(format!("not for this reader: {}", name(&heard.frame))),
            Some(event) if essence(event) != essence(&heard.frame) => {
                self.complaints.push(format!("changed: {} is now {}", essence(&heard.frame), essence(event)));
            }
            Some(_) => self.look_for_absence(heard, offset),
        }
    }

    /// A place that was reached is a promise: everything before it has been told.
    fn hear_place(&mut self, heard: &Heard) {
        let Some(offset) = self.offset_of(heard) else { return };
        if self.place.is_some_and(|place| offset < place) {
            self.complaints.push(format!("{} went back from {:?}", name(&heard.frame), self.place));
        }
        self.demand(offset, &heard.frame);
        self.place = self.place.max(Some(offset));
    }

    fn hear_gap(&mut self, heard: &Heard) {
        if !self.needs_gap {
            self.complaints.push(format!("needless gap: {}", heard.frame));
        }
        self.needs_gap = false;
        self.place = self.offset_of(heard);
    }

    /// Everything up to this offset must have come by now.
    fn demand(&mut self, upto: u64, because: &Value) {
        let Some(place) = self.place else { return };
        for offset in self.sight.due(place, upto) {
            let event = self.sight.event(offset).map(name).unwrap_or_default();
            self.complaints.push(format!("lost: {event} had not come before {}", name(because)));
        }
    }

    /// The offset of a frame; it is of the right log, and no gap was due before it.
    fn offset_of(&mut self, heard: &Heard) -> Option<u64> {
        if self.needs_gap {
            self.complaints.push(format!("a gap was kept secret before {}", name(&heard.frame)));
            self.needs_gap = false;
        }
        let position = heard.position().filter(|position| position.epoch() == self.sight.epoch);
        if position.is_none() {
            self.complaints.push(format!("no position of this log: {}", heard.frame));
        }
        position.map(|position| position.offset())
    }

    fn look_for_secrets(&mut self, heard: &Heard) {
        if self.sight.secrets.is_empty() {
            return;
        }
        let shown = heard.frame.to_string();
        if self.sight.secrets.iter().any(|secret| shown.contains(secret)) {
            self.complaints.push(format!("heard of a private channel: {}", name(&heard.frame)));
        }
    }

    /// Who was out of the channel when an event happened may learn of it only after it was let in again.
    fn look_for_absence(&mut self, heard: &Heard, offset: u64) {
        if !self.sight.may.contains_key(&offset) {
            return;
        }
        let is_peep = self.sight.absences.iter().any(|absence| match absence.until {
            Some((before, asked)) => (absence.after + 1..before).contains(&offset) && heard.at < asked,
            None => offset > absence.after,
        });
        if is_peep {
            self.complaints.push(format!("heard while outside: {}", name(&heard.frame)));
        }
    }
}

/// A short name of a frame for people.
fn name(frame: &Value) -> String {
    let kind = match text(frame, "/name") {
        "" => text(frame, "/type"),
        name => name,
    };
    format!("{kind} {}", text(frame, "/position"))
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
