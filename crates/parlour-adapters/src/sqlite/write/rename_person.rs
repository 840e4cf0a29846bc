use parlour_core::{
    Refusal,
    attribution::Attribution,
    event::{Change, Event},
    id::PersonId,
    member::Person,
    name::Name,
};
use rusqlite::params;

use super::{done::done, find, names, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    rows::{ReadColumn as _, member::load_person},
    tx::Tx,
};

/// A person under its name, and what the projects were told of it.
pub(in crate::sqlite) struct Renamed {
    pub(in crate::sqlite) person: Person,
    pub(in crate::sqlite) events: Vec<Event>,
}

/// Gives a person another name and tells each of its projects.
pub(in crate::sqlite) fn rename_person(
    tx: &Tx<'_>,
    attribution: &Attribution,
    id: &PersonId,
    name: Name,
) -> StoreResult<Renamed> {
    let old = load_person(tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    if old.name == name {
        return Ok(Renamed { person: old, events: Vec::new() });
    }
    let person_no = find::person_no(tx, id)?;
    let person = Person { name, ..old };
    check_name(tx, person_no, &person)?;
    tx.execute(
        "UPDATE member
         SET name = ?2, name_key = ?3
         WHERE no = ?1",
        params![person_no, person.name.as_str(), person.name.key().as_str()],
    )?;
    tx.audit(done(attribution.clone(), "people.renamed", None, id));
    let events = tell_projects(tx, attribution, person_no, &person)?;
    Ok(Renamed { person, events })
}

/// Refuses a name that looks like that of another person, or of an agent whom this one may meet.
fn check_name(tx: &Tx<'_>, person_no: i64, person: &Person) -> StoreResult<()> {
    names::check_person(tx, &person.name, person_no)?;
    if person.is_admin {
        return names::check_all_agents(tx, &person.name);
    }
    for project_no in places_of(tx, person_no)? {
        names::check_agents(tx, project_no, &person.name, person_no)?;
    }
    Ok(())
}

/// The projects where agents may meet the person: those that it takes part in, and those that it owns.
fn places_of(tx: &Tx<'_>, person_no: i64) -> StoreResult<Vec<i64>> {
    let mut statement = tx.statement(
        "SELECT project_no
         FROM project_member
         WHERE member_no = ?1
         UNION
         SELECT no
         FROM project
         WHERE owner_no = ?1",
    )?;
    Ok(statement.query_map([person_no], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn tell_projects(tx: &Tx<'_>, attribution: &Attribution, person_no: i64, person: &Person) -> StoreResult<Vec<Event>> {
    let mut statement = tx.statement(
        "SELECT project.id
         FROM project_member
         JOIN project ON project.no = project_member.project_no
         WHERE project_member.member_no = ?1
         ORDER BY project.no",
    )?;
    let projects = statement.query_and_then([person_no], |row| row.parsed(0))?.collect::<StoreResult<Vec<_>>>()?;
    let tell = |project_id| {
        let appended =
            Scope::open(tx, &project_id, attribution)?.record(Change::PersonUpdated(Box::new(person.clone())))?;
        let (position, change) = (appended.position, appended.change);
        Ok(Event { position, project_id, at: attribution.at, actor: attribution.actor.clone(), change })
    };
    projects.into_iter().map(tell).collect()
}
