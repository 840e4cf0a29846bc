//! The audit log of the hub: read access, recorded changes and recorded refusals.

mod support;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    Code,
    access::Principal,
    attribution::{Attribution, Surface},
    audit::{AuditEntry, AuditFilter, ResultFilter, Verifier},
    limits,
    paging::PageRequest,
    scope::{Scope, Scopes},
};
use parlour_hub::ports::Audits;
use support::{TestHub, refused};

/// The refused entries, newest first.
async fn refusals(hub: &TestHub) -> Vec<AuditEntry> {
    list(hub, AuditFilter { result: Some(ResultFilter::Refused), ..AuditFilter::default() }).await
}

async fn list(hub: &TestHub, filter: AuditFilter) -> Vec<AuditEntry> {
    let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("page");
    hub.hub.audit(&hub.admin, &filter, &page).await.expect("entries").items
}

fn attribution(hub: &TestHub, who: &Principal) -> Attribution {
    who.clone().over(Surface::Http).attribution(hub.hub.clock().now())
}

async fn record_refusal(hub: &TestHub, who: &Principal) {
    let subject = Some("chn_1".to_owned());
    hub.hub.note_refusal(attribution(hub, who), "PATCH /channels/{id}", None, subject, Code::Forbidden).await;
}

#[tokio::test]
async fn only_administrators_with_the_scope_read_the_log() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let narrow = hub.narrow_token(&hub.admin, [Scope::MessagesRead].into_iter().collect::<Scopes>()).await;
    let narrow = hub.hub.sign_in(&narrow).await.expect("known");
    for (caller, code) in [(&mara, Code::Forbidden), (&narrow, Code::MissingScope)] {
        let (filter, page) = (AuditFilter::default(), PageRequest::first());
        assert_eq!(refused(hub.hub.audit(caller, &filter, &page).await), code);
        assert_eq!(refused(hub.hub.audit_after(caller, 0).await), code);
        assert_eq!(refused(hub.hub.audit_head(caller).await), code);
    }
}

#[tokio::test]
async fn a_refusal_is_recorded_with_actor_action_and_subject() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    record_refusal(&hub, &mara).await;
    let found = refusals(&hub).await;
    assert_eq!(found.len(), 1);
    let entry = &found[0];
    assert_eq!((&entry.actor, entry.surface), (&mara.author(), Surface::Http));
    assert_eq!((entry.action.as_str(), entry.subject.as_deref()), ("PATCH /channels/{id}", Some("chn_1")));
    assert_eq!(entry.result, Code::Forbidden.as_str());
}

#[tokio::test]
async fn refusals_in_the_log_are_rate_limited_and_omissions_are_reported() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let before = hub.hub.audit_head(&hub.admin).await.expect("head").no;
    let refusal_count = limits::AUDIT_NOTES_PER_MINUTE_MAX + 7;
    futures_util::future::join_all((0..refusal_count).map(|_| record_refusal(&hub, &mara))).await;
    let recorded = hub.hub.audit_head(&hub.admin).await.expect("head").no - before;
    assert_eq!(recorded, limits::AUDIT_NOTES_PER_MINUTE_MAX as u64);

    hub.clock.advance(60_000);
    record_refusal(&hub, &mara).await;
    let entries = list(&hub, AuditFilter { action: Some("audit.left_out".to_owned()), ..AuditFilter::default() }).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].subject.as_deref(), Some("7"));
    assert_eq!(list(&hub, AuditFilter::default()).await[0].result, Code::Forbidden.as_str(), "the new refusal follows");
}

#[tokio::test]
async fn a_refusal_that_cannot_be_stored_is_dropped_without_a_failure() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    record_refusal(&hub, &mara).await;
    let recorded = refusals(&hub).await.len();
    hub.store().close();
    assert!(hub.hub.audit_head(&hub.admin).await.is_err(), "a closed store fails");
    record_refusal(&hub, &mara).await;
    let store = SqliteStore::open(hub.folder.path(), SqliteOptions::default()).expect("the store opens again");
    let filter = AuditFilter { result: Some(ResultFilter::Refused), ..AuditFilter::default() };
    let entries = store.audit(&filter, &PageRequest::first()).await.expect("entries").items;
    assert_eq!((recorded, entries.len()), (1, 1));
}

#[tokio::test]
async fn changes_of_the_hub_are_logged_and_the_log_verifies() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Apollo").await;
    let channel = hub.channel(&mara, &project, "general").await;
    hub.post(&mara, &channel, "hello").await;
    let mut verifier = Verifier::new(None);
    for sealed in hub.hub.audit_after(&hub.admin, 0).await.expect("entries") {
        verifier.check(sealed.line().as_bytes()).expect("an intact log");
    }
    assert_eq!(verifier.finish().expect("an intact log"), hub.hub.audit_head(&hub.admin).await.expect("head"));
    let of_mara = AuditFilter { actor: Some(mara.member.clone()), ..AuditFilter::default() };
    let actions: Vec<String> = list(&hub, of_mara).await.into_iter().map(|entry| entry.action).collect();
    assert_eq!(actions, ["messaging.posted", "channels.created", "projects.created"]);
}
