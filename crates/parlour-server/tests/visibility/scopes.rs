//! The visibility matrix with restricted tokens: the declared scope of a route is required and sufficient.

use axum::http::{HeaderValue, header};
use parlour_core::{
    access::Principal,
    id::{MemberId, TokenId},
    scope::{JoinRole, Scope, Scopes},
};
use parlour_hub::use_cases::{IssueToken, TokenFormat};
use serde_json::Value;

use crate::{
    matrix::{READERS, absent_for, is_of, rows},
    populated_hub::PopulatedHub,
    support::{Reply, TestApp},
};

/// The declared scope of a request; `None` when any token, or no token, is sufficient.
fn scope_of(document: &Value, request: &str) -> Option<Scope> {
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("methods").iter();
        methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    });
    let (_, operation) = operations.into_iter().find(|(operation, _)| is_of(operation, request)).expect(request);
    operation["security"][0]["token"][0].as_str().map(|scope| scope.parse().expect("a scope"))
}

fn document() -> Value {
    serde_json::from_str(&parlour_server::openapi_json()).expect("a document")
}

/// Sends a request of the table with a token that has only these scopes.
async fn call_with(hub: &PopulatedHub, reader: &str, scopes: Scopes, request: &str, body: &str) -> Reply {
    let admin = hub.app.hub.sign_in(TestApp::ADMIN).await.expect("admin");
    let member = member_of(hub, &admin, reader);
    let new_token = IssueToken {
        format: TokenFormat::Static,
        label: String::new(),
        // Agents cannot have more scopes than the role full.
        scopes: Some(if member.agent().is_some() { scopes.and(JoinRole::Full.scopes()) } else { scopes }),
        acts_as: None,
        expires_in_seconds: None,
        member_id: Some(member),
    };
    let issued = hub.app.hub.issue_token(&admin, new_token).await.expect("a token");
    let mut call = hub.request("nobody", request, hub.fill(body));
    let secret = issued.secret.expect("shown once");
    let value = HeaderValue::from_str(&format!("Bearer {secret}")).expect("a value");
    call.headers_mut().insert(header::AUTHORIZATION, value);
    let reply = hub.send(call).await;
    revoke(hub, &admin, &issued.token.id).await;
    reply
}

fn member_of(hub: &PopulatedHub, admin: &Principal, reader: &str) -> MemberId {
    if reader == "admin" { admin.member.clone() } else { hub.id(reader).parse().expect("a member") }
}

/// Revokes a token: the number of tokens of a member is limited. The request may have revoked it already.
async fn revoke(hub: &PopulatedHub, admin: &Principal, id: &TokenId) {
    let _ = hub.app.hub.revoke_token(admin, id).await;
}

/// The readers that have a token.
fn members() -> impl Iterator<Item = (usize, &'static str)> {
    READERS.into_iter().enumerate().filter(|(_, reader)| *reader != "nobody")
}

#[tokio::test]
async fn a_request_without_the_scope_is_refused_with_the_missing_scope() {
    let (hub, document) = (PopulatedHub::new().await, document());
    let mut asked = 0;
    for [request, body, _] in rows() {
        let Some(scope) = scope_of(&document, request) else { continue };
        // Missing targets get the same refusal.
        for (request, body) in [(request.to_owned(), body.to_owned()), (absent_for(request), absent_for(body))] {
            for reader in ["otto", "clerk", "cleo", "admin"] {
                let before = hub.ends().await;
                let reply =
                    call_with(&hub, reader, Scopes::all().without(scope), &request, &body.replace('@', reader)).await;
                let why = format!("{request} {body} by {reader} without {scope}");
                let is_refused = reply.status == 403
                    && reply.json()["code"] == "PARLOUR-A04"
                    && reply.json()["detail"].as_str().is_some_and(|detail| detail.contains(scope.as_str()));
                hub.record(&why, (!is_refused).then(|| format!("{} {}", reply.status, reply.text())));
                hub.record(&why, (hub.ends().await != before).then(|| "something was stored".to_owned()));
                asked += 1;
            }
        }
    }
    assert!(asked > 400, "{asked} requests");
}

/// Whether the refusal is about granting scopes that the own token lacks, as with invites and sign-in links.
fn gives_too_much(reply: &Reply) -> bool {
    let detail = reply.json()["detail"].as_str().unwrap_or_default().to_owned();
    reply.status == 403 && detail.starts_with("your token cannot grant a scope that it lacks")
}

#[tokio::test]
async fn the_declared_scope_is_sufficient() {
    let (hub, document) = (PopulatedHub::new().await, document());
    for [request, body, statuses] in rows() {
        let statuses: Vec<u16> = statuses.split(' ').map(|status| status.parse().expect("a status")).collect();
        let Some(scope) = scope_of(&document, request) else { continue };
        for (column, reader) in members() {
            // Without the scope admin an administrator has the rights of an ordinary person.
            let only = Scopes::default().with(scope);
            let is_agent = hub.id_or_none(reader).is_some_and(|id| id.starts_with("agt_"));
            if is_agent && !JoinRole::Full.scopes().contains(scope) {
                continue;
            }
            let only = if reader == "admin" { only.with(Scope::Admin) } else { only };
            let reply = call_with(&hub, reader, only, request, &body.replace('@', reader)).await;
            let (found, expected) = (reply.status.as_u16(), statuses[column]);
            let why = format!("{request} {body} by {reader} with {scope} alone");
            let is_right = found == expected || expected < 400 && gives_too_much(&reply);
            hub.record(&why, (!is_right).then(|| format!("{found} instead of {expected}: {}", reply.text())));
        }
    }
}

#[test]
fn every_scope_of_a_use_case_is_declared_by_a_route() {
    let document = document();
    let declared: Vec<Scope> = rows().filter_map(|[request, ..]| scope_of(&document, request)).collect();
    for scope in [
        Scope::MessagesRead,
        Scope::MessagesWrite,
        Scope::ChannelsRead,
        Scope::ChannelsManage,
        Scope::ArtifactsWrite,
        Scope::TasksWrite,
        Scope::RunsWrite,
        Scope::ProjectsManage,
        Scope::AgentsManage,
        Scope::TokensManage,
        Scope::Admin,
    ] {
        assert!(declared.contains(&scope), "{scope}");
    }
}
