//! Another issuer on a real port, with keys of every algorithm that is trusted.

#[path = "issuers/pen.rs"]
mod pen;
#[path = "issuers/place.rs"]
mod place;

use std::{fs, path::Path, sync::Arc};

use parlour_adapters::{KeySource, TrustedIssuers};
use parlour_core::{Code, Timestamp, limits};
use parlour_hub::{
    Failure,
    ports::{ForeignIdentity, Issuers},
};
use parlour_testkit::TrustedOne;
use parlour_testkit::issuer_suite;
use pen::{ALGORITHMS, Pen, set};
use place::{Answer, Place};
use serde_json::{Value, json};
use tempfile::TempDir;

const ISSUER: &str = "https://id.example/team";
const AUDIENCE: &str = "parlour";
const NOW_SECONDS: i64 = 1_800_000_000;
const PAUSE: i64 = limits::ISSUER_PAUSE_SECONDS as i64;

/// The moment this many seconds after the tests begin.
fn after(seconds: i64) -> Timestamp {
    Timestamp::from_millis((NOW_SECONDS + seconds) * 1000)
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "bo", "exp": NOW_SECONDS + 1_000_000})
}

/// Trust in the issuer with keys at an address or in a file.
fn trusting(keys: &str) -> TrustedIssuers {
    TrustedIssuers::new(ISSUER, AUDIENCE, KeySource::parse(keys).expect("source")).expect("issuers")
}

/// A place that publishes these pens, and trust in it.
async fn published(pens: &[&Pen]) -> (Place, TrustedIssuers) {
    let place = Place::open().await;
    place.put("/keys", Answer::Body(set(pens)));
    let issuers = trusting(&format!("{}/keys", place.url));
    (place, issuers)
}

fn is_refused(read: &Result<ForeignIdentity, Failure>) -> bool {
    matches!(read, Err(Failure::Refused(refusal)) if refusal.code == Code::Unauthenticated)
}

fn is_fault(read: &Result<ForeignIdentity, Failure>) -> bool {
    matches!(read, Err(Failure::Fault(_)))
}

/// Trust in the keys of a file, for the suite.
async fn file() -> (TrustedOne, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let (own, other) = (Pen::new("EdDSA", "1"), Pen::new("EdDSA", "1"));
    let path = folder.path().join("keys.json");
    fs::write(&path, set(&[&own])).expect("file");
    let one = TrustedOne {
        issuers: Arc::new(trusting(path.to_str().expect("path"))),
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        sign: Box::new(move |claims| own.sign(claims)),
        forge: Box::new(move |claims| other.sign(claims)),
        now: after(0),
    };
    (one, folder)
}

issuer_suite!(file);

#[tokio::test]
async fn keys_of_every_trusted_algorithm_are_used_and_only_for_their_own() {
    let pens = ALGORITHMS.map(|algorithm| Pen::new(algorithm, algorithm));
    let (_place, issuers) = published(&pens.each_ref()).await;
    for pen in &pens {
        assert!(issuers.read(&pen.sign(&claims()), after(0)).await.is_ok(), "{}", pen.algorithm);
        for other in ALGORITHMS.iter().chain(&["none", "HS256"]).filter(|other| **other != pen.algorithm) {
            for id in [pen.algorithm, other] {
                let confused = pen.sign_under(&json!({"alg": other, "kid": id}), &claims());
                let read = issuers.read(&confused, after(0)).await;
                assert!(is_refused(&read), "{} passes for {other} of {id}", pen.algorithm);
            }
        }
    }
}

#[tokio::test]
async fn a_public_key_is_no_shared_secret() {
    let pens = ALGORITHMS.map(|algorithm| Pen::new(algorithm, algorithm));
    let (_place, issuers) = published(&pens.each_ref()).await;
    for pen in &pens {
        for secret in [pen.public_bytes(), pen.jwk().to_string().into_bytes()] {
            for algorithm in ["HS256", pen.algorithm] {
                let head = json!({"alg": algorithm, "kid": pen.id});
                let signed = format!("{}.{}", pen::encode(head.to_string()), pen::encode(claims().to_string()));
                let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &secret);
                let tag = aws_lc_rs::hmac::sign(&key, signed.as_bytes());
                let read = issuers.read(&format!("{signed}.{}", pen::encode(tag)), after(0)).await;
                assert!(is_refused(&read), "{algorithm} of {}", pen.algorithm);
            }
        }
    }
}

