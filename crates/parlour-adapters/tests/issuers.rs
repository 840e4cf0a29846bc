//! A foreign issuer on a real port, with keys of every accepted algorithm.

#[path = "issuers/key_server.rs"]
mod key_server;
#[path = "issuers/token_signer.rs"]
mod token_signer;

use std::{fs, path::Path, sync::Arc};

use key_server::{HttpAnswer, KeyServer};
use parlour_adapters::{KeySource, TrustedIssuers};
use parlour_core::{Code, Timestamp, limits};
use parlour_hub::{
    Failure,
    ports::{ForeignIdentity, Issuers},
};
use parlour_testkit::TrustedIssuerFixture;
use parlour_testkit::issuer_suite;
use serde_json::{Value, json};
use tempfile::TempDir;
use token_signer::{ALGORITHMS, TokenSigner, set};

const ISSUER: &str = "https://id.example/team";
const AUDIENCE: &str = "parlour";
const NOW_SECONDS: i64 = 1_800_000_000;
const PAUSE: i64 = limits::ISSUER_PAUSE_SECONDS as i64;

/// The time this many seconds after the start of a test.
fn after(seconds: i64) -> Timestamp {
    Timestamp::from_millis((NOW_SECONDS + seconds) * 1000)
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "bo", "exp": NOW_SECONDS + 1_000_000})
}

/// Trusts the issuer, with keys at an address or in a file.
fn trusted_issuers(keys: &str) -> TrustedIssuers {
    TrustedIssuers::new(ISSUER, AUDIENCE, KeySource::parse(keys).expect("source")).expect("issuers")
}

/// A server with the keys of these signers, and the adapter that trusts it.
async fn serve_keys(signers: &[&TokenSigner]) -> (KeyServer, TrustedIssuers) {
    let server = KeyServer::open().await;
    server.put("/keys", HttpAnswer::Body(set(signers)));
    let issuers = trusted_issuers(&format!("{}/keys", server.url));
    (server, issuers)
}

fn is_refused(read: &Result<ForeignIdentity, Failure>) -> bool {
    matches!(read, Err(Failure::Refused(refusal)) if refusal.code == Code::Unauthenticated)
}

fn is_fault(read: &Result<ForeignIdentity, Failure>) -> bool {
    matches!(read, Err(Failure::Fault(_)))
}

/// Trusts the keys of a file, for the suite.
async fn file() -> (TrustedIssuerFixture, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let (own, other) = (TokenSigner::new("EdDSA", "1"), TokenSigner::new("EdDSA", "1"));
    let path = folder.path().join("keys.json");
    fs::write(&path, set(&[&own])).expect("file");
    let one = TrustedIssuerFixture {
        issuers: Arc::new(trusted_issuers(path.to_str().expect("path"))),
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
async fn each_key_is_accepted_for_its_own_algorithm_only() {
    let signers = ALGORITHMS.map(|algorithm| TokenSigner::new(algorithm, algorithm));
    let (_server, issuers) = serve_keys(&signers.each_ref()).await;
    for signer in &signers {
        assert!(issuers.read(&signer.sign(&claims()), after(0)).await.is_ok(), "{}", signer.algorithm);
        for other in ALGORITHMS.iter().chain(&["none", "HS256"]).filter(|other| **other != signer.algorithm) {
            for id in [signer.algorithm, other] {
                let confused = signer.sign_with_header(&json!({"alg": other, "kid": id}), &claims());
                let read = issuers.read(&confused, after(0)).await;
                assert!(is_refused(&read), "{} passes for {other} of {id}", signer.algorithm);
            }
        }
    }
}

#[tokio::test]
async fn a_public_key_is_not_accepted_as_an_hmac_secret() {
    let signers = ALGORITHMS.map(|algorithm| TokenSigner::new(algorithm, algorithm));
    let (_server, issuers) = serve_keys(&signers.each_ref()).await;
    for signer in &signers {
        for secret in [signer.public_bytes(), signer.jwk().to_string().into_bytes()] {
            for algorithm in ["HS256", signer.algorithm] {
                let header = json!({"alg": algorithm, "kid": signer.id});
                let signed = format!(
                    "{}.{}",
                    token_signer::encode(header.to_string()),
                    token_signer::encode(claims().to_string())
                );
                let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &secret);
                let tag = aws_lc_rs::hmac::sign(&key, signed.as_bytes());
                let read = issuers.read(&format!("{signed}.{}", token_signer::encode(tag)), after(0)).await;
                assert!(is_refused(&read), "{algorithm} of {}", signer.algorithm);
            }
        }
    }
}

#[tokio::test]
async fn keys_and_key_addresses_in_a_header_are_refused() {
    let (known, thief) = (TokenSigner::new("ES256", "1"), TokenSigner::new("ES256", "1"));
    let (server, issuers) = serve_keys(&[&known]).await;
    server.put("/evil", HttpAnswer::Body(set(&[&thief])));
    assert!(issuers.read(&known.sign(&claims()), after(0)).await.is_ok());
    server.requested_paths();
    for (name, value) in [
        ("jwk", thief.jwk()),
        ("jku", json!(format!("{}/evil", server.url))),
        ("x5u", json!(format!("{}/evil", server.url))),
        ("x5c", json!([token_signer::encode(thief.public_bytes())])),
        ("crit", json!(["exp"])),
    ] {
        let header = json!({"alg": "ES256", "kid": "1", name: value});
        assert!(is_refused(&issuers.read(&thief.sign_with_header(&header, &claims()), after(PAUSE)).await), "{name}");
    }
    assert_eq!(server.requested_paths(), Vec::<String>::new());
}

#[tokio::test]
async fn keys_are_fetched_once_and_again_when_they_are_stale() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    assert_eq!(server.requested_paths().len(), 0, "nothing is fetched before the first token");
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    for (seconds, requests) in [(0, 1), (1, 0), (old - 1, 0), (old, 1), (old + 1, 0)] {
        assert!(issuers.read(&signer.sign(&claims()), after(seconds)).await.is_ok());
        assert_eq!(server.requested_paths().len(), requests, "after {seconds} seconds");
    }
}

