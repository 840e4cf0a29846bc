//! People, agents, their tokens, and the first start.

mod support;

use std::{future::poll_fn, pin::pin};

use parlour_core::{
    Code,
    access::{Grant, Principal, Role},
    paging::PageRequest,
};
use parlour_hub::use_cases::{HistoryQuery, NewAgent, NewPerson};
use support::{TestHub, agent_id, name, person_id, refused};

/// The caller with all scopes: a refusal then depends on the role, not on the token.
fn with_all_scopes(caller: Principal) -> Principal {
    caller.granted(Grant::whole())
}

#[tokio::test]
async fn an_unknown_token_is_refused() {
    let hub = TestHub::new().await;
    for token in ["", "nonsense", &"x".repeat(100_000)] {
        assert_eq!(refused(hub.hub.sign_in(token).await), Code::Unauthenticated);
    }
}

#[tokio::test]
async fn renewing_a_token_revokes_the_old_one() {
    let hub = TestHub::new().await;
    let request = NewPerson { name: name("Mara"), is_admin: false };
    let (mara, old) = hub.hub.create_person(&hub.admin, request).await.expect("person");
    let caller = hub.hub.sign_in(&old).await.expect("old token");
    let new = hub.hub.renew_person_token(&caller, &mara.id).await.expect("renewed");
    assert_eq!(refused(hub.hub.sign_in(&old).await), Code::Unauthenticated);
    let again = hub.hub.sign_in(&new).await.expect("new token");
    assert_eq!((&again.member, &again.role, again.grant.scopes), (&caller.member, &caller.role, caller.grant.scopes));
    assert_ne!(again.grant.origin.token, caller.grant.origin.token, "a new token");
}

#[tokio::test]
async fn people_cannot_create_people_and_members_cannot_renew_tokens_of_others() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let request = NewPerson { name: name("Eve"), is_admin: true };
    assert_eq!(refused(hub.hub.create_person(&mara, request).await), Code::Forbidden);
    assert_eq!(refused(hub.hub.renew_person_token(&mara, &person_id(&tom)).await), Code::Forbidden);
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let painter = hub.agent(&project, "Painter").await;
    assert_eq!(refused(hub.hub.renew_agent_token(&painter, &agent_id(&coder)).await), Code::MissingScope);
    assert_eq!(refused(hub.hub.renew_agent_token(&with_all_scopes(painter), &agent_id(&coder)).await), Code::Forbidden);
    hub.hub.renew_agent_token(&mara, &agent_id(&coder)).await.expect("the owner of the project may");
}

#[tokio::test]
async fn people_rename_themselves_and_administrators_rename_anybody() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let rename = async |who: &Principal, whom: &Principal, to: &str| {
        hub.hub.rename_person(who, &person_id(whom), name(to)).await.map(|person| person.name)
    };
    assert_eq!(refused(rename(&tom, &mara, "Eve").await), Code::Forbidden);
    assert_eq!(refused(rename(&with_all_scopes(coder), &mara, "Eve").await), Code::Forbidden);
    assert_eq!(rename(&mara, &mara, "Mara Lind").await.expect("renamed"), name("Mara Lind"));
    assert_eq!(rename(&hub.admin, &tom, "Thomas").await.expect("renamed"), name("Thomas"));
}

#[tokio::test]
async fn after_a_rename_posts_with_the_old_token_have_the_new_name() {
    let hub = TestHub::new().await;
    let (mara, token) = hub.person_with_token("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    hub.post(&hub.hub.sign_in(&token).await.expect("signed in"), &channel, "before").await;
    hub.hub.rename_person(&mara, &person_id(&mara), name("Mara Lind")).await.expect("renamed");
    let again = hub.hub.sign_in(&token).await.expect("signed in");
    assert_eq!(hub.post(&again, &channel, "after").await.message.from.name, "Mara Lind");
}

#[tokio::test]
async fn look_alike_names_are_refused_across_people_and_agents() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let request = NewPerson { name: name("mara"), is_admin: false };
    assert_eq!(refused(hub.hub.create_person(&hub.admin, request).await), Code::NameTaken);
    let project = hub.project(&mara, "Release").await;
    let request = parlour_hub::use_cases::NewAgent {
        project_id: project.clone(),
        name: name("MARA"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        role: None,
    };
    assert_eq!(refused(hub.hub.create_agent(&mara, request).await), Code::NameTaken);
}

#[tokio::test]
async fn agents_cannot_create_projects_or_list_people() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let request = parlour_hub::use_cases::NewProject { name: name("Mine"), description: None, policy: None };
    assert_eq!(refused(hub.hub.create_project(&coder, request.clone()).await), Code::MissingScope);
    assert_eq!(refused(hub.hub.create_project(&with_all_scopes(coder.clone()), request).await), Code::Forbidden);
    assert_eq!(refused(hub.hub.people(&coder, &PageRequest::first()).await), Code::Forbidden);
}

