//! In which order what is shown stands in the text.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, btree_map::Entry},
};

use parlour_core::context::{ContextFormat, Level, Reason, SubjectType};

use super::desk::{Desk, Form};
use crate::candidate::Candidate;

/// Something that is shown, with its length.
type Shown = (usize, Level);

/// The order of the text for what is shown: what stays, as it stood; then sections by how little they change, places by
/// the best that is said there, messages by their numbers; what is to be answered comes last, and in an injection what
/// blocks comes first.
pub(super) fn order(desk: &Desk<'_>, form: Form, shown: Vec<Shown>) -> Vec<Shown> {
    let (mut staying, others): (Vec<Shown>, Vec<Shown>) =
        shown.into_iter().partition(|(index, _)| desk.is_kept(form, *index));
    staying.sort_unstable_by_key(|(index, _)| desk.stay_place(*index));
    staying.extend(by_section(desk, others));
    staying
}

/// What is said of those that stand in one place.
#[derive(Clone, Copy)]
struct Group {
    /// The rank of the best of them.
    best: u32,
    /// Whether what is to be answered is among them.
    is_last: bool,
}

/// Those that are new in the text, in order.
fn by_section(desk: &Desk<'_>, shown: Vec<Shown>) -> Vec<Shown> {
    let is_injection = desk.request.format == ContextFormat::Injection;
    let blocks = |candidate: &Candidate| is_injection && candidate.is_blocking();
    let key = |index: usize| (blocks(desk.candidates[index]), desk.groups[index]);
    let is_current = |candidate: &Candidate| candidate.reasons.contains(&Reason::Current);
    let mut groups: BTreeMap<(bool, u32), Group> = BTreeMap::new();
    for (index, _) in &shown {
        let one = Group { best: desk.field.ranks[*index], is_last: is_current(desk.candidates[*index]) };
        match groups.entry(key(*index)) {
            Entry::Vacant(entry) => {
                entry.insert(one);
            }
            Entry::Occupied(mut entry) => {
                let group = entry.get_mut();
                *group = Group { best: group.best.min(one.best), is_last: group.is_last || one.is_last };
            }
        }
    }
    let keyed = |shown: Shown| {
        let candidate = &desk.candidates[shown.0];
        let group = groups[&key(shown.0)];
        let section = (!is_injection).then_some(candidate.section);
        let outer = (Reverse(blocks(candidate)), group.is_last, section, group.best);
        let is_summary = candidate.subject_type == SubjectType::Summary;
        (outer, (is_current(candidate), !is_summary, candidate.seq), shown)
    };
    let mut keyed: Vec<_> = shown.into_iter().map(keyed).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, shown)| shown).collect()
}
