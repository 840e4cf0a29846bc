//! Which candidates stand in one section and place.

use std::collections::HashMap;

use parlour_core::{context::Section, id::ConversationId};

use crate::candidate::Candidate;

/// A section and a conversation.
type Key<'a> = (Section, Option<&'a ConversationId>);

/// For each candidate a number: those with the same section and place have the same.
pub(super) fn of(candidates: &[&Candidate]) -> Vec<u32> {
    // Those that began a group: a place can be known in several states.
    let mut known: HashMap<Key<'_>, Vec<(usize, u32)>> = HashMap::new();
    let mut groups: Vec<u32> = Vec::with_capacity(candidates.len());
    let mut next = 0;
    for (index, candidate) in candidates.iter().enumerate() {
        let is_same = |other: usize| {
            candidates[other].section == candidate.section && candidates[other].conversation == candidate.conversation
        };
        // They are sorted, so that most stand where the one before does.
        if let Some(last) = groups.last().copied().filter(|_| is_same(index - 1)) {
            groups.push(last);
            continue;
        }
        let id = candidate.conversation.as_ref().map(|place| &place.id);
        let alike = known.entry((candidate.section, id)).or_default();
        let group = alike.iter().find(|(other, _)| is_same(*other)).map_or(next, |(_, group)| *group);
        if group == next {
            alike.push((index, group));
            next += 1;
        }
        groups.push(group);
    }
    groups
}
