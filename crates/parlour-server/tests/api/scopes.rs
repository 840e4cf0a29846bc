//! Scopes of operations, in the API description and in the hub.

use std::collections::BTreeMap;

use axum::http::Method;
use parlour_core::scope::Scope;
use serde_json::{Value, json};

use crate::support::TestApp;

/// Every operation by its scope.
const TABLE: &str = "
    nothing: GET /health  GET /ready  GET /openapi.json  GET /errors/{code}  GET /.well-known/jwks.json
        POST /sign-in  POST /join
    perhaps: GET /live
    token: GET /limits  GET /me  POST /me/token  POST /sign-out
    messages:read: GET /channels/{id}/messages  GET /threads/{id}/messages  GET /dms/{id}/messages
        GET /messages/{id}  GET /messages/{id}/changes  GET /messages/{id}/preview  GET /messages/{id}/view
        POST /messages/{id}/read  GET /agents/{id}/inbox
        GET /agents/{id}/inbox/counts  GET /agents/{id}/inbox/digests  GET /projects/{id}/inbox  POST /inbox/read
        GET /messages/{id}/deliveries  POST /deliveries  GET /questions  GET /messages/{id}/answer
        GET /runs  GET /runs/{id}  GET /runs/{id}/timeline  GET /tasks/{id}/timeline
        POST /agents/{id}/context  GET /runs/{id}/injections  GET /runs/{id}/injections/difference
        GET /agents/{id}/calls  GET /conversations/{id}/loop-guard
        GET /projects/{id}/unread  GET /projects/{id}/snapshot  GET /projects/{id}/graph  GET /search  GET /events
        GET /projects/{id}/artifacts  GET /artifacts/{id}  GET /artifacts/{id}/content
    messages:write: POST /messages  PATCH /messages/{id}  DELETE /messages/{id}
        POST /messages/{id}/answer  POST /messages/{id}/withdraw
        POST /messages/{id}/pass  POST /conversations/{id}/loop-guard/reset
        PUT /messages/{id}/reactions/{emoji}  DELETE /messages/{id}/reactions/{emoji}
        POST /messages/{id}/chunks  POST /messages/{id}/beat  POST /messages/{id}/complete  POST /messages/{id}/fail
        POST /messages/{id}/cancel  POST /messages/{id}/steps  POST /messages/{id}/steps/{step_id}/finish
        POST /threads  POST /dms  POST /typing  PUT /presence  DELETE /presence
    channels:read: GET /projects  GET /projects/{id}  GET /projects/{id}/people  GET /people  GET /people/{id}
        GET /projects/{id}/agents  GET /agents/{id}  GET /engines  GET /projects/{id}/channels
        GET /channels/{id}
        GET /channels/{id}/members  GET /channels/{id}/subscriptions  GET /channels/{id}/threads  GET /threads/{id}
        GET /dms  GET /dms/{id}  GET /presence  GET /projects/{id}/presence  GET /projects/{id}/tasks
        GET /tasks/{id}  GET /projects/{id}/batches  GET /batches/{id}
    channels:manage: POST /channels  PATCH /channels/{id}  POST /channels/{id}/archive
        POST /channels/{id}/unarchive  POST /channels/{id}/members  DELETE /channels/{id}/members/{member_id}
        POST /channels/{id}/subscriptions  DELETE /channels/{id}/subscriptions/{agent_id}
    artifacts:write: POST /artifacts
    runs:write: POST /runs  POST /runs/{id}/checkpoint  POST /runs/{id}/beat  POST /runs/{id}/resume
        POST /runs/{id}/finish  POST /runs/{id}/cancel
    tasks:write: POST /tasks  PATCH /tasks/{id}  POST /batches
    projects:manage: POST /projects  PATCH /projects/{id}  POST /projects/{id}/people
        DELETE /projects/{id}/people/{person_id}
    agents:manage: POST /agents  PATCH /agents/{id}  GET /projects/{id}/invites  POST /projects/{id}/invites
        DELETE /invites/{id}
    tokens:manage: GET /tokens  POST /tokens  DELETE /tokens/{id}  POST /people/{id}/token
        PATCH /people/{id}
        POST /agents/{id}/token  PUT /people/{id}/password  POST /people/{id}/link
    admin: POST /people  POST /imports  GET /audit  GET /audit/head  GET /audit/export  POST /keys/rotate";

