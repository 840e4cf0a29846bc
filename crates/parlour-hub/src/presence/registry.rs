//! The registry of presence: present members, their projects, and changes to publish.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
    sync::Arc,
};

use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    id::{MemberId, ProjectId},
    limits,
    live::PresenceChanges,
    presence::{Presence, PresenceUpdate},
};

use crate::{
    live::SessionId,
    presence::{MemberRecord, PresenceSource, member::PresentMember},
    timers::DueQueue,
};

/// How long an announcement is valid.
const ANNOUNCED_MS: u64 = (limits::LIVE_HEARTBEAT_SECONDS * limits::LIVE_MISSED_HEARTBEATS_MAX * 1_000) as u64;

/// How long changes are collected; a member that returns within it was never away.
const WINDOW_MS: u64 = limits::PRESENCE_WINDOW_MS as u64;

/// Present members. A member is in the list of a project while it is present and belongs to the project.
#[derive(Debug, Default)]
pub(crate) struct PresenceRegistry {
    members: BTreeMap<MemberId, PresentMember>,
    projects: HashMap<ProjectId, ProjectPresence>,
    sessions: HashMap<SessionId, MemberId>,
    /// When announcements or short absences end.
    expiries: DueQueue<MemberId>,
    /// When changes of projects are published.
    windows: DueQueue<ProjectId>,
    last_ticket: u64,
}

/// The projects in which a reader sees others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VisibleProjects {
    All,
    Of(BTreeSet<ProjectId>),
}

impl VisibleProjects {
    fn contains(&self, project: &ProjectId) -> bool {
        match self {
            Self::All => true,
            Self::Of(projects) => projects.contains(project),
        }
    }
}

impl PresenceRegistry {
    /// Registers a presence.
    ///
    /// It is shown in no project until `settle` is called with the returned ticket.
    pub(crate) fn enter(
        &mut self,
        now: Timestamp,
        who: &Principal,
        source: PresenceSource,
        request: PresenceUpdate,
    ) -> Result<u64, Refusal> {
        self.expire(now);
        if !self.members.contains_key(&who.member) {
            self.check_room()?;
            self.members.insert(who.member.clone(), PresentMember::new(who, now));
        }
        if let PresenceSource::Session(id) = source {
            self.sessions.insert(id, who.member.clone());
        }
        self.change(now, &who.member, |member_entry| member_entry.connect(source, request));
        self.schedule_expiry(&who.member, now);
        Ok(self.ticket(&who.member).expect("it was entered just now"))
    }

    fn check_room(&self) -> Result<(), Refusal> {
        if self.members.len() < limits::PRESENCE_MEMBERS_MAX {
            return Ok(());
        }
        let detail = format!("{} members are connected, which is the limit", limits::PRESENCE_MEMBERS_MAX);
        Err(Refusal::new(Code::Full, detail))
    }

    /// A ticket for reading a member's record; it invalidates older tickets. None if the member is not present.
    pub(crate) fn ticket(&mut self, member: &MemberId) -> Option<u64> {
        let member_entry = self.members.get_mut(member)?;
        self.last_ticket += 1;
        member_entry.ticket = self.last_ticket;
        Some(member_entry.ticket)
    }

    /// Stores the record of a member, unless a newer ticket was issued.
    pub(crate) fn settle(&mut self, now: Timestamp, member: &MemberId, ticket: u64, record: MemberRecord) {
        self.expire(now);
        if self.members.get(member).is_some_and(|member_entry| member_entry.ticket == ticket) {
            self.change(now, member, |member_entry| member_entry.set_record(record));
        }
    }

    /// Removes the presence of a live session.
    pub(crate) fn leave(&mut self, now: Timestamp, session: SessionId) {
        self.expire(now);
        if let Some(member) = self.sessions.remove(&session) {
            self.disconnect(now, &member, PresenceSource::Session(session));
        }
    }

