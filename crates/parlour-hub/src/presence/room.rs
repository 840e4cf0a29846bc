//! One project's view of who is there: what its readers know, and what they have yet to be told.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parlour_core::{
    id::{MemberId, ProjectId},
    limits,
    live::PresenceChanges,
    presence::Presence,
};

/// What a room shows of a member; none when it is not there.
pub(super) type Shown = Option<Arc<Presence>>;

/// Who is there in one project.
#[derive(Debug, Default)]
pub(super) struct ProjectPresence {
    present: BTreeSet<MemberId>,
    /// How those looked at the last telling who have changed since.
    told: BTreeMap<MemberId, Shown>,
    /// Whether more have changed than one frame names. Nothing is noted of them: the list is to be read anew.
    has_overflowed: bool,
}

impl ProjectPresence {
    pub(super) fn present(&self) -> &BTreeSet<MemberId> {
        &self.present
    }

    /// Whether something has yet to be told.
    pub(super) fn has_unpublished_changes(&self) -> bool {
        self.has_overflowed || !self.told.is_empty()
    }

    /// Notes that a member looks different now.
    pub(super) fn note(&mut self, member: &MemberId, was: Shown, is_there: bool) {
        if is_there {
            self.present.insert(member.clone());
        } else {
            self.present.remove(member);
        }
        if self.has_overflowed {
            return;
        }
        self.told.entry(member.clone()).or_insert(was);
        if self.told.len() > limits::PRESENCE_CHANGES_MAX {
            self.has_overflowed = true;
            self.told.clear();
        }
    }

    /// What the readers of the project are to be told, if anything is other than they know.
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
        for (member, was) in std::mem::take(&mut self.told) {
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

/// Instructions of agents are long: a few of them are more than a frame should hold.
fn fits(changes: &PresenceChanges) -> bool {
    serde_json::to_vec(changes).is_ok_and(|json| json.len() <= limits::PRESENCE_FRAME_BYTES_MAX)
}
