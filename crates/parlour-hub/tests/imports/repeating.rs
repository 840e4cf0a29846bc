use parlour_core::{
    Code,
    import::{ImportOutcome, ImportedMessage},
    post::PostMessage,
    rate::{Bucket, Rate, Rates},
};

use crate::{
    stage::{Stage, into_channel, of, old},
    support::{TestHub, refused, say},
};

#[tokio::test]
async fn a_repeated_call_knows_everything_and_stores_nothing() {
    let stage = Stage::new().await;
    let messages: Vec<_> = (1..=20).map(|number| old(number, "x")).collect();
    stage.take_over(messages.clone()).await;
    let before = stage.history().await;
    assert_eq!(stage.import(messages).await.expect("known"), ImportOutcome { stored: 0, known: 20 });
    assert_eq!(stage.history().await, before);
}

#[tokio::test]
async fn a_call_that_was_cut_off_goes_on_where_it_ended() {
    let stage = Stage::new().await;
    stage.take_over(vec![old(1, "one"), old(2, "two")]).await;
    let again = vec![old(1, "one"), old(2, "two"), old(3, "three")];
    assert_eq!(stage.import(again).await.expect("taken over"), ImportOutcome { stored: 1, known: 2 });
    assert_eq!(stage.texts().await, ["one", "two", "three"]);
}

#[tokio::test]
async fn the_same_message_twice_in_a_call_is_stored_once() {
    let stage = Stage::new().await;
    let outcome = stage.import(vec![old(1, "one"), old(2, "two"), old(1, "one")]).await.expect("taken over");
    assert_eq!((outcome, stage.texts().await.len()), (ImportOutcome { stored: 2, known: 1 }, 2));
}

#[tokio::test]
async fn an_id_with_another_content_is_refused_by_its_place_and_what_came_before_stays() {
    let stage = Stage::new().await;
    stage.take_over(vec![old(3, "three")]).await;
    let refusal = stage.refusal(vec![old(1, "one"), old(2, "two"), old(3, "drei"), old(4, "four")]).await;
    assert_eq!(of(&refusal), (Code::ClientIdReused, Some("messages[2].id")));
    assert!(refusal.detail.contains(old(3, "").id.as_str()), "{}", refusal.detail);
    assert_eq!(stage.texts().await, ["three", "one", "two"]);
    for other in [
        ImportedMessage { created_at: old(9, "").created_at, ..old(3, "three") },
        ImportedMessage { importance: parlour_core::message::Importance::High, ..old(3, "three") },
    ] {
        assert_eq!(of(&stage.refusal(vec![other]).await), (Code::ClientIdReused, Some("messages[0].id")));
    }
}

#[tokio::test]
async fn an_id_that_stands_elsewhere_is_refused() {
    let stage = Stage::new().await;
    stage.take_over(vec![old(1, "one")]).await;
    let other = stage.test.channel(&stage.mara, &stage.project, "other").await;
    let elsewhere = stage.test.project(&stage.mara, "Elsewhere").await;
    let far = stage.test.channel(&stage.mara, &elsewhere, "far").await;
    for channel in [other, far] {
        let request = into_channel(&channel, vec![old(1, "one")]);
        let failure = stage.hub().import_messages(&stage.test.admin, request).await.expect_err("refused");
        assert_eq!(of(failure.refusal().expect("a refusal")), (Code::ClientIdReused, Some("messages[0].id")));
    }
}

#[tokio::test]
async fn the_id_of_a_post_is_not_taken_over_and_the_other_way_round() {
    let stage = Stage::new().await;
    let posted = stage.test.post(&stage.mara, &stage.channel, "hello").await.message;
    let same = ImportedMessage { id: posted.id, ..old(1, "hello") };
    assert_eq!(of(&stage.refusal(vec![same]).await), (Code::ClientIdReused, Some("messages[0].id")));
    let taken = stage.take_over(vec![old(2, "hello")]).await.remove(0);
    let request = PostMessage { id: Some(taken.id), ..say(&stage.channel, "hello") };
    assert_eq!(refused(stage.hub().post_message(&stage.mara, request).await), Code::ClientIdReused);
}

#[tokio::test]
async fn what_was_removed_since_is_known_and_does_not_come_back() {
    let stage = Stage::new().await;
    let message = stage.take_over(vec![old(1, "one")]).await.remove(0);
    stage.hub().remove_message(&stage.mara, &message.id).await.expect("removed");
    assert_eq!(stage.import(vec![old(1, "one")]).await.expect("known").known, 1);
    assert_eq!(stage.texts().await, [""]);
}

#[tokio::test]
async fn a_hub_that_starts_again_knows_it() {
    let stage = Stage::new().await;
    stage.take_over(vec![old(1, "one")]).await;
    let request = into_channel(&stage.channel, vec![old(1, "one"), old(2, "two")]);
    let outcome = stage.test.forgetful().import_messages(&stage.test.admin, request).await.expect("taken over");
    assert_eq!(outcome, ImportOutcome { stored: 1, known: 1 });
}

#[tokio::test]
async fn the_rate_of_a_projects_posts_does_not_count_it() {
    let rates = Rates::off().with(Bucket::Project, Some(Rate { count: 1, burst: 1 }));
    let stage = Stage::on(TestHub::with_rates(rates).await).await;
    stage.take_over((1..=50).map(|number| old(number, "x")).collect()).await;
    stage.take_over((51..=100).map(|number| old(number, "x")).collect()).await;
    stage.test.post(&stage.mara, &stage.channel, "there is still room for posts").await;
}
