//! Path and query parameters.

use std::{borrow::Cow, collections::HashSet, str::FromStr};

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::{Uri, request::Parts},
};
use parlour_core::{Code, Refusal};
use percent_encoding::percent_decode_str;
use serde::{
    Deserialize,
    de::{DeserializeOwned, value::MapDeserializer},
};
use serde_json::Error;

use super::{cut, json::field_of, request_value::RequestValue};
use crate::http_error::HttpError;

/// Query parameters. Unknown, repeated and invalid ones are refused by name.
pub(crate) struct Params<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        Ok(Self(parse(parts.uri.query().unwrap_or_default())?))
    }
}

/// Refuses every query parameter: one that is ignored silently may have been meant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

impl<S: Send + Sync> FromRequestParts<S> for NoParams {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        Ok(Self::check(&parts.uri)?)
    }
}

impl NoParams {
    pub(super) fn check(address: &Uri) -> Result<Self, Refusal> {
        parse(address.query().unwrap_or_default())
    }
}

pub(super) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Refusal> {
    let pairs = read_pairs(query)?;
    let values = pairs.iter().map(|(name, value)| (name.as_str(), RequestValue::Query(value)));
    serde_path_to_error::deserialize(MapDeserializer::<_, Error>::new(values)).map_err(|error| {
        let message = error.inner().to_string();
        let field = field_of(&error.path().to_string(), &message);
        let refusal = Refusal::new(Code::BadQuery, cut(&message));
        field.into_iter().fold(refusal, |refusal, field| refusal.at(&field))
    })
}

fn read_pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let mut names = HashSet::new();
    let mut pairs = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = read_pair(part)?;
        if !names.insert(name.clone()) {
            let refusal = Refusal::new(Code::BadQuery, format!("the parameter {:?} is repeated", cut(&name)));
            return Err(refusal.at(&cut(&name)));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

fn read_pair(part: &str) -> Result<(String, String), Refusal> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let refuse = |what: &str| Refusal::new(Code::BadQuery, format!("{what} is not percent-encoded UTF-8"));
    let name = decode_percent(name).ok_or_else(|| refuse("the name of a parameter"))?;
    let value = decode_percent(value).ok_or_else(|| refuse("the value").at(&cut(&name)))?;
    Ok((name, value))
}

/// The only path parameter.
pub(crate) struct Id<T>(pub(crate) T);

/// The two path parameters.
pub(crate) struct IdPair<A, B>(pub(crate) A, pub(crate) B);

impl<S: Send + Sync, T: FromStr<Err = Refusal>> FromRequestParts<S> for Id<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let params = path_params(parts, state).await?;
        Ok(Self(parse_path_part(&params, 0)?))
    }
}

impl<S: Send + Sync, A: FromStr<Err = Refusal>, B: FromStr<Err = Refusal>> FromRequestParts<S> for IdPair<A, B> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let params = path_params(parts, state).await?;
        Ok(Self(parse_path_part(&params, 0)?, parse_path_part(&params, 1)?))
    }
}

async fn path_params<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<RawPathParams, Refusal> {
    let refuse = |_| Refusal::new(Code::BadId, "the path is not UTF-8");
    RawPathParams::from_request_parts(parts, state).await.map_err(refuse)
}

fn parse_path_part<T: FromStr<Err = Refusal>>(params: &RawPathParams, index: usize) -> Result<T, Refusal> {
    let (name, text) = params.iter().nth(index).expect("the route has this path parameter");
    text.parse().map_err(|refusal: Refusal| refusal.at(name))
}

/// Decodes a name or value of a query; `None` when an escape is malformed or the result is not UTF-8.
pub(super) fn decode_percent(text: &str) -> Option<String> {
    let is_escape =
        |part: &str| part.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let is_valid = text.split('%').skip(1).all(is_escape);
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().ok().filter(|_| is_valid).map(Cow::into_owned)
}

#[cfg(test)]
mod params_tests {
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
    struct TestParams {
        project_id: ProjectId,
        limit: Option<usize>,
        format: Option<Format>,
        q: Option<String>,
        all: Option<bool>,
    }

    fn check(query: &str, field: Option<&str>, words: &str) {
        let refusal = parse::<TestParams>(query).expect_err(query);
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, field), "{query}: {refusal}");
        assert!(refusal.detail.contains(words), "{query}: {}", refusal.detail);
    }

    #[test]
    fn texts_numbers_enums_booleans_and_ids_are_read() {
        let found: TestParams = parse("q=a%20b&limit=7&project_id=prj_1&format=dot&all=true").expect("query");
        let expected = TestParams {
            project_id: "prj_1".parse().expect("id"),
            limit: Some(7),
            format: Some(Format::Dot),
            q: Some("a b".to_owned()),
            all: Some(true),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        check("project_id=prj_1&lmit=1", Some("lmit"), "limit");
        check("project_id=prj_1&limit=1&limit=1", Some("limit"), "repeated");
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
    fn a_path_without_parameters_refuses_every_parameter() {
        assert!(parse::<NoParams>("").is_ok());
        let refusal = parse::<NoParams>("dry_run=true").expect_err("a parameter");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("dry_run")));
    }

    proptest! {
        #[test]
        fn no_query_panics(query in "(project_id|limit|q|format|[a-z%+])?(=|&)?.*") {
            if let Err(refusal) = parse::<TestParams>(&query) {
                prop_assert!(refusal.detail.len() < 4_000);
            }
        }
    }
}

#[cfg(test)]
mod percent_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_and_plus_signs_are_decoded() {
        assert_eq!(decode_percent("a+b%20c%2Bd%c3%A9").as_deref(), Some("a b c+dé"));
    }

    #[test]
    fn broken_escapes_and_broken_utf8_are_refused() {
        for text in ["%", "%4", "%zz", "%+1", "%ff", "a%c3"] {
            assert_eq!(decode_percent(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_encoded_text_is_decoded_unchanged(text in ".*") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(decode_percent(&encoded), Some(text));
        }
    }
}
