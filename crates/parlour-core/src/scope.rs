//! Scopes: permissions of a token, in addition to the permissions of its member.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Code, Refusal};

macro_rules! scopes {
    ($($variant:ident = $text:literal, $meaning:literal;)+) => {
        /// One permission of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope { $(#[doc = $meaning] $variant),+ }

        impl Scope {
            /// All scopes, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The scope as text, for example `messages:read`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The permission, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),+ }
            }
        }
    };
}

scopes! {
    MessagesRead = "messages:read", "Read messages, inboxes, unread counts, search, snapshots, files and live events, and mark as read.";
    MessagesWrite = "messages:write", "Post, stream, edit, remove and react; open threads and DMs; publish presence.";
    MessagesBlock = "messages:block", "Post blocking messages, which pause their addressees.";
    ChannelsRead = "channels:read", "Read projects, members, channels, threads, DMs, tasks, batches and presence.";
    ChannelsManage = "channels:manage", "Create and change channels, their members and their subscriptions.";
    ArtifactsWrite = "artifacts:write", "Upload files.";
    TasksWrite = "tasks:write", "Create and change tasks and batches.";
    ContextRead = "context:read", "Read context packs.";
    RunsWrite = "runs:write", "Start, pause, resume and end runs.";
    MentionsWide = "mentions:wide", "Use wide mentions: everyone, or all agents.";
    ProjectsManage = "projects:manage", "Create and change projects and their members.";
    AgentsManage = "agents:manage", "Add and change agents, and invite them.";
    TokensManage = "tokens:manage", "Issue, list and revoke tokens, set passwords, and rename people.";
    Admin = "admin", "Administer the hub: add people, import messages, read the audit log, rotate keys.";
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let found = Self::ALL.iter().copied().find(|scope| scope.as_str() == text);
        found.ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Refusal::new(Code::OutOfBounds, format!("{shown:?} is not a scope"))
                .proposing(Self::ALL.iter().map(ToString::to_string).collect())
        })
    }
}

/// A set of scopes. As JSON it is a list, in a token's claims one text with blanks between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(u32);

impl Scopes {
    /// No scope at all.
    pub const NONE: Self = Self(0);

    /// Every scope: what a person has in its own browser.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Whether this scope is among them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }

    /// Whether all of these are among them.
    pub fn contains_all(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// The scopes in both sets.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// These and that one.
    #[must_use]
    pub fn with(self, scope: Scope) -> Self {
        Self(self.0 | bit(scope))
    }

    /// The scopes that are not in the other set.
    #[must_use]
    pub fn beyond(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// These without that one.
    #[must_use]
    pub fn without(self, scope: Scope) -> Self {
        Self(self.0 & !bit(scope))
    }

    /// The scopes, in the order in which they are shown.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }
}

fn bit(scope: Scope) -> u32 {
    1 << scope as u32
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | bit(scope)))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(out, "{blank}{scope}")?;
        }
        Ok(())
    }
}

impl FromStr for Scopes {
    type Err = Refusal;

    /// Reads scopes with blanks between them.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        text.split(' ').filter(|part| !part.is_empty()).map(str::parse::<Scope>).collect()
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter().map(Scope::as_str))
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let texts = Vec::<String>::deserialize(input)?;
        let scopes = texts.iter().map(|text| text.parse::<Scope>()).collect::<Result<Self, _>>();
        scopes.map_err(|refusal| de::Error::custom(refusal.detail))
    }
}

/// A named set of scopes for an agent that joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum JoinRole {
    /// Reads everything that its member may see, and writes nothing.
    ReadOnly,
    /// Posts, and sees where it can post, but reads no message.
    PostOnly,
    /// Works like any other agent.
    Full,
}

impl JoinRole {
    /// All roles, the smallest first.
    pub const ALL: &'static [Self] = &[Self::ReadOnly, Self::PostOnly, Self::Full];

    /// The role as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::PostOnly => "post-only",
            Self::Full => "full",
        }
    }

    /// The scopes of the role.
    pub fn scopes(self) -> Scopes {
        match self {
            Self::ReadOnly => [Scope::MessagesRead, Scope::ChannelsRead, Scope::ContextRead].into_iter().collect(),
            Self::PostOnly => [Scope::MessagesWrite, Scope::ChannelsRead].into_iter().collect(),
            Self::Full => {
                let kept = [Scope::MentionsWide, Scope::ProjectsManage, Scope::TokensManage, Scope::Admin];
                kept.into_iter().fold(Scopes::all(), Scopes::without)
            }
        }
    }
}

impl FromStr for JoinRole {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let found = Self::ALL.iter().copied().find(|role| role.as_str() == text);
        found.ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Refusal::new(Code::OutOfBounds, format!("{shown:?} is not a role"))
                .proposing(Self::ALL.iter().map(|role| role.as_str().to_owned()).collect())
        })
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Scopes {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
        let names = Scope::ALL.iter().map(|scope| scope.as_str());
        ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Scopes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_survive_a_round_trip_as_text_and_as_json() {
        for scopes in [Scopes::NONE, Scopes::all(), JoinRole::PostOnly.scopes()] {
            assert_eq!(scopes.to_string().parse(), Ok(scopes));
            let json = serde_json::to_string(&scopes).expect("JSON");
            assert_eq!(serde_json::from_str::<Scopes>(&json).expect("own form"), scopes);
        }
        assert_eq!(JoinRole::PostOnly.scopes().to_string(), "messages:write channels:read");
    }

    #[test]
    fn an_unknown_scope_is_refused_with_those_that_exist() {
        let refusal = "messages:read messages:eat".parse::<Scopes>().expect_err("unknown");
        assert!(refusal.detail.contains("messages:eat"), "{refusal}");
        assert_eq!(refusal.candidates.len(), Scope::ALL.len());
        assert!("Messages:Read".parse::<Scope>().is_err(), "the case counts");
    }

    #[test]
    fn removing_a_scope_removes_only_that_one() {
        let most = Scopes::all().without(Scope::Admin);
        assert!(!most.contains(Scope::Admin));
        assert_eq!(most.iter().count(), Scope::ALL.len() - 1);
        assert!(Scopes::all().contains_all(most) && !most.contains_all(Scopes::all()));
        assert_eq!(most.and(Scopes::all()), most);
        assert_eq!(most.with(Scope::Admin), Scopes::all());
        assert_eq!(Scopes::all().beyond(most).to_string(), "admin");
        assert_eq!(most.beyond(Scopes::all()), Scopes::NONE);
    }

    #[test]
    fn no_join_role_administers_or_manages_tokens() {
        for role in JoinRole::ALL {
            assert!(!role.scopes().contains(Scope::Admin) && !role.scopes().contains(Scope::TokensManage));
            assert_eq!(role.as_str().parse(), Ok(*role));
        }
        assert!(!JoinRole::ReadOnly.scopes().contains(Scope::MessagesWrite));
        assert!(!JoinRole::PostOnly.scopes().contains(Scope::MessagesRead));
    }
}
