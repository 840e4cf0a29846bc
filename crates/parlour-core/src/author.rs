//! Who wrote a message, and how people see that.

use serde::{Deserialize, Serialize};

use crate::{
    id::{AgentId, MemberId, PersonId},
    name::Name,
};

/// Which sort of author wrote a message.
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

/// The author of a message. It comes from the caller's token or from the hub, never from a text or a request body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Author {
    /// The sort of author.
    #[serde(rename = "type")]
    pub author_type: AuthorType,
    /// The author's id: a member's id, or the short name of an applet, schedule or tool; the hub has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name shown to people, as it was when this was written.
    pub name: String,
}

/// How people see an author: the four colours of the page.
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
    fn a_member_is_found_again_from_its_author() {
        let id: MemberId = "agt_1".parse().expect("id");
        let author = Author::member(&id, &Name::parse("Coder").expect("name"));
        assert_eq!(author.member_id(), Some(id));
        assert_eq!(author.source(), Some(Source::Agent));
    }

    #[test]
    fn an_applet_with_the_id_of_a_member_is_no_member() {
        let author = Author { author_type: AuthorType::Applet, id: Some("agt_1".into()), name: "x".into() };
        assert_eq!(author.member_id(), None);
        assert_eq!(author.source(), Some(Source::Applet));
    }

    #[test]
    fn the_hub_has_no_id_and_no_source() {
        assert_eq!((Author::host().member_id(), Author::host().source()), (None, None));
    }
}