    /// Removes the announcement of a member.
    pub(crate) fn withdraw(&mut self, now: Timestamp, member: &MemberId) {
        self.expire(now);
        self.disconnect(now, member, PresenceSource::Announcement);
    }

    /// The presence as the member itself sees it.
    pub(crate) fn presence_of(&self, member: &MemberId) -> Option<Presence> {
        self.members.get(member).and_then(|member_entry| member_entry.visible_in(|_| true))
    }

    /// Up to `limit` visible members after this one: people first, then agents, each by id.
    pub(crate) fn list(
        &mut self,
        now: Timestamp,
        visible_projects: &VisibleProjects,
        after: Option<&MemberId>,
        limit: usize,
    ) -> Vec<Presence> {
        self.expire(now);
        let ids = match visible_projects {
            VisibleProjects::All => self.first_present(after, limit),
            VisibleProjects::Of(projects) => self.first_in(projects, after, limit),
        };
        let members = ids.iter().filter_map(|id| self.members.get(id));
        members
            .filter_map(|member_entry| member_entry.visible_in(|project| visible_projects.contains(project)))
            .collect()
    }

    fn first_present(&self, after: Option<&MemberId>, limit: usize) -> Vec<MemberId> {
        let following = self.members.range((start(after), Bound::Unbounded));
        let present = following.filter(|(_, one)| one.shown().is_some() && !one.projects().is_empty());
        present.take(limit).map(|(id, _)| id.clone()).collect()
    }

    /// The first members of each project are enough: no other can be among the first of all.
    fn first_in(&self, projects: &BTreeSet<ProjectId>, after: Option<&MemberId>, limit: usize) -> Vec<MemberId> {
        let presences = projects.iter().filter_map(|project| self.projects.get(project));
        let first =
            presences.flat_map(|presence| presence.present().range((start(after), Bound::Unbounded)).take(limit));
        first.collect::<BTreeSet<_>>().into_iter().take(limit).cloned().collect()
    }

    /// The changes to publish in each project.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Vec<(ProjectId, PresenceChanges)> {
        self.expire(now);
        let due = self.windows.take_due(now);
        due.into_iter().filter_map(|project| self.take_changes(&project).map(|changes| (project, changes))).collect()
    }

    fn take_changes(&mut self, project: &ProjectId) -> Option<PresenceChanges> {
        let (members, presence) = (&self.members, self.projects.get_mut(project)?);
        let in_project = |member_entry: &&PresentMember| member_entry.projects().contains(project);
        let shown = |member: &MemberId| members.get(member).filter(in_project)?.shown().cloned();
        let changes = presence.take_changes(project, shown);
        if presence.present().is_empty() {
            self.projects.remove(project);
        }
        changes
    }

    /// When a change is published or a presence expires next.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        [self.windows.next(), self.expiries.next()].into_iter().flatten().min()
    }

    /// Ends announcements that were not repeated in time, and removes members that did not return.
    fn expire(&mut self, now: Timestamp) {
        for member in self.expiries.take_due(now) {
            let Some(member_entry) = self.members.get_mut(&member) else { continue };
            member_entry.until = None;
            if member_entry.has(PresenceSource::Announcement) {
                self.disconnect(now, &member, PresenceSource::Announcement);
            } else {
                self.members.remove(&member);
            }
        }
    }

    fn disconnect(&mut self, now: Timestamp, member: &MemberId, source: PresenceSource) {
        if self.members.get(member).is_some_and(|member_entry| member_entry.has(source)) {
            self.change(now, member, |member_entry| member_entry.disconnect(source));
            self.schedule_expiry(member, now);
        }
    }

    /// Schedules the next check of a member.
    fn schedule_expiry(&mut self, member: &MemberId, now: Timestamp) {
        let member_entry = self.members.get_mut(member).expect("only called for registered members");
        if let Some(old) = member_entry.until.take() {
            self.expiries.remove(old, member);
        }
        member_entry.until = match (member_entry.shown(), member_entry.has(PresenceSource::Announcement)) {
            (None, _) => Some(now.plus_millis(WINDOW_MS)),
            (Some(_), true) => Some(now.plus_millis(ANNOUNCED_MS)),
            (Some(_), false) => None,
        };
        if let Some(until) = member_entry.until {
            self.expiries.add(until, member);
        }
    }

    /// Changes a member, and records its previous presence in all its projects.
    fn change(&mut self, now: Timestamp, member: &MemberId, act: impl FnOnce(&mut PresentMember)) {
        let Some(member_entry) = self.members.get_mut(member) else { return };
        let (was, was_in) = (member_entry.shown().cloned(), member_entry.projects().clone());
        act(member_entry);
        let is = member_entry.shown();
        for project in was_in.union(member_entry.projects()) {
            let was_here = was.as_ref().filter(|_| was_in.contains(project));
            let is_here = is.filter(|_| member_entry.projects().contains(project));
            if was_here == is_here {
                continue;
            }
            let presence = self.projects.entry(project.clone()).or_default();
            if !presence.has_unpublished_changes() {
                self.windows.add(now.plus_millis(WINDOW_MS), project);
            }
            presence.note(member, was_here.map(Arc::clone), is_here.is_some());
        }
    }
}