#[tokio::test]
async fn an_unknown_key_causes_at_most_one_fetch_per_pause() {
    let (first, second, unknown) =
        (TokenSigner::new("EdDSA", "1"), TokenSigner::new("EdDSA", "2"), TokenSigner::new("EdDSA", "3"));
    let (server, issuers) = serve_keys(&[&first]).await;
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok());
    server.put("/keys", HttpAnswer::Body(set(&[&second])));
    assert!(
        is_refused(&issuers.read(&second.sign(&claims()), after(PAUSE - 1)).await),
        "the last fetch was within the pause"
    );
    assert!(issuers.read(&second.sign(&claims()), after(PAUSE)).await.is_ok());
    assert!(is_refused(&issuers.read(&first.sign(&claims()), after(PAUSE)).await), "a withdrawn key is not accepted");
    assert_eq!(server.requested_paths().len(), 2);
    for _ in 0..20 {
        assert!(is_refused(&issuers.read(&unknown.sign(&claims()), after(2 * PAUSE)).await));
    }
    assert_eq!(server.requested_paths().len(), 1);
}

#[tokio::test]
async fn concurrent_first_reads_share_one_fetch() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    let token = signer.sign(&claims());
    let reads = (0..20).map(|_| issuers.read(&token, after(0)));
    for read in join_all(reads).await {
        assert!(read.is_ok());
    }
    assert_eq!(server.requested_paths().len(), 1);
}

/// Polls all futures concurrently.
async fn join_all<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, slot) in waiting.iter_mut().zip(&mut done).filter(|(_, slot)| slot.is_none()) {
            if let std::task::Poll::Ready(output) = future.as_mut().poll(context) {
                *slot = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn cached_keys_stay_valid_when_the_issuer_fails() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    assert!(issuers.read(&signer.sign(&claims()), after(0)).await.is_ok());
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    for (round, answer) in [
        HttpAnswer::Head("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"),
        HttpAnswer::Body("<html>".into()),
        HttpAnswer::Body(json!({"keys": {}}).to_string()),
    ]
    .into_iter()
    .enumerate()
    {
        server.put("/keys", answer);
        assert!(issuers.read(&signer.sign(&claims()), after(old + round as i64 * PAUSE)).await.is_ok());
        assert_eq!(server.requested_paths().len(), 1 + usize::from(round == 0), "it was fetched");
    }
    drop(server);
    assert!(issuers.read(&signer.sign(&claims()), after(2 * old)).await.is_ok());
}

#[tokio::test]
async fn an_issuer_can_withdraw_all_its_keys() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    assert!(issuers.read(&signer.sign(&claims()), after(0)).await.is_ok());
    server.put("/keys", HttpAnswer::Body(set(&[])));
    let old = limits::ISSUER_KEYS_SECONDS as i64;
    assert!(is_refused(&issuers.read(&signer.sign(&claims()), after(old)).await));
}