#[tokio::test]
async fn a_key_in_the_head_or_the_address_of_one_is_never_followed() {
    let (known, thief) = (Pen::new("ES256", "1"), Pen::new("ES256", "1"));
    let (place, issuers) = published(&[&known]).await;
    place.put("/evil", Answer::Body(set(&[&thief])));
    assert!(issuers.read(&known.sign(&claims()), after(0)).await.is_ok());
    place.asked();
    for (name, value) in [
        ("jwk", thief.jwk()),
        ("jku", json!(format!("{}/evil", place.url))),
        ("x5u", json!(format!("{}/evil", place.url))),
        ("x5c", json!([pen::encode(thief.public_bytes())])),
        ("crit", json!(["exp"])),
    ] {
        let head = json!({"alg": "ES256", "kid": "1", name: value});
        assert!(is_refused(&issuers.read(&thief.sign_under(&head, &claims()), after(PAUSE)).await), "{name}");
    }
    assert_eq!(place.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn keys_are_asked_for_once_and_again_when_they_are_old() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    assert_eq!(place.asked().len(), 0, "nobody is asked before a token is shown");
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    for (seconds, questions) in [(0, 1), (1, 0), (old - 1, 0), (old, 1), (old + 1, 0)] {
        assert!(issuers.read(&pen.sign(&claims()), after(seconds)).await.is_ok());
        assert_eq!(place.asked().len(), questions, "after {seconds} seconds");
    }
}

#[tokio::test]
async fn a_new_key_is_found_at_once_and_unknown_ones_do_not_make_the_hub_ask_all_the_time() {
    let (first, second, nobodys) = (Pen::new("EdDSA", "1"), Pen::new("EdDSA", "2"), Pen::new("EdDSA", "3"));
    let (place, issuers) = published(&[&first]).await;
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok());
    place.put("/keys", Answer::Body(set(&[&second])));
    assert!(is_refused(&issuers.read(&second.sign(&claims()), after(PAUSE - 1)).await), "it was asked just now");
    assert!(issuers.read(&second.sign(&claims()), after(PAUSE)).await.is_ok());
    assert!(is_refused(&issuers.read(&first.sign(&claims()), after(PAUSE)).await), "a key that is gone is gone");
    assert_eq!(place.asked().len(), 2);
    for _ in 0..20 {
        assert!(is_refused(&issuers.read(&nobodys.sign(&claims()), after(2 * PAUSE)).await));
    }
    assert_eq!(place.asked().len(), 1);
}

#[tokio::test]
async fn many_who_come_first_at_once_ask_once() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    let token = pen.sign(&claims());
    let reads = (0..20).map(|_| issuers.read(&token, after(0)));
    for read in futures(reads).await {
        assert!(read.is_ok());
    }
    assert_eq!(place.asked().len(), 1);
}

/// Waits for all of these at once.
async fn futures<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, place) in waiting.iter_mut().zip(&mut done).filter(|(_, place)| place.is_none()) {
            if let std::task::Poll::Ready(output) = future.as_mut().poll(context) {
                *place = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn when_the_issuer_is_gone_the_kept_keys_go_on() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    assert!(issuers.read(&pen.sign(&claims()), after(0)).await.is_ok());
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    for (round, answer) in [
        Answer::Head("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"),
        Answer::Body("<html>".into()),
        Answer::Body(json!({"keys": {}}).to_string()),
    ]
    .into_iter()
    .enumerate()
    {
        place.put("/keys", answer);
        assert!(issuers.read(&pen.sign(&claims()), after(old + round as i64 * PAUSE)).await.is_ok());
        assert_eq!(place.asked().len(), 1 + usize::from(round == 0), "it was asked");
    }
    drop(place);
    assert!(issuers.read(&pen.sign(&claims()), after(2 * old)).await.is_ok());
}

#[tokio::test]
async fn an_issuer_can_take_all_its_keys_back() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    assert!(issuers.read(&pen.sign(&claims()), after(0)).await.is_ok());
    place.put("/keys", Answer::Body(set(&[])));
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    assert!(is_refused(&issuers.read(&pen.sign(&claims()), after(old)).await));
}

#[tokio::test]
async fn without_any_keys_it_is_a_fault_and_the_next_try_waits_for_the_pause() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    place.put("/keys", Answer::Head("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"));
    for _ in 0..5 {
        assert!(is_fault(&issuers.read(&pen.sign(&claims()), after(0)).await));
    }
    assert_eq!(place.asked().len(), 1);
    place.put("/keys", Answer::Body(set(&[&pen])));
    assert!(issuers.read(&pen.sign(&claims()), after(PAUSE)).await.is_ok());
}

