use parlour_core::{Code, cause::ClaimedCause, limits, mention::MentionProblemReason, post::PostMessage};

use crate::{
    fixture::CallFixture,
    support::{refused, say},
};

#[tokio::test]
async fn unknown_names_are_reported_with_candidates_and_a_wide_mention_in_the_list_is_refused() {
    let fixture = CallFixture::new(&["Coder", "Tester"]).await;
    let posted = fixture.try_post(&fixture.mara, say(&fixture.channel, "@Codr and @Testr")).await.expect("posted");
    assert_eq!(posted.message.calls, []);
    let problems: Vec<_> = posted.mention_problems.iter().map(|one| (one.reason, one.candidates.clone())).collect();
    let unknown = MentionProblemReason::Unknown;
    assert_eq!(problems, [(unknown, vec!["Coder".to_owned()]), (unknown, vec!["Tester".to_owned()])]);
    let request = PostMessage { mentions: vec!["@everyone".into()], ..say(&fixture.channel, "hello") };
    assert_eq!(
        refused(fixture.try_post(&fixture.mara, request).await),
        Code::UnknownMention,
        "the list accepts members only"
    );
}

#[tokio::test]
async fn a_claimed_cause_over_the_limits_is_refused_with_its_field() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let too_many = ClaimedCause { depth: 0, chain: vec!["x".into(); limits::CHAIN_NAMES_MAX + 1] };
    let too_long = ClaimedCause { depth: 0, chain: vec!["x".repeat(limits::NAME_CHARS_MAX + 1)] };
    for (claim, field) in [(too_many, "cause.chain"), (too_long, "cause.chain[0]")] {
        let request = PostMessage { cause: Some(claim), ..say(&fixture.channel, "hello") };
        let failure = fixture.try_post(fixture.agent("Coder"), request).await.expect_err("refused");
        assert_eq!(failure.refusal().expect("a refusal").field.as_deref(), Some(field));
    }
}

#[tokio::test]
async fn a_cause_claimed_by_a_person_is_ignored() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let claim = ClaimedCause { depth: 99, chain: vec!["Coder".into()] };
    let message =
        fixture.post(&fixture.mara, PostMessage { cause: Some(claim), ..say(&fixture.channel, "@Coder") }).await;
    assert_eq!((fixture.called(&message), message.cause), (vec!["Coder"], None));
}

#[tokio::test]
async fn mentions_and_calls_of_one_message_are_limited() {
    let names: Vec<String> = (0..60).map(|number| format!("Agent{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fixture = CallFixture::new(&names).await;
    let body = names.iter().map(|name| format!("@{name} ")).collect::<String>().repeat(20);
    let message = fixture.say(&fixture.mara, &body).await;
    assert_eq!((message.mentions.len(), message.calls.len()), (limits::MENTIONS_MAX, limits::MENTIONS_MAX));
}
