//! Reads of projects and members.

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, MemberId, PersonId, ProjectId},
    member::{Agent, Person},
    name::Name,
    paging::{Page, PageRequest},
    project::Project,
};
use parlour_hub::{Failure, ports::Directory};
use rusqlite::{Connection, named_params, params};

use crate::sqlite::{
    SqliteStore,
    access::ReaderRow,
    error::StoreResult,
    lookup::{exists, number, page_id, page_start, probe, project_no},
    rows::{
        ReadColumn,
        member::{agent_from, load_agent, person_from, select_agent, select_person},
        project::{load_project, project_from, select_project},
    },
};

#[async_trait]
impl Directory for SqliteStore {
    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, Failure> {
        let id = id.clone();
        self.read("read a project", move |db| load_project(db, &id)).await
    }

    async fn is_member(&self, project: &ProjectId, member: &MemberId) -> Result<bool, Failure> {
        let (project, member) = (project.clone(), member.clone());
        self.read("read a membership", move |db| is_member(db, &project, &member)).await
    }

    async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure> {
        let (caller, page) = (caller.clone(), page.clone());
        self.read("list projects", move |db| projects(db, &caller, &page)).await
    }

    async fn project_people(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Person>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list the people of a project", move |db| project_people(db, &project, &page)).await
    }

    async fn agent(&self, id: &AgentId) -> Result<Option<Agent>, Failure> {
        let id = id.clone();
        self.read("read an agent", move |db| load_agent(db, &id)).await
    }

    async fn agents(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Agent>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list agents", move |db| agents(db, &project, &page)).await
    }

    async fn hosted_agents(&self, page: &PageRequest) -> Result<Page<Agent>, Failure> {
        let page = page.clone();
        self.read("list hosted agents", move |db| hosted_agents(db, &page)).await
    }

    async fn roster(&self, project: &ProjectId) -> Result<Vec<(MemberId, Name)>, Failure> {
        let project = project.clone();
        self.read("read the roster of a project", move |db| roster(db, &project)).await
    }
}

pub(in crate::sqlite) fn is_member(db: &Connection, project: &ProjectId, member: &MemberId) -> StoreResult<bool> {
    let sql = "SELECT 1
         FROM project_member
         JOIN project ON project.no = project_member.project_no
         JOIN member ON member.no = project_member.member_no
         WHERE project.id = ?1 AND member.id = ?2";
    exists(db, sql, [project.as_str(), member.as_str()])
}

/// Lists the projects that the caller sees.
pub(in crate::sqlite) fn projects(
    db: &Connection,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<Project>> {
    let viewer = ReaderRow::of(db, caller)?;
    let seen = "SELECT no
         FROM project
         WHERE id = ?1 AND (?2 OR EXISTS (
             SELECT 1
             FROM project_member
             WHERE project_member.project_no = project.no AND project_member.member_no = ?3
         ))";
    let after = page_start(page, |key| number(db, seen, params![key, viewer.is_admin, viewer.no]))?;
    let mut statement = db.prepare_cached(select_project!(
        "WHERE project.no > :after AND (:is_admin OR project.no IN (
             SELECT project_member.project_no
             FROM project_member
             WHERE project_member.member_no = :viewer
         ))
         ORDER BY project.no
         LIMIT :limit"
    ))?;
    let params = named_params! {
        ":after": after, ":is_admin": viewer.is_admin, ":viewer": viewer.no, ":limit": probe(page)
    };
    let projects = statement.query_and_then(params, project_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(projects, page.limit(), |project: &Project| project.id.to_string()))
}

/// Lists the people of a project, by id.
pub(in crate::sqlite) fn project_people(
    db: &Connection,
    project: &ProjectId,
    page: &PageRequest,
) -> StoreResult<Page<Person>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let mut statement = db.prepare_cached(select_person!(
        "JOIN project_member ON project_member.member_no = member.no
         WHERE project_member.project_no = ?1 AND member.home_no IS NULL AND member.id > ?2
         ORDER BY member.id
         LIMIT ?3"
    ))?;
    let params = params![project_no, page_id::<PersonId>(page)?, probe(page)];
    let people = statement.query_and_then(params, person_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(people, page.limit(), |person: &Person| person.id.to_string()))
}

/// Lists the agents of a project.
pub(in crate::sqlite) fn agents(db: &Connection, project: &ProjectId, page: &PageRequest) -> StoreResult<Page<Agent>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let own = "SELECT no\nFROM member\nWHERE id = ?1 AND home_no = ?2";
    let after = page_start(page, |key| number(db, own, params![key, project_no]))?;
    let mut statement = db.prepare_cached(select_agent!(
        "WHERE member.home_no = ?1 AND member.no > ?2
         ORDER BY member.no
         LIMIT ?3"
    ))?;
    let agents = statement.query_and_then([project_no, after, probe(page)], agent_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(agents, page.limit(), |agent: &Agent| agent.id.to_string()))
}

/// Lists the agents of all projects that have an engine, by id.
pub(in crate::sqlite) fn hosted_agents(db: &Connection, page: &PageRequest) -> StoreResult<Page<Agent>> {
    let mut statement = db.prepare_cached(HOSTED_AGENTS)?;
    let params = params![page_id::<AgentId>(page)?, probe(page)];
    let agents = statement.query_and_then(params, agent_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(agents, page.limit(), |agent: &Agent| agent.id.to_string()))
}

pub(super) const HOSTED_AGENTS: &str = select_agent!(
    "WHERE member.engine IS NOT NULL AND member.id > ?1
     ORDER BY member.id
     LIMIT ?2"
);

/// The names of all members of a project.
pub(in crate::sqlite) fn roster(db: &Connection, project: &ProjectId) -> StoreResult<Vec<(MemberId, Name)>> {
    let mut statement = db.prepare_cached(
        "SELECT member.id, member.name
         FROM project
         JOIN project_member ON project_member.project_no = project.no
         JOIN member ON member.no = project_member.member_no
         WHERE project.id = ?1
         ORDER BY project_member.member_no",
    )?;
    statement.query_and_then([project.as_str()], |row| Ok((row.parsed(0)?, row.parsed(1)?)))?.collect()
}
