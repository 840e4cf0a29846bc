//! The position of a reader over all its connections: what to subscribe to, which frames to deliver or skip.

use parlour_core::{
    id::ProjectId,
    live::{ClientFrame, Gap, ServerFrame},
    position::Position,
};
use serde_json::Value;

use super::item::{LiveItem, OtherFrame};

/// The position at which a reader starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the next event.
    Now,
    /// At the first event of the log; if that was removed, a gap comes first.
    Beginning,
    /// After this position.
    After(Position),
}

/// What to do with a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameAction {
    /// Deliver it to the reader.
    Deliver(LiveItem),
    /// It is a repetition or belongs to another project.
    Skip,
    /// The epoch of the log is known now: reconnect at once and subscribe from its beginning.
    Reconnect,
    /// The epoch changed without a gap: reconnect, so that the hub sends one.
    EpochChanged,
}

/// The state of a reader over all its connections. It never delivers an event twice or out of order.
///
/// Offsets may be missing because a reader sees only what it may; only their order is checked.
#[derive(Clone, Debug)]
pub struct ResumeState {
    project: ProjectId,
    start: Start,
    events_only: bool,
}

/// How a position compares to the last one.
enum PositionOrder {
    Later,
    NotLater,
    OtherEpoch,
}

impl ResumeState {
    pub fn new(project: ProjectId, start: Start) -> Self {
        Self { project, start, events_only: false }
    }

    /// Subscribes to events only: no chunks, steps, typing or presence.
    #[must_use]
    pub fn events_only(self) -> Self {
        Self { events_only: true, ..self }
    }

    /// The subscription for the next connection.
    pub fn subscription(&self) -> ClientFrame {
        let (project_id, after) = (self.project.clone(), self.after().cloned());
        ClientFrame::Subscribe { project_id, after, events_only: self.events_only }
    }

    /// The last position; `None` to start now.
    pub fn after(&self) -> Option<&Position> {
        match &self.start {
            Start::After(position) => Some(position),
            Start::Now | Start::Beginning => None,
        }
    }

    /// Handles the next frame of a connection.
    pub fn take(&mut self, frame: ServerFrame) -> FrameAction {
        match frame {
            ServerFrame::Event(event) if event.project_id == self.project => {
                self.take_event(&event.position.clone(), LiveItem::Event(event))
            }
            ServerFrame::Gap(gap) if gap.project_id == self.project => self.take_gap(gap),
            ServerFrame::Live(place) if place.project_id == self.project => self.take_live(place.position),
            ServerFrame::Position(place) if place.project_id == self.project => self.take_position(place.position),
            ServerFrame::Stream(it) if it.project_id == self.project => FrameAction::Deliver(LiveItem::Stream(it.what)),
            ServerFrame::Chunk(it) if it.project_id == self.project => FrameAction::Deliver(LiveItem::Chunk(it.what)),
            ServerFrame::StepStarted(it) if it.project_id == self.project => {
                FrameAction::Deliver(LiveItem::StepStarted(it.what))
            }
            ServerFrame::StepFinished(it) if it.project_id == self.project => {
                FrameAction::Deliver(LiveItem::StepFinished(it.what))
            }
            ServerFrame::Typing(it) if it.project_id == self.project => FrameAction::Deliver(LiveItem::Typing(it.what)),
            ServerFrame::Presence(it) if it.project_id == self.project => {
                FrameAction::Deliver(LiveItem::Presence(it.what))
            }
            _ => FrameAction::Skip,
        }
    }

    /// Handles a frame of an unknown type. A frame with a position counts as an event.
    pub fn take_other(&mut self, json: Value) -> FrameAction {
        if json.get("project_id").and_then(Value::as_str) != Some(self.project.as_str()) {
            return FrameAction::Skip;
        }
        let position = json.get("position").and_then(Value::as_str).and_then(|text| text.parse::<Position>().ok());
        let item = LiveItem::Other(Box::new(OtherFrame { position: position.clone(), json }));
        match position {
            Some(position) => self.take_event(&position, item),
            None => FrameAction::Deliver(item),
        }
    }

    fn take_event(&mut self, position: &Position, item: LiveItem) -> FrameAction {
        match self.order_of(position) {
            // This event will come again after the reconnect from the beginning.
            _ if self.start == Start::Beginning => FrameAction::Skip,
            PositionOrder::Later => {
                self.start = Start::After(position.clone());
                FrameAction::Deliver(item)
            }
            PositionOrder::NotLater => FrameAction::Skip,
            PositionOrder::OtherEpoch => FrameAction::EpochChanged,
        }
    }

