//! Rate limits by member, project and address, and limits on failed sign-ins.

mod support;

use std::{future::ready, net::IpAddr, time::Duration};

use parlour_core::{
    Code, Refusal,
    access::Principal,
    rate::{Bucket, Cost, Rate, Rates},
};
use parlour_hub::{Failure, Fault, SignInAttempt};
use support::{TestHub, refused, say};

const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const OTHER_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

async fn hub(bucket: Bucket, count: u32, burst: u32) -> TestHub {
    TestHub::with_rates(Rates::off().with(bucket, Some(Rate { count, burst }))).await
}

/// The number of requests out of a thousand that pass without waiting.
fn passed(test: &TestHub, caller: &Principal, cost: Cost) -> usize {
    (0..1_000).filter(|_| test.hub.charge(caller, cost).is_ok()).count()
}

#[tokio::test]
async fn the_member_and_change_rates_are_on_by_default() {
    let test = TestHub::with_rates(Rates::default()).await;
    let ada = test.person("Ada").await;
    assert_eq!(passed(&test, &ada, Cost::Change), 200);
    assert_eq!(passed(&test, &ada, Cost::Read), 300, "refused requests are not charged");
}

#[tokio::test]
async fn the_allowance_of_a_member_refills_over_time() {
    let test = hub(Bucket::Member, 2, 5).await;
    let ada = test.person("Ada").await;
    assert_eq!(passed(&test, &ada, Cost::Read), 5);
    let exceeded = test.hub.charge(&ada, Cost::Read).expect_err("spent");
    assert_eq!((exceeded.bucket, exceeded.wait), (Bucket::Member, Duration::from_millis(500)));
    test.clock.advance(499);
    assert_eq!(passed(&test, &ada, Cost::Read), 0);
    test.clock.advance(1);
    assert_eq!(passed(&test, &ada, Cost::Read), 1);
}

#[tokio::test]
async fn members_have_separate_allowances_and_tokens_of_a_member_share_one() {
    let test = hub(Bucket::Member, 1, 3).await;
    let (ada, bob) = (test.person("Ada").await, test.person("Bob").await);
    assert_eq!(passed(&test, &ada, Cost::Read), 3);
    let other_token = Principal { grant: parlour_core::access::Grant::whole(), ..ada };
    assert_eq!(passed(&test, &other_token, Cost::Read), 0);
    assert_eq!(passed(&test, &bob, Cost::Read), 3);
}

#[tokio::test]
async fn a_chunk_costs_a_tenth_of_a_request() {
    let test = hub(Bucket::Member, 1, 3).await;
    assert_eq!(passed(&test, &test.admin, Cost::Piece), 30);
}

#[tokio::test]
async fn each_request_returns_the_remaining_allowance() {
    let test = TestHub::with_rates(Rates::default()).await;
    let charged = test.hub.charge(&test.admin, Cost::Change).expect("room");
    let allowances: Vec<_> = charged.allowances().map(|one| (one.bucket.name(), one.left)).collect();
    assert_eq!(allowances, [("member", 499), ("change", 199)]);
    let read = test.hub.charge(&test.admin, Cost::Read).expect("room");
    assert_eq!(read.allowances().map(|one| one.left).collect::<Vec<_>>(), [498]);
}

#[tokio::test]
async fn a_disabled_rate_limits_and_reports_nothing() {
    let test = TestHub::new().await;
    assert_eq!(passed(&test, &test.admin, Cost::Change), 1_000);
    assert_eq!(test.hub.charge(&test.admin, Cost::Read).expect("room").allowances().count(), 0);
}

#[tokio::test]
async fn all_who_post_in_a_project_share_its_rate() {
    let test = hub(Bucket::Project, 1, 2).await;
    let project = test.project(&test.admin, "Busy").await;
    let (ada, channel) = (test.person("Ada").await, test.channel(&test.admin, &project, "talk").await);
    test.join(&project, &ada).await;
    test.hub.post_message(&ada, say(&channel, "one")).await.expect("room");
    test.hub.post_message(&test.admin, say(&channel, "two")).await.expect("room");
    assert_eq!(refused(test.hub.post_message(&ada, say(&channel, "three")).await), Code::RateLimited);
    let quiet = test.project(&test.admin, "Quiet").await;
    let elsewhere = test.channel(&test.admin, &quiet, "talk").await;
    test.hub.post_message(&test.admin, say(&elsewhere, "one")).await.expect("another project has its own");
    test.clock.advance(1_000);
    test.hub.post_message(&ada, say(&channel, "three")).await.expect("time has passed");
}

#[tokio::test]
async fn a_post_to_a_hidden_conversation_does_not_charge_the_project() {
    let test = hub(Bucket::Project, 1, 1).await;
    let project = test.project(&test.admin, "Busy").await;
    let (channel, stranger) = (test.channel(&test.admin, &project, "talk").await, test.person("Eve").await);
    for _ in 0..5 {
        assert_eq!(refused(test.hub.post_message(&stranger, say(&channel, "x")).await), Code::NotFound);
    }
    test.hub.post_message(&test.admin, say(&channel, "one")).await.expect("room");
}

#[tokio::test]
async fn a_released_charge_of_an_address_is_refunded() {
    let test = hub(Bucket::Address, 1, 2).await;
    for _ in 0..10 {
        test.hub.charge_address(ADDRESS).expect("given back each time");
        test.hub.release_address(ADDRESS);
    }
    assert!((0..2).all(|_| test.hub.charge_address(ADDRESS).is_ok()));
    assert!(test.hub.charge_address(ADDRESS).is_err() && test.hub.charge_address(OTHER_ADDRESS).is_ok());
}

