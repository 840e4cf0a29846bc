//! The outbox against a stand-in that answers exactly as told: order, repetition, and what each sender learns.

use std::time::Duration;

use parlour_agent::{Client, Outbox, live::Backoff};
use parlour_core::{id::MessageId, post::PostMessage};

mod support;
use support::{ScriptedReply, ScriptedServer, message, problem};

/// As patient as the real one, without its pauses.
const QUICK: Backoff = Backoff::new(Duration::ZERO, Duration::ZERO, Duration::ZERO);

fn outbox(hub: &ScriptedServer) -> Outbox {
    Outbox::with_backoff(&Client::new(&hub.url, Some("secret-token")).expect("a client"), QUICK)
}

fn say(body: &str) -> PostMessage {
    PostMessage { channel_id: Some("chn_1".parse().expect("id")), body: body.into(), ..PostMessage::default() }
}

fn posted() -> ScriptedReply {
    ScriptedReply::With(201, message("complete", "Hello").to_string())
}

#[tokio::test]
async fn posts_are_sent_in_order_and_retried_with_the_same_id() {
    let trouble = || vec![ScriptedReply::HangUp, problem(503, "PARLOUR-S02", true)];
    let replies = [trouble(), vec![posted()], trouble(), trouble(), vec![posted()]].concat();
    let hub = ScriptedServer::answering(replies).await;
    let outbox = outbox(&hub);
    let (first, second) = (outbox.post(say("first")).expect("room"), outbox.post(say("second")).expect("room"));
    let ids = [first.id.to_string(), second.id.to_string()];
    assert!(first.outcome().await.is_some_and(|outcome| outcome.is_ok()));
    assert!(second.outcome().await.is_some_and(|outcome| outcome.is_ok()));
    let asked: Vec<_> = hub.asked().iter().map(|asked| (asked.body.contains("first"), asked.body.clone())).collect();
    assert_eq!(
        asked.iter().map(|(is_first, _)| *is_first).collect::<Vec<_>>(),
        [true, true, true, false, false, false, false, false]
    );
    assert!(asked.iter().all(|(is_first, body)| body.contains(&ids[usize::from(!is_first)])), "{asked:?}");
}

#[tokio::test]
async fn a_refused_post_is_reported_and_does_not_block_others() {
    let hub = ScriptedServer::answering(vec![problem(409, "PARLOUR-C03", false), posted()]).await;
    let outbox = outbox(&hub);
    let (refused, taken) = (outbox.post(say("no")).expect("room"), outbox.post(say("yes")).expect("room"));
    let error = refused.outcome().await.expect("told").expect_err("refused");
    assert_eq!(error.to_string(), "because (PARLOUR-C03)");
    assert!(taken.outcome().await.is_some_and(|outcome| outcome.is_ok()));
}

#[tokio::test]
async fn a_given_id_is_kept() {
    let hub = ScriptedServer::answering(vec![posted()]).await;
    let request = PostMessage { id: Some(MessageId::from_bits(7)), ..say("mine") };
    let outbox = outbox(&hub);
    assert_eq!(outbox.post(request).expect("room").id, MessageId::from_bits(7));
    outbox.close().await;
    assert!(hub.asked()[0].body.contains(MessageId::from_bits(7).as_str()));
}

#[tokio::test]
async fn a_closed_outbox_sends_its_queued_posts() {
    let hub = ScriptedServer::answering(vec![posted(), posted(), posted()]).await;
    let outbox = outbox(&hub);
    for body in ["one", "two", "three"] {
        outbox.post(say(body)).expect("room");
    }
    outbox.close().await;
    assert_eq!(hub.asked().len(), 3);
}

#[tokio::test]
async fn a_full_outbox_refuses_posts() {
    let hub = ScriptedServer::answering(vec![]).await;
    let outbox = outbox(&hub);
    let taken = (0..5_000).take_while(|_| outbox.post(say("again")).is_ok()).count();
    assert_eq!(taken, 1_000);
    assert!(outbox.post(say("more")).expect_err("full").to_string().contains("1000 posts are waiting"));
}

#[tokio::test]
async fn abandoned_posts_are_reported() {
    let hub = ScriptedServer::answering(vec![]).await;
    let outbox = outbox(&hub);
    let sending = outbox.post(say("never")).expect("room");
    drop(outbox);
    assert!(sending.outcome().await.is_none());
}
