//! Agents that the hub runs: their engines, and the notification of their runner about changes.

mod support;

use parlour_core::{
    Code,
    access::{Grant, Principal},
    attribution::Surface,
    engine::{BUILT_IN, Engine, EngineOffer},
    id::{AgentId, ProjectId},
    member::{Agent, AgentPatch},
    scope::{Scope, Scopes},
};
use parlour_hub::{
    Failure, Hub,
    use_cases::{NewAgent, NewProject},
};
use support::{TestHub, agent_id, name, refused};

fn offers() -> Vec<EngineOffer> {
    let offer = |provider: &str, interface: &str| EngineOffer {
        provider: provider.into(),
        interface: interface.into(),
        model: None,
    };
    vec![offer(BUILT_IN, BUILT_IN), offer("local", "openai")]
}

fn engine(provider: &str, model: Option<&str>) -> Engine {
    Engine { provider: provider.into(), model: model.map(ToOwned::to_owned) }
}

/// A hub with two engines and a project of Mara.
async fn fixture() -> (TestHub, Principal, ProjectId) {
    let test = TestHub::with_engines(offers()).await;
    let mara = test.person("Mara").await;
    let project = test.project(&mara, "Release").await;
    (test, mara, project)
}

async fn create(
    hub: &Hub,
    who: &Principal,
    project: &ProjectId,
    called: &str,
    engine: Option<Engine>,
) -> Result<Agent, Failure> {
    let request = NewAgent {
        project_id: project.clone(),
        name: name(called),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine,
        context: None,
        role: None,
    };
    Ok(hub.create_agent(who, request).await?.0)
}

async fn change(hub: &Hub, who: &Principal, id: &AgentId, engine: Engine) -> Result<Agent, Failure> {
    hub.update_agent(who, id, AgentPatch { engine: Some(engine), ..AgentPatch::default() }).await
}

/// The agents of the project that the hub runs; the sample project may have others.
async fn hosted(test: &TestHub, project: &ProjectId) -> Vec<Agent> {
    let all = test.hub.hosted_agents().await.expect("hosted");
    all.into_iter().filter(|agent| agent.project_id == *project).collect()
}

#[tokio::test]
async fn an_agent_can_have_a_configured_engine_or_none() {
    let (test, mara, project) = fixture().await;
    let hub = &test.hub;
    let refusal = create(hub, &mara, &project, "Guide", Some(engine("cloud", None))).await.expect_err("unknown");
    assert_eq!(refusal.refusal().expect("a refusal").candidates, [BUILT_IN, "local"]);
    let without_model = create(hub, &mara, &project, "Guide", Some(engine("local", None))).await;
    assert_eq!(refused(without_model), Code::WrongShape);
    let guide = create(hub, &mara, &project, "Guide", Some(engine(BUILT_IN, None))).await.expect("made");
    assert_eq!(guide.engine, Some(engine(BUILT_IN, None)));
    let plain = create(hub, &mara, &project, "Plain", Some(engine("", None))).await.expect("made");
    assert_eq!(plain.engine, None);
    assert_eq!(hosted(&test, &project).await, [guide]);
}

#[tokio::test]
async fn an_engine_can_be_changed_and_removed() {
    let (test, mara, project) = fixture().await;
    let hub = &test.hub;
    let guide = create(hub, &mara, &project, "Guide", Some(engine(BUILT_IN, None))).await.expect("made");
    assert_eq!(refused(change(hub, &mara, &guide.id, engine("cloud", None)).await), Code::OutOfBounds);
    let changed = change(hub, &mara, &guide.id, engine("local", Some("small"))).await.expect("changed");
    assert_eq!(changed.engine, Some(engine("local", Some("small"))));
    assert_eq!(change(hub, &mara, &guide.id, engine("", None)).await.expect("changed").engine, None);
    assert_eq!(hosted(&test, &project).await, []);
}

#[tokio::test]
async fn an_agent_whose_provider_is_no_longer_configured_can_still_be_renamed() {
    let (test, mara, project) = fixture().await;
    let hub = &test.hub;
    let guide = create(hub, &mara, &project, "Guide", Some(engine("local", Some("m")))).await.expect("made");
    let without_engines = test.forgetful();
    let patch = AgentPatch { name: Some(name("Other")), ..AgentPatch::default() };
    let renamed = without_engines.update_agent(&mara, &guide.id, patch).await.expect("renamed");
    assert_eq!(renamed.engine, guide.engine);
}

#[tokio::test]
async fn listing_engines_requires_the_scope_channels_read() {
    let (test, mara, _) = fixture().await;
    let hub = &test.hub;
    assert_eq!(hub.engines(&mara).expect("listed"), offers());
    let scopes = Scopes::all().without(Scope::ChannelsRead);
    let narrow = mara.clone().granted(Grant { scopes, ..mara.grant.clone() });
    assert_eq!(refused(hub.engines(&narrow)), Code::MissingScope);
}

#[tokio::test]
async fn a_runner_is_notified_when_an_agent_is_added_or_changed() {
    let (test, mara, project) = fixture().await;
    let hub = &test.hub;
    let mut changes = hub.agent_changes();
    let guide = create(hub, &mara, &project, "Guide", None).await.expect("made");
    assert!(changes.has_changed().expect("the hub runs"));
    changes.mark_unchanged();
    change(hub, &mara, &guide.id, engine(BUILT_IN, None)).await.expect("changed");
    assert!(changes.has_changed().expect("the hub runs"));
    changes.mark_unchanged();
    let channel = test.channel(&mara, &project, "general").await;
    test.post(&mara, &channel, "hello").await;
    assert!(!changes.has_changed().expect("the hub runs"), "other changes do not notify");
}

#[tokio::test]
async fn a_runner_is_notified_about_changes_of_another_hub_from_the_log() {
    let (test, _running) = TestHub::live().await;
    let mara = test.person("Mara").await;
    let project = test.project(&mara, "Release").await;
    let mut changes = test.hub.agent_changes();
    let coder = agent_id(&test.agent(&project, "Coder").await);
    // A change by this hub counts twice: when it is made, and when its event is read from the log.
    changes.wait_for(|count| *count == 2).await.expect("the hub runs");
    let patch = AgentPatch { name: Some(name("Other")), ..AgentPatch::default() };
    test.forgetful().update_agent(&mara, &coder, patch).await.expect("renamed");
    changes.wait_for(|count| *count == 3).await.expect("the hub runs");
}

#[tokio::test]
async fn the_hub_acts_for_an_agent_with_the_scopes_of_the_agent() {
    let (test, mara, project) = fixture().await;
    let hub = &test.hub;
    let guide = create(hub, &mara, &project, "Guide", Some(engine(BUILT_IN, None))).await.expect("made");
    let caller = hub.act_as(&guide);
    assert_eq!((caller.member.agent(), caller.grant.origin.surface), (Some(&guide.id), Surface::Engine));
    let request = NewProject { name: name("Mine"), description: None, policy: None };
    assert_eq!(refused(hub.create_project(&caller, request).await), Code::MissingScope);
}
