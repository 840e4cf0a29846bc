//! Members: people, who may join several projects, and agents, which belong to one.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    context::AgentContext,
    engine::Engine,
    id::{AgentId, PersonId, ProjectId},
    limits,
    name::Name,
    text,
};

/// A person who writes and reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Person {
    /// The person's id.
    pub id: PersonId,
    /// The name, unique on this hub.
    pub name: Name,
    /// Administrators manage people and see every project, but no private conversations of others.
    pub is_admin: bool,
    /// When the person was added.
    pub created_at: Timestamp,
}

/// A program that takes part in one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Agent {
    /// The agent's id.
    pub id: AgentId,
    /// The project it belongs to.
    pub project_id: ProjectId,
    /// The name it is mentioned by, unique in its project.
    pub name: Name,
    /// The capabilities that it declares.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Where it can be called, if it serves an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// Its instructions; members of the project can read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The engine with which the hub runs it; absent for an agent that connects from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Context rules that differ from those of its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
    /// The owner.
    pub owner: PersonId,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A change of an agent; absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AgentPatch {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The new list of capabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_items = 50))]
    pub capabilities: Option<Vec<String>>,
    /// The new address; an empty text removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000))]
    pub endpoint_url: Option<String>,
    /// The new instructions; an empty text removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 32000))]
    pub instructions: Option<String>,
    /// The new engine; one with an empty provider removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// The context rules that differ from those of its project, replaced as a whole; an empty object removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
}

impl Agent {
    /// Refuses an agent with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        check_capabilities(&self.capabilities)?;
        check_endpoint(self.endpoint_url.as_deref())?;
        if let Some(context) = &self.context {
            context.check().map_err(|refusal| refusal.at("context"))?;
        }
        let instructions = self.instructions.as_deref().unwrap_or_default();
        text::check_text(instructions, limits::INSTRUCTIONS_CHARS_MAX).map_err(|refusal| refusal.at("instructions"))
    }

    /// The agent after `patch`, or why it cannot be.
    pub fn patched(&self, patch: &AgentPatch) -> Result<Self, Refusal> {
        let patched = Self {
            name: patch.name.clone().unwrap_or_else(|| self.name.clone()),
            capabilities: patch.capabilities.clone().unwrap_or_else(|| self.capabilities.clone()),
            endpoint_url: patch_text(&self.endpoint_url, &patch.endpoint_url),
            instructions: patch_text(&self.instructions, &patch.instructions),
            engine: patch_engine(&self.engine, &patch.engine),
            context: patch_context(&self.context, &patch.context),
            ..self.clone()
        };
        patched.check()?;
        Ok(patched)
    }
}

/// An optional text after a change: absent keeps it, an empty text removes it.
pub(crate) fn patch_text(old: &Option<String>, change: &Option<String>) -> Option<String> {
    match change {
        None => old.clone(),
        Some(text) if text.is_empty() => None,
        Some(text) => Some(text.clone()),
    }
}

/// The engine after a change: absent keeps it, an engine without a provider removes it.
fn patch_engine(old: &Option<Engine>, change: &Option<Engine>) -> Option<Engine> {
    let engine = change.as_ref().or(old.as_ref())?;
    (!engine.provider.is_empty()).then(|| engine.clone())
}

/// The rules after a change: absent keeps them, empty rules remove them.
fn patch_context(old: &Option<AgentContext>, change: &Option<AgentContext>) -> Option<AgentContext> {
    let rules = change.as_ref().or(old.as_ref())?;
    (*rules != AgentContext::default()).then(|| rules.clone())
}

fn check_capabilities(capabilities: &[String]) -> Result<(), Refusal> {
    if capabilities.len() > limits::CAPABILITIES_MAX {
        let detail = format!("an agent has at most {} capabilities", limits::CAPABILITIES_MAX);
        return Err(Refusal::out_of_bounds(detail).at("capabilities"));
    }
    for (index, capability) in capabilities.iter().enumerate() {
        text::check_not_blank(capability)
            .and_then(|()| text::check_text(capability, limits::NAME_CHARS_MAX))
            .map_err(|refusal| refusal.at(&format!("capabilities[{index}]")))?;
    }
    Ok(())
}

fn check_endpoint(url: Option<&str>) -> Result<(), Refusal> {
    let Some(url) = url else { return Ok(()) };
    text::check_web_address(url).map_err(|refusal| refusal.at("endpoint_url"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coder() -> Agent {
        Agent {
            id: AgentId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            name: Name::parse("Coder").expect("name"),
            capabilities: vec!["rust".into()],
            endpoint_url: None,
            instructions: Some("Be brief.".into()),
            engine: None,
            context: None,
            owner: PersonId::from_bits(1),
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn an_empty_patch_changes_nothing() {
        assert_eq!(coder().patched(&AgentPatch::default()), Ok(coder()));
    }

    #[test]
    fn an_empty_text_removes_an_optional_one() {
        let patch = AgentPatch { instructions: Some(String::new()), ..AgentPatch::default() };
        assert_eq!(coder().patched(&patch).expect("patched").instructions, None);
    }

    #[test]
    fn endpoints_must_be_web_addresses() {
        for url in ["ftp://x", "http://", "http:///x", "javascript:alert(1)", "http://a b", "x"] {
            let agent = Agent { endpoint_url: Some(url.into()), ..coder() };
            assert_eq!(agent.check().expect_err(url).field.as_deref(), Some("endpoint_url"), "{url}");
        }
        let agent = Agent { endpoint_url: Some("https://agents.example/coder".into()), ..coder() };
        assert_eq!(agent.check(), Ok(()));
    }

    #[test]
    fn a_refused_capability_is_named_by_its_index() {
        let agent = Agent { capabilities: vec!["ok".into(), " ".into()], ..coder() };
        assert_eq!(agent.check().expect_err("blank").field.as_deref(), Some("capabilities[1]"));
    }

    #[test]
    fn a_patch_keeps_replaces_or_removes_the_rules_of_an_agent() {
        let small = AgentContext { pack_tokens_max: Some(900), ..AgentContext::default() };
        let large = AgentContext { injection_tokens_max: Some(2_000), ..AgentContext::default() };
        let agent = Agent { context: Some(small.clone()), ..coder() };
        let patched = |context: Option<AgentContext>| {
            agent.patched(&AgentPatch { context, ..AgentPatch::default() }).expect("patched").context
        };
        assert_eq!(patched(None), Some(small));
        assert_eq!(patched(Some(large.clone())), Some(large));
        assert_eq!(patched(Some(AgentContext::default())), None);
        let empty: AgentPatch = serde_json::from_str(r#"{"context":{}}"#).expect("a patch");
        assert_eq!(agent.patched(&empty).expect("patched").context, None);
    }

    #[test]
    fn rules_of_an_agent_are_refused_by_their_path() {
        let rules = AgentContext { pack_tokens_max: Some(1), ..AgentContext::default() };
        let patch = AgentPatch { context: Some(rules), ..AgentPatch::default() };
        let refusal = coder().patched(&patch).expect_err("too small");
        assert_eq!(refusal.field.as_deref(), Some("context.pack_tokens_max"));
    }
}
