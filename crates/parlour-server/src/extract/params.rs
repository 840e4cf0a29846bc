//! Parameters after the `?` of an address.

use std::collections::HashSet;

use axum::{
    extract::FromRequestParts,
    http::{Uri, request::Parts},
};
use parlour_core::{Code, Refusal};
use serde::{
    Deserialize,
    de::{DeserializeOwned, value::MapDeserializer},
};

use super::{cut, percent, shape, text_value::TextError, text_value::TextValue};
use crate::denied::Denied;

/// The parameters of an address. Unknown, doubled and unreadable ones are refused and named.
pub(crate) struct Params<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Denied> {
        Ok(Self(parse(parts.uri.query().unwrap_or_default())?))
    }
}

/// No parameters at all: what would be dropped silently may have been meant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

impl<S: Send + Sync> FromRequestParts<S> for NoParams {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Denied> {
        Ok(Self::check(&parts.uri)?)
    }
}

impl NoParams {
    /// Refuses an address with parameters.
    pub(super) fn check(address: &Uri) -> Result<Self, Refusal> {
        parse(address.query().unwrap_or_default())
    }
}

pub(super) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Refusal> {
    let pairs = read_pairs(query)?;
    let map = pairs.into_iter().map(|(name, value)| (name, TextValue(value)));
    serde_path_to_error::deserialize(MapDeserializer::<_, TextError>::new(map)).map_err(|error| {
        let field = shape::field_of(&error.path().to_string(), &error.inner().0);
        let refusal = Refusal::new(Code::BadQuery, cut(&error.inner().0));
        field.into_iter().fold(refusal, |refusal, field| refusal.at(&field))
    })
}

fn read_pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let mut names = HashSet::new();
    let mut pairs = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = read_pair(part)?;
        if !names.insert(name.clone()) {
            let refusal = Refusal::new(Code::BadQuery, format!("the parameter {:?} stands twice", cut(&name)));
            return Err(refusal.at(&cut(&name)));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

fn read_pair(part: &str) -> Result<(String, String), Refusal> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let refuse = |what: &str| Refusal::new(Code::BadQuery, format!("{what} is not percent-encoded UTF-8"));
    let name = percent::decode(name).ok_or_else(|| refuse("the name of a parameter"))?;
    let value = percent::decode(value).ok_or_else(|| refuse("the value").at(&cut(&name)))?;
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use parlour_core::id::ProjectId;
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Format {
        Json,
        Dot,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wanted {
        project_id: ProjectId,
        limit: Option<usize>,
        format: Option<Format>,
        q: Option<String>,
        all: Option<bool>,
    }

    fn check(query: &str, field: Option<&str>, words: &str) {
        let refusal = parse::<Wanted>(query).expect_err(query);
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, field), "{query}: {refusal}");
        assert!(refusal.detail.contains(words), "{query}: {}", refusal.detail);
    }

    #[test]
    fn texts_numbers_choices_flags_and_ids_are_read() {
        let found = parse("q=a%20b&limit=7&project_id=prj_1&format=dot&all=true").expect("query");
        let wanted = Wanted {
            project_id: "prj_1".parse().expect("id"),
            limit: Some(7),
            format: Some(Format::Dot),
            q: Some("a b".to_owned()),
            all: Some(true),
        };
        assert_eq!(wanted, found);
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        check("project_id=prj_1&lmit=1", Some("lmit"), "limit");
        check("project_id=prj_1&limit=1&limit=1", Some("limit"), "twice");
        check("project_id=prj_1&limit=-1", Some("limit"), "whole number");
        check("project_id=prj_1&limit=%2B1", Some("limit"), "whole number");
        check("project_id=prj_1&limit=", Some("limit"), "whole number");
        check("project_id=prj_1&limit=99999999999999999999", Some("limit"), "whole number");
        for word in ["", "1", "yes", "True", "TRUE", "true%20"] {
            check(&format!("project_id=prj_1&all={word}"), Some("all"), "neither true nor false");
        }
        check("project_id=prj_1&format=xml", Some("format"), "json");
        check("project_id=chn_1", Some("project_id"), "prj_");
        check("limit=1", Some("project_id"), "missing");
        check("", Some("project_id"), "missing");
        check("q=%ff&project_id=prj_1", Some("q"), "UTF-8");
        check("%ff=1", None, "UTF-8");
    }

    #[test]
    fn an_address_without_parameters_takes_none() {
        assert!(parse::<NoParams>("").is_ok());
        let refusal = parse::<NoParams>("dry_run=true").expect_err("a parameter");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("dry_run")));
    }

    proptest! {
        #[test]
        fn no_query_panics(query in "(project_id|limit|q|format|[a-z%+])?(=|&)?.*") {
            if let Err(refusal) = parse::<Wanted>(&query) {
                prop_assert!(refusal.detail.len() < 4_000);
            }
        }
    }
}
