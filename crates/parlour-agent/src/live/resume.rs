//! Where a reader stands, over all its connections: what to ask for, what to hand over, what to pass over.

use parlour_core::{
    id::ProjectId,
    live::{ClientFrame, Gap, ServerFrame},
    position::Position,
};
use serde_json::Value;

use super::item::{LiveItem, OtherFrame};

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// With what happens next.
    Now,
    /// With the first event of the log. When the log no longer reaches back so far, that is told as a gap.
    Beginning,
    /// With what happened after this position.
    After(Position),
}

/// What becomes of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// The reader gets it.
    Hand(LiveItem),
    /// It is a repetition, or not for this reader.
    Skip,
    /// The beginning is known now: connect again at once, and ask from there.
    Again,
    /// The log changed its life without a gap: connect again, so that the hub tells one.
    OtherLife,
}

/// The memory of a reader over all its connections. It never hands over an event twice or out of order.
///
/// Offsets may be missing, because a reader sees only what it may; so only their order counts here.
#[derive(Clone, Debug)]
pub struct Resume {
    project: ProjectId,
    start: Start,
    events_only: bool,
}

/// How a place lies to the last one.
enum Way {
    Forward,
    NoFurther,
    OtherLife,
}

impl Resume {
    /// A reader that has seen nothing yet.
    pub fn new(project: ProjectId, start: Start) -> Self {
        Self { project, start, events_only: false }
    }

    /// The same for a reader who wants events alone: no chunks, steps, typing or presence.
    #[must_use]
    pub fn events_only(self) -> Self {
        Self { events_only: true, ..self }
    }

    /// What to say to a hub on the next connection.
    pub fn subscription(&self) -> ClientFrame {
        let (project_id, after) = (self.project.clone(), self.after().cloned());
        ClientFrame::Subscribe { project_id, after, events_only: self.events_only }
    }

    /// What to ask a hub for: everything after this, or what happens from now on.
    pub fn after(&self) -> Option<&Position> {
        match &self.start {
            Start::After(position) => Some(position),
            Start::Now | Start::Beginning => None,
        }
    }

    /// Decides about the next frame of a connection.
    pub fn take(&mut self, frame: ServerFrame) -> Taken {
        match frame {
            ServerFrame::Event(event) if event.project_id == self.project => {
                self.take_event(&event.position.clone(), LiveItem::Event(event))
            }
            ServerFrame::Gap(gap) if gap.project_id == self.project => self.take_gap(gap),
            ServerFrame::Live(place) if place.project_id == self.project => self.take_live(place.position),
            ServerFrame::Position(place) if place.project_id == self.project => self.take_position(place.position),
            ServerFrame::Stream(it) if it.project_id == self.project => Taken::Hand(LiveItem::Stream(it.what)),
            ServerFrame::Chunk(it) if it.project_id == self.project => Taken::Hand(LiveItem::Chunk(it.what)),
            ServerFrame::StepStarted(it) if it.project_id == self.project => {
                Taken::Hand(LiveItem::StepStarted(it.what))
            }
            ServerFrame::StepFinished(it) if it.project_id == self.project => {
                Taken::Hand(LiveItem::StepFinished(it.what))
            }
            ServerFrame::Typing(it) if it.project_id == self.project => Taken::Hand(LiveItem::Typing(it.what)),
            ServerFrame::Presence(it) if it.project_id == self.project => Taken::Hand(LiveItem::Presence(it.what)),
            _ => Taken::Skip,
        }
    }

    /// Decides about a frame that this client does not know. One with a position counts like an event.
    pub fn take_other(&mut self, json: Value) -> Taken {
        if json.get("project_id").and_then(Value::as_str) != Some(self.project.as_str()) {
            return Taken::Skip;
        }
        let position = json.get("position").and_then(Value::as_str).and_then(|text| text.parse::<Position>().ok());
        let item = LiveItem::Other(Box::new(OtherFrame { position: position.clone(), json }));
        match position {
            Some(position) => self.take_event(&position, item),
            None => Taken::Hand(item),
        }
    }

    fn take_event(&mut self, position: &Position, item: LiveItem) -> Taken {
        match self.way_to(position) {
            // The beginning is looked for: this is the present, and comes again in its turn.
            _ if self.start == Start::Beginning => Taken::Skip,
            Way::Forward => {
                self.start = Start::After(position.clone());
                Taken::Hand(item)
            }
            Way::NoFurther => Taken::Skip,
            Way::OtherLife => Taken::OtherLife,
        }
    }

    /// A gap is the only way back, or into another life of the log.
    fn take_gap(&mut self, gap: Gap) -> Taken {
        self.start = Start::After(gap.position.clone());
        Taken::Hand(LiveItem::Gap(gap))
    }

    fn take_live(&mut self, position: Position) -> Taken {
        if self.start == Start::Beginning && position.offset() > 0 {
            self.start = Start::After(Position::new(position.epoch(), 0).expect("the epoch of a position"));
            return Taken::Again;
        }
        self.reach(position, LiveItem::Live)
    }

    fn take_position(&mut self, position: Position) -> Taken {
        if self.start == Start::Beginning { Taken::Skip } else { self.reach(position, LiveItem::Position) }
    }

    /// A place that is no further tells nothing new of the log, but still that what follows is live.
    fn reach(&mut self, position: Position, item: fn(Position) -> LiveItem) -> Taken {
        match self.way_to(&position) {
            Way::OtherLife => return Taken::OtherLife,
            Way::Forward => self.start = Start::After(position.clone()),
            Way::NoFurther => {}
        }
        Taken::Hand(item(self.after().cloned().unwrap_or(position)))
    }

    fn way_to(&self, position: &Position) -> Way {
        match self.after() {
            Some(last) if last.epoch() != position.epoch() => Way::OtherLife,
            Some(last) if position.offset() <= last.offset() => Way::NoFurther,
            _ => Way::Forward,
        }
    }
}

#[cfg(test)]
mod tests;
