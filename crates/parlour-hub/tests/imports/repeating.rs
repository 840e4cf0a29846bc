use parlour_core::{
    Code,
    import::{ImportOutcome, ImportedMessage},
    post::PostMessage,
    rate::{Bucket, Rate, Rates},
};

use crate::{
    fixture::{ImportFixture, into_channel, of, old},
    support::{TestHub, refused, say},
};

#[tokio::test]
async fn a_repeated_call_knows_everything_and_stores_nothing() {
    let fixture = ImportFixture::new().await;
    let messages: Vec<_> = (1..=20).map(|number| old(number, "x")).collect();
    fixture.take_over(messages.clone()).await;
    let before = fixture.history().await;
    assert_eq!(fixture.import(messages).await.expect("known"), ImportOutcome { stored: 0, known: 20 });
    assert_eq!(fixture.history().await, before);
}

#[tokio::test]
async fn a_call_that_was_cut_off_goes_on_where_it_ended() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "one"), old(2, "two")]).await;
    let again = vec![old(1, "one"), old(2, "two"), old(3, "three")];
    assert_eq!(fixture.import(again).await.expect("taken over"), ImportOutcome { stored: 1, known: 2 });
    assert_eq!(fixture.texts().await, ["one", "two", "three"]);
}

#[tokio::test]
async fn the_same_message_twice_in_a_call_is_stored_once() {
    let fixture = ImportFixture::new().await;
    let outcome = fixture.import(vec![old(1, "one"), old(2, "two"), old(1, "one")]).await.expect("taken over");
    assert_eq!((outcome, fixture.texts().await.len()), (ImportOutcome { stored: 2, known: 1 }, 2));
}

#[tokio::test]
async fn an_id_with_another_content_is_refused_by_its_place_and_what_came_before_stays() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(3, "three")]).await;
    let refusal = fixture.refusal(vec![old(1, "one"), old(2, "two"), old(3, "drei"), old(4, "four")]).await;
    assert_eq!(of(&refusal), (Code::ClientIdReused, Some("messages[2].id")));
    assert!(refusal.detail.contains(old(3, "").id.as_str()), "{}", refusal.detail);
    assert_eq!(fixture.texts().await, ["three", "one", "two"]);
    for other in [
        ImportedMessage { created_at: old(9, "").created_at, ..old(3, "three") },
        ImportedMessage { importance: parlour_core::message::Importance::High, ..old(3, "three") },
    ] {
        assert_eq!(of(&fixture.refusal(vec![other]).await), (Code::ClientIdReused, Some("messages[0].id")));
    }
}

#[tokio::test]
async fn an_id_that_stands_elsewhere_is_refused() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "one")]).await;
    let other = fixture.test.channel(&fixture.mara, &fixture.project, "other").await;
    let elsewhere = fixture.test.project(&fixture.mara, "Elsewhere").await;
    let far = fixture.test.channel(&fixture.mara, &elsewhere, "far").await;
    for channel in [other, far] {
        let request = into_channel(&channel, vec![old(1, "one")]);
        let failure = fixture.hub().import_messages(&fixture.test.admin, request).await.expect_err("refused");
        assert_eq!(of(failure.refusal().expect("a refusal")), (Code::ClientIdReused, Some("messages[0].id")));
    }
}

#[tokio::test]
async fn the_id_of_a_post_is_not_taken_over_and_the_other_way_round() {
    let fixture = ImportFixture::new().await;
    let posted = fixture.test.post(&fixture.mara, &fixture.channel, "hello").await.message;
    let same = ImportedMessage { id: posted.id, ..old(1, "hello") };
    assert_eq!(of(&fixture.refusal(vec![same]).await), (Code::ClientIdReused, Some("messages[0].id")));
    let taken = fixture.take_over(vec![old(2, "hello")]).await.remove(0);
    let request = PostMessage { id: Some(taken.id), ..say(&fixture.channel, "hello") };
    assert_eq!(refused(fixture.hub().post_message(&fixture.mara, request).await), Code::ClientIdReused);
}

#[tokio::test]
async fn what_was_removed_since_is_known_and_does_not_come_back() {
    let fixture = ImportFixture::new().await;
    let message = fixture.take_over(vec![old(1, "one")]).await.remove(0);
    fixture.hub().remove_message(&fixture.mara, &message.id).await.expect("removed");
    assert_eq!(fixture.import(vec![old(1, "one")]).await.expect("known").known, 1);
    assert_eq!(fixture.texts().await, [""]);
}

#[tokio::test]
async fn a_hub_that_starts_again_knows_it() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "one")]).await;
    let request = into_channel(&fixture.channel, vec![old(1, "one"), old(2, "two")]);
    let outcome = fixture.test.forgetful().import_messages(&fixture.test.admin, request).await.expect("taken over");
    assert_eq!(outcome, ImportOutcome { stored: 1, known: 1 });
}

#[tokio::test]
async fn the_rate_of_a_projects_posts_does_not_count_it() {
    let rates = Rates::off().with(Bucket::Project, Some(Rate { count: 1, burst: 1 }));
    let fixture = ImportFixture::on(TestHub::with_rates(rates).await).await;
    fixture.take_over((1..=50).map(|number| old(number, "x")).collect()).await;
    fixture.take_over((51..=100).map(|number| old(number, "x")).collect()).await;
    fixture.test.post(&fixture.mara, &fixture.channel, "there is still room for posts").await;
}