#[tokio::test]
async fn redirects_are_not_followed_and_endless_answers_not_read_to_their_end() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    place.put("/other", Answer::Body(set(&[&pen])));
    place.put("/keys", Answer::Head("HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n"));
    assert!(is_fault(&issuers.read(&pen.sign(&claims()), after(0)).await));
    place.put("/keys", Answer::Endless);
    assert!(is_fault(&issuers.read(&pen.sign(&claims()), after(PAUSE)).await));
    assert_eq!(place.asked(), ["/keys", "/keys"]);
}

#[tokio::test]
async fn a_silent_issuer_is_given_up() {
    let pen = Pen::new("EdDSA", "1");
    let (place, issuers) = published(&[&pen]).await;
    place.put("/keys", Answer::Silence);
    assert!(is_fault(&issuers.read(&pen.sign(&claims()), after(0)).await));
}

/// Trust in an issuer that is the place itself, by its own description.
fn discovering(place: &Place) -> TrustedIssuers {
    let source = KeySource::discover(&place.url).expect("source");
    TrustedIssuers::new(&place.url, AUDIENCE, source).expect("issuers")
}

#[tokio::test]
async fn an_issuer_describes_where_its_keys_are() {
    let (place, pen) = (Place::open().await, Pen::new("RS256", "1"));
    let description = json!({"issuer": place.url, "jwks_uri": format!("{}/a/keys", place.url), "more": []});
    place.put("/.well-known/openid-configuration", Answer::Body(description.to_string()));
    place.put("/a/keys", Answer::Body(set(&[&pen])));
    let mut claims = claims();
    claims["iss"] = json!(place.url);
    let identity = discovering(&place).read(&pen.sign(&claims), after(0)).await.expect("believed");
    assert_eq!((identity.issuer, identity.subject), (place.url.clone(), "bo".to_owned()));
    assert_eq!(place.asked(), ["/.well-known/openid-configuration", "/a/keys"]);
}

#[tokio::test]
async fn a_description_of_somebody_else_or_with_strange_addresses_is_not_followed() {
    let (place, pen) = (Place::open().await, Pen::new("RS256", "1"));
    place.put("/keys", Answer::Body(set(&[&pen])));
    let keys = format!("{}/keys", place.url);
    for description in [
        json!({"issuer": "https://other.example", "jwks_uri": keys}),
        json!({"issuer": format!("{}/", place.url), "jwks_uri": keys}),
        json!({"issuer": place.url, "jwks_uri": "file:///etc/passwd"}),
        json!({"issuer": place.url, "jwks_uri": "/keys"}),
        json!({"issuer": place.url}),
        json!([]),
    ] {
        place.put("/.well-known/openid-configuration", Answer::Body(description.to_string()));
        let mut claims = claims();
        claims["iss"] = json!(place.url);
        assert!(is_fault(&discovering(&place).read(&pen.sign(&claims), after(0)).await), "{description}");
        assert_eq!(place.asked().len(), 1, "{description}");
    }
}

#[tokio::test]
async fn a_file_is_read_again_when_it_changes_and_a_broken_one_spoils_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("keys.json");
    let (first, second) = (Pen::new("ES384", "1"), Pen::new("ES384", "22"));
    let put = |path: &Path, text: &str| fs::write(path, text).expect("file");
    put(&path, &set(&[&first]));
    let issuers = trusting(path.to_str().expect("path"));
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok());
    put(&path, "half a fi");
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok(), "the kept keys go on");
    put(&path, &set(&[&second]));
    assert!(issuers.read(&second.sign(&claims()), after(0)).await.is_ok(), "without a pause");
    assert!(is_refused(&issuers.read(&first.sign(&claims()), after(0)).await));
    fs::remove_file(&path).expect("removed");
    assert!(issuers.read(&second.sign(&claims()), after(PAUSE)).await.is_ok(), "the kept keys go on");
}

#[test]
fn a_file_that_is_missing_or_broken_at_the_start_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("issuer.json");
    for content in [None, Some("{}".to_owned()), Some(set(&[])), Some(" ".repeat(limits::ISSUER_BODY_BYTES_MAX + 1))] {
        if let Some(content) = content {
            fs::write(&path, content).expect("file");
        }
        let source = KeySource::parse(path.to_str().expect("path")).expect("source");
        let failure = TrustedIssuers::new(ISSUER, AUDIENCE, source).err().expect("no keys");
        assert!(failure.to_string().contains("issuer.json"), "{failure}");
    }
}
