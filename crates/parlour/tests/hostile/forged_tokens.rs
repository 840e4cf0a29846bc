//! Tokens that the hub has not signed, or not like this. Some are signed with its real key, read from its data folder.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parlour_adapters::FileKeys;
use parlour_core::claims::Claims;
use parlour_hub::ports::Keys;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::hostile_hub::HostileHub;

/// A real token, taken apart.
struct Real {
    head: Value,
    claims: Value,
    signature: String,
    token: String,
    /// The public half of the key, as it is published.
    key: String,
    keys: FileKeys,
}

fn decode(part: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64")).expect("JSON")
}

fn encode(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

/// The same object with one member changed, or taken away by null.
fn with(json: &Value, name: &str, value: Value) -> Value {
    let mut json = json.clone();
    match value {
        Value::Null => drop(json.as_object_mut().expect("an object").remove(name)),
        value => json[name] = value,
    }
    json
}

/// HMAC with SHA-256 (RFC 2104), as a forger would sign with a key that everybody knows.
fn hmac(key: &[u8], text: &str) -> String {
    let mut block = [0_u8; 64];
    let short = if key.len() > 64 { Sha256::digest(key).to_vec() } else { key.to_vec() };
    block[..short.len()].copy_from_slice(&short);
    let pad = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::new_with_prefix(pad(0x36)).chain_update(text).finalize();
    URL_SAFE_NO_PAD.encode(Sha256::new_with_prefix(pad(0x5c)).chain_update(inner).finalize())
}

impl Real {
    fn of(hostile_hub: &HostileHub) -> Self {
        let token = hostile_hub.token("coder").expect("an agent's token").to_owned();
        let parts: Vec<&str> = token.split('.').collect();
        let [head, claims, signature] = parts[..] else { unreachable!("agents have signed tokens: {token}") };
        let jwks = hostile_hub.call("nobody", "GET /.well-known/jwks.json", "").json();
        Self {
            head: decode(head),
            claims: decode(claims),
            signature: signature.to_owned(),
            key: jwks["keys"][0]["x"].as_str().expect("a key").to_owned(),
            keys: FileKeys::open(&hostile_hub.data()).expect("the hub's keys"),
            token: token.clone(),
        }
    }

    /// Other parts with the old signature.
    fn resealed(&self, head: &Value, claims: &Value) -> String {
        format!("{}.{}.{}", encode(head), encode(claims), self.signature)
    }

    /// These claims, signed with the hub's own key.
    fn signed(&self, name: &str, value: Value) -> String {
        let claims: Claims = serde_json::from_value(with(&self.claims, name, value)).expect("claims");
        self.keys.sign(&claims).expect("signed")
    }

    /// Signed with what everybody knows.
    fn hmac_signed(&self, algorithm: &str, key: &[u8]) -> String {
        let head = with(&self.head, "alg", json!(algorithm));
        let signed = format!("{}.{}", encode(&head), encode(&self.claims));
        format!("{signed}.{}", hmac(key, &signed))
    }

    /// Heads that name another algorithm or key, or bring one.
    fn heads(&self) -> Vec<(String, String)> {
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": self.key});
        let changes = [
            ("alg", json!("none")),
            ("alg", json!("None")),
            ("alg", json!("NONE")),
            ("alg", json!("nOnE")),
            ("alg", json!("")),
            ("alg", json!("HS256")),
            ("alg", json!("RS256")),
            ("alg", json!("ES256")),
            ("alg", json!("eddsa")),
            ("alg", json!(["EdDSA"])),
            ("alg", Value::Null),
            ("typ", json!("JWT+evil")),
            ("kid", Value::Null),
            ("kid", json!("")),
            ("kid", json!("unknown")),
            ("kid", json!("../../../../dev/null")),
            ("kid", json!("/etc/passwd")),
            ("kid", json!("' UNION SELECT 'x")),
            ("kid", json!("a\0b")),
            ("kid", json!(0)),
            ("kid", json!([])),
            ("kid", json!("x".repeat(3_000))),
            ("jwk", jwk),
            ("jku", json!("http://127.0.0.1:1/keys")),
            ("x5u", json!("http://127.0.0.1:1/keys")),
            ("x5c", json!(["AAAA"])),
            ("crit", json!(["exp"])),
            ("b64", json!(false)),
            ("zip", json!("DEF")),
            ("cty", json!("JWT")),
        ];
        let told = |name: &str, value: &Value| {
            format!("the head with {name} {}", &value.to_string().chars().take(30).collect::<String>())
        };
        changes
            .iter()
            .map(|(name, value)| {
                let head = with(&self.head, name, value.clone());
                (told(name, value), self.resealed(&head, &self.claims))
            })
            .collect()
    }

    /// Claims that were changed after they were signed.
    fn changed_claims(&self) -> Vec<(String, String)> {
        let changes = [
            ("sub", json!("per_00000000000000000000000001")),
            ("scope", json!("admin")),
            ("exp", json!(9_999_999_999_i64)),
            ("jti", json!("tok_00000000000000000000000001")),
            ("admin", json!(true)),
        ];
        let sealed = |(name, value): (&str, Value)| {
            let claims = with(&self.claims, name, value);
            (format!("claims with another {name}"), self.resealed(&self.head, &claims))
        };
        changes.into_iter().map(sealed).collect()
    }

    /// Claims that the real key has signed, and that are still not to be believed.
    fn badly_signed(&self, hostile_hub: &HostileHub) -> Vec<(String, String)> {
        let now = self.claims["iat"].as_i64().expect("seconds");
        let signed = |what: &str, name: &str, value: Value| (what.to_owned(), self.signed(name, value));
        vec![
            signed("expired", "exp", json!(now - 1)),
            signed("expired long ago", "exp", json!(1)),
            signed("from the future", "iat", json!(now + 86_400)),
            signed("for another audience", "aud", json!("urn:parlour:other")),
            signed("for no audience", "aud", json!("")),
            signed("of another issuer", "iss", json!("https://evil.example")),
            signed("with an unknown id", "jti", json!("tok_00000000000000000000000001")),
            signed("for another member", "sub", json!(hostile_hub.id("mara"))),
            signed("for nobody", "sub", json!("per_00000000000000000000000001")),
        ]
    }

    /// Texts that are nearly the token.
    fn misspelt(&self) -> Vec<(String, String)> {
        let (token, signature) = (&self.token, &self.signature);
        let body = token.strip_suffix(signature).expect("it ends with it");
        let signed = body.trim_end_matches('.');
        let short = &signature[..signature.len() - 4];
        let texts = [
            ("no signature", body.to_owned()),
            ("no signature and no dot", signed.to_owned()),
            ("a short signature", format!("{body}{short}")),
            ("a signature of zeros", format!("{body}{}", "A".repeat(signature.len()))),
            ("a padded signature", format!("{token}==")),
            ("a part more", format!("{token}.{signature}")),
            ("a part less", token.split_once('.').expect("parts").1.to_owned()),
            ("a dot before", format!(".{token}")),
            ("a blank inside", token.replacen('.', ". ", 1)),
            ("two of them", format!("{token},{token}")),
            ("large letters", token.to_uppercase()),
            ("a list for a head", format!("{}.{}.{signature}", URL_SAFE_NO_PAD.encode("[]"), encode(&self.claims))),
            ("nothing for a head", format!(".{}.{signature}", encode(&self.claims))),
            ("dots", "..".to_owned()),
            ("ten thousand bytes", format!("{body}{}", "A".repeat(10_000))),
            (
                "a scope doubled",
                format!("{}.{}.{signature}", encode(&self.head), URL_SAFE_NO_PAD.encode(doubled(&self.claims))),
            ),
        ];
        texts.map(|(what, text)| (what.to_owned(), text)).to_vec()
    }
}

/// The claims with one of them twice.
fn doubled(claims: &Value) -> String {
    claims.to_string().replacen('{', r#"{"scope":"admin","#, 1)
}

#[test]
fn no_forged_token_authenticates() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    let real = Real::of(&hostile_hub);
    assert_eq!(hostile_hub.call("coder", "GET /me", "").status(), 200, "the real one does");
    let raw = URL_SAFE_NO_PAD.decode(&real.key).expect("a key");
    let jwks = hostile_hub.call("nobody", "GET /.well-known/jwks.json", "").body().to_owned();
    let mut cases = [real.heads(), real.changed_claims(), real.badly_signed(&hostile_hub), real.misspelt()].concat();
    for (what, key) in [
        ("its bytes", raw.as_slice()),
        ("its text", real.key.as_bytes()),
        ("the set", jwks.as_bytes()),
        ("nothing", b""),
    ] {
        for algorithm in ["HS256", "EdDSA"] {
            cases.push((format!("{algorithm} with the public key: {what}"), real.hmac_signed(algorithm, key)));
        }
    }
    for (what, token) in &cases {
        let answer = hostile_hub.send("GET /me", &format!("Authorization: Bearer {token}\r\n"), "");
        let outcome = if answer.status() == 431 { "401 A01".to_owned() } else { answer.told() };
        hostile_hub.note(what, "401 A01", &outcome);
    }
    assert!(cases.len() > 60, "{} cases", cases.len());
    hostile_hub.check(&before);
}

#[test]
fn a_revoked_token_is_refused_despite_its_valid_signature() {
    let hostile_hub = HostileHub::new();
    let real = Real::of(&hostile_hub);
    let id = real.claims["jti"].as_str().expect("an id").to_owned();
    assert_eq!(hostile_hub.call("mara", &format!("DELETE /tokens/{id}"), "").status(), 204);
    assert_eq!(hostile_hub.call("coder", "GET /me", "").told(), "401 A01");
    let stored = hostile_hub.stored();
    hostile_hub.check(&stored);
}

#[test]
fn a_signed_scope_is_no_wider_than_the_record_of_the_token() {
    let hostile_hub = HostileHub::new();
    let real = Real::of(&hostile_hub);
    let wide = real.signed("scope", json!("admin messages:read projects:manage agents:manage tokens:manage"));
    let answer = hostile_hub.send("GET /audit", &format!("Authorization: Bearer {wide}\r\n"), "");
    assert!([401, 403].contains(&answer.status()), "{}", answer.text);
    let stored = hostile_hub.stored();
    hostile_hub.check(&stored);
}
