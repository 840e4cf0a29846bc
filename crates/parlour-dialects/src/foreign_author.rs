//! Authors that another system knows.

use parlour_core::author::{Author, AuthorType};

/// The author whom another system knows by this id. No member has such an id, so nobody can be taken for one.
pub(crate) fn foreign_author(dialect: &str, author_type: AuthorType, id: &str, name: &str) -> Author {
    let name = if name.is_empty() { id } else { name };
    Author { author_type, id: Some([dialect, ":", id].concat()), name: name.to_owned() }
}

/// The id by which the dialect names an author: its own again, or the native one of somebody from elsewhere.
pub(crate) fn said_author<'a>(dialect: &str, author: &'a Author) -> &'a str {
    let id = author.id.as_deref().unwrap_or(&author.name);
    id.strip_prefix(dialect).and_then(|rest| rest.strip_prefix(':')).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_is_named_again_as_its_system_did() {
        let author = foreign_author("tkr", AuthorType::Agent, "phil:2", "");
        assert_eq!((author.id.as_deref(), author.name.as_str()), (Some("tkr:phil:2"), "phil:2"));
        assert_eq!((said_author("tkr", &author), said_author("caco", &author)), ("phil:2", "tkr:phil:2"));
        assert_eq!(author.member_id(), None);
    }

    #[test]
    fn a_foreign_id_that_looks_like_a_members_is_none() {
        assert_eq!(foreign_author("tkr", AuthorType::Agent, "agt_1", "").member_id(), None);
    }
}
