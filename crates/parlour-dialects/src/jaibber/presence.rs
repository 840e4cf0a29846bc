//! What a connection says of itself when it enters a channel.

use std::borrow::Cow;

use parlour_core::{
    Refusal,
    author::{Author, AuthorType},
};
use serde_json::{Map, Value};

use super::{
    author::author,
    frame::{null_names, owned_texts, said_text, with_nulls},
};
use crate::json::{Json, Object, wrong};

/// What a connection says of itself: in the global channel its projects, in a project's channel its agents. One agent
/// stands in fields of its own; several stand in `agents`, the first of them often in both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresenceData {
    /// The account.
    pub user_id: String,
    /// The account's name, or the agent's when there is only an agent.
    pub username: String,
    /// Whether agents answer on this connection.
    pub is_agent: Option<bool>,
    /// The name of the only or the first agent.
    pub agent_name: Option<String>,
    /// What that agent was told to be.
    pub agent_instructions: Option<String>,
    /// The machine.
    pub machine_name: Option<String>,
    /// The projects of the account.
    pub project_ids: Option<Vec<String>>,
    /// All agents of the connection.
    pub agents: Option<Vec<PresenceAgent>>,
    /// Fields that Jaibber does not know, and those that are `null`.
    pub rest: Map<String, Value>,
}

/// One of several agents of a connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresenceAgent {
    /// Its name.
    pub agent_name: String,
    /// What it was told to be.
    pub agent_instructions: Option<String>,
    /// The machine, when it is said for each agent.
    pub machine_name: Option<String>,
    /// Fields that Jaibber does not know, and those that are `null`.
    pub rest: Map<String, Value>,
}

/// An agent that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentAgent<'a> {
    /// The agent, as the author of its frames.
    pub author: Author,
    /// What it was told to be.
    pub instructions: Option<&'a str>,
    /// The machine it runs on.
    pub machine_name: Option<&'a str>,
}

impl PresenceData {
    /// Reads what a connection says.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        Self::read(Object::read(Json::from(value), "what a connection says")?)
    }

    pub(super) fn read(mut fields: Object<'_>) -> Result<Self, Refusal> {
        let nulls = null_names(&fields);
        Ok(Self {
            user_id: said_text(&mut fields, "userId")?.into_owned(),
            username: fields.required_text("username")?.into_owned(),
            is_agent: fields.boolean("isAgent")?,
            agent_name: fields.text("agentName")?.map(Cow::into_owned),
            agent_instructions: fields.text("agentInstructions")?.map(Cow::into_owned),
            machine_name: fields.text("machineName")?.map(Cow::into_owned),
            project_ids: fields.texts("projectIds")?.map(owned_texts),
            agents: agents(fields.any("agents"))?,
            rest: with_nulls(fields, nulls),
        })
    }

    /// Writes it.
    pub fn into_value(self) -> Value {
        let known = [
            ("userId", Some(self.user_id.into())),
            ("username", Some(self.username.into())),
            ("isAgent", self.is_agent.map(Value::from)),
            ("agentName", self.agent_name.map(Value::from)),
            ("agentInstructions", self.agent_instructions.map(Value::from)),
            ("machineName", self.machine_name.map(Value::from)),
            ("projectIds", self.project_ids.map(Value::from)),
            ("agents", self.agents.map(|agents| agents.into_iter().map(PresenceAgent::into_value).collect())),
        ];
        object(known, self.rest)
    }

    /// The agents of the connection, each once, whichever way they are told.
    pub fn present_agents(&self) -> Vec<PresentAgent<'_>> {
        let several = self.agents.iter().flatten();
        let mut all: Vec<_> = several.map(|agent| self.present(&agent.agent_name, agent)).collect();
        let single = self.agent_name.as_deref().filter(|name| !name.is_empty() && !self.is_among(name));
        all.extend(single.map(|name| PresentAgent {
            author: author(AuthorType::Agent, &self.user_id, name),
            instructions: self.agent_instructions.as_deref(),
            machine_name: self.machine_name.as_deref(),
        }));
        all
    }

    /// The person at the connection; none when it is only an agent, which then lends it its name.
    pub fn person(&self) -> Option<Author> {
        let is_agents_own = self.present_agents().iter().any(|agent| is_same(&agent.author.name, &self.username));
        (!is_agents_own).then(|| author(AuthorType::Person, &self.user_id, &self.username))
    }

    fn present<'a>(&'a self, name: &str, agent: &'a PresenceAgent) -> PresentAgent<'a> {
        PresentAgent {
            author: author(AuthorType::Agent, &self.user_id, name),
            instructions: agent.agent_instructions.as_deref(),
            machine_name: agent.machine_name.as_deref().or(self.machine_name.as_deref()),
        }
    }

    fn is_among(&self, name: &str) -> bool {
        self.agents.iter().flatten().any(|agent| is_same(&agent.agent_name, name))
    }
}

impl PresenceAgent {
    fn read(json: Json<'_>) -> Result<Self, Refusal> {
        let mut fields = Object::read(json, "an agent")?;
        let nulls = null_names(&fields);
        Ok(Self {
            agent_name: said_text(&mut fields, "agentName")?.into_owned(),
            agent_instructions: fields.text("agentInstructions")?.map(Cow::into_owned),
            machine_name: fields.text("machineName")?.map(Cow::into_owned),
            rest: with_nulls(fields, nulls),
        })
    }

    fn into_value(self) -> Value {
        let known = [
            ("agentName", Some(self.agent_name.into())),
            ("agentInstructions", self.agent_instructions.map(Value::from)),
            ("machineName", self.machine_name.map(Value::from)),
        ];
        object(known, self.rest)
    }
}

fn agents(value: Option<Json<'_>>) -> Result<Option<Vec<PresenceAgent>>, Refusal> {
    match value {
        None => Ok(None),
        Some(Json::List(items)) => {
            let agent =
                |(place, item)| PresenceAgent::read(item).map_err(|refusal| refusal.at(&format!("agents[{place}]")));
            items.into_iter().enumerate().map(agent).collect::<Result<_, _>>().map(Some)
        }
        Some(other) => Err(wrong("agents", "a list of agents", &other)),
    }
}

fn object<const N: usize>(known: [(&str, Option<Value>); N], rest: Map<String, Value>) -> Value {
    let told = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut out: Map<String, Value> = told.collect();
    for (name, value) in rest {
        out.entry(name).or_insert(value);
    }
    Value::Object(out)
}

/// Jaibber tells agents apart without regard to case.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
