use parlour_core::{attribution::Attribution, member::Person, token::NewToken};
use rusqlite::params;

use super::{done::done, names, tokens::insert_token};
use crate::sqlite::{error::StoreResult, tx::Tx};

/// The number of no member: a new person has none yet.
const NOBODY: i64 = 0;

/// Adds a person to the hub, with a token. It stands in no project's log.
pub(in crate::sqlite) fn create_person(
    tx: &Tx<'_>,
    attribution: Attribution,
    person: Person,
    token: &NewToken,
) -> StoreResult<Person> {
    names::check_person(tx, &person.name, NOBODY)?;
    if person.is_admin {
        names::check_all_agents(tx, &person.name)?;
    }
    let member_no = tx.insert(
        "INSERT INTO member (id, name, name_key, is_admin, created_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            person.id.as_str(),
            person.name.as_str(),
            person.name.key().as_str(),
            person.is_admin,
            person.created_at.as_millis()
        ],
    )?;
    insert_token(tx, member_no, token)?;
    tx.audit(done(attribution, "people.created", None, &person.id));
    Ok(person)
}
