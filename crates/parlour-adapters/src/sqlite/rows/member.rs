//! Rows of people and agents.

use parlour_core::{
    id::{AgentId, PersonId},
    member::{Agent, Person},
};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreResult};

/// Selects people; continue it with `WHERE`.
macro_rules! select_person {
    ($tail:literal) => {
        concat!("SELECT member.id, member.name, member.is_admin, member.created_ms\nFROM member\n", $tail)
    };
}

/// Selects agents; continue it with `WHERE`.
macro_rules! select_agent {
    ($tail:literal) => {
        concat!(
            "SELECT member.id, project.id, member.name, member.capabilities, member.endpoint_url, member.instructions,
                 owner.id, member.created_ms, member.engine, member.context
             FROM member
             JOIN project ON project.no = member.home_no
             JOIN member AS owner ON owner.no = member.owner_no\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use {select_agent, select_person};

/// Reads a row of `select_person!`.
pub(in crate::sqlite) fn person_from(row: &Row<'_>) -> StoreResult<Person> {
    Ok(Person { id: row.parsed(0)?, name: row.parsed(1)?, is_admin: row.get(2)?, created_at: row.time(3)? })
}

/// Reads a row of `select_agent!`.
pub(in crate::sqlite) fn agent_from(row: &Row<'_>) -> StoreResult<Agent> {
    Ok(Agent {
        id: row.parsed(0)?,
        project_id: row.parsed(1)?,
        name: row.parsed(2)?,
        capabilities: row.json(3)?,
        endpoint_url: row.get(4)?,
        instructions: row.get(5)?,
        engine: row.json_opt(8)?,
        context: row.json_opt(9)?,
        owner: row.parsed(6)?,
        created_at: row.time(7)?,
    })
}

pub(in crate::sqlite) fn load_person(db: &Connection, id: &PersonId) -> StoreResult<Option<Person>> {
    let mut statement = db.prepare_cached(select_person!("WHERE member.id = ?1 AND member.home_no IS NULL"))?;
    statement.query_and_then([id.as_str()], person_from)?.next().transpose()
}

pub(in crate::sqlite) fn load_agent(db: &Connection, id: &AgentId) -> StoreResult<Option<Agent>> {
    let mut statement = db.prepare_cached(select_agent!("WHERE member.id = ?1"))?;
    statement.query_and_then([id.as_str()], agent_from)?.next().transpose()
}
