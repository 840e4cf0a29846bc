//! An administrator whose token lacks the scope `admin` has the rights of an ordinary person.

use parlour_core::{
    Code,
    access::Role,
    audit::AuditFilter,
    live::AddChunk,
    paging::PageRequest,
    post::PostMessage,
    scope::{Scope, Scopes},
};
use parlour_hub::{
    live::StartPosition,
    use_cases::{HistoryQuery, IssueToken, NewPerson, TokenFormat},
};

use crate::support::{TestHub, agent_id, name, person_id, refused, say};

#[tokio::test]
async fn it_sees_only_its_own_projects() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let message = hub.post(&mara, &channel, "Hello").await.message;
    let token = hub.narrow_token(&hub.admin, Scopes::all().without(Scope::Admin)).await;
    let admin = hub.hub.sign_in(&token).await.expect("signed in");
    assert_eq!(admin.role, Role::Person);
    let page = PageRequest::first();
    let seen: Vec<_> = hub.hub.projects(&admin, &page).await.expect("list").items;
    assert!(seen.iter().all(|seen| seen.id != project), "only its own");
    assert_eq!(refused(hub.hub.project(&admin, &project).await), Code::NotFound);
    assert_eq!(refused(hub.hub.snapshot(&admin, &project).await), Code::NotFound);
    assert_eq!(refused(hub.hub.search(&admin, &project, "Hello", &page).await), Code::NotFound);
    assert_eq!(refused(hub.hub.project_graph(&admin, &project).await), Code::NotFound);
    assert_eq!(refused(hub.hub.message(&admin, &message.id).await), Code::NotFound);
    assert_eq!(refused(hub.hub.post_message(&admin, say(&channel, "Hi")).await), Code::NotFound);
    let history = hub.hub.history(&admin, &channel.clone().into(), &HistoryQuery::default(), &page).await;
    assert_eq!(refused(history), Code::NotFound);
    let session = hub.hub.open_session(&token).await.expect("session");
    assert_eq!(refused(session.subscribe(&project, StartPosition::Now).await.map(drop)), Code::NotFound);
}

#[tokio::test]
async fn it_cannot_use_administrator_functions() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let token = hub.narrow_token(&hub.admin, Scopes::all().without(Scope::Admin)).await;
    let admin = hub.hub.sign_in(&token).await.expect("signed in");
    let request = NewPerson { name: name("Eve"), is_admin: true };
    assert_eq!(refused(hub.hub.create_person(&admin, request).await), Code::MissingScope);
    assert_eq!(refused(hub.hub.rotate_key(&admin).await), Code::MissingScope);
    assert_eq!(
        refused(hub.hub.audit(&admin, &AuditFilter::default(), &PageRequest::first()).await),
        Code::MissingScope
    );
    assert_eq!(refused(hub.hub.renew_person_token(&admin, &person_id(&mara)).await), Code::Forbidden);
    assert_eq!(refused(hub.hub.make_link(&admin, &person_id(&mara)).await), Code::Forbidden);
    assert_eq!(refused(hub.hub.renew_agent_token(&admin, &agent_id(&coder)).await), Code::NotFound);
    let password = "a long enough password".to_owned();
    assert_eq!(refused(hub.hub.set_password(&admin, &person_id(&mara), None, password).await), Code::Forbidden);
}

#[tokio::test]
async fn it_cannot_regain_the_scope() {
    let hub = TestHub::new().await;
    let token = hub.narrow_token(&hub.admin, Scopes::all().without(Scope::Admin)).await;
    let admin = hub.hub.sign_in(&token).await.expect("signed in");
    let request = IssueToken {
        member_id: None,
        format: TokenFormat::Static,
        label: String::new(),
        scopes: Some(Scopes::all()),
        acts_as: None,
        expires_in_seconds: None,
    };
    let refusal = hub.hub.issue_token(&admin, request.clone()).await.expect_err("refused");
    let refusal = refusal.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Forbidden, Some("scopes")));
    assert!(refusal.detail.ends_with(": admin"), "{refusal}");
    let issued = hub.hub.issue_token(&admin, IssueToken { scopes: None, ..request }).await.expect("the rest is given");
    assert!(!issued.token.scopes.contains(Scope::Admin));
    let me = person_id(&admin);
    let password = "a long enough password".to_owned();
    assert_eq!(refused(hub.hub.set_password(&admin, &me, None, password).await), Code::Forbidden);
    let code = hub.hub.make_link(&admin, &me).await.expect("link");
    let browser = hub.hub.sign_in_with_link(&code, Default::default()).await.expect("signed in");
    assert_eq!(browser.caller.role, Role::Person);
    let renewed = hub.hub.renew_token(&admin).await.expect("renewed").secret.expect("secret");
    let admin = hub.hub.sign_in(&renewed).await.expect("signed in");
    assert_eq!(admin.role, Role::Person);
    let renewed = hub.hub.renew_person_token(&admin, &me).await.expect("renewed");
    assert_eq!(hub.hub.sign_in(&renewed).await.expect("signed in").role, Role::Person);
}

#[tokio::test]
async fn cached_rights_of_the_administrator_do_not_apply_to_it() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let request = PostMessage { stream: true, ..say(&channel, "") };
    let answer = hub.hub.post_message(&hub.admin, request).await.expect("begun").message;
    let chunk = || AddChunk { start: None, text: "more".into() };
    hub.hub.add_chunk(&hub.admin, &answer.id, chunk()).await.expect("added, and remembered");
    let token = hub.narrow_token(&hub.admin, Scopes::all().without(Scope::Admin)).await;
    let narrow = hub.hub.sign_in(&token).await.expect("signed in");
    assert_eq!(refused(hub.hub.add_chunk(&narrow, &answer.id, chunk()).await), Code::NotFound);
}