#[tokio::test]
async fn a_failed_first_fetch_is_a_fault_and_is_repeated_after_the_pause() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    server.put("/keys", HttpAnswer::Head("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"));
    for _ in 0..5 {
        assert!(is_fault(&issuers.read(&signer.sign(&claims()), after(0)).await));
    }
    assert_eq!(server.requested_paths().len(), 1);
    server.put("/keys", HttpAnswer::Body(set(&[&signer])));
    assert!(issuers.read(&signer.sign(&claims()), after(PAUSE)).await.is_ok());
}

#[tokio::test]
async fn redirects_and_endless_responses_are_faults() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    server.put("/other", HttpAnswer::Body(set(&[&signer])));
    server.put("/keys", HttpAnswer::Head("HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n"));
    assert!(is_fault(&issuers.read(&signer.sign(&claims()), after(0)).await));
    server.put("/keys", HttpAnswer::Endless);
    assert!(is_fault(&issuers.read(&signer.sign(&claims()), after(PAUSE)).await));
    assert_eq!(server.requested_paths(), ["/keys", "/keys"]);
}

#[tokio::test]
async fn an_issuer_that_does_not_respond_is_a_fault() {
    let signer = TokenSigner::new("EdDSA", "1");
    let (server, issuers) = serve_keys(&[&signer]).await;
    server.put("/keys", HttpAnswer::Silence);
    assert!(is_fault(&issuers.read(&signer.sign(&claims()), after(0)).await));
}

/// Trusts the server as an issuer, by its discovery document.
fn discovered_issuers(server: &KeyServer) -> TrustedIssuers {
    let source = KeySource::discover(&server.url).expect("source");
    TrustedIssuers::new(&server.url, AUDIENCE, source).expect("issuers")
}

#[tokio::test]
async fn keys_are_found_by_the_discovery_document() {
    let (server, signer) = (KeyServer::open().await, TokenSigner::new("RS256", "1"));
    let description = json!({"issuer": server.url, "jwks_uri": format!("{}/a/keys", server.url), "more": []});
    server.put("/.well-known/openid-configuration", HttpAnswer::Body(description.to_string()));
    server.put("/a/keys", HttpAnswer::Body(set(&[&signer])));
    let mut claims = claims();
    claims["iss"] = json!(server.url);
    let identity = discovered_issuers(&server).read(&signer.sign(&claims), after(0)).await.expect("accepted");
    assert_eq!((identity.issuer, identity.subject), (server.url.clone(), "bo".to_owned()));
    assert_eq!(server.requested_paths(), ["/.well-known/openid-configuration", "/a/keys"]);
}

#[tokio::test]
async fn a_discovery_document_of_another_issuer_or_with_an_invalid_address_is_a_fault() {
    let (server, signer) = (KeyServer::open().await, TokenSigner::new("RS256", "1"));
    server.put("/keys", HttpAnswer::Body(set(&[&signer])));
    let keys = format!("{}/keys", server.url);
    for description in [
        json!({"issuer": "https://other.example", "jwks_uri": keys}),
        json!({"issuer": format!("{}/", server.url), "jwks_uri": keys}),
        json!({"issuer": server.url, "jwks_uri": "file:///etc/passwd"}),
        json!({"issuer": server.url, "jwks_uri": "/keys"}),
        json!({"issuer": server.url}),
        json!([]),
    ] {
        server.put("/.well-known/openid-configuration", HttpAnswer::Body(description.to_string()));
        let mut claims = claims();
        claims["iss"] = json!(server.url);
        assert!(is_fault(&discovered_issuers(&server).read(&signer.sign(&claims), after(0)).await), "{description}");
        assert_eq!(server.requested_paths().len(), 1, "{description}");
    }
}

#[tokio::test]
async fn a_changed_key_file_is_read_again_and_a_broken_one_is_ignored() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("keys.json");
    let (first, second) = (TokenSigner::new("ES384", "1"), TokenSigner::new("ES384", "22"));
    let put = |path: &Path, text: &str| fs::write(path, text).expect("file");
    put(&path, &set(&[&first]));
    let issuers = trusted_issuers(path.to_str().expect("path"));
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok());
    put(&path, "half a fi");
    assert!(issuers.read(&first.sign(&claims()), after(0)).await.is_ok(), "the cached keys stay valid");
    put(&path, &set(&[&second]));
    assert!(issuers.read(&second.sign(&claims()), after(0)).await.is_ok(), "without a pause");
    assert!(is_refused(&issuers.read(&first.sign(&claims()), after(0)).await));
    fs::remove_file(&path).expect("removed");
    assert!(issuers.read(&second.sign(&claims()), after(PAUSE)).await.is_ok(), "the cached keys stay valid");
}

#[test]
fn the_error_names_a_missing_or_broken_key_file() {
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
