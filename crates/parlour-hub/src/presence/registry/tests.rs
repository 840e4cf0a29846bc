use std::collections::BTreeMap;

use parlour_core::{
    access::Role,
    id::{AgentId, PersonId},
    name::Name,
    presence::PresenceState,
};
use proptest::prelude::*;

use super::*;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(0).plus_millis(ms)
}

fn person(number: u128) -> Principal {
    let name = Name::parse(&format!("Person {number}")).expect("name");
    Principal::new(PersonId::from_bits(number), name, Role::Person)
}

fn project(number: u128) -> ProjectId {
    ProjectId::from_bits(number)
}

fn session(number: u64) -> Source {
    Source::Session(SessionId(number))
}

fn working() -> PresenceUpdate {
    PresenceUpdate { state: PresenceState::Working, ..PresenceUpdate::default() }
}

fn member_of(who: &Principal, projects: &[u128]) -> MemberRecord {
    let projects = projects.iter().map(|number| project(*number)).collect();
    MemberRecord { name: who.name.clone(), instructions: None, projects }
}

impl PresenceRegistry {
    /// Enters a member of these projects.
    fn come(&mut self, now: Timestamp, who: &Principal, source: Source, projects: &[u128]) {
        self.come_with(now, who, source, PresenceUpdate::default(), projects);
    }

    fn come_with(
        &mut self,
        now: Timestamp,
        who: &Principal,
        source: Source,
        request: PresenceUpdate,
        projects: &[u128],
    ) {
        let ticket = self.enter(now, who, source, request).expect("entered");
        self.settle(now, &who.member, ticket, member_of(who, projects));
    }

    /// Who is there in a project.
    fn in_project(&mut self, now: Timestamp, number: u128) -> Vec<Presence> {
        self.list(now, &VisibleProjects::Of(BTreeSet::from([project(number)])), None, usize::MAX)
    }

    fn ids_in_project(&mut self, now: Timestamp, number: u128) -> Vec<MemberId> {
        self.in_project(now, number).into_iter().map(|presence| presence.member_id).collect()
    }

    fn is_blank(&self) -> bool {
        self.members.is_empty() && self.rooms.is_empty() && self.sessions.is_empty() && self.next_due().is_none()
    }
}

#[test]
fn one_frame_tells_all_changes_of_a_window() {
    let (mut book, mara, tom) = (PresenceRegistry::default(), person(1), person(2));
    book.come(at(0), &mara, session(1), &[1]);
    book.come(at(900), &tom, session(2), &[1]);
    assert_eq!(book.next_due(), Some(at(1_000)));
    assert_eq!(book.take_due(at(999)), []);
    let told = book.take_due(at(1_000));
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0].0, told[0].1.present.len(), told[0].1.count), (&project(1), 2, 2));
    assert_eq!((book.take_due(at(9_000)), book.next_due()), (Vec::new(), None));
}

#[test]
fn who_comes_back_unchanged_within_the_window_was_never_away() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come(at(0), &mara, session(1), &[1]);
    book.take_due(at(1_000));
    book.leave(at(2_000), SessionId(1));
    assert_eq!(book.in_project(at(2_000), 1), []);
    book.come(at(2_500), &mara, session(2), &[1]);
    assert_eq!(book.take_due(at(3_000)), []);
    assert_eq!(book.in_project(at(3_000), 1)[0].since, at(0));
}

#[test]
fn who_comes_back_later_is_told_as_gone_and_as_new() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come(at(0), &mara, session(1), &[1]);
    book.take_due(at(1_000));
    book.leave(at(2_000), SessionId(1));
    assert_eq!(book.take_due(at(3_000))[0].1.gone, vec![mara.member.clone()]);
    assert!(book.is_blank(), "{book:?}");
    book.come(at(4_000), &mara, session(2), &[1]);
    assert_eq!(book.take_due(at(5_000))[0].1.present[0].since, at(4_000));
}

#[test]
fn an_announcement_holds_for_three_heartbeats() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come(at(0), &mara, Source::Announcement, &[1]);
    book.come(at(40_000), &mara, Source::Announcement, &[1]);
    assert_eq!(book.ids_in_project(at(99_999), 1).len(), 1);
    assert_eq!(book.ids_in_project(at(100_000), 1).len(), 0);
    book.take_due(at(200_000));
    book.take_due(at(300_000));
    assert!(book.is_blank(), "{book:?}");
}