#[tokio::test]
async fn removing_a_person_from_a_project_revokes_the_tokens_of_its_agents() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &tom).await;
    let agent = async |owner: &Principal, called: &str| {
        let request = NewAgent {
            project_id: project.clone(),
            name: name(called),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            role: None,
        };
        hub.hub.create_agent(owner, request).await.expect("agent")
    };
    let (spy, spy_token) = agent(&tom, "Spy").await;
    let (_, coder_token) = agent(&mara, "Coder").await;
    hub.hub.remove_project_person(&mara, &project, &person_id(&tom)).await.expect("removed");
    assert_eq!(refused(hub.hub.sign_in(&spy_token).await), Code::Unauthenticated);
    hub.hub.sign_in(&coder_token).await.expect("the agents of others stay");
    let renewed = hub.hub.renew_agent_token(&mara, &spy.id).await.expect("the owner of the project manages it");
    hub.hub.sign_in(&renewed).await.expect("signed in");
}

#[tokio::test]
async fn the_owner_of_a_project_cannot_leave_it() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    for who in [&mara, &hub.admin] {
        let result = hub.hub.remove_project_person(who, &project, &person_id(&mara)).await;
        assert_eq!(refused(result), Code::Forbidden);
    }
}

#[tokio::test]
async fn the_first_start_posts_a_welcome_and_the_second_changes_nothing() {
    let hub = TestHub::new().await;
    let projects = hub.hub.projects(&hub.admin, &PageRequest::first()).await.expect("list").items;
    assert_eq!(projects.len(), 1);
    let channels = hub.hub.channels(&hub.admin, &projects[0].id, &PageRequest::first()).await.expect("list").items;
    let query = HistoryQuery::default();
    let id = channels[0].id.clone().into();
    let history = hub.hub.history(&hub.admin, &id, &query, &PageRequest::first()).await.expect("history").items;
    assert!(history.len() == 2 && history.last().is_some_and(|first| first.body.contains("Welcome")));
    let again = hub.hub.first_start(Some(TestHub::ADMIN_TOKEN)).await.expect("second start");
    assert_eq!((again.new_token, again.sample), (None, None));
    assert_eq!(hub.hub.history(&hub.admin, &id, &query, &PageRequest::first()).await.expect("history").items, history);
}

#[tokio::test]
async fn a_new_administrator_token_at_start_replaces_the_old_one() {
    let hub = TestHub::new().await;
    hub.hub.first_start(Some("another token for the same person")).await.expect("start");
    assert_eq!(refused(hub.hub.sign_in(TestHub::ADMIN_TOKEN).await), Code::Unauthenticated);
    let admin = hub.hub.sign_in("another token for the same person").await.expect("signed in");
    assert_eq!((admin.member, admin.role), (hub.admin.member.clone(), Role::Admin));
}

/// Polls a future `polls` times and then drops it, as a server does when a client disconnects.
async fn cancel_after<T>(polls: usize, future: impl Future<Output = T>) {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        left = left.saturating_sub(1);
        if left == 0 { std::task::Poll::Ready(()) } else { future.as_mut().poll(context).map(drop) }
    })
    .await;
}

#[tokio::test]
async fn the_token_cache_agrees_with_the_store_after_a_cancelled_renewal() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let coder = agent_id(&hub.agent(&project, "Coder").await);
    for polls in 1..12 {
        let token = hub.hub.renew_agent_token(&mara, &coder).await.expect("renewed");
        hub.hub.sign_in(&token).await.expect("cached");
        cancel_after(polls, hub.hub.renew_agent_token(&mara, &coder)).await;
        hub.post(&mara, &channel, "written after the cancelled renewal").await;
        let in_store = hub.forgetful().sign_in(&token).await.is_ok();
        let mut is_equal = false;
        for _ in 0..1_000 {
            is_equal = hub.hub.sign_in(&token).await.is_ok() == in_store;
            if is_equal {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert!(is_equal, "cancelled after {polls} polls: the cache differs from the store");
    }
}
