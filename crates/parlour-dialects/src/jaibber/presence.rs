//! The presence data of a connection.

use std::borrow::Cow;

use parlour_core::{
    Refusal,
    author::{Author, AuthorType},
};
use serde_json::{Map, Value};

use super::{
    decode::frame_author,
    wire::{null_names, owned_texts, required_filled_text, with_nulls},
};
use crate::json::{Json, Object, wrong_type};

/// The presence data of a connection: its projects in the global channel, its agents in the channel of a project. A
/// single agent has its own fields; several agents are in `agents`, and the first is often in both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresenceData {
    pub user_id: String,
    /// The name of the account, or of the agent if there is no person.
    pub username: String,
    /// Whether agents answer on this connection.
    pub is_agent: Option<bool>,
    /// The name of the only or the first agent.
    pub agent_name: Option<String>,
    pub agent_instructions: Option<String>,
    pub machine_name: Option<String>,
    pub project_ids: Option<Vec<String>>,
    pub agents: Option<Vec<PresenceAgent>>,
    /// Unknown fields, and fields that are `null`.
    pub rest: Map<String, Value>,
}

/// One of several agents of a connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresenceAgent {
    pub agent_name: String,
    pub agent_instructions: Option<String>,
    /// Present if it is given for each agent.
    pub machine_name: Option<String>,
    /// Unknown fields, and fields that are `null`.
    pub rest: Map<String, Value>,
}

/// A connected agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentAgent<'a> {
    /// The agent as the author of its frames.
    pub author: Author,
    pub instructions: Option<&'a str>,
    pub machine_name: Option<&'a str>,
}

impl PresenceData {
    /// Decodes presence data.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        Self::read(Object::read(Json::from(value), "the presence data of a connection")?)
    }

    pub(super) fn read(mut fields: Object<'_>) -> Result<Self, Refusal> {
        let nulls = null_names(&fields);
        Ok(Self {
            user_id: required_filled_text(&mut fields, "userId")?.into_owned(),
            username: fields.required_text("username")?.into_owned(),
            is_agent: fields.boolean("isAgent")?,
            agent_name: fields.text("agentName")?.map(Cow::into_owned),
            agent_instructions: fields.text("agentInstructions")?.map(Cow::into_owned),
            machine_name: fields.text("machineName")?.map(Cow::into_owned),
            project_ids: fields.texts("projectIds")?.map(owned_texts),
            agents: agents(fields.take_non_null("agents"))?,
            rest: with_nulls(fields, nulls),
        })
    }

    /// Encodes the presence data.
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

    /// The agents of the connection, each once.
    pub fn present_agents(&self) -> Vec<PresentAgent<'_>> {
        let several = self.agents.iter().flatten();
        let mut all: Vec<_> = several.map(|agent| self.present(&agent.agent_name, agent)).collect();
        let single = self.agent_name.as_deref().filter(|name| !name.is_empty() && !self.is_among(name));
        all.extend(single.map(|name| PresentAgent {
            author: frame_author(AuthorType::Agent, &self.user_id, name),
            instructions: self.agent_instructions.as_deref(),
            machine_name: self.machine_name.as_deref(),
        }));
        all
    }

    /// The person of the connection; none if an agent uses its own name.
    pub fn person(&self) -> Option<Author> {
        let is_agents_own = self.present_agents().iter().any(|agent| is_same(&agent.author.name, &self.username));
        (!is_agents_own).then(|| frame_author(AuthorType::Person, &self.user_id, &self.username))
    }

    fn present<'a>(&'a self, name: &str, agent: &'a PresenceAgent) -> PresentAgent<'a> {
        PresentAgent {
            author: frame_author(AuthorType::Agent, &self.user_id, name),
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
            agent_name: required_filled_text(&mut fields, "agentName")?.into_owned(),
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
                |(index, item)| PresenceAgent::read(item).map_err(|refusal| refusal.at(&format!("agents[{index}]")));
            items.into_iter().enumerate().map(agent).collect::<Result<_, _>>().map(Some)
        }
        Some(other) => Err(wrong_type("agents", "an array of agents", &other)),
    }
}

fn object<const N: usize>(known: [(&str, Option<Value>); N], rest: Map<String, Value>) -> Value {
    let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut out: Map<String, Value> = known.collect();
    for (name, value) in rest {
        out.entry(name).or_insert(value);
    }
    Value::Object(out)
}

/// Compares agent names without case, as Jaibber does.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