#[test]
fn a_session_outlives_the_announcement_of_the_same_member() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come_with(at(0), &mara, Source::Announcement, working(), &[1]);
    book.come(at(0), &mara, session(1), &[1]);
    assert_eq!(book.in_project(at(59_999), 1)[0].state, PresenceState::Working);
    assert_eq!(book.in_project(at(60_000), 1)[0].state, PresenceState::Idle);
    book.withdraw(at(60_001), &mara.member);
    assert_eq!(book.ids_in_project(at(999_999), 1), vec![mara.member.clone()]);
}

#[test]
fn repeating_the_same_word_is_not_told() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come(at(0), &mara, Source::Announcement, &[1]);
    book.take_due(at(1_000));
    for beat in 1..10 {
        book.come(at(20_000 * beat), &mara, Source::Announcement, &[1]);
        assert_eq!(book.take_due(at(20_000 * beat + 1_000)), []);
    }
}

#[test]
fn an_outdated_reading_of_the_record_does_not_count() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    let old = book.enter(at(0), &mara, session(1), PresenceUpdate::default()).expect("entered");
    let new = book.ticket(&mara.member).expect("there");
    book.settle(at(0), &mara.member, new, member_of(&mara, &[2]));
    book.settle(at(0), &mara.member, old, member_of(&mara, &[1]));
    assert_eq!((book.ids_in_project(at(0), 1).len(), book.ids_in_project(at(0), 2).len()), (0, 1));
}

#[test]
fn nobody_learns_of_projects_out_of_sight() {
    let (mut book, mara) = (PresenceRegistry::default(), person(1));
    book.come(at(0), &mara, session(1), &[1, 2, 3]);
    let visible_projects = VisibleProjects::Of(BTreeSet::from([project(2), project(9)]));
    assert_eq!(book.list(at(0), &visible_projects, None, 10)[0].project_ids, [project(2)]);
    assert_eq!(book.list(at(0), &VisibleProjects::All, None, 10)[0].project_ids, [project(1), project(2), project(3)]);
    assert_eq!(book.list(at(0), &VisibleProjects::Of(BTreeSet::from([project(9)])), None, 10), []);
    for (told_in, changes) in book.take_due(at(1_000)) {
        assert_eq!(changes.present[0].project_ids, [told_in]);
    }
}

#[test]
fn pages_hold_everybody_once_and_in_order() {
    let mut book = PresenceRegistry::default();
    for number in 0..25 {
        book.come(at(0), &person(number), session(number as u64), &[number % 3, 7]);
    }
    let wide = VisibleProjects::Of((0..10).map(project).collect());
    for visible_projects in [&wide, &VisibleProjects::All] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = book.list(at(0), visible_projects, after.as_ref(), 4);
            let Some(last) = page.last() else { break };
            after = Some(last.member_id.clone());
            seen.extend(page);
        }
        assert_eq!(seen, book.list(at(0), visible_projects, None, usize::MAX));
        assert_eq!(seen.len(), 25);
        assert!(seen.is_sorted_by_key(|presence| presence.member_id.clone()));
    }
}

#[test]
fn a_crowd_is_one_small_frame() {
    let mut book = PresenceRegistry::default();
    for number in 0..1_000 {
        book.come(at(0), &person(number), session(number as u64), &[1]);
    }
    let told = book.take_due(at(1_000));
    assert_eq!(told.len(), 1);
    let changes = &told[0].1;
    assert_eq!((changes.count, changes.is_partial, changes.present.len()), (1_000, true, 0));
    book.leave(at(2_000), SessionId(7));
    assert_eq!(book.take_due(at(3_000))[0].1.gone, [person(7).member]);
}

#[test]
fn long_instructions_do_not_make_a_long_frame() {
    let mut book = PresenceRegistry::default();
    for number in 0..50 {
        let who = Principal { member: AgentId::from_bits(number).into(), ..person(number) };
        let ticket = book.enter(at(0), &who, session(number as u64), PresenceUpdate::default()).expect("entered");
        let instructions = Some("x".repeat(limits::INSTRUCTIONS_CHARS_MAX));
        book.settle(at(0), &who.member, ticket, MemberRecord { instructions, ..member_of(&who, &[1]) });
    }
    let changes = &book.take_due(at(1_000))[0].1;
    assert_eq!((changes.count, changes.is_partial, changes.present.len()), (50, true, 0));
}

