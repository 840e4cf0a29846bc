//! What can be asked for, in the words of the API's contracts. Posting has its type in the domain.

use parlour_core::{conversation::Visibility, id::ProjectId, name::Name};
use serde::Serialize;

/// The wish to make a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewProject {
    /// The name, unique on the hub.
    pub name: Name,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The wish to make a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewChannel {
    /// The project.
    pub project_id: ProjectId,
    /// The name, unique in the project.
    pub name: Name,
    /// What is talked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Who sees it.
    pub visibility: Visibility,
}

/// The wish to add an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewAgent {
    /// The project it is to belong to.
    pub project_id: ProjectId,
    /// The name it is mentioned by.
    pub name: Name,
    /// What it can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Where it can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// What it is told to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// The wish to add a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewPerson {
    /// The name, unique on the hub.
    pub name: Name,
    /// Whether the person is to be an administrator.
    pub is_admin: bool,
}
