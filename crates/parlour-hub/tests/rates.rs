//! Rates hold for everybody, by the hub's clock, and secrets cannot be guessed fast.

mod support;

use std::{future::ready, net::IpAddr, time::Duration};

use parlour_core::{
    Code, Refusal,
    access::Principal,
    rate::{Bucket, Cost, Rate, Rates},
};
use parlour_hub::{Failure, Fault, SignInAttempt};
use support::{TestHub, refused, say};

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

async fn hub(bucket: Bucket, count: u32, burst: u32) -> TestHub {
    TestHub::with_rates(Rates::off().with(bucket, Some(Rate { count, burst }))).await
}

/// How many of a thousand requests pass at once.
fn passed(test: &TestHub, caller: &Principal, cost: Cost) -> usize {
    (0..1_000).filter(|_| test.hub.charge(caller, cost).is_ok()).count()
}

#[tokio::test]
async fn every_rate_is_on_by_default() {
    let test = TestHub::with_rates(Rates::default()).await;
    let ada = test.person("Ada").await;
    assert_eq!(passed(&test, &ada, Cost::Change), 200);
    assert_eq!(passed(&test, &ada, Cost::Read), 300, "what was refused has cost nothing");
}

#[tokio::test]
async fn a_member_gets_its_share_again_as_time_passes() {
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
async fn one_member_takes_nothing_from_another_and_all_its_tokens_share() {
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
async fn what_is_left_is_told_with_each_request() {
    let test = TestHub::with_rates(Rates::default()).await;
    let charged = test.hub.charge(&test.admin, Cost::Change).expect("room");
    let told: Vec<_> = charged.allowances().map(|one| (one.bucket.name(), one.left)).collect();
    assert_eq!(told, [("member", 499), ("change", 199)]);
    let read = test.hub.charge(&test.admin, Cost::Read).expect("room");
    assert_eq!(read.allowances().map(|one| one.left).collect::<Vec<_>>(), [498]);
}

#[tokio::test]
async fn a_rate_that_is_off_bounds_nothing_and_tells_nothing() {
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
async fn a_post_to_a_place_that_its_author_cannot_see_costs_the_project_nothing() {
    let test = hub(Bucket::Project, 1, 1).await;
    let project = test.project(&test.admin, "Busy").await;
    let (channel, stranger) = (test.channel(&test.admin, &project, "talk").await, test.person("Eve").await);
    for _ in 0..5 {
        assert_eq!(refused(test.hub.post_message(&stranger, say(&channel, "x")).await), Code::NotFound);
    }
    test.hub.post_message(&test.admin, say(&channel, "one")).await.expect("room");
}

#[tokio::test]
async fn an_address_gets_back_what_a_member_took() {
    let test = hub(Bucket::Address, 1, 2).await;
    for _ in 0..10 {
        test.hub.charge_address(HERE).expect("given back each time");
        test.hub.release_address(HERE);
    }
    assert!((0..2).all(|_| test.hub.charge_address(HERE).is_ok()));
    assert!(test.hub.charge_address(HERE).is_err() && test.hub.charge_address(THERE).is_ok());
}

/// What comes of showing this token from this address.
async fn show(test: &TestHub, from: IpAddr, token: &str) -> Result<Principal, Code> {
    let letting_in = test.hub.sign_in(token);
    let outcome = test.hub.attempt(from, SignInAttempt::Credential(token.into()), letting_in).await;
    outcome.map_err(|failure| failure.refusal().expect("a refusal").code)
}

#[tokio::test]
async fn tokens_cannot_be_guessed_fast_and_not_even_a_right_one_passes_among_guesses() {
    let test = hub(Bucket::FailedAddress, 10, 20).await;
    for guess in 0..20 {
        assert_eq!(show(&test, HERE, &format!("guess-{guess}")).await.err(), Some(Code::Unauthenticated));
    }
    assert_eq!(show(&test, HERE, TestHub::ADMIN_TOKEN).await.err(), Some(Code::RateLimited));
    assert!(show(&test, THERE, TestHub::ADMIN_TOKEN).await.is_ok());
    test.clock.advance(6_000);
    assert!(show(&test, HERE, TestHub::ADMIN_TOKEN).await.is_ok(), "one try has come back");
}

#[tokio::test]
async fn an_agent_with_a_dead_token_locks_nobody_out() {
    let test = hub(Bucket::FailedAddress, 10, 3).await;
    for _ in 0..100 {
        assert_eq!(show(&test, HERE, "the same dead token").await.err(), Some(Code::Unauthenticated));
    }
    assert!(show(&test, HERE, TestHub::ADMIN_TOKEN).await.is_ok());
}

#[tokio::test]
async fn whoever_was_let_in_before_is_not_locked_out_by_a_neighbour() {
    let test = hub(Bucket::FailedAddress, 10, 3).await;
    show(&test, HERE, TestHub::ADMIN_TOKEN).await.expect("known");
    for guess in 0..10 {
        let _ = show(&test, HERE, &format!("guess-{guess}")).await;
    }
    assert!(show(&test, HERE, TestHub::ADMIN_TOKEN).await.is_ok());
}

/// The code of what comes of a try with a password that ends like this.
async fn try_password(test: &TestHub, from: IpAddr, name: &str, end: Result<(), Failure>) -> Option<Code> {
    let outcome = test.hub.attempt(from, SignInAttempt::Password(name), ready(end)).await;
    outcome.err().map(|failure| failure.refusal().map_or(Code::Internal, |refusal| refusal.code))
}

fn wrong() -> Result<(), Failure> {
    Err(Refusal::new(Code::SignInFailed, "no").into())
}

#[tokio::test]
async fn a_name_is_closed_to_guesses_from_everywhere_however_it_is_spelt() {
    let test = hub(Bucket::FailedName, 10, 2).await;
    assert_eq!(try_password(&test, HERE, "Ada", wrong()).await, Some(Code::SignInFailed));
    assert_eq!(try_password(&test, THERE, "ADA", wrong()).await, Some(Code::SignInFailed));
    assert_eq!(try_password(&test, THERE, "ada", Ok(())).await, Some(Code::RateLimited));
    assert_eq!(try_password(&test, HERE, "Bob", Ok(())).await, None);
}

#[tokio::test]
async fn a_name_that_cannot_be_one_is_counted_too() {
    let test = hub(Bucket::FailedName, 10, 1).await;
    let odd = "\u{202e}ada\n";
    assert_eq!(try_password(&test, HERE, odd, wrong()).await, Some(Code::SignInFailed));
    assert_eq!(try_password(&test, HERE, odd, wrong()).await, Some(Code::RateLimited));
}

#[tokio::test]
async fn what_succeeds_costs_nothing_and_a_fault_is_nobodys_guess() {
    let test = TestHub::with_rates(Rates::default()).await;
    for _ in 0..100 {
        assert_eq!(try_password(&test, HERE, "Ada", Ok(())).await, None);
        let fault = Err(Fault::new("check", "broken").into());
        assert_eq!(try_password(&test, HERE, "Ada", fault).await, Some(Code::Internal));
    }
}

#[tokio::test]
async fn a_try_whose_caller_goes_away_is_counted() {
    let test = hub(Bucket::FailedAddress, 10, 1).await;
    let endless = test.hub.attempt(HERE, SignInAttempt::Code, std::future::pending::<Result<(), Failure>>());
    assert!(futures_util::poll!(Box::pin(endless)).is_pending());
    assert_eq!(refused(test.hub.attempt(HERE, SignInAttempt::Code, ready(Ok(()))).await), Code::RateLimited);
}

#[tokio::test]
async fn codes_of_links_and_invites_are_counted_by_address() {
    let test = hub(Bucket::FailedAddress, 10, 1).await;
    let ended = || ready(Err::<(), Failure>(Refusal::new(Code::InviteEnded, "no").into()));
    assert_eq!(refused(test.hub.attempt(HERE, SignInAttempt::Code, ended()).await), Code::InviteEnded);
    assert_eq!(refused(test.hub.attempt(HERE, SignInAttempt::Code, ended()).await), Code::RateLimited);
    assert_eq!(refused(test.hub.attempt(THERE, SignInAttempt::Code, ended()).await), Code::InviteEnded);
}
