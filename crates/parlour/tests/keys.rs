//! The keys of a hub that dies while it makes one, and tokens of another issuer, on the real program.

mod support;

use std::{fs, os::unix::process::ExitStatusExt as _, path::Path};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_ED25519, PublicKeyData as _, SigningKey as _};
use reqwest::StatusCode;
use serde_json::{Value, json};
use support::{Hub, TOKEN, parlour, run};
use tempfile::TempDir;

/// The steps of keeping a key, in order.
const STEPS: [&str; 3] = ["keys_written", "keys_synced", "keys_renamed"];
/// How a process ends that aborts.
const SIGABRT: i32 = 6;
/// The end of tokens that must not end within a test: in the year 2100.
const LATER: i64 = 4_102_444_800;

async fn get(hub: &Hub, path: &str, token: Option<&str>) -> (StatusCode, Value) {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = http.get(format!("{}{path}", hub.url));
    let request = if let Some(token) = token { request.bearer_auth(token) } else { request };
    let answer = request.send().await.expect("an answer");
    (answer.status(), answer.json().await.expect("JSON"))
}

async fn keys_of(hub: &Hub) -> usize {
    let (_, set) = get(hub, "/.well-known/jwks.json", None).await;
    set["keys"].as_array().expect("a list").len()
}

/// A new signed token of the administrator.
fn token_of(hub: &Hub) -> String {
    hub.json("token create --label test")["secret"].as_str().expect("a token").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_killed_while_creating_its_first_key_starts_with_one_key() {
    for step in STEPS {
        let folder = tempfile::tempdir().expect("folder");
        let mut command = parlour(folder.path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).env("PARLOUR_FAILPOINT", step);
        let died = command.output().expect("it ran");
        assert_eq!(died.status.signal(), Some(SIGABRT), "{step}");
        let hub = Hub::start(folder.path());
        assert_eq!(keys_of(&hub).await, 1, "{step}");
        assert_eq!(get(&hub, "/me", Some(&token_of(&hub))).await.0, StatusCode::OK, "{step}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_killed_during_a_key_rotation_keeps_its_issuer_and_tokens() {
    for (step, keys_after) in STEPS.into_iter().zip([1, 1, 2]) {
        let folder = tempfile::tempdir().expect("folder");
        let mut hub = Hub::start_with(folder.path(), |command| {
            // The first time is that of the first key.
            command.env("PARLOUR_ADMIN_TOKEN", TOKEN).env("PARLOUR_FAILPOINT", format!("{step}:2"))
        });
        let older = token_of(&hub);
        assert_ne!(hub.run("key rotate").code, Some(0), "{step}");
        assert_eq!(hub.wait().signal(), Some(SIGABRT), "{step}");
        let hub = Hub::start(folder.path());
        assert_eq!(keys_of(&hub).await, keys_after, "{step}: the old state or the new one");
        assert_eq!(get(&hub, "/me", Some(&older)).await.0, StatusCode::OK, "{step}");
        assert_eq!(hub.run("key rotate").code, Some(0), "{step}");
        for token in [&older, &token_of(&hub)] {
            assert_eq!(get(&hub, "/me", Some(token)).await.0, StatusCode::OK, "{step}");
        }
        let left: Vec<_> = fs::read_dir(folder.path().join("data/keys")).expect("folder").collect();
        assert_eq!(left.len(), 1, "{step}: nothing half-written is left");
    }
}

#[test]
fn damaged_keys_prevent_the_start_and_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    Hub::start(folder.path()).stop();
    fs::write(folder.path().join("data/keys/keys.json"), "{}").expect("damage");
    let refused = run(parlour(folder.path()).args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]), "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("keys.json: the file is not in the form"), "{}", refused.stderr);
}

/// Another issuer, with its keys in a file.
struct Issuer {
    key: KeyPair,
    folder: TempDir,
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Issuer {
    const NAME: &str = "https://id.example";

    fn new() -> Self {
        let (key, folder) = (KeyPair::generate_for(&PKCS_ED25519).expect("key"), tempfile::tempdir().expect("folder"));
        let issuer = Self { key, folder };
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": encode(issuer.key.der_bytes()), "kid": "1"});
        fs::write(issuer.file(), json!({"keys": [jwk]}).to_string()).expect("file");
        issuer
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("issuer.json")
    }

    fn sign(&self, subject: &str, more: &Value) -> String {
        let mut claims = json!({"iss": Self::NAME, "aud": "parlour", "sub": subject, "exp": LATER});
        claims.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        let signed = format!("{}.{}", encode(r#"{"alg":"EdDSA","kid":"1"}"#), encode(claims.to_string()));
        let signature = self.key.sign(signed.as_bytes()).expect("signature");
        format!("{signed}.{}", encode(signature))
    }

    /// A hub that trusts it.
    fn trusted_by(&self, folder: &Path) -> Hub {
        Hub::start_with(folder, |command| {
            let trust = [
                ("PARLOUR_ISSUER", Self::NAME),
                ("PARLOUR_ISSUER_AUDIENCE", "parlour"),
                ("PARLOUR_ISSUER_JWKS", self.file().to_str().expect("path")),
            ]
            .map(|(name, value)| (name, value.to_owned()));
            command.env("PARLOUR_ADMIN_TOKEN", TOKEN).envs(trust)
        })
    }
}

/// Says which member a subject is.
async fn bind(hub: &Hub, subject: &str) -> StatusCode {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = json!({"kind": "external", "issuer": Issuer::NAME, "subject": subject});
    let request = http.post(format!("{}/tokens", hub.url)).bearer_auth(&hub.token).json(&request);
    request.send().await.expect("an answer").status()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_subject_authenticates_after_an_administrator_links_it() {
    let (issuer, folder) = (Issuer::new(), tempfile::tempdir().expect("folder"));
    let hub = issuer.trusted_by(folder.path());
    let token = issuer.sign("ada", &json!({}));
    assert_eq!(get(&hub, "/me", Some(&token)).await.0, StatusCode::UNAUTHORIZED, "nobody has said who that is");
    assert_eq!(bind(&hub, "ada").await, StatusCode::CREATED);
    let (status, me) = get(&hub, "/me", Some(&token)).await;
    assert_eq!((status, &me["name"]), (StatusCode::OK, &json!("Admin")));
    assert_eq!(get(&hub, "/me", Some(&issuer.sign("bo", &json!({})))).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_token_is_limited_to_its_audience_expiry_and_scopes() {
    let (issuer, folder) = (Issuer::new(), tempfile::tempdir().expect("folder"));
    let hub = issuer.trusted_by(folder.path());
    assert_eq!(bind(&hub, "ada").await, StatusCode::CREATED);
    for wrong in
        [json!({"aud": "other"}), json!({"exp": 1}), json!({"nbf": LATER}), json!({"iss": "https://evil.example"})]
    {
        let token = issuer.sign("ada", &wrong);
        assert_eq!(get(&hub, "/me", Some(&token)).await.0, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    let forged = Issuer::new().sign("ada", &json!({}));
    assert_eq!(get(&hub, "/me", Some(&forged)).await.0, StatusCode::UNAUTHORIZED);
    let narrow = issuer.sign("ada", &json!({"scope": "openid messages:read"}));
    assert_eq!(get(&hub, "/me", Some(&narrow)).await.0, StatusCode::OK);
    assert_eq!(get(&hub, "/projects", Some(&narrow)).await.0, StatusCode::FORBIDDEN, "it names another scope only");
}
