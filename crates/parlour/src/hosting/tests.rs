//! Who is run, over a real hub in this process.

use parlour_agent::link::{HubEvent, HubEvents, HubLink as _};
use parlour_core::{event::Change, member::AgentPatch, message::Message, paging::PageRequest};

use super::{fixture::InProcessHub, *};

/// Hosting that runs beside the test, until the token is cancelled.
fn run(fixture: &InProcessHub) -> (CancellationToken, tokio::task::JoinHandle<()>) {
    let hosting = Hosting::new(Arc::clone(&fixture.hub), Engines::open(&[]).expect("no providers"));
    let stop = CancellationToken::new();
    (stop.clone(), tokio::spawn(hosting.run(stop)))
}

/// Follows the project as an agent.
async fn watch(fixture: &InProcessHub) -> Box<dyn HubEvents> {
    let mut news = LocalLink::new(&fixture.hub, &fixture.guide().await).follow();
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
async fn wait_for(fixture: &InProcessHub, names: &[&str]) {
    loop {
        let page =
            fixture.hub.presence(&fixture.admin, Some(&fixture.project), &PageRequest::first()).await.expect("list");
        let mut there: Vec<_> = page.items.iter().map(|one| one.name.as_str()).collect();
        there.sort_unstable();
        if there == names {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn set_engine(fixture: &InProcessHub, agent: &Agent, provider: &str) {
    let engine = Some(Engine { provider: provider.into(), model: None });
    let patch = AgentPatch { engine, ..AgentPatch::default() };
    fixture.hub.update_agent(&fixture.admin, &agent.id, patch).await.expect("changed");
}

#[tokio::test]
async fn an_agent_is_hosted_while_it_has_an_engine() {
    let fixture = InProcessHub::make().await;
    let (stop, hosting) = run(&fixture);
    wait_for(&fixture, &["Guide"]).await;
    let coder = fixture.host("Coder").await;
    wait_for(&fixture, &["Coder", "Guide"]).await;
    set_engine(&fixture, &coder, "").await;
    wait_for(&fixture, &["Guide"]).await;
    set_engine(&fixture, &coder, BUILT_IN).await;
    wait_for(&fixture, &["Coder", "Guide"]).await;
    stop.cancel();
    hosting.await.expect("ended");
    wait_for(&fixture, &[]).await;
}

#[tokio::test]
async fn only_the_called_agent_answers() {
    let fixture = InProcessHub::make().await;
    fixture.host("Coder").await;
    let mut news = watch(&fixture).await;
    let (_stop, _hosting) = run(&fixture);
    let question = fixture.say("@Coder dms").await;
    let answer = ended(&mut news).await;
    assert_eq!((answer.from.name.as_str(), answer.reply_to), ("Coder", Some(question.id)));
    fixture.say("@Guide thanks").await;
    let answer = ended(&mut news).await;
    assert_eq!((answer.from.name.as_str(), answer.body.as_str()), ("Guide", "You are welcome."));
}

#[tokio::test]
async fn only_a_new_engine_restarts_an_agent() {
    let fixture = InProcessHub::make().await;
    let mut hosting = Hosting::new(Arc::clone(&fixture.hub), Engines::open(&[]).expect("no providers"));
    let guide = fixture.guide().await;
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
async fn the_number_of_hosted_agents_is_limited() {
    let fixture = InProcessHub::make().await;
    let guide = fixture.guide().await;
    let many = (0..limits::HOSTED_AGENTS_MAX as u128 + 3)
        .map(|number| Agent { id: AgentId::from_bits(number), ..guide.clone() });
    let mut hosting = Hosting::new(Arc::clone(&fixture.hub), Engines::open(&[]).expect("no providers"));
    hosting.arrange(many.collect());
    assert_eq!((hosting.running.len(), hosting.left_out), (limits::HOSTED_AGENTS_MAX, 3));
}
