//! Authors of messages, and their visual category.

use serde::{Deserialize, Serialize};

use crate::{
    id::{AgentId, MemberId, PersonId},
    limits,
    name::Name,
};

/// The type of an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AuthorType {
    /// A person.
    Person,
    /// An agent of the project.
    Agent,
    /// A small program on the page.
    Applet,
    /// A schedule that came due.
    Scheduler,
    /// A tool that an agent called.
    Tool,
    /// The hub, about its own operation.
    Host,
    /// The hub, as lasting context for models.
    System,
}

/// The author of a message. It comes from the caller's token or from the hub, never from a text or a request body; only
/// an administrator who takes over messages of another system says whom that system knew as theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Author {
    /// The sort of author.
    #[serde(rename = "type")]
    pub author_type: AuthorType,
    /// The author's id: a member's id, the short name of an applet, schedule or tool, or `<system>:…` for somebody whom
    /// only another system knew; the hub has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name shown to people, as it was when this was written.
    pub name: String,
}

/// The visual category of an author: the four colours of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A person typed it.
    User,
    /// An applet sent it.
    Applet,
    /// An agent sent it.
    Agent,
    /// A schedule sent it.
    Scheduler,
}

impl Author {
    /// The author for a member.
    pub fn member(id: &MemberId, name: &Name) -> Self {
        let author_type = match id {
            MemberId::Person(_) => AuthorType::Person,
            MemberId::Agent(_) => AuthorType::Agent,
        };
        Self { author_type, id: Some(id.to_string()), name: name.to_string() }
    }

    /// The hub itself, speaking about its own operation.
    pub fn host() -> Self {
        Self { author_type: AuthorType::Host, id: None, name: "Parlour".to_owned() }
    }

    /// The member behind this author; applets, schedules, tools and the hub have none.
    pub fn member_id(&self) -> Option<MemberId> {
        let id = self.id.as_deref()?;
        match self.author_type {
            AuthorType::Person => id.parse::<PersonId>().ok().map(MemberId::Person),
            AuthorType::Agent => id.parse::<AgentId>().ok().map(MemberId::Agent),
            _ => None,
        }
    }

    /// The other system of the author of an imported message. No member, applet or schedule has an id with a colon.
    pub fn foreign_system(&self) -> Option<&str> {
        let (system, rest) = self.id.as_deref()?.split_once(':')?;
        let is_name = (1..=limits::FOREIGN_SYSTEM_CHARS_MAX).contains(&system.len())
            && system.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        (is_name && !rest.is_empty()).then_some(system)
    }

    /// The source shown to people; the hub and tools have a look of their own.
    pub fn source(&self) -> Option<Source> {
        match self.author_type {
            AuthorType::Person => Some(Source::User),
            AuthorType::Agent => Some(Source::Agent),
            AuthorType::Applet => Some(Source::Applet),
            AuthorType::Scheduler => Some(Source::Scheduler),
            AuthorType::Tool | AuthorType::Host | AuthorType::System => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_author_of_a_member_contains_the_member_id() {
        let id: MemberId = "agt_1".parse().expect("id");
        let author = Author::member(&id, &Name::parse("Coder").expect("name"));
        assert_eq!(author.member_id(), Some(id));
        assert_eq!(author.source(), Some(Source::Agent));
    }

    #[test]
    fn an_applet_with_the_id_of_a_member_is_not_a_member() {
        let author = Author { author_type: AuthorType::Applet, id: Some("agt_1".into()), name: "x".into() };
        assert_eq!(author.member_id(), None);
        assert_eq!(author.source(), Some(Source::Applet));
    }

    fn known_as(id: &str) -> Author {
        Author { author_type: AuthorType::Agent, id: Some(id.into()), name: "x".into() }
    }

    #[test]
    fn an_author_of_another_system_names_it_in_its_id_and_is_no_member() {
        for (id, system) in [("pynchy:1", "pynchy"), ("a-2:agt_1", "a-2"), ("x:a:b", "x"), ("x: ", "x")] {
            assert_eq!((known_as(id).foreign_system(), known_as(id).member_id()), (Some(system), None), "{id}");
        }
    }

    #[test]
    fn an_id_without_a_system_is_not_foreign() {
        let long = format!("{}:1", "x".repeat(limits::FOREIGN_SYSTEM_CHARS_MAX + 1));
        for id in ["agt_1", "pynchy", "pynchy:", ":1", "Pynchy:1", "a b:1", "agt_1:1", "ä:1", "", &long] {
            assert_eq!(known_as(id).foreign_system(), None, "{id}");
        }
        assert_eq!(Author::host().foreign_system(), None);
    }

    #[test]
    fn the_hub_has_no_id_and_no_source() {
        assert_eq!((Author::host().member_id(), Author::host().source()), (None, None));
    }
}
