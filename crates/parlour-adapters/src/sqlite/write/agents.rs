//! Writes that create or change agents.

use parlour_core::{
    Refusal,
    event::Change,
    id::{AgentId, InviteId},
    limits,
    member::{Agent, AgentPatch},
    token::NewToken,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    rows::{member::load_agent, to_json},
    write::{accounts::insert_token, find, invites::use_invite, log::LogWriter, names},
};

/// Adds an agent with its token to the project, and uses its invite if it has one.
pub(super) fn create_agent(
    log: &LogWriter<'_>,
    agent: Agent,
    token: &NewToken,
    invite: Option<&InviteId>,
) -> StoreResult<Appended> {
    if load_agent(log.tx.db(), &agent.id)?.as_ref() == Some(&agent) {
        return log.repeated(Change::AgentCreated(Box::new(agent)));
    }
    // Before the names: a caller without an open invite must not learn which names exist.
    invite.map(|invite| use_invite(log, invite)).transpose()?;
    names::check_agents(log.tx, log.project_no(), &agent.name, 0)?;
    names::check_people(log.tx, log.project_no(), &agent.name)?;
    let agent_no = insert_agent(log, &agent)?;
    insert_token(log.tx, agent_no, token)?;
    log.tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)",
        [log.project_no(), agent_no],
    )?;
    check_agent_count(log)?;
    log.record(Change::AgentCreated(Box::new(agent)))
}

fn insert_agent(log: &LogWriter<'_>, agent: &Agent) -> StoreResult<i64> {
    let owner_no = find::person_no(log.tx, &agent.owner)?;
    Ok(log.tx.insert(
        "INSERT INTO member (id, home_no, name, name_key, is_admin, created_ms, owner_no, capabilities, endpoint_url,
             instructions, engine, context)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            agent.id.as_str(),
            log.project_no(),
            agent.name.as_str(),
            agent.name.key().as_str(),
            agent.created_at.as_millis(),
            owner_no,
            to_json(&agent.capabilities),
            agent.endpoint_url,
            agent.instructions,
            agent.engine.as_ref().map(to_json),
            agent.context.as_ref().map(to_json)
        ],
    )?)
}

fn check_agent_count(log: &LogWriter<'_>) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM member
         WHERE home_no = ?1";
    find::check_count(log.tx, sql, [log.project_no()], limits::PROJECT_MEMBERS_MAX, "a project", "agents")
}

pub(super) fn update_agent(log: &LogWriter<'_>, id: &AgentId, patch: &AgentPatch) -> StoreResult<Appended> {
    let agent_no = find::agent_no(log.tx, log.project_no(), id)?;
    let agent = load_agent(log.tx.db(), id)?.ok_or_else(|| Refusal::not_found("agent", id))?;
    let patched = agent.patched(patch)?;
    if patched == agent {
        return log.repeated(Change::AgentUpdated(Box::new(agent)));
    }
    if patched.name.key() != agent.name.key() {
        names::check_agents(log.tx, log.project_no(), &patched.name, agent_no)?;
        names::check_people(log.tx, log.project_no(), &patched.name)?;
    }
    log.tx.execute(
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
    log.record(Change::AgentUpdated(Box::new(patched)))
}
