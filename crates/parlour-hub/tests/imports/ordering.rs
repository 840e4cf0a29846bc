use parlour_core::{limits, message::Message};
use tokio::task::JoinSet;

use crate::{
    fixture::{ImportFixture, foreign_message, into_channel},
    support::say,
};

fn seqs(messages: &[Message]) -> Vec<u64> {
    messages.iter().map(|message| message.seq).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imported_messages_keep_the_given_order() {
    let fixture = ImportFixture::new().await;
    let count = limits::IMPORT_MESSAGES_MAX as u64;
    let messages = fixture.import_new((0..count).map(|number| foreign_message(count - number, "x")).collect()).await;
    assert_eq!(seqs(&messages), (1..=count).collect::<Vec<_>>(), "independent of their times");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_during_an_import_do_not_change_its_order() {
    let fixture = ImportFixture::new().await;
    let mut posts = JoinSet::new();
    for number in 0..50 {
        let (hub, mara) = (fixture.test.hub.clone(), fixture.mara.clone());
        let request = say(&fixture.channel, &format!("live {number}"));
        posts.spawn(async move { hub.post_message(&mara, request).await.expect("posted") });
    }
    let numbers: Vec<u64> = (1..=100).collect();
    let imports: Vec<_> = numbers.iter().map(|number| foreign_message(*number, "x")).collect();
    let messages = fixture.import_new(imports).await;
    posts.join_all().await;
    let seqs = seqs(&messages);
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    assert_eq!(fixture.history().await.len(), 150);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_imports_of_the_same_messages_store_each_once() {
    let fixture = ImportFixture::new().await;
    let mut imports = JoinSet::new();
    for _ in 0..4 {
        let (hub, admin) = (fixture.test.hub.clone(), fixture.test.admin.clone());
        let request = into_channel(&fixture.channel, (1..=50).map(|number| foreign_message(number, "x")).collect());
        imports.spawn(async move { hub.import_messages(&admin, request).await.expect("imported") });
    }
    let outcomes = imports.join_all().await;
    assert_eq!(outcomes.iter().map(|outcome| outcome.stored).sum::<u64>(), 50);
    assert!(outcomes.iter().all(|outcome| outcome.stored + outcome.known == 50));
    assert_eq!(fixture.history().await.len(), 50);
}
