//! Refused changes go into the audit log: who has tried what the token or the rules do not allow.

use axum::{
    extract::{MatchedPath, Request},
    http::Method,
    response::Response,
};
use parlour_core::{Code, access::Principal, id::ProjectId, limits, origin::Surface};
use parlour_hub::Hub;

use crate::{borders::KnownCaller, denied::Denied};

/// What stands between two ids of one subject.
const BETWEEN: &str = "/";

/// Notes a refused change before it is answered. Reads are not noted, and neither is who shows no known token: both could
/// be had by the thousands.
pub(crate) async fn note_refused(hub: &Hub, request: Request, next: impl AsyncFnOnce(Request) -> Response) -> Response {
    let attempt = Attempt::of(&request);
    let caller = request.extensions().get::<KnownCaller>().cloned();
    let response = next(request).await;
    let code = response.extensions().get::<Denied>().map(Denied::code);
    if let (Some(attempt), Some(code)) = (attempt, code)
        && let Some(caller) = caller.as_ref().and_then(KnownCaller::get)
    {
        note(hub, &caller.clone().over(Surface::Http), attempt, code).await;
    }
    response
}

/// Notes that this caller was refused, if the refusal is one of those that belong into the log.
pub(crate) async fn note(hub: &Hub, caller: &Principal, attempt: Attempt, code: Code) {
    if matches!(code, Code::Forbidden | Code::MissingScope) {
        let Attempt { action, project, subject } = attempt;
        hub.note_refusal(caller.attribution(hub.clock().now()), &action, project, subject, code).await;
    }
}

/// What a request has tried to change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    action: String,
    project: Option<ProjectId>,
    subject: Option<String>,
}

impl Attempt {
    /// An attempt of which nothing more is known.
    pub(crate) fn new(action: &str) -> Self {
        Self { action: action.to_owned(), project: None, subject: None }
    }

    /// What a request wants to change: its method and the address as the description of the API names it, with the ids
    /// in it as the subject. A request that only reads wants to change nothing.
    fn of(request: &Request) -> Option<Self> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        let path = request.extensions().get::<MatchedPath>().filter(|_| !is_read)?;
        let ids = ids_in(path.as_str(), request.uri().path());
        Some(Self {
            action: format!("{} {}", request.method(), path.as_str()),
            project: ids.iter().find_map(|id| id.parse().ok()),
            subject: (!ids.is_empty()).then(|| ids.join(BETWEEN)),
        })
    }
}

/// The ids of an address. What is no id may be any text, and has no place in the log.
fn ids_in<'a>(described: &str, path: &'a str) -> Vec<&'a str> {
    let pairs = described.split('/').zip(path.split('/'));
    let parts = pairs.filter(|(name, _)| name.starts_with('{')).map(|(_, part)| part);
    parts.filter(|part| is_id(part)).collect()
}

fn is_id(text: &str) -> bool {
    let Some((prefix, tail)) = text.split_once('_') else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (2..=3).contains(&prefix.len())
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
        && (1..=limits::ID_TAIL_CHARS_MAX).contains(&tail.len())
        && tail.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_an_address_are_taken_and_no_other_text() {
        let cases: [(&str, &str, &[&str]); 5] = [
            ("/channels/{id}", "/channels/chn_1", &["chn_1"]),
            ("/channels/{id}/members/{member_id}", "/channels/chn_1/members/agt_2", &["chn_1", "agt_2"]),
            ("/messages/{id}/reactions/{emoji}", "/messages/msg_1/reactions/secret", &["msg_1"]),
            ("/messages/{id}/reactions/{emoji}", "/messages/msg_1/reactions/%F0%9F%91%8D", &["msg_1"]),
            ("/people", "/people", &[]),
        ];
        for (described, path, ids) in cases {
            assert_eq!(ids_in(described, path), ids, "{path}");
        }
    }

    #[test]
    fn an_id_has_a_prefix_and_bounds() {
        let long = format!("msg_{}", "x".repeat(61));
        for text in ["", "msg", "msg_", "_1", "MSG_1", "msg_a b", "msg_%41", "m_1", long.as_str()] {
            assert!(!is_id(text), "{text}");
        }
        assert!(is_id("msg_1") && is_id("dm_x-Y_z"));
    }
}
