//! Fuzz targets of the request parsers.

use axum::http::header;
use parlour_core::{
    fuzz::{FuzzTarget, text},
    id::ProjectId,
    limits,
    live::{AddChunk, Complete, Fail},
    policy::Policy,
    post::PostMessage,
    presence::PresenceUpdate,
    task::TaskPatch,
};
use serde::{Deserialize, de::DeserializeOwned};

use super::{caller, json, params};
use crate::fuzz::headers;

pub(crate) const TARGETS: &[FuzzTarget] =
    &[("json", json), ("bodies", bodies), ("queries", queries), ("percent", percents), ("bearer", bearer)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its reading is tried")]
struct SampleQuery {
    project_id: Option<ProjectId>,
    a: Option<String>,
    limit: Option<usize>,
}

fn json(bytes: &[u8]) {
    fn depth(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            serde_json::Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }
    match json::read_value(bytes) {
        Ok(value) => assert!(depth(&value) <= limits::REQUEST_DEPTH_MAX),
        Err(refusal) => assert!(refusal.to_string().len() < 4_000),
    }
}

fn bodies(bytes: &[u8]) {
    fn read<T: DeserializeOwned>(bytes: &[u8]) {
        let read = json::read_value(bytes).and_then(|value| json::read_as::<T>(&value));
        assert!(read.err().is_none_or(|refusal| refusal.to_string().len() < 4_000));
    }
    read::<PostMessage>(bytes);
    read::<Policy>(bytes);
    read::<PresenceUpdate>(bytes);
    read::<TaskPatch>(bytes);
    read::<AddChunk>(bytes);
    read::<Complete>(bytes);
    read::<Fail>(bytes);
}

fn queries(bytes: &[u8]) {
    let read = params::parse::<SampleQuery>(&text(bytes));
    assert!(read.err().is_none_or(|refusal| refusal.to_string().len() < 4_000));
}

fn percents(bytes: &[u8]) {
    let text = text(bytes);
    assert!(params::decode_percent(&text).is_none_or(|decoded| decoded.len() <= text.len()));
}

fn bearer(bytes: &[u8]) {
    if let Ok(token) = caller::bearer_token(&headers(&header::AUTHORIZATION, bytes)) {
        assert!(!token.is_empty() && !token.starts_with(' ') && !token.ends_with(' '), "{token:?}");
    }
}
