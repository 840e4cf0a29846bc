//! One present member: several connections, one presence.

use std::{collections::BTreeSet, sync::Arc};

use parlour_core::{
    Timestamp,
    access::Principal,
    id::{MemberId, ProjectId},
    presence::{Abilities, Presence, PresenceUpdate},
};

use crate::{live::SessionId, presence::MemberRecord};

/// The source of a presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PresenceSource {
    /// A live session; valid as long as the session.
    Session(SessionId),
    /// A request, which has to be repeated. All requests of a member are one source.
    Announcement,
}

/// A member that is present, or was until recently.
#[derive(Debug)]
pub(super) struct PresentMember {
    member: MemberId,
    record: MemberRecord,
    since: Timestamp,
    /// In order of arrival. A repeated update keeps its index, so that two machines do not alternate.
    connections: Vec<(PresenceSource, PresenceUpdate)>,
    /// The next check: the end of the announcement or of a short absence.
    pub(super) until: Option<Timestamp>,
    /// The ticket of the newest read of the record.
    pub(super) ticket: u64,
    /// The presence that others see, without projects; none if the member is gone.
    shown: Option<Arc<Presence>>,
}

impl PresentMember {
    /// A member whose projects are not known yet.
    pub(super) fn new(who: &Principal, now: Timestamp) -> Self {
        let record = MemberRecord { name: who.name.clone(), instructions: None, projects: BTreeSet::new() };
        Self {
            member: who.member.clone(),
            record,
            since: now,
            connections: Vec::new(),
            until: None,
            ticket: 0,
            shown: None,
        }
    }

    pub(super) fn shown(&self) -> Option<&Arc<Presence>> {
        self.shown.as_ref()
    }

    pub(super) fn projects(&self) -> &BTreeSet<ProjectId> {
        &self.record.projects
    }

    /// The presence with only the visible ones of its projects.
    pub(super) fn visible_in(&self, is_visible: impl Fn(&ProjectId) -> bool) -> Option<Presence> {
        let project_ids = self.projects().iter().filter(|project| is_visible(project)).cloned().collect();
        self.shown.as_deref().map(|shown| Presence { project_ids, ..shown.clone() })
    }

    pub(super) fn connect(&mut self, source: PresenceSource, request: PresenceUpdate) {
        match self.connections.iter_mut().find(|(known, _)| *known == source) {
            Some((_, old)) => *old = request,
            None => self.connections.push((source, request)),
        }
        self.merge();
    }

    pub(super) fn disconnect(&mut self, source: PresenceSource) {
        self.connections.retain(|(known, _)| *known != source);
        self.merge();
    }

    pub(super) fn has(&self, source: PresenceSource) -> bool {
        self.connections.iter().any(|(known, _)| *known == source)
    }

    pub(super) fn set_record(&mut self, record: MemberRecord) {
        self.record = record;
        self.merge();
    }

    /// Merges all connections into one presence.
    fn merge(&mut self) {
        let requests = || self.connections.iter().map(|(_, request)| request);
        let Some(state) = requests().map(|request| request.state).max() else {
            self.shown = None;
            return;
        };
        // Machine and program come from the same connection.
        let device = requests().rev().find(|request| request.machine_name.is_some() || request.runtime.is_some());
        self.shown = Some(Arc::new(Presence {
            member_id: self.member.clone(),
            name: self.record.name.clone(),
            is_agent: self.member.agent().is_some(),
            project_ids: Vec::new(),
            instructions: self.record.instructions.clone(),
            machine_name: device.and_then(|request| request.machine_name.clone()),
            runtime: device.and_then(|request| request.runtime.clone()),
            state,
            abilities: requests().map(|request| request.abilities).fold(Abilities::default(), Abilities::or),
            since: self.since,
        }));
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{access::Role, id::PersonId, name::Name, presence::PresenceState};

    use super::*;

    const DESK: PresenceSource = PresenceSource::Session(SessionId(1));
    const PHONE: PresenceSource = PresenceSource::Session(SessionId(2));

    fn mara() -> PresentMember {
        let member = PersonId::from_bits(1);
        let who = Principal::new(member, Name::parse("Mara").expect("name"), Role::Person);
        PresentMember::new(&who, Timestamp::from_millis(7))
    }

    fn request(state: PresenceState, machine: Option<&str>) -> PresenceUpdate {
        PresenceUpdate { state, machine_name: machine.map(Into::into), ..PresenceUpdate::default() }
    }

    fn state_and_machine(member: &PresentMember) -> Option<(PresenceState, Option<&str>)> {
        member.shown().map(|shown| (shown.state, shown.machine_name.as_deref()))
    }

    #[test]
    fn several_connections_are_one_presence() {
        let mut mara = mara();
        mara.connect(DESK, request(PresenceState::Working, Some("desk")));
        mara.connect(PHONE, request(PresenceState::Idle, Some("phone")));
        assert_eq!(state_and_machine(&mara), Some((PresenceState::Working, Some("phone"))));
        mara.disconnect(DESK);
        assert_eq!(state_and_machine(&mara), Some((PresenceState::Idle, Some("phone"))));
        mara.disconnect(PHONE);
        assert_eq!(state_and_machine(&mara), None);
    }

    #[test]
    fn abilities_of_connections_are_combined() {
        let mut mara = mara();
        let can_stream = Abilities { can_stream: true, ..Abilities::default() };
        let can_be_woken = Abilities { can_be_woken: true, ..Abilities::default() };
        mara.connect(DESK, PresenceUpdate { abilities: can_stream, ..PresenceUpdate::default() });
        mara.connect(PHONE, PresenceUpdate { abilities: can_be_woken, ..PresenceUpdate::default() });
        assert_eq!(mara.shown().map(|shown| shown.abilities), Some(can_stream.or(can_be_woken)));
    }

    #[test]
    fn a_repeated_update_does_not_change_the_shown_machine() {
        let mut mara = mara();
        mara.connect(DESK, request(PresenceState::Idle, Some("desk")));
        mara.connect(PHONE, request(PresenceState::Idle, Some("phone")));
        mara.connect(DESK, request(PresenceState::Idle, Some("desk")));
        assert_eq!(state_and_machine(&mara), Some((PresenceState::Idle, Some("phone"))));
        mara.connect(PHONE, request(PresenceState::Idle, None));
        assert_eq!(state_and_machine(&mara), Some((PresenceState::Idle, Some("desk"))));
    }
}
