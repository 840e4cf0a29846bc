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

fn session(number: u64) -> PresenceSource {
    PresenceSource::Session(SessionId(number))
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
    fn enter_member(&mut self, now: Timestamp, who: &Principal, source: PresenceSource, projects: &[u128]) {
        self.enter_member_with(now, who, source, PresenceUpdate::default(), projects);
    }

    fn enter_member_with(
        &mut self,
        now: Timestamp,
        who: &Principal,
        source: PresenceSource,
        request: PresenceUpdate,
        projects: &[u128],
    ) {
        let ticket = self.enter(now, who, source, request).expect("entered");
        self.settle(now, &who.member, ticket, member_of(who, projects));
    }

    /// The present members of a project.
    fn in_project(&mut self, now: Timestamp, number: u128) -> Vec<Presence> {
        self.list(now, &VisibleProjects::Of(BTreeSet::from([project(number)])), None, usize::MAX)
    }

    fn ids_in_project(&mut self, now: Timestamp, number: u128) -> Vec<MemberId> {
        self.in_project(now, number).into_iter().map(|presence| presence.member_id).collect()
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.projects.is_empty() && self.sessions.is_empty() && self.next_due().is_none()
    }
}

#[test]
fn changes_of_a_window_share_one_frame() {
    let (mut registry, mara, tom) = (PresenceRegistry::default(), person(1), person(2));
    registry.enter_member(at(0), &mara, session(1), &[1]);
    registry.enter_member(at(900), &tom, session(2), &[1]);
    assert_eq!(registry.next_due(), Some(at(1_000)));
    assert_eq!(registry.take_due(at(999)), []);
    let published = registry.take_due(at(1_000));
    assert_eq!(published.len(), 1);
    assert_eq!((&published[0].0, published[0].1.present.len(), published[0].1.count), (&project(1), 2, 2));
    assert_eq!((registry.take_due(at(9_000)), registry.next_due()), (Vec::new(), None));
}

#[test]
fn a_member_that_returns_within_the_window_is_not_published_as_gone() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member(at(0), &mara, session(1), &[1]);
    registry.take_due(at(1_000));
    registry.leave(at(2_000), SessionId(1));
    assert_eq!(registry.in_project(at(2_000), 1), []);
    registry.enter_member(at(2_500), &mara, session(2), &[1]);
    assert_eq!(registry.take_due(at(3_000)), []);
    assert_eq!(registry.in_project(at(3_000), 1)[0].since, at(0));
}

#[test]
fn a_member_that_returns_after_the_window_is_published_as_gone_and_as_new() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member(at(0), &mara, session(1), &[1]);
    registry.take_due(at(1_000));
    registry.leave(at(2_000), SessionId(1));
    assert_eq!(registry.take_due(at(3_000))[0].1.gone, vec![mara.member.clone()]);
    assert!(registry.is_empty(), "{registry:?}");
    registry.enter_member(at(4_000), &mara, session(2), &[1]);
    assert_eq!(registry.take_due(at(5_000))[0].1.present[0].since, at(4_000));
}

#[test]
fn an_announcement_is_valid_for_three_heartbeats() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member(at(0), &mara, PresenceSource::Announcement, &[1]);
    registry.enter_member(at(40_000), &mara, PresenceSource::Announcement, &[1]);
    assert_eq!(registry.ids_in_project(at(99_999), 1).len(), 1);
    assert_eq!(registry.ids_in_project(at(100_000), 1).len(), 0);
    registry.take_due(at(200_000));
    registry.take_due(at(300_000));
    assert!(registry.is_empty(), "{registry:?}");
}

#[test]
fn a_session_outlives_the_announcement_of_the_same_member() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member_with(at(0), &mara, PresenceSource::Announcement, working(), &[1]);
    registry.enter_member(at(0), &mara, session(1), &[1]);
    assert_eq!(registry.in_project(at(59_999), 1)[0].state, PresenceState::Working);
    assert_eq!(registry.in_project(at(60_000), 1)[0].state, PresenceState::Idle);
    registry.withdraw(at(60_001), &mara.member);
    assert_eq!(registry.ids_in_project(at(999_999), 1), vec![mara.member.clone()]);
}

