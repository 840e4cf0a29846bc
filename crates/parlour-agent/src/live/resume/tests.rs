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
fn handed(taken: &Taken) -> Option<u64> {
    match taken {
        Taken::Hand(LiveItem::Event(event)) => Some(event.position.offset()),
        _ => None,
    }
}

fn resume_after(offset: u64) -> Resume {
    Resume::new(project(), Start::After(at(offset)))
}

#[test]
fn events_are_handed_over_in_order_and_once() {
    let mut resume = resume_after(3);
    let offsets: Vec<_> =
        [4, 4, 7, 5, 8, 1].into_iter().filter_map(|offset| handed(&resume.take(event(offset)))).collect();
    assert_eq!(offsets, [4, 7, 8]);
    assert_eq!(resume.after(), Some(&at(8)));
}

#[test]
fn a_reader_from_now_on_knows_its_place_as_soon_as_it_is_live() {
    let mut resume = Resume::new(project(), Start::Now);
    assert_eq!(resume.after(), None);
    assert_eq!(resume.take(live(9)), Taken::Hand(LiveItem::Live(at(9))));
    assert_eq!(resume.after(), Some(&at(9)));
    assert_eq!(resume.take(event(9)), Taken::Skip);
}

#[test]
fn a_place_without_an_event_moves_the_reader_on_but_never_back() {
    let mut resume = resume_after(3);
    let place = |offset| ServerFrame::Position(ReachedPosition { project_id: project(), position: at(offset) });
    assert_eq!(resume.take(place(6)), Taken::Hand(LiveItem::Position(at(6))));
    assert_eq!(resume.take(place(2)), Taken::Hand(LiveItem::Position(at(6))));
    assert_eq!(resume.take(event(6)), Taken::Skip);
}

#[test]
fn the_beginning_is_found_by_asking_twice() {
    let mut resume = Resume::new(project(), Start::Beginning);
    assert_eq!(resume.after(), None);
    assert_eq!(resume.take(event(41)), Taken::Skip);
    assert_eq!(resume.take(live(41)), Taken::Again);
    assert_eq!(resume.after(), Some(&at(0)));
    assert_eq!(handed(&resume.take(event(1))), Some(1));
}

#[test]
fn the_beginning_of_an_empty_log_is_its_end() {
    let mut resume = Resume::new(project(), Start::Beginning);
    assert_eq!(resume.take(live(0)), Taken::Hand(LiveItem::Live(at(0))));
}

#[test]
fn only_a_gap_leads_back_or_into_another_life() {
    let mut resume = resume_after(50);
    assert!(matches!(resume.take(gap(GapReason::Ahead, at(20))), Taken::Hand(LiveItem::Gap(_))));
    assert_eq!(handed(&resume.take(event(21))), Some(21));
    let other = Position::new("F", 3).expect("a position");
    assert_eq!(resume.take(event_at(other.clone())), Taken::OtherLife);
    assert_eq!(resume.after(), Some(&at(21)));
    assert!(matches!(resume.take(gap(GapReason::Epoch, other.clone())), Taken::Hand(LiveItem::Gap(_))));
    assert_eq!(resume.after(), Some(&other));
}

#[test]
fn what_is_of_the_moment_passes_and_moves_nothing() {
    let mut resume = resume_after(3);
    let typing = Typing { conversation_id: ChannelId::from_bits(1).into(), members: Vec::new() };
    let frame = |project_id| ServerFrame::Typing(ProjectFrame { project_id, what: typing.clone() });
    assert_eq!(resume.take(frame(project())), Taken::Hand(LiveItem::Typing(typing.clone())));
    assert_eq!(resume.take(frame(ProjectId::from_bits(2))), Taken::Skip);
    assert_eq!(resume.after(), Some(&at(3)));
}

#[test]
fn an_event_of_a_newer_hub_counts_like_any_other() {
    let mut resume = resume_after(3);
    let frame = |offset: u64| json!({"type": "event", "name": "weather.changed", "project_id": project(), "position": at(offset)});
    assert!(matches!(resume.take_other(frame(4)), Taken::Hand(LiveItem::Other(_))));
    assert_eq!(resume.take_other(frame(4)), Taken::Skip);
    assert_eq!(resume.after(), Some(&at(4)));
    assert_eq!(resume.take_other(json!({"type": "weather"})), Taken::Skip);
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
