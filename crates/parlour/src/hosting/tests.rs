//! Who is run, over a real hub in this process.

use parlour_agent::link::{HubEvent, HubEvents, HubLink as _};
use parlour_core::{event::Change, member::AgentPatch, message::Message, paging::PageRequest};

use super::{stage::Stage, *};

/// Hosting that runs beside the test, until the token is cancelled.
fn run(stage: &Stage) -> (CancellationToken, tokio::task::JoinHandle<()>) {
    let hosting = Hosting::new(Arc::clone(&stage.hub), Engines::open(&[]).expect("no providers"));
    let stop = CancellationToken::new();
    (stop.clone(), tokio::spawn(hosting.run(stop)))
}

/// Somebody who watches: an agent's own news tell all that it may see.
async fn watch(stage: &Stage) -> Box<dyn HubEvents> {
    let mut news = LocalLink::new(&stage.hub, &stage.guide().await).follow();
    assert_eq!(news.next().await, Ok(HubEvent::Live));
    news
}

/// The next answer that has ended.
async fn ended(news: &mut Box<dyn HubEvents>) -> Message {
    loop {
        if let HubEvent::Event(event) = news.next().await.expect("news")
            && let Change::MessageFinished(message) = event.change
        {
            return *message;
        }
    }
}

/// Waits until just these are there.
async fn wait_for(stage: &Stage, names: &[&str]) {
    loop {
        let page = stage.hub.presence(&stage.admin, Some(&stage.project), &PageRequest::first()).await.expect("list");
        let mut there: Vec<_> = page.items.iter().map(|one| one.name.as_str()).collect();
        there.sort_unstable();
        if there == names {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn set_engine(stage: &Stage, agent: &Agent, provider: &str) {
    let engine = Some(Engine { provider: provider.into(), model: None });
    let patch = AgentPatch { engine, ..AgentPatch::default() };
    stage.hub.update_agent(&stage.admin, &agent.id, patch).await.expect("changed");
}

#[tokio::test]
async fn an_agent_is_run_from_the_moment_it_has_an_engine_until_it_has_none() {
    let stage = Stage::make().await;
    let (stop, hosting) = run(&stage);
    wait_for(&stage, &["Guide"]).await;
    let coder = stage.host("Coder").await;
    wait_for(&stage, &["Coder", "Guide"]).await;
    set_engine(&stage, &coder, "").await;
    wait_for(&stage, &["Guide"]).await;
    set_engine(&stage, &coder, BUILT_IN).await;
    wait_for(&stage, &["Coder", "Guide"]).await;
    stop.cancel();
    hosting.await.expect("ended");
    wait_for(&stage, &[]).await;
}

#[tokio::test]
async fn whoever_is_called_answers_and_nobody_else_does() {
    let stage = Stage::make().await;
    stage.host("Coder").await;
    let mut news = watch(&stage).await;
    let (_stop, _hosting) = run(&stage);
    let question = stage.say("@Coder dms").await;
    let answer = ended(&mut news).await;
    assert_eq!((answer.from.name.as_str(), answer.reply_to), ("Coder", Some(question.id)));
    stage.say("@Guide thanks").await;
    let answer = ended(&mut news).await;
    assert_eq!((answer.from.name.as_str(), answer.body.as_str()), ("Guide", "You are welcome."));
}

#[tokio::test]
async fn a_change_of_another_kind_disturbs_nobody() {
    let stage = Stage::make().await;
    let mut hosting = Hosting::new(Arc::clone(&stage.hub), Engines::open(&[]).expect("no providers"));
    let guide = stage.guide().await;
    hosting.arrange(vec![guide.clone()]);
    let stop = hosting.running[&guide.id].stop.clone();
    hosting.arrange(vec![Agent { name: "Helper".parse().expect("a name"), ..guide.clone() }]);
    assert!(!stop.is_cancelled());
    let other = Some(Engine { provider: "gone".into(), model: None });
    hosting.arrange(vec![Agent { engine: other, ..guide.clone() }]);
    assert!(stop.is_cancelled() && !hosting.running[&guide.id].stop.is_cancelled());
    hosting.arrange(Vec::new());
    assert!(hosting.running.is_empty());
}

#[tokio::test]
async fn no_more_agents_are_run_than_the_limit_says() {
    let stage = Stage::make().await;
    let guide = stage.guide().await;
    let many = (0..limits::HOSTED_AGENTS_MAX as u128 + 3)
        .map(|number| Agent { id: AgentId::from_bits(number), ..guide.clone() });
    let mut hosting = Hosting::new(Arc::clone(&stage.hub), Engines::open(&[]).expect("no providers"));
    hosting.arrange(many.collect());
    assert_eq!((hosting.running.len(), hosting.left_out), (limits::HOSTED_AGENTS_MAX, 3));
}