/// The result of a sign-in with this token from this address.
async fn sign_in_from(test: &TestHub, from: IpAddr, token: &str) -> Result<Principal, Code> {
    let sign_in = test.hub.sign_in(token);
    let outcome = test.hub.limit_sign_in(from, SignInAttempt::Credential(token.into()), sign_in).await;
    outcome.map_err(|failure| failure.refusal().expect("a refusal").code)
}

#[tokio::test]
async fn after_too_many_guesses_even_a_valid_token_is_refused_from_that_address() {
    let test = hub(Bucket::FailedAddress, 10, 20).await;
    for guess in 0..20 {
        assert_eq!(sign_in_from(&test, ADDRESS, &format!("guess-{guess}")).await.err(), Some(Code::Unauthenticated));
    }
    assert_eq!(sign_in_from(&test, ADDRESS, TestHub::ADMIN_TOKEN).await.err(), Some(Code::RateLimited));
    assert!(sign_in_from(&test, OTHER_ADDRESS, TestHub::ADMIN_TOKEN).await.is_ok());
    test.clock.advance(6_000);
    assert!(sign_in_from(&test, ADDRESS, TestHub::ADMIN_TOKEN).await.is_ok(), "one try has come back");
}

#[tokio::test]
async fn repeated_attempts_with_one_invalid_token_lock_nobody_out() {
    let test = hub(Bucket::FailedAddress, 10, 3).await;
    for _ in 0..100 {
        assert_eq!(sign_in_from(&test, ADDRESS, "the same dead token").await.err(), Some(Code::Unauthenticated));
    }
    assert!(sign_in_from(&test, ADDRESS, TestHub::ADMIN_TOKEN).await.is_ok());
}

#[tokio::test]
async fn known_members_are_not_locked_out_by_failures_of_the_same_address() {
    let test = hub(Bucket::FailedAddress, 10, 3).await;
    sign_in_from(&test, ADDRESS, TestHub::ADMIN_TOKEN).await.expect("known");
    for guess in 0..10 {
        let _ = sign_in_from(&test, ADDRESS, &format!("guess-{guess}")).await;
    }
    assert!(sign_in_from(&test, ADDRESS, TestHub::ADMIN_TOKEN).await.is_ok());
}

/// The refusal of a password sign-in whose check ends with `end`.
async fn password_outcome(test: &TestHub, from: IpAddr, name: &str, end: Result<(), Failure>) -> Option<Code> {
    let outcome = test.hub.limit_sign_in(from, SignInAttempt::Password(name), ready(end)).await;
    outcome.err().map(|failure| failure.refusal().map_or(Code::Internal, |refusal| refusal.code))
}

fn wrong() -> Result<(), Failure> {
    Err(Refusal::new(Code::SignInFailed, "no").into())
}

#[tokio::test]
async fn failed_passwords_are_limited_by_name_over_all_addresses_and_spellings() {
    let test = hub(Bucket::FailedName, 10, 2).await;
    assert_eq!(password_outcome(&test, ADDRESS, "Ada", wrong()).await, Some(Code::SignInFailed));
    assert_eq!(password_outcome(&test, OTHER_ADDRESS, "ADA", wrong()).await, Some(Code::SignInFailed));
    assert_eq!(password_outcome(&test, OTHER_ADDRESS, "ada", Ok(())).await, Some(Code::RateLimited));
    assert_eq!(password_outcome(&test, ADDRESS, "Bob", Ok(())).await, None);
}

#[tokio::test]
async fn failed_passwords_for_an_invalid_name_are_limited() {
    let test = hub(Bucket::FailedName, 10, 1).await;
    let odd = "\u{202e}ada\n";
    assert_eq!(password_outcome(&test, ADDRESS, odd, wrong()).await, Some(Code::SignInFailed));
    assert_eq!(password_outcome(&test, ADDRESS, odd, wrong()).await, Some(Code::RateLimited));
}

#[tokio::test]
async fn successes_and_faults_do_not_count_as_failed_sign_ins() {
    let test = TestHub::with_rates(Rates::default()).await;
    for _ in 0..100 {
        assert_eq!(password_outcome(&test, ADDRESS, "Ada", Ok(())).await, None);
        let fault = Err(Fault::new("check", "broken").into());
        assert_eq!(password_outcome(&test, ADDRESS, "Ada", fault).await, Some(Code::Internal));
    }
}

#[tokio::test]
async fn a_cancelled_sign_in_counts_as_failed() {
    let test = hub(Bucket::FailedAddress, 10, 1).await;
    let endless = test.hub.limit_sign_in(ADDRESS, SignInAttempt::Code, std::future::pending::<Result<(), Failure>>());
    assert!(futures_util::poll!(Box::pin(endless)).is_pending());
    assert_eq!(refused(test.hub.limit_sign_in(ADDRESS, SignInAttempt::Code, ready(Ok(()))).await), Code::RateLimited);
}

#[tokio::test]
async fn failed_link_and_invite_codes_are_limited_by_address() {
    let test = hub(Bucket::FailedAddress, 10, 1).await;
    let ended = || ready(Err::<(), Failure>(Refusal::new(Code::InviteEnded, "no").into()));
    assert_eq!(refused(test.hub.limit_sign_in(ADDRESS, SignInAttempt::Code, ended()).await), Code::InviteEnded);
    assert_eq!(refused(test.hub.limit_sign_in(ADDRESS, SignInAttempt::Code, ended()).await), Code::RateLimited);
    assert_eq!(refused(test.hub.limit_sign_in(OTHER_ADDRESS, SignInAttempt::Code, ended()).await), Code::InviteEnded);
}
