use parlour_core::{limits, message::Message};
use tokio::task::JoinSet;

use crate::{
    fixture::{ImportFixture, into_channel, old},
    support::say,
};

fn seqs(messages: &[Message]) -> Vec<u64> {
    messages.iter().map(|message| message.seq).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_messages_of_a_call_stand_in_the_order_given() {
    let fixture = ImportFixture::new().await;
    let count = limits::IMPORT_MESSAGES_MAX as u64;
    let messages = fixture.take_over((0..count).map(|number| old(count - number, "x")).collect()).await;
    assert_eq!(seqs(&messages), (1..=count).collect::<Vec<_>>(), "whatever their times say");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_may_write_meanwhile_and_the_order_holds() {
    let fixture = ImportFixture::new().await;
    let mut posts = JoinSet::new();
    for number in 0..50 {
        let (hub, mara) = (fixture.test.hub.clone(), fixture.mara.clone());
        let request = say(&fixture.channel, &format!("live {number}"));
        posts.spawn(async move { hub.post_message(&mara, request).await.expect("posted") });
    }
    let numbers: Vec<u64> = (1..=100).collect();
    let imports: Vec<_> = numbers.iter().map(|number| old(*number, "x")).collect();
    let messages = fixture.take_over(imports).await;
    posts.join_all().await;
    let seqs = seqs(&messages);
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    assert_eq!(fixture.history().await.len(), 150);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_calls_with_the_same_messages_at_once_store_each_once() {
    let fixture = ImportFixture::new().await;
    let mut calls = JoinSet::new();
    for _ in 0..4 {
        let (hub, admin) = (fixture.test.hub.clone(), fixture.test.admin.clone());
        let request = into_channel(&fixture.channel, (1..=50).map(|number| old(number, "x")).collect());
        calls.spawn(async move { hub.import_messages(&admin, request).await.expect("taken over") });
    }
    let outcomes = calls.join_all().await;
    assert_eq!(outcomes.iter().map(|outcome| outcome.stored).sum::<u64>(), 50);
    assert!(outcomes.iter().all(|outcome| outcome.stored + outcome.known == 50));
    assert_eq!(fixture.history().await.len(), 50);
}