fn start(after: Option<&MemberId>) -> Bound<&MemberId> {
    after.map_or(Bound::Unbounded, Bound::Excluded)
}

/// The presence of a member in a project; none if it is absent.
pub(super) type Shown = Option<Arc<Presence>>;

/// The present members of one project.
#[derive(Debug, Default)]
pub(super) struct ProjectPresence {
    present: BTreeSet<MemberId>,
    /// The last published presence of members that have changed since.
    published: BTreeMap<MemberId, Shown>,
    /// Whether more members have changed than a frame holds. Readers then reload the list.
    has_overflowed: bool,
}

impl ProjectPresence {
    pub(super) fn present(&self) -> &BTreeSet<MemberId> {
        &self.present
    }

    /// Whether there are changes to publish.
    pub(super) fn has_unpublished_changes(&self) -> bool {
        self.has_overflowed || !self.published.is_empty()
    }

    /// Records a change of a member.
    pub(super) fn note(&mut self, member: &MemberId, was: Shown, is_there: bool) {
        if is_there {
            self.present.insert(member.clone());
        } else {
            self.present.remove(member);
        }
        if self.has_overflowed {
            return;
        }
        self.published.entry(member.clone()).or_insert(was);
        if self.published.len() > limits::PRESENCE_CHANGES_MAX {
            self.has_overflowed = true;
            self.published.clear();
        }
    }

    /// The changes to publish, if any.
    pub(super) fn take_changes(
        &mut self,
        project: &ProjectId,
        shown: impl Fn(&MemberId) -> Shown,
    ) -> Option<PresenceChanges> {
        let count = self.present.len() as u64;
        let too_much = PresenceChanges { present: Vec::new(), gone: Vec::new(), count, is_partial: true };
        if std::mem::take(&mut self.has_overflowed) {
            return Some(too_much);
        }
        let mut changes = PresenceChanges { is_partial: false, ..too_much.clone() };
        for (member, was) in std::mem::take(&mut self.published) {
            match shown(&member) {
                now if now == was => {}
                Some(now) => changes.present.push(Presence { project_ids: vec![project.clone()], ..(*now).clone() }),
                None => changes.gone.push(member),
            }
        }
        if changes.present.is_empty() && changes.gone.is_empty() {
            return None;
        }
        Some(if fits(&changes) { changes } else { too_much })
    }
}

/// Instructions of agents are long: a few of them can exceed the size of a frame.
fn fits(changes: &PresenceChanges) -> bool {
    serde_json::to_vec(changes).is_ok_and(|json| json.len() <= limits::PRESENCE_FRAME_BYTES_MAX)
}

#[cfg(test)]
mod tests;