#[test]
fn a_repeated_announcement_is_not_published() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member(at(0), &mara, PresenceSource::Announcement, &[1]);
    registry.take_due(at(1_000));
    for beat in 1..10 {
        registry.enter_member(at(20_000 * beat), &mara, PresenceSource::Announcement, &[1]);
        assert_eq!(registry.take_due(at(20_000 * beat + 1_000)), []);
    }
}

#[test]
fn a_record_with_an_old_ticket_is_ignored() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    let old = registry.enter(at(0), &mara, session(1), PresenceUpdate::default()).expect("entered");
    let new = registry.ticket(&mara.member).expect("there");
    registry.settle(at(0), &mara.member, new, member_of(&mara, &[2]));
    registry.settle(at(0), &mara.member, old, member_of(&mara, &[1]));
    assert_eq!((registry.ids_in_project(at(0), 1).len(), registry.ids_in_project(at(0), 2).len()), (0, 1));
}

#[test]
fn a_presence_lists_only_projects_that_the_reader_sees() {
    let (mut registry, mara) = (PresenceRegistry::default(), person(1));
    registry.enter_member(at(0), &mara, session(1), &[1, 2, 3]);
    let visible_projects = VisibleProjects::Of(BTreeSet::from([project(2), project(9)]));
    assert_eq!(registry.list(at(0), &visible_projects, None, 10)[0].project_ids, [project(2)]);
    assert_eq!(
        registry.list(at(0), &VisibleProjects::All, None, 10)[0].project_ids,
        [project(1), project(2), project(3)]
    );
    assert_eq!(registry.list(at(0), &VisibleProjects::Of(BTreeSet::from([project(9)])), None, 10), []);
    for (published_in, changes) in registry.take_due(at(1_000)) {
        assert_eq!(changes.present[0].project_ids, [published_in]);
    }
}

#[test]
fn pages_contain_each_member_once_and_in_order() {
    let mut registry = PresenceRegistry::default();
    for number in 0..25 {
        registry.enter_member(at(0), &person(number), session(number as u64), &[number % 3, 7]);
    }
    let wide = VisibleProjects::Of((0..10).map(project).collect());
    for visible_projects in [&wide, &VisibleProjects::All] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = registry.list(at(0), visible_projects, after.as_ref(), 4);
            let Some(last) = page.last() else { break };
            after = Some(last.member_id.clone());
            seen.extend(page);
        }
        assert_eq!(seen, registry.list(at(0), visible_projects, None, usize::MAX));
        assert_eq!(seen.len(), 25);
        assert!(seen.is_sorted_by_key(|presence| presence.member_id.clone()));
    }
}

#[test]
fn more_changes_than_the_limit_are_published_as_a_count() {
    let mut registry = PresenceRegistry::default();
    for number in 0..1_000 {
        registry.enter_member(at(0), &person(number), session(number as u64), &[1]);
    }
    let published = registry.take_due(at(1_000));
    assert_eq!(published.len(), 1);
    let changes = &published[0].1;
    assert_eq!((changes.count, changes.is_partial, changes.present.len()), (1_000, true, 0));
    registry.leave(at(2_000), SessionId(7));
    assert_eq!(registry.take_due(at(3_000))[0].1.gone, [person(7).member]);
}

#[test]
fn a_frame_that_is_too_long_is_published_as_a_count() {
    let mut registry = PresenceRegistry::default();
    for number in 0..50 {
        let who = Principal { member: AgentId::from_bits(number).into(), ..person(number) };
        let ticket = registry.enter(at(0), &who, session(number as u64), PresenceUpdate::default()).expect("entered");
        let instructions = Some("x".repeat(limits::INSTRUCTIONS_CHARS_MAX));
        registry.settle(at(0), &who.member, ticket, MemberRecord { instructions, ..member_of(&who, &[1]) });
    }
    let changes = &registry.take_due(at(1_000))[0].1;
    assert_eq!((changes.count, changes.is_partial, changes.present.len()), (50, true, 0));
}

