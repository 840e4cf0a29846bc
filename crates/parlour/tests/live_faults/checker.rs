//! The promises to a reader, checked on what it has heard: nothing lost, nothing twice, in order, every hole announced,
//! and nothing that is not for it.

use serde_json::Value;

use crate::{
    expected::{ExpectedEvents, essence},
    stream_checker::StreamTexts,
    transcript::{ReaderSession, ReceivedFrame, Transcript, text},
};

/// Complaints that are told of one reader; a broken hub would fill the screen.
const COMPLAINTS_MAX: usize = 12;

/// All broken promises to one reader, in words; none when all is well.
pub(crate) fn complaints(transcript: &Transcript, expected: &ExpectedEvents) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut reached = None;
    for (number, session) in transcript.sessions.iter().enumerate() {
        let mut walk = SessionCheck::begin(session, expected, reached);
        session.received.iter().for_each(|received| walk.hear(received));
        reached = reached.max(walk.place);
        let told = walk.complaints.into_iter();
        complaints.extend(told.map(|complaint| format!("{}, session {number}: {complaint}", transcript.reader)));
    }
    if reached.is_none_or(|reached| reached < expected.end) {
        complaints.push(format!("{}: reached {reached:?} of {}", transcript.reader, expected.end));
    }
    complaints.truncate(COMPLAINTS_MAX);
    complaints
}

/// The way of one session along the log.
struct SessionCheck<'expected> {
    expected: &'expected ExpectedEvents,
    /// Everything up to here was told, or is not for the reader; unknown until somebody who wants only news is live.
    place: Option<u64>,
    /// Whether the reader asked for something that no longer is, so that a gap must come first.
    needs_gap: bool,
    texts: StreamTexts<'expected>,
    complaints: Vec<String>,
}

impl<'expected> SessionCheck<'expected> {
    fn begin(session: &ReaderSession, expected: &'expected ExpectedEvents, reached: Option<u64>) -> Self {
        let after = session.after.as_ref();
        let needs_gap = after.is_some_and(|after| after.epoch() != expected.epoch || after.offset() > expected.end);
        let place = after.filter(|_| !needs_gap).map(|after| after.offset());
        let mut complaints = Vec::new();
        if let (Some(reached), Some(place)) = (reached, place)
            && place > reached
            && !session.is_fresh
        {
            complaints.push(format!("began after {place}, but had reached only {reached}"));
        }
        Self { expected, place, needs_gap, texts: StreamTexts::new(expected), complaints }
    }

    fn hear(&mut self, received: &ReceivedFrame) {
        match received.kind() {
            "event" => self.hear_event(received),
            "live" | "position" => self.hear_place(received),
            "gap" => self.hear_gap(received),
            "broken" => self.complaints.push(format!("broken frame: {}", received.frame["detail"])),
            "refused" => self.complaints.push(format!("refused: {}", received.frame)),
            _ => {}
        }
        self.look_for_secrets(received);
        self.complaints.extend(self.texts.hear(&received.frame));
    }

    fn hear_event(&mut self, received: &ReceivedFrame) {
        let Some(offset) = self.offset_of(received) else { return };
        match self.place {
            Some(place) if offset <= place => {
                self.complaints.push(format!("doubled or moved: {} came after {place}", name(&received.frame)));
            }
            Some(_) => self.demand(offset - 1, &received.frame),
            None => self.complaints.push(format!("{} came before `live` or a gap", name(&received.frame))),
        }
        self.place = self.place.max(Some(offset));
        match self.expected.event(offset) {
            None => self.complaints.push(format!("not for this reader: {}", name(&received.frame))),
            Some(event) if essence(event) != essence(&received.frame) => {
                self.complaints.push(format!("changed: {} is now {}", essence(&received.frame), essence(event)));
            }
            Some(_) => self.look_for_absence(received, offset),
        }
    }

    /// A place that was reached is a promise: everything before it has been told.
    fn hear_place(&mut self, received: &ReceivedFrame) {
        let Some(offset) = self.offset_of(received) else { return };
        if self.place.is_some_and(|place| offset < place) {
            self.complaints.push(format!("{} went back from {:?}", name(&received.frame), self.place));
        }
        self.demand(offset, &received.frame);
        self.place = self.place.max(Some(offset));
    }

    fn hear_gap(&mut self, received: &ReceivedFrame) {
        if !self.needs_gap {
            self.complaints.push(format!("needless gap: {}", received.frame));
        }
        self.needs_gap = false;
        self.place = self.offset_of(received);
    }

    /// Everything up to this offset must have come by now.
    fn demand(&mut self, upto: u64, because: &Value) {
        let Some(place) = self.place else { return };
        for offset in self.expected.due(place, upto) {
            let event = self.expected.event(offset).map(name).unwrap_or_default();
            self.complaints.push(format!("lost: {event} had not come before {}", name(because)));
        }
    }

    /// The offset of a frame; it is of the right log, and no gap was due before it.
    fn offset_of(&mut self, received: &ReceivedFrame) -> Option<u64> {
        if self.needs_gap {
            self.complaints.push(format!("a gap was kept secret before {}", name(&received.frame)));
            self.needs_gap = false;
        }
        let position = received.position().filter(|position| position.epoch() == self.expected.epoch);
        if position.is_none() {
            self.complaints.push(format!("no position of this log: {}", received.frame));
        }
        position.map(|position| position.offset())
    }

    fn look_for_secrets(&mut self, received: &ReceivedFrame) {
        if self.expected.secrets.is_empty() {
            return;
        }
        let shown = received.frame.to_string();
        if self.expected.secrets.iter().any(|secret| shown.contains(secret)) {
            self.complaints.push(format!("received an event of a private channel: {}", name(&received.frame)));
        }
    }

    /// Who was out of the channel when an event happened may learn of it only after it was let in again.
    fn look_for_absence(&mut self, received: &ReceivedFrame, offset: u64) {
        if !self.expected.may.contains_key(&offset) {
            return;
        }
        let is_peep = self.expected.absences.iter().any(|absence| match absence.until {
            Some((before, asked)) => (absence.after + 1..before).contains(&offset) && received.at < asked,
            None => offset > absence.after,
        });
        if is_peep {
            self.complaints.push(format!("received while not a member: {}", name(&received.frame)));
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