#[test]
fn the_book_has_a_last_page() {
    let mut book = PresenceRegistry::default();
    for number in 0..limits::PRESENCE_MEMBERS_MAX {
        book.enter(at(0), &person(number as u128), Source::Announcement, PresenceUpdate::default()).expect("room");
    }
    let ignore_lost_race = person(u128::MAX);
    let refused = book.enter(at(0), &ignore_lost_race, session(1), PresenceUpdate::default());
    assert_eq!(refused.expect_err("full").code, Code::Full);
    book.enter(at(0), &person(0), session(1), PresenceUpdate::default()).expect("a member that is there already");
    book.take_due(at(60_000));
    book.take_due(at(61_000));
    book.enter(at(61_000), &ignore_lost_race, session(2), PresenceUpdate::default()).expect("room again");
}

/// What can happen to the book: time passes, then a member does something.
#[derive(Clone, Debug)]
enum Act {
    Come(u128, u64, bool),
    Announce(u128, bool),
    Leave(u64),
    Withdraw(u128),
    Belong(u128, Vec<u128>),
}

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let (who, place) = (0..4_u128, 0..3_u128);
    let act = prop_oneof![
        (who.clone(), 0..3_u64, any::<bool>()).prop_map(|(who, line, busy)| Act::Come(who, line, busy)),
        (who.clone(), any::<bool>()).prop_map(|(who, busy)| Act::Announce(who, busy)),
        (0..12_u64).prop_map(Act::Leave),
        who.clone().prop_map(Act::Withdraw),
        (who, proptest::collection::vec(place, 0..3)).prop_map(|(who, places)| Act::Belong(who, places)),
    ];
    let pause = prop_oneof![Just(0), 0..700_u64, 0..70_000_u64];
    proptest::collection::vec((pause, act), 0..40)
}

fn perform(book: &mut PresenceRegistry, now: Timestamp, act: &Act, home: &mut BTreeMap<u128, Vec<u128>>) {
    let request = |busy: &bool| if *busy { working() } else { PresenceUpdate::default() };
    let homes = |who: &u128| home.get(who).cloned().unwrap_or_else(|| vec![0, 1]);
    match act {
        Act::Come(who, line, busy) => {
            book.come_with(now, &person(*who), session(*who as u64 * 3 + line), request(busy), &homes(who));
        }
        Act::Announce(who, busy) => {
            book.come_with(now, &person(*who), Source::Announcement, request(busy), &homes(who));
        }
        Act::Leave(line) => book.leave(now, SessionId(*line)),
        Act::Withdraw(who) => book.withdraw(now, &person(*who).member),
        Act::Belong(who, places) => {
            home.insert(*who, places.clone());
            let member = person(*who);
            if let Some(ticket) = book.ticket(&member.member) {
                book.settle(now, &member.member, ticket, member_of(&member, places));
            }
        }
    }
}

/// Applies what a reader of all projects was told.
fn apply(view: &mut BTreeMap<(ProjectId, MemberId), Presence>, told: Vec<(ProjectId, PresenceChanges)>) {
    for (project, changes) in told {
        assert!(!changes.is_partial && changes.present.len() + changes.gone.len() > 0);
        for presence in changes.present {
            view.insert((project.clone(), presence.member_id.clone()), presence);
        }
        for member in changes.gone {
            view.remove(&(project.clone(), member));
        }
        assert_eq!(view.keys().filter(|(in_project, _)| *in_project == project).count() as u64, changes.count);
    }
}

proptest! {
    #[test]
    fn what_was_told_adds_up_to_the_list(acts in acts()) {
        let (mut book, mut view, mut home) = (PresenceRegistry::default(), BTreeMap::new(), BTreeMap::new());
        let mut now = at(0);
        for (pause, act) in &acts {
            now = now.plus_millis(*pause);
            apply(&mut view, book.take_due(now));
            perform(&mut book, now, act, &mut home);
        }
        while let Some(due) = book.next_due() {
            now = now.max(due);
            apply(&mut view, book.take_due(now));
            let known: Vec<_> = (0..3).flat_map(|number| book.in_project(now, number)).collect();
            let told: Vec<_> = view.values().cloned().collect();
            if book.windows.next().is_none() {
                prop_assert_eq!(told, known);
            }
        }
    }
}
