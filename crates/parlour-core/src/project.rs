//! Projects: the border of visibility. Nothing of one project is seen from another.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{PersonId, ProjectId},
    limits,
    member::patch_text,
    name::Name,
    policy::Policy,
    text,
};

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Project {
    /// The project's id.
    pub id: ProjectId,
    /// The name, unique on this hub.
    pub name: Name,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The creator.
    pub owner: PersonId,
    /// The rules it has set for itself.
    #[serde(default)]
    pub policy: Policy,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A change of a project; absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ProjectPatch {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The new description; an empty text removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 4000))]
    pub description: Option<String>,
    /// The new policy, as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
}

impl Project {
    /// Refuses a project with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        check_description(self.description.as_deref())?;
        self.policy.check().map_err(|refusal| refusal.at("policy"))
    }

    /// The project after `patch`, or why it cannot be.
    pub fn patched(&self, patch: &ProjectPatch) -> Result<Self, Refusal> {
        let patched = Self {
            name: patch.name.clone().unwrap_or_else(|| self.name.clone()),
            description: patch_text(&self.description, &patch.description),
            policy: patch.policy.clone().unwrap_or_else(|| self.policy.clone()),
            ..self.clone()
        };
        patched.check()?;
        Ok(patched)
    }
}

/// Refuses a description that is too long or holds control characters.
pub(crate) fn check_description(description: Option<&str>) -> Result<(), Refusal> {
    text::check_text(description.unwrap_or_default(), limits::DESCRIPTION_CHARS_MAX)
        .map_err(|refusal| refusal.at("description"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Budgets;

    fn tour() -> Project {
        Project {
            id: ProjectId::from_bits(1),
            name: Name::parse("Tour").expect("name"),
            description: Some("A look around.".into()),
            owner: PersonId::from_bits(1),
            policy: Policy::default(),
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn a_patch_changes_only_what_it_names() {
        let patch = ProjectPatch { description: Some(String::new()), ..ProjectPatch::default() };
        let patched = tour().patched(&patch).expect("patched");
        assert_eq!(patched, Project { description: None, ..tour() });
    }

    #[test]
    fn a_bad_policy_is_refused_with_its_path() {
        let policy = Policy { budgets: Budgets { pack_tokens_max: 1, ..Budgets::default() }, ..Policy::default() };
        let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
        let refusal = tour().patched(&patch).expect_err("too small");
        assert_eq!(refusal.field.as_deref(), Some("policy.budgets.pack_tokens_max"));
    }
}
