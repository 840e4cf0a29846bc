//! Who sent a frame.
//!
//! An agent runs under the account of a person, and one account can run several. So the id of an agent is that of the
//! account with the agent's name behind it, `jaibber:<user id>/<agent name>`, and no two members of a channel share one.

use parlour_core::author::{Author, AuthorType};

use super::NAME;
use crate::foreign_author::{foreign_author, said_author};

/// The account of authors that have none.
const NOBODY: &str = "nobody";

/// The author of this account and name.
pub(super) fn author(author_type: AuthorType, from: &str, name: &str) -> Author {
    let name = if name.is_empty() { from } else { name };
    if author_type == AuthorType::Agent {
        let id = [NAME, ":", from, "/", name].concat();
        return Author { author_type, id: Some(id), name: name.to_owned() };
    }
    foreign_author(NAME, author_type, from, name)
}

/// The account of an author; of somebody from elsewhere, the id there. It is never empty.
pub(super) fn said_from(author: &Author) -> &str {
    let said = said_author(NAME, author);
    let account = match author.author_type {
        AuthorType::Agent => said.strip_suffix(author.name.as_str()).and_then(|rest| rest.strip_suffix('/')),
        _ => None,
    };
    let found = account.unwrap_or(said);
    if found.is_empty() { NOBODY } else { found }
}
