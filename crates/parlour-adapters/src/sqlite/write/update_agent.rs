use parlour_core::{Refusal, event::Change, id::AgentId, member::AgentPatch, write::Appended};
use rusqlite::params;

use super::{find, names, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    rows::{member::load_agent, to_json},
};

/// Changes an agent.
pub(super) fn update_agent(scope: &Scope<'_>, id: &AgentId, patch: &AgentPatch) -> StoreResult<Appended> {
    let agent_no = find::agent_no(scope.tx, scope.project_no(), id)?;
    let agent = load_agent(scope.tx.db(), id)?.ok_or_else(|| Refusal::not_found("agent", id))?;
    let patched = agent.patched(patch)?;
    if patched == agent {
        return scope.repeated(Change::AgentUpdated(Box::new(agent)));
    }
    if patched.name.key() != agent.name.key() {
        names::check_agents(scope.tx, scope.project_no(), &patched.name, agent_no)?;
        names::check_people(scope.tx, scope.project_no(), &patched.name)?;
    }
    scope.tx.execute(
        "UPDATE member
         SET name = ?2, name_key = ?3, capabilities = ?4, endpoint_url = ?5, instructions = ?6, engine = ?7,
             context = ?8
         WHERE no = ?1",
        params![
            agent_no,
            patched.name.as_str(),
            patched.name.key().as_str(),
            to_json(&patched.capabilities),
            patched.endpoint_url,
            patched.instructions,
            patched.engine.as_ref().map(to_json),
            patched.context.as_ref().map(to_json)
        ],
    )?;
    scope.record(Change::AgentUpdated(Box::new(patched)))
}
