//! The names of the members of a project, for lookups.

use std::{collections::BTreeMap, sync::Arc};

use crate::{id::MemberId, limits, name::Name};

use super::closeness::WrittenName;

/// The members of one project by name and by id. It is built once and shared: a clone costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Roster(Arc<Index>);

#[derive(Debug, Default)]
struct Index {
    /// In the order of their ids' texts.
    members: Vec<(MemberId, Name)>,
    /// Folded names, with the indexes of their members in `members`.
    by_name: BTreeMap<String, Vec<usize>>,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly this member.
    One(MemberId),
    /// Several members have that name.
    Ambiguous(Vec<MemberId>),
    /// Nobody in this project.
    Unknown,
}

impl Roster {
    /// Indexes the members; of two entries with the same id the first counts.
    pub fn new(entries: impl IntoIterator<Item = (MemberId, Name)>) -> Self {
        let mut members: Vec<_> = entries.into_iter().collect();
        members.sort_by(|(left, _), (right, _)| left.as_str().cmp(right.as_str()));
        members.dedup_by(|(later, _), (first, _)| later == first);
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, (_, name)) in members.iter().enumerate() {
            by_name.entry(Name::fold(name.as_str())).or_default().push(index);
        }
        Self(Arc::new(Index { members, by_name }))
    }

    /// Finds the member with exactly this name, whatever its case, or with this id.
    pub fn resolve(&self, text: &str) -> Resolution {
        match self.0.by_name.get(&Name::fold(text)).map(Vec::as_slice) {
            Some([index]) => Resolution::One(self.0.members[*index].0.clone()),
            Some(indexes) => {
                Resolution::Ambiguous(indexes.iter().map(|index| self.0.members[*index].0.clone()).collect())
            }
            None => self.find(text).map_or(Resolution::Unknown, |(id, _)| Resolution::One(id.clone())),
        }
    }

    /// The name of a member.
    pub fn name_of(&self, member: &MemberId) -> Option<&Name> {
        self.find(member.as_str()).map(|(_, name)| name)
    }

    /// Whether this member belongs to the project.
    pub fn contains(&self, member: &MemberId) -> bool {
        self.find(member.as_str()).is_some()
    }

    /// All members with their names, in the order of their ids.
    pub fn members(&self) -> &[(MemberId, Name)] {
        &self.0.members
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.members.len()
    }

    /// Whether the project has no members.
    pub fn is_empty(&self) -> bool {
        self.0.members.is_empty()
    }

    /// The known names that are closest to an unknown one, best first, at most `MENTION_CANDIDATES_MAX`.
    pub(super) fn propose(&self, text: &str) -> Vec<String> {
        let written = WrittenName::new(text);
        let mut close: Vec<_> = self
            .0
            .by_name
            .iter()
            .filter_map(|(fold, indexes)| Some((written.closeness_of(fold)?, fold.as_str(), indexes[0])))
            .collect();
        // Many names can be close; only the few best ones are worth sorting.
        if close.len() > limits::MENTION_CANDIDATES_MAX {
            close.select_nth_unstable(limits::MENTION_CANDIDATES_MAX);
            close.truncate(limits::MENTION_CANDIDATES_MAX);
        }
        close.sort_unstable();
        close.into_iter().map(|(_, _, index)| self.0.members[index].1.to_string()).collect()
    }

    fn find(&self, id: &str) -> Option<&(MemberId, Name)> {
        let members = &self.0.members;
        let index = members.binary_search_by(|(member, _)| member.as_str().cmp(id)).ok()?;
        Some(&members[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> MemberId {
        text.parse().expect("member id")
    }

    fn roster(entries: &[(&str, &str)]) -> Roster {
        Roster::new(entries.iter().map(|(member, name)| (id(member), Name::parse(name).expect("name"))))
    }

    #[test]
    fn a_member_is_found_by_name_whatever_its_case_and_by_id() {
        let roster = roster(&[("agt_1", "Coder-2"), ("per_1", "Jürgen")]);
        for text in ["Coder-2", "CODER-2", "agt_1"] {
            assert_eq!(roster.resolve(text), Resolution::One(id("agt_1")), "{text}");
        }
        assert_eq!(roster.resolve("JU\u{308}RGEN"), Resolution::One(id("per_1")));
    }

    #[test]
    fn only_the_exact_name_or_id_is_found() {
        let roster = roster(&[("agt_1", "Coder-2")]);
        for text in ["", "Coder", "Coder 2", "@Coder-2", "Coder-2 ", "AGT_1", "agt_2"] {
            assert_eq!(roster.resolve(text), Resolution::Unknown, "{text}");
        }
    }

    #[test]
    fn a_name_of_several_members_is_ambiguous() {
        let roster = roster(&[("per_1", "Kim"), ("agt_1", "kim"), ("agt_2", "Tom")]);
        assert_eq!(roster.resolve("KIM"), Resolution::Ambiguous(vec![id("agt_1"), id("per_1")]));
    }

    #[test]
    fn a_member_is_found_by_its_id() {
        let roster = roster(&[("per_1", "Kim"), ("agt_1", "Coder"), ("per_1", "Tim")]);
        assert_eq!(roster.len(), 2);
        assert_eq!(roster.name_of(&id("per_1")).map(Name::as_str), Some("Kim"));
        assert!(roster.contains(&id("agt_1")) && !roster.contains(&id("agt_2")));
        assert!(Roster::default().is_empty());
    }

    #[test]
    fn names_that_start_alike_are_proposed_first_and_the_number_is_limited() {
        let roster = roster(&[
            ("agt_1", "Coder"),
            ("agt_2", "Coder-2"),
            ("agt_3", "Decoder"),
            ("agt_4", "Corer"),
            ("agt_5", "Painter"),
        ]);
        assert_eq!(roster.propose("code"), ["Coder", "Coder-2", "Corer", "Decoder"]);
        assert_eq!(roster.propose("zzzzzz"), [""; 0]);
        let many = Roster::new(
            (0..50).map(|number| (id(&format!("agt_{number}")), Name::parse(&format!("Bot {number}")).expect("name"))),
        );
        assert_eq!(many.propose("bot"), ["Bot 0", "Bot 1", "Bot 2", "Bot 3", "Bot 4"]);
    }
}
