//! Scopes: every use case refuses a token without its scope before it reads the store.

mod support;

#[path = "scopes/hidden_texts.rs"]
mod hidden_texts;
#[path = "scopes/narrow_admin.rs"]
mod narrow_admin;
#[path = "scopes/source.rs"]
mod source;
#[path = "scopes/table.rs"]
mod table;

use parlour_core::{
    Code,
    access::{Grant, Principal},
    id::ProjectId,
    scope::{Scope, Scopes},
};
use parlour_hub::live::StartPosition;
use support::{TestHub, refused};
use table::{TABLE, UseCase};

/// The caller with a token of only these scopes.
pub(crate) fn with_scopes(who: &Principal, scopes: Scopes) -> Principal {
    who.clone().granted(Grant { scopes, ..who.grant.clone() })
}

async fn members(hub: &TestHub) -> [Principal; 3] {
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    [hub.admin.clone(), mara, hub.agent(&project, "Coder").await]
}

async fn answer(hub: &TestHub, case: &UseCase, who: &Principal) -> Option<Code> {
    let session = hub.hub.open_session(TestHub::ADMIN_TOKEN).await.expect("session").id();
    (case.call)(&hub.hub, who, session).await
}

#[tokio::test]
async fn a_token_without_the_scope_is_refused_before_anything_is_looked_up() {
    let hub = TestHub::new().await;
    for who in members(&hub).await {
        for case in TABLE {
            let caller = with_scopes(&who, Scopes::all().without(case.scope));
            assert_eq!(answer(&hub, case, &caller).await, Some(Code::MissingScope), "{} by {}", case.name, who.name);
        }
    }
}

#[tokio::test]
async fn the_scope_of_a_use_case_is_sufficient() {
    let hub = TestHub::new().await;
    for who in members(&hub).await {
        for case in TABLE {
            let caller = with_scopes(&who, [case.scope].into_iter().collect());
            assert_ne!(answer(&hub, case, &caller).await, Some(Code::MissingScope), "{} by {}", case.name, who.name);
        }
    }
}

#[tokio::test]
async fn every_use_case_refuses_an_expired_token() {
    let hub = TestHub::new().await;
    let now = parlour_hub::ports::Clock::now(hub.clock.as_ref());
    let grant = Grant { expires_at: Some(now), ..hub.admin.grant.clone() };
    let expired = hub.admin.clone().granted(grant);
    for case in TABLE {
        assert_eq!(answer(&hub, case, &expired).await, Some(Code::Unauthenticated), "{}", case.name);
    }
}

#[test]
fn every_use_case_of_a_caller_is_in_the_table_or_open_to_any_token() {
    let mut known: Vec<&str> = TABLE.iter().map(|case| case.name).chain(table::ANY_TOKEN.iter().copied()).collect();
    known.sort_unstable();
    assert_eq!(source::use_cases(), known);
}

#[tokio::test]
async fn live_events_require_the_scope_messages_read() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let token = hub.narrow_token(&mara, Scopes::all().without(Scope::MessagesRead)).await;
    let session = hub.hub.open_session(&token).await.expect("a session is for any token");
    for project in [hub.project(&mara, "Release").await, ProjectId::from_bits(7)] {
        assert_eq!(refused(session.subscribe(&project, StartPosition::Now).await.map(drop)), Code::MissingScope);
    }
}
