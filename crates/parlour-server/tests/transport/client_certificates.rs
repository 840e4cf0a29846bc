//! Client certificates: who may show one, and what a request learns of it.

use std::fs;

use sha2::{Digest as _, Sha256};

use crate::{
    authority::{Authority, Files, Pair, VERSIONS, options, shake_hands},
    serving::{Serving, ask, hex},
};

/// What a client hears that shows `own`; nothing when it is not let in.
async fn told(hub: &Serving, authority: &Authority, own: Option<&Pair>) -> Option<String> {
    let mut stream = shake_hands(hub, &authority.config(&VERSIONS, &[], own)).await.ok()?;
    // In TLS 1.3 a client learns only afterwards that its certificate was not taken.
    Some(ask(&mut stream, "/certificate", "").await).filter(|told| !told.is_empty())
}

fn fingerprint(pair: &Pair) -> String {
    hex(&Sha256::digest(pair.certificate.der()))
}

#[tokio::test]
async fn a_request_learns_which_certificate_was_shown() {
    let authority = Authority::new("tests");
    let hub = Serving::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    for name in ["coder", "critic"] {
        let own = authority.client(name);
        assert_eq!(told(&hub, &authority, Some(&own)).await, Some(fingerprint(&own)));
    }
    hub.end().await;
}

#[tokio::test]
async fn a_client_without_a_certificate_is_let_in_as_nobody() {
    let authority = Authority::new("tests");
    let hub = Serving::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(told(&hub, &authority, None).await.as_deref(), Some("none"));
    hub.end().await;
}

#[tokio::test]
async fn a_certificate_of_a_stranger_is_not_let_in() {
    let (authority, stranger) = (Authority::new("tests"), Authority::new("strangers"));
    let hub = Serving::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(told(&hub, &authority, Some(&stranger.client("coder"))).await, None);
    let impostor = Authority::new("tests");
    assert_eq!(told(&hub, &authority, Some(&impostor.client("coder"))).await, None, "the same name, another key");
    hub.end().await;
}

#[tokio::test]
async fn a_certificate_for_hubs_is_none_for_clients() {
    let authority = Authority::new("tests");
    let hub = Serving::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(told(&hub, &authority, Some(&authority.hub())).await, None);
    hub.end().await;
}

#[tokio::test]
async fn a_hub_that_asks_for_no_certificate_believes_none() {
    let authority = Authority::new("tests");
    let hub = Serving::start(options(&Files::new(&authority.hub(), None).load())).await;
    assert_eq!(told(&hub, &authority, Some(&authority.client("coder"))).await.as_deref(), Some("none"));
    hub.end().await;
}

#[tokio::test]
async fn new_authorities_count_from_the_next_connection_on() {
    let (authority, other) = (Authority::new("tests"), Authority::new("others"));
    let files = Files::new(&authority.hub(), Some(&authority));
    let tls = files.load();
    let hub = Serving::start(options(&tls)).await;
    let own = other.client("coder");
    assert_eq!(told(&hub, &authority, Some(&own)).await, None);
    fs::write(files.tls.client_authorities.as_ref().expect("a file"), other.pem()).expect("written");
    tls.reload().expect("good files");
    assert_eq!(told(&hub, &authority, Some(&own)).await, Some(fingerprint(&own)));
    hub.end().await;
}
