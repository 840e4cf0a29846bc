use parlour_core::{event::Change, id::InviteId, limits, member::Agent, token::NewToken, write::Appended};
use rusqlite::params;

use super::{find, invites::use_invite, names, private_members::check_count, scope::Scope, tokens::insert_token};
use crate::sqlite::{
    error::StoreResult,
    rows::{member::load_agent, to_json},
};

/// Adds an agent to the project, with its token; by an invite, if it has one.
pub(super) fn create_agent(
    scope: &Scope<'_>,
    agent: Agent,
    token: &NewToken,
    invite: Option<&InviteId>,
) -> StoreResult<Appended> {
    if load_agent(scope.tx.db(), &agent.id)?.as_ref() == Some(&agent) {
        return scope.repeated(Change::AgentCreated(Box::new(agent)));
    }
    // Before the names: whoever has no open invite is told nothing about who is there.
    invite.map(|invite| use_invite(scope, invite)).transpose()?;
    names::check_agents(scope.tx, scope.project_no(), &agent.name, 0)?;
    names::check_people(scope.tx, scope.project_no(), &agent.name)?;
    let agent_no = insert_agent(scope, &agent)?;
    insert_token(scope.tx, agent_no, token)?;
    scope.tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)",
        [scope.project_no(), agent_no],
    )?;
    check_room(scope)?;
    scope.record(Change::AgentCreated(Box::new(agent)))
}

fn insert_agent(scope: &Scope<'_>, agent: &Agent) -> StoreResult<i64> {
    let owner_no = find::person_no(scope.tx, &agent.owner)?;
    Ok(scope.tx.insert(
        "INSERT INTO member (id, home_no, name, name_key, is_admin, created_ms, owner_no, capabilities, endpoint_url,
             instructions, engine, context)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            agent.id.as_str(),
            scope.project_no(),
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

fn check_room(scope: &Scope<'_>) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM member
         WHERE home_no = ?1";
    check_count(scope.tx, sql, [scope.project_no()], limits::PROJECT_MEMBERS_MAX, "a project", "agents")
}