#[test]
fn the_number_of_present_members_is_limited() {
    let mut registry = PresenceRegistry::default();
    for number in 0..limits::PRESENCE_MEMBERS_MAX {
        registry
            .enter(at(0), &person(number as u128), PresenceSource::Announcement, PresenceUpdate::default())
            .expect("room");
    }
    let late_comer = person(u128::MAX);
    let refused = registry.enter(at(0), &late_comer, session(1), PresenceUpdate::default());
    assert_eq!(refused.expect_err("full").code, Code::Full);
    registry.enter(at(0), &person(0), session(1), PresenceUpdate::default()).expect("a member that is there already");
    registry.take_due(at(60_000));
    registry.take_due(at(61_000));
    registry.enter(at(61_000), &late_comer, session(2), PresenceUpdate::default()).expect("room again");
}

/// A random operation on the registry, after some time.
#[derive(Clone, Debug)]
enum Act {
    Come(u128, u64, bool),
    Announce(u128, bool),
    Leave(u64),
    Withdraw(u128),
    Belong(u128, Vec<u128>),
}

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let (who, project) = (0..4_u128, 0..3_u128);
    let act = prop_oneof![
        (who.clone(), 0..3_u64, any::<bool>()).prop_map(|(who, line, busy)| Act::Come(who, line, busy)),
        (who.clone(), any::<bool>()).prop_map(|(who, busy)| Act::Announce(who, busy)),
        (0..12_u64).prop_map(Act::Leave),
        who.clone().prop_map(Act::Withdraw),
        (who, proptest::collection::vec(project, 0..3)).prop_map(|(who, projects)| Act::Belong(who, projects)),
    ];
    let pause = prop_oneof![Just(0), 0..700_u64, 0..70_000_u64];
    proptest::collection::vec((pause, act), 0..40)
}

fn perform(registry: &mut PresenceRegistry, now: Timestamp, act: &Act, home: &mut BTreeMap<u128, Vec<u128>>) {
    let request = |busy: &bool| if *busy { working() } else { PresenceUpdate::default() };
    let homes = |who: &u128| home.get(who).cloned().unwrap_or_else(|| vec![0, 1]);
    match act {
        Act::Come(who, line, busy) => {
            registry.enter_member_with(now, &person(*who), session(*who as u64 * 3 + line), request(busy), &homes(who));
        }
        Act::Announce(who, busy) => {
            registry.enter_member_with(now, &person(*who), PresenceSource::Announcement, request(busy), &homes(who));
        }
        Act::Leave(line) => registry.leave(now, SessionId(*line)),
        Act::Withdraw(who) => registry.withdraw(now, &person(*who).member),
        Act::Belong(who, projects) => {
            home.insert(*who, projects.clone());
            let member = person(*who);
            if let Some(ticket) = registry.ticket(&member.member) {
                registry.settle(now, &member.member, ticket, member_of(&member, projects));
            }
        }
    }
}

/// Applies published changes to the view of a reader of all projects.
fn apply(view: &mut BTreeMap<(ProjectId, MemberId), Presence>, published: Vec<(ProjectId, PresenceChanges)>) {
    for (project, changes) in published {
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
    fn published_changes_add_up_to_the_list(acts in acts()) {
        let (mut registry, mut view, mut home) = (PresenceRegistry::default(), BTreeMap::new(), BTreeMap::new());
        let mut now = at(0);
        for (pause, act) in &acts {
            now = now.plus_millis(*pause);
            apply(&mut view, registry.take_due(now));
            perform(&mut registry, now, act, &mut home);
        }
        while let Some(due) = registry.next_due() {
            now = now.max(due);
            apply(&mut view, registry.take_due(now));
            let known: Vec<_> = (0..3).flat_map(|number| registry.in_project(now, number)).collect();
            let published: Vec<_> = view.values().cloned().collect();
            if registry.windows.next().is_none() {
                prop_assert_eq!(published, known);
            }
        }
    }
}