/// The scope of the table by operation.
fn expected() -> BTreeMap<String, &'static str> {
    let (mut need, mut method, mut all) = ("", None, BTreeMap::new());
    for word in TABLE.split_whitespace() {
        match (word.strip_suffix(':'), method.take()) {
            (Some(name), _) => need = name,
            (None, Some(method)) => drop(all.insert(format!("{method} {word}"), need)),
            (None, None) => method = Some(word),
        }
    }
    all
}

/// The scope in the API description of an operation; all security schemes must declare the same.
fn documented_scope(operation: &Value) -> String {
    let mut ways: Vec<_> = operation["security"].as_array().expect("security").clone();
    let is_open = ways.first() == Some(&json!({}));
    ways.retain(|way| *way != json!({}));
    let scopes = ways.first().map(|way| way["token"].clone());
    for (way, name) in ways.iter().zip(["token", "session", "certificate"]) {
        assert_eq!(Some(&way[name]), scopes.as_ref(), "{operation}");
    }
    match (is_open, scopes) {
        (true, None) => "nothing".to_owned(),
        (true, Some(_)) => "perhaps".to_owned(),
        (false, Some(Value::Array(scopes))) if scopes.is_empty() => "token".to_owned(),
        (false, Some(Value::Array(scopes))) if scopes.len() == 1 => scopes[0].as_str().expect("text").to_owned(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn the_description_contains_the_scope_of_every_operation() {
    let document: Value = serde_json::from_str(&parlour_server::openapi_json()).expect("JSON");
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("an item") {
            found.insert(format!("{} {path}", method.to_uppercase()), documented_scope(operation));
        }
    }
    let found: BTreeMap<_, _> = found.iter().map(|(operation, need)| (operation.clone(), need.as_str())).collect();
    assert_eq!(found, expected());
}

#[test]
fn the_description_explains_every_scope() {
    let document: Value = serde_json::from_str(&parlour_server::openapi_json()).expect("JSON");
    let text = document["info"]["description"].as_str().expect("a description");
    for scope in Scope::ALL {
        assert!(text.contains(&format!("- `{scope}`: {}", scope.meaning())), "{scope}");
    }
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["token"]["scheme"], "bearer");
    assert_eq!((&schemes["session"]["in"], &schemes["session"]["name"]), (&json!("cookie"), &json!("parlour_session")));
    assert_eq!(schemes["certificate"]["type"], "mutualTLS");
}

#[test]
fn the_page_on_access_names_every_scope() {
    let page = include_str!("../../../../docs/access.md");
    for scope in Scope::ALL {
        assert!(page.contains(&format!("| `{scope}` | ")), "{scope}");
    }
}

/// A valid body of this operation, so that only the scope can be wrong.
fn body_of(operation: &str) -> Option<Value> {
    let body = match operation {
        "POST /messages" => json!({"channel_id": "chn_1", "body": "x"}),
        "POST /imports" => json!({"channel_id": "chn_1", "messages": []}),
        "PATCH /messages/{id}" => json!({"body": "x"}),
        "POST /messages/{id}/read" => json!({"agent_id": "agt_1"}),
        "POST /messages/{id}/answer" => json!({"ignore": true}),
        "POST /agents/{id}/context" => json!({}),
        "POST /inbox/read" => json!({"message_ids": ["msg_1"]}),
        "POST /deliveries" => json!({"message_ids": ["msg_1"], "state": "seen"}),
        "POST /runs" => json!({"agent_id": "agt_1"}),
        "POST /messages/{id}/chunks" => json!({"text": "x"}),
        "POST /messages/{id}/steps" => json!({"id": "s1", "name": "x"}),
        "POST /messages/{id}/fail" => json!({"reason": "x"}),
        "POST /threads" => json!({"channel_id": "chn_1", "root_message_id": "msg_1"}),
        "POST /dms" => json!({"participants": ["per_1"]}),
        "POST /typing" => json!({"channel_id": "chn_1"}),
        "POST /channels" => json!({"project_id": "prj_1", "name": "x"}),
        "POST /channels/{id}/members" => json!({"member_id": "per_1"}),
        "POST /channels/{id}/subscriptions" => json!({"agent_id": "agt_1"}),
        "POST /tasks" => json!({"project_id": "prj_1", "title": "x"}),
        "POST /batches" => json!({"project_id": "prj_1", "name": "x"}),
        "POST /projects" | "POST /people" => json!({"name": "x"}),
        "POST /projects/{id}/people" => json!({"person_id": "per_1"}),
        "POST /agents" => json!({"project_id": "prj_1", "name": "x"}),
        "POST /projects/{id}/invites" => json!({"role": "full"}),
        "POST /tokens" => json!({"kind": "static"}),
        "PUT /people/{id}/password" => json!({"password": "a long password"}),
        "PUT /presence" => json!({}),
        "PATCH /people/{id}" => json!({"name": "x"}),
        _ if operation.starts_with("PATCH") => json!({}),
        _ => return None,
    };
    Some(body)
}

/// A path of this operation with unknown ids.
fn address_of(method: &str, path: &str) -> String {
    let noun = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let id = match noun {
        "projects" => "prj_1",
        "people" => "per_1",
        "agents" => "agt_1",
        "channels" | "conversations" => "chn_1",
        "threads" => "thr_1",
        "dms" => "dm_1",
        "messages" => "msg_1",
        "runs" => "run_1",
        "tasks" => "tsk_1",
        "batches" => "bat_1",
        "artifacts" => "art_1",
        "invites" => "inv_1",
        _ => "tok_1",
    };
    let path = path.replace("{id}", id).replace("{person_id}", "per_1").replace("{member_id}", "per_1");
    let path = path.replace("{agent_id}", "agt_1").replace("{emoji}", "x").replace("{step_id}", "s1");
    match path.as_str() {
        "/runs/run_1/injections/difference" => "/runs/run_1/injections/difference?with=run_2".to_owned(),
        "/search" => "/search?project_id=prj_1&q=x".to_owned(),
        "/runs" if method == "GET" => "/runs?project_id=prj_1".to_owned(),
        "/events" => "/events?project_id=prj_1".to_owned(),
        "/artifacts" => "/artifacts?project_id=prj_1&filename=x.txt&conversation_id=chn_1".to_owned(),
        _ => path,
    }
}

#[tokio::test]
async fn a_token_with_every_other_scope_is_refused_before_anything_is_looked_up() {
    let app = TestApp::new().await;
    let mut tokens = BTreeMap::new();
    for (operation, need) in expected() {
        let Ok(scope) = need.parse::<Scope>() else { continue };
        let others: Vec<_> = Scope::ALL.iter().filter(|other| **other != scope).map(|other| other.as_str()).collect();
        // One token for each scope: the number of tokens of a member is limited.
        let token = match tokens.get(need) {
            Some(token) => String::clone(token),
            None => app.narrow(TestApp::ADMIN, &others).await,
        };
        tokens.insert(need, token.clone());
        let (method, path) = operation.split_once(' ').expect("a method and a path");
        let call = app.call(method.parse::<Method>().expect("a method"), &address_of(method, path)).by(&token);
        let call = match body_of(&operation) {
            Some(body) => call.json(body),
            None if operation == "POST /artifacts" => call.content("text/plain", "x"),
            None => call,
        };
        let reply = call.await;
        assert_eq!(reply.json()["code"], "PARLOUR-A04", "{operation}: {}", reply.text());
    }
}