    /// Only a gap may lead to an earlier position or another epoch.
    fn take_gap(&mut self, gap: Gap) -> FrameAction {
        self.start = Start::After(gap.position.clone());
        FrameAction::Deliver(LiveItem::Gap(gap))
    }

    fn take_live(&mut self, position: Position) -> FrameAction {
        if self.start == Start::Beginning && position.offset() > 0 {
            self.start = Start::After(Position::new(position.epoch(), 0).expect("the epoch of a position"));
            return FrameAction::Reconnect;
        }
        self.reach(position, LiveItem::Live)
    }

    fn take_position(&mut self, position: Position) -> FrameAction {
        if self.start == Start::Beginning { FrameAction::Skip } else { self.reach(position, LiveItem::Position) }
    }

    /// A position that is not later changes nothing, but still marks that live events follow.
    fn reach(&mut self, position: Position, item: fn(Position) -> LiveItem) -> FrameAction {
        match self.order_of(&position) {
            PositionOrder::OtherEpoch => return FrameAction::EpochChanged,
            PositionOrder::Later => self.start = Start::After(position.clone()),
            PositionOrder::NotLater => {}
        }
        FrameAction::Deliver(item(self.after().cloned().unwrap_or(position)))
    }

    fn order_of(&self, position: &Position) -> PositionOrder {
        match self.after() {
            Some(last) if last.epoch() != position.epoch() => PositionOrder::OtherEpoch,
            Some(last) if position.offset() <= last.offset() => PositionOrder::NotLater,
            _ => PositionOrder::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        Timestamp,
        author::{Author, AuthorType},
        event::{Change, Event, ReactionMark},
        id::{ChannelId, MessageId},
        live::{GapReason, ProjectFrame, ReachedPosition, Typing},
    };
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn project() -> ProjectId {
        ProjectId::from_bits(1)
    }

    fn at(offset: u64) -> Position {
        Position::new("E", offset).expect("a position")
    }

    /// Some event at this place.
    fn event_at(position: Position) -> ServerFrame {
        let mark = ReactionMark {
            message_id: MessageId::from_bits(1),
            conversation_id: ChannelId::from_bits(1).into(),
            emoji: "👍".into(),
            member_id: "per_1".parse().expect("id"),
        };
        let actor = Author { author_type: AuthorType::Person, id: None, name: "Mara".into() };
        let change = Change::Reacted(Box::new(mark));
        let event = Event { position, project_id: project(), at: Timestamp::from_millis(0), actor, change };
        ServerFrame::Event(Box::new(event))
    }

    fn event(offset: u64) -> ServerFrame {
        event_at(at(offset))
    }

    fn live(offset: u64) -> ServerFrame {
        ServerFrame::Live(ReachedPosition { project_id: project(), position: at(offset) })
    }

    fn gap(reason: GapReason, position: Position) -> ServerFrame {
        ServerFrame::Gap(Gap { project_id: project(), reason, position })
    }

    /// The offset of the event that is handed over, if one is.
    fn handed(taken: &FrameAction) -> Option<u64> {
        match taken {
            FrameAction::Deliver(LiveItem::Event(event)) => Some(event.position.offset()),
            _ => None,
        }
    }

    fn resume_after(offset: u64) -> ResumeState {
        ResumeState::new(project(), Start::After(at(offset)))
    }

    #[test]
    fn events_are_delivered_once_and_in_order() {
        let mut resume = resume_after(3);
        let offsets: Vec<_> =
            [4, 4, 7, 5, 8, 1].into_iter().filter_map(|offset| handed(&resume.take(event(offset)))).collect();
        assert_eq!(offsets, [4, 7, 8]);
        assert_eq!(resume.after(), Some(&at(8)));
    }

    #[test]
    fn a_reader_that_starts_now_has_a_position_as_soon_as_it_is_live() {
        let mut resume = ResumeState::new(project(), Start::Now);
        assert_eq!(resume.after(), None);
        assert_eq!(resume.take(live(9)), FrameAction::Deliver(LiveItem::Live(at(9))));
        assert_eq!(resume.after(), Some(&at(9)));
        assert_eq!(resume.take(event(9)), FrameAction::Skip);
    }

    #[test]
    fn a_position_frame_advances_the_reader_and_never_moves_it_back() {
        let mut resume = resume_after(3);
        let place = |offset| ServerFrame::Position(ReachedPosition { project_id: project(), position: at(offset) });
        assert_eq!(resume.take(place(6)), FrameAction::Deliver(LiveItem::Position(at(6))));
        assert_eq!(resume.take(place(2)), FrameAction::Deliver(LiveItem::Position(at(6))));
        assert_eq!(resume.take(event(6)), FrameAction::Skip);
    }

    #[test]
    fn the_beginning_of_the_log_is_found_with_two_subscriptions() {
        let mut resume = ResumeState::new(project(), Start::Beginning);
        assert_eq!(resume.after(), None);
        assert_eq!(resume.take(event(41)), FrameAction::Skip);
        assert_eq!(resume.take(live(41)), FrameAction::Reconnect);
        assert_eq!(resume.after(), Some(&at(0)));
        assert_eq!(handed(&resume.take(event(1))), Some(1));
    }

    #[test]
    fn the_beginning_of_an_empty_log_is_its_end() {
        let mut resume = ResumeState::new(project(), Start::Beginning);
        assert_eq!(resume.take(live(0)), FrameAction::Deliver(LiveItem::Live(at(0))));
    }

    #[test]
    fn only_a_gap_moves_the_reader_back_or_to_another_epoch() {
        let mut resume = resume_after(50);
        assert!(matches!(resume.take(gap(GapReason::Ahead, at(20))), FrameAction::Deliver(LiveItem::Gap(_))));
        assert_eq!(handed(&resume.take(event(21))), Some(21));
        let other = Position::new("F", 3).expect("a position");
        assert_eq!(resume.take(event_at(other.clone())), FrameAction::EpochChanged);
        assert_eq!(resume.after(), Some(&at(21)));
        assert!(matches!(resume.take(gap(GapReason::Epoch, other.clone())), FrameAction::Deliver(LiveItem::Gap(_))));
        assert_eq!(resume.after(), Some(&other));
    }

    #[test]
    fn ephemeral_frames_are_delivered_and_do_not_move_the_position() {
        let mut resume = resume_after(3);
        let typing = Typing { conversation_id: ChannelId::from_bits(1).into(), members: Vec::new() };
        let frame = |project_id| ServerFrame::Typing(ProjectFrame { project_id, what: typing.clone() });
        assert_eq!(resume.take(frame(project())), FrameAction::Deliver(LiveItem::Typing(typing.clone())));
        assert_eq!(resume.take(frame(ProjectId::from_bits(2))), FrameAction::Skip);
        assert_eq!(resume.after(), Some(&at(3)));
    }

    #[test]
    fn an_unknown_event_type_advances_the_position() {
        let mut resume = resume_after(3);
        let frame = |offset: u64| json!({"type": "event", "name": "weather.changed", "project_id": project(), "position": at(offset)});
        assert!(matches!(resume.take_other(frame(4)), FrameAction::Deliver(LiveItem::Other(_))));
        assert_eq!(resume.take_other(frame(4)), FrameAction::Skip);
        assert_eq!(resume.after(), Some(&at(4)));
        assert_eq!(resume.take_other(json!({"type": "weather"})), FrameAction::Skip);
    }

    /// One connection: how far before the reader's place the hub begins, and after how many frames it is lost.
    fn connections() -> impl Strategy<Value = Vec<(usize, usize)>> {
        proptest::collection::vec((0_usize..6, 0_usize..8), 1..40)
    }

    proptest! {
        #[test]
        fn any_series_of_disconnects_and_repeats_gives_each_event_once_in_order(
            steps in proptest::collection::vec(1_u64..4, 1..60),
            connections in connections(),
        ) {
            // Offsets that this reader may see: sparse, as others may be hidden from it.
            let log: Vec<u64> = steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
            let mut resume = resume_after(0);
            let mut got = Vec::new();
            // The last connection holds.
            for (repeats, frames) in connections.into_iter().chain([(3, usize::MAX)]) {
                let after = resume.after().map_or(0, Position::offset);
                let seen = log.iter().filter(|offset| **offset <= after).count();
                let told = log.iter().skip(seen.saturating_sub(repeats)).take(frames);
                got.extend(told.filter_map(|offset| handed(&resume.take(event(*offset)))));
            }
            prop_assert_eq!(got, log);
        }
    }
}
