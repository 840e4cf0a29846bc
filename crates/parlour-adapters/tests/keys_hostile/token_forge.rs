//! A hub whose members have signed tokens, and the means to forge such tokens.

use std::{fs, path::Path, sync::Arc};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, SqliteOptions, SqliteStore};
use parlour_core::{
    Code,
    access::Principal,
    name::Name,
    rate::Rates,
    scope::{Scope, Scopes},
};
use parlour_hub::{
    Hub, Ports,
    ports::NoIssuers,
    use_cases::{IssueToken, IssuedToken, NewPerson, TokenFormat},
};
use parlour_testkit::{CountingIds, ManualClock};
use serde_json::{Value, json};
use tempfile::TempDir;

const ADMIN_TOKEN: &str = "an administrator's token";

/// Valid tokens of a hub and its private key, to create tokens with exactly one fault.
pub(crate) struct TokenForge {
    pub(crate) hub: Hub,
    /// A valid token of Ada.
    pub(crate) good: String,
    pub(crate) ada: Principal,
    /// A token of another member.
    pub(crate) other: IssuedToken,
    /// A revoked token of Ada.
    pub(crate) revoked: IssuedToken,
    /// A token of Ada of another kind.
    pub(crate) static_id: String,
    pub(crate) head: Value,
    pub(crate) claims: Value,
    /// The signing key.
    pub(crate) key: Ed25519KeyPair,
    /// The key of another hub.
    pub(crate) foreign: Ed25519KeyPair,
    _folder: TempDir,
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn part(token: &str, index: usize) -> Value {
    let text = token.split('.').nth(index).expect("three parts");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).expect("base64")).expect("JSON")
}

/// Reads the signing key from the folder.
fn read_key(folder: &Path) -> Ed25519KeyPair {
    let file: Value = serde_json::from_slice(&fs::read(folder.join("keys/keys.json")).expect("file")).expect("JSON");
    let pkcs8 = URL_SAFE_NO_PAD.decode(file["signing"]["pkcs8"].as_str().expect("a key")).expect("base64");
    Ed25519KeyPair::from_pkcs8(&pkcs8).expect("a key")
}

async fn issue(hub: &Hub, who: &Principal, format: TokenFormat) -> IssuedToken {
    let scopes = Some(Scopes::from_iter([Scope::MessagesRead, Scope::ChannelsRead]));
    let request =
        IssueToken { member_id: None, format, label: String::new(), scopes, acts_as: None, expires_in_seconds: None };
    hub.issue_token(who, request).await.expect("issued")
}

async fn person(hub: &Hub, called: &str) -> Principal {
    let admin = hub.sign_in(ADMIN_TOKEN).await.expect("admin");
    let request = NewPerson { name: Name::parse(called).expect("name"), is_admin: false };
    let (_, token) = hub.create_person(&admin, request).await.expect("person");
    hub.sign_in(&token).await.expect("signed in")
}

impl TokenForge {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let ports = Ports {
            store: Arc::new(SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store")),
            blobs: Arc::new(FileBlobs::open(folder.path()).expect("blobs")),
            clock: Arc::new(ManualClock::new()),
            ids: Arc::new(CountingIds::new()),
            keys: Arc::new(FileKeys::open(folder.path()).expect("keys")),
            issuers: Arc::new(NoIssuers),
            passwords: Arc::new(Argon2Passwords::default()),
        };
        let hub = Hub::new(ports).with_rates(Rates::off());
        hub.first_start(Some(ADMIN_TOKEN)).await.expect("first start");
        let (ada, bo) = (person(&hub, "Ada").await, person(&hub, "Bo").await);
        let other = issue(&hub, &bo, TokenFormat::Jwt).await;
        let revoked = issue(&hub, &ada, TokenFormat::Jwt).await;
        hub.revoke_token(&ada, &revoked.token.id).await.expect("revoked");
        let static_id = issue(&hub, &ada, TokenFormat::Static).await.token.id.to_string();
        let good = issue(&hub, &ada, TokenFormat::Jwt).await.secret.expect("a token");
        let (head, claims) = (part(&good, 0), part(&good, 1));
        let (key, foreign) = (read_key(folder.path()), Ed25519KeyPair::generate().expect("key"));
        Self { hub, good, ada, other, revoked, static_id, head, claims, key, foreign, _folder: folder }
    }

    /// The time at which the valid token was signed, in seconds.
    pub(crate) fn now(&self) -> i64 {
        self.claims["iat"].as_i64().expect("a number")
    }

    /// The header with one field set or, by `null`, removed.
    pub(crate) fn head_with(&self, name: &str, value: Value) -> Value {
        with(&self.head, name, value)
    }

    /// A token with this header and these claims, signed with the key of the hub.
    pub(crate) fn sign(&self, head: &str, claims: &str) -> String {
        sign_with(&self.key, head, claims)
    }

    /// A signed token with one claim set or, by `null`, removed.
    pub(crate) fn claim(&self, name: &str, value: Value) -> String {
        self.sign(&self.head.to_string(), &with(&self.claims, name, value).to_string())
    }

    /// The public key of the hub as it is published.
    pub(crate) fn jwk(&self) -> Value {
        let x = encode(self.key.public_key());
        json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": self.head["kid"], "use": "sig", "alg": "EdDSA"})
    }

    /// The public key in DER, as in a certificate.
    pub(crate) fn der(&self) -> Vec<u8> {
        let mut der = vec![0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
        der.extend_from_slice(self.key.public_key().as_ref());
        der
    }

    /// Asserts that the hub refuses the token as unauthenticated.
    pub(crate) async fn assert_refused(&self, token: &str, why: &str) {
        let failure = self.hub.sign_in(token).await.map(|caller| caller.name).expect_err(why);
        assert!(failure.refusal().is_some(), "{why}: a fault: {failure}");
        let refusal = failure.refusal().expect("just seen");
        assert_eq!(refusal.code, Code::Unauthenticated, "{why}");
        let shown = token.get(..12).filter(|start| start.is_ascii());
        assert!(shown.is_none_or(|start| !refusal.detail.contains(start)), "{why}: it is repeated");
    }
}

pub(crate) fn sign_with(key: &Ed25519KeyPair, head: &str, claims: &str) -> String {
    let signed = format!("{}.{}", encode(head), encode(claims));
    let signature = key.sign(signed.as_bytes());
    format!("{signed}.{}", encode(signature))
}

/// An object with one field set or, by `null`, removed.
pub(crate) fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut changed = object.clone();
    let fields = changed.as_object_mut().expect("an object");
    match value {
        Value::Null => drop(fields.remove(name)),
        value => drop(fields.insert(name.to_owned(), value)),
    }
    changed
}
