//! Names of members.

use std::collections::HashMap;

use parlour_core::id::{AgentId, MemberId, ProjectId};

use crate::{failure::Failure, session::Session};

/// The names of the current members of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberNames(HashMap<MemberId, String>);

impl MemberNames {
    /// The name of a member, or the id where none is known.
    pub(crate) fn of(&self, id: &MemberId) -> String {
        self.0.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    pub(crate) fn of_agent(&self, id: &AgentId) -> String {
        self.of(&id.clone().into())
    }

    pub(crate) fn of_all<'a>(&self, ids: impl IntoIterator<Item = &'a MemberId>) -> String {
        ids.into_iter().map(|id| self.of(id)).collect::<Vec<_>>().join(", ")
    }
}

impl Session {
    /// The names of the members of a project.
    pub(crate) async fn names_in(&self, project: &ProjectId) -> Result<MemberNames, Failure> {
        let members = self.members_of(project).await?;
        Ok(MemberNames(members.into_iter().map(|(id, name)| (id, name.to_string())).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_member_is_shown_by_id() {
        let id = |text: &str| text.parse::<MemberId>().expect("id");
        let names = MemberNames(HashMap::from([(id("per_1"), "Mara".to_owned())]));
        assert_eq!(names.of_all(&[id("per_1"), id("agt_2")]), "Mara, agt_2");
    }
}
