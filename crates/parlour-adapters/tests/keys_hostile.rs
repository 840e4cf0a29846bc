//! Forged tokens, presented to a complete hub. Each kind of attack is a table.
//!
//! Wrong claims are signed with the key of the hub, so that only the claims can cause the refusal.

#[path = "keys_hostile/forms.rs"]
mod forms;
#[path = "keys_hostile/mutation.rs"]
mod mutation;
#[path = "keys_hostile/token_forge.rs"]
mod token_forge;

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use parlour_core::{limits, scope::Scope};
use serde_json::{Value, json};
use token_forge::{TokenForge, encode, sign_with, with};

#[tokio::test]
async fn an_unchanged_token_that_is_signed_again_is_accepted() {
    let forge = TokenForge::new().await;
    let again = forge.sign(&forge.head.to_string(), &forge.claims.to_string());
    for token in [&forge.good, &again] {
        assert_eq!(forge.hub.sign_in(token).await.expect("good").member, forge.ada.member);
    }
}

#[tokio::test]
async fn tokens_without_a_signature_are_refused() {
    let forge = TokenForge::new().await;
    let [_, claims, signature] = *forge.good.split('.').collect::<Vec<_>>() else { panic!("three parts") };
    for alg in [
        json!("none"),
        json!("None"),
        json!("NONE"),
        json!("nOnE"),
        json!(""),
        json!(" none"),
        json!("none "),
        json!("n\u{043e}ne"),
        json!("none\0"),
        json!(["none"]),
        json!(0),
        json!(false),
        json!({}),
        Value::Null,
    ] {
        let head = encode(forge.head_with("alg", alg.clone()).to_string());
        forge.assert_refused(&format!("{head}.{claims}."), &format!("{alg} without a signature")).await;
        forge.assert_refused(&format!("{head}.{claims}.{signature}"), &format!("{alg} with a signature")).await;
        let bare = encode(json!({"alg": alg}).to_string());
        forge.assert_refused(&format!("{bare}.{claims}."), &format!("{alg} alone")).await;
    }
    let head = encode(r#"{"alg":null,"typ":"at+jwt","kid":null}"#);
    forge.assert_refused(&format!("{head}.{claims}."), "alg null").await;
}

#[tokio::test]
async fn the_public_key_is_not_accepted_as_an_hmac_secret() {
    let forge = TokenForge::new().await;
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(forge.der()));
    let jwk = forge.jwk();
    let x = jwk["x"].as_str().expect("a text").to_owned();
    let secrets: [(&str, Vec<u8>); 9] = [
        ("the raw key", forge.der()[12..].to_vec()),
        ("its DER", forge.der()),
        ("its PEM", pem.clone().into_bytes()),
        ("its PEM without the last line break", pem.trim_end().as_bytes().to_vec()),
        ("its JWK", jwk.to_string().into_bytes()),
        ("its base64", x.into_bytes()),
        ("its set", json!({"keys": [jwk]}).to_string().into_bytes()),
        ("its name", forge.head["kid"].as_str().expect("a text").as_bytes().to_vec()),
        ("nothing", Vec::new()),
    ];
    for (what, secret) in secrets {
        for (alg, algorithm) in [
            ("HS256", hmac::HMAC_SHA256),
            ("HS384", hmac::HMAC_SHA384),
            ("HS512", hmac::HMAC_SHA512),
            ("EdDSA", hmac::HMAC_SHA512),
        ] {
            let head = forge.head_with("alg", json!(alg)).to_string();
            let signed = format!("{}.{}", encode(head), encode(forge.claims.to_string()));
            let tag = hmac::sign(&hmac::Key::new(algorithm, &secret), signed.as_bytes());
            forge.assert_refused(&format!("{signed}.{}", encode(tag)), &format!("{alg} with {what}")).await;
        }
    }
}

#[tokio::test]
async fn headers_in_any_other_form_are_refused() {
    let forge = TokenForge::new().await;
    for (name, value) in [
        ("alg", json!("eddsa")),
        ("alg", json!("Ed25519")),
        ("alg", json!("ES256")),
        ("alg", json!("RS256")),
        ("alg", json!("EdDSA ")),
        ("typ", json!("JWT")),
        ("typ", json!("AT+JWT")),
        ("typ", json!("application/at+jwt")),
        ("typ", json!("")),
        ("typ", Value::Null),
        ("cty", json!("JWT")),
        ("zip", json!("DEF")),
        ("enc", json!("A256GCM")),
        ("crit", json!([])),
        ("crit", json!(["exp"])),
        ("b64", json!(false)),
        ("x5t", json!("AAAA")),
        ("extra", json!(1)),
    ] {
        let head = forge.head_with(name, value.clone()).to_string();
        forge.assert_refused(&forge.sign(&head, &forge.claims.to_string()), &format!("{name}: {value}")).await;
    }
    let head = forge.head.to_string();
    for (text, why) in [
        (head.replacen('{', r#"{"alg":"none","#, 1), "alg twice"),
        (head.replacen('{', r#"{"kid":"x","#, 1), "kid twice"),
        (head.replacen('{', r#"{"\u0061lg":"EdDSA","#, 1), "alg twice, once in disguise"),
        (format!("[{head}]"), "a list"),
        (json!(["EdDSA", "at+jwt", forge.head["kid"]]).to_string(), "a list of values"),
        (format!("{head}{head}"), "two heads"),
        (format!("\u{feff}{head}"), "a byte order mark"),
        (String::new(), "nothing"),
        ("null".to_owned(), "null"),
    ] {
        forge.assert_refused(&forge.sign(&text, &forge.claims.to_string()), why).await;
    }
}

#[tokio::test]
async fn headers_with_a_key_or_a_key_address_are_refused() {
    let forge = TokenForge::new().await;
    let x = encode(aws_lc_rs::signature::KeyPair::public_key(&forge.foreign));
    let theirs = json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": forge.head["kid"], "alg": "EdDSA"});
    for (name, value) in [
        ("jwk", theirs.clone()),
        ("jku", json!("https://evil.example/keys")),
        ("jku", json!("file:///etc/passwd")),
        ("x5u", json!("https://evil.example/cert")),
        ("x5c", json!([STANDARD.encode(forge.der())])),
        ("jwks", json!({"keys": [theirs]})),
    ] {
        let head = forge.head_with(name, value).to_string();
        forge.assert_refused(&sign_with(&forge.foreign, &head, &forge.claims.to_string()), name).await;
        forge.assert_refused(&forge.sign(&head, &forge.claims.to_string()), name).await;
    }
}

#[tokio::test]
async fn only_the_exact_key_id_selects_a_key() {
    let forge = TokenForge::new().await;
    let own = forge.head["kid"].as_str().expect("a text").to_owned();
    for kid in [
        json!("../../../../dev/null"),
        json!("/dev/null"),
        json!("keys.json"),
        json!("file:///dev/null"),
        json!("' OR '1'='1"),
        json!("x' UNION SELECT 'secret"),
        json!("*"),
        json!("%"),
        json!(""),
        json!(" "),
        json!("\0"),
        json!(format!("{own}\0")),
        json!(format!(" {own}")),
        json!(format!("{own}\n")),
        json!(own.to_lowercase()),
        json!(own[1..]),
        json!(format!("{own}{own}")),
        json!("k".repeat(3_000)),
        json!([own]),
        json!({"kid": own}),
        json!(0),
        json!(true),
        json!("${jndi:ldap://evil.example/x}"),
        Value::Null,
    ] {
        let head = forge.head_with("kid", kid.clone()).to_string();
        forge.assert_refused(&forge.sign(&head, &forge.claims.to_string()), &format!("kid {kid}")).await;
        forge.assert_refused(&sign_with(&forge.foreign, &head, &forge.claims.to_string()), &format!("kid {kid}")).await;
    }
}

#[tokio::test]
async fn tokens_signed_with_another_key_are_refused() {
    let forge = TokenForge::new().await;
    let other_hub = TokenForge::new().await;
    let (head, claims) = (forge.head.to_string(), forge.claims.to_string());
    forge.assert_refused(&sign_with(&forge.foreign, &head, &claims), "our kid, their key").await;
    forge.assert_refused(&other_hub.sign(&other_hub.head.to_string(), &claims), "another hub's key and kid").await;
    forge.assert_refused(&other_hub.good, "another hub's token").await;
    forge.assert_refused(&forge.sign(&other_hub.head.to_string(), &claims), "another hub's kid").await;
    let other = with(&forge.claims, "sub", json!(forge.other.token.member_id)).to_string();
    forge.assert_refused(&sign_with(&forge.foreign, &head, &other), "for another member").await;
}

#[tokio::test]
async fn signed_claims_with_expired_future_or_invalid_times_are_refused() {
    let forge = TokenForge::new().await;
    let now = forge.now();
    for exp in [
        json!(now),
        json!(now - 1),
        json!(0),
        json!(-1),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!(now as f64 + 60.5),
        json!((now + 60).to_string()),
        json!([now + 60]),
        json!(true),
        Value::Null,
        json!(now + limits::TOKEN_SECONDS_MAX as i64 + 1),
    ] {
        forge.assert_refused(&forge.claim("exp", exp.clone()), &format!("exp: {exp}")).await;
    }
    for iat in [json!(now + 3_600), json!(-1), json!("0"), json!(0.5), json!(i64::MIN), json!(i64::MAX), Value::Null] {
        forge.assert_refused(&forge.claim("iat", iat.clone()), &format!("iat: {iat}")).await;
    }
}

#[tokio::test]
async fn signed_claims_with_another_issuer_audience_or_subject_are_refused() {
    let forge = TokenForge::new().await;
    for (claim, value) in [
        ("iss", json!("urn:parlour:00000000000000000000000000000000")),
        ("iss", json!("")),
        ("iss", Value::Null),
        ("iss", json!([forge.claims["iss"]])),
        ("aud", json!("urn:parlour:other")),
        ("aud", json!([forge.claims["aud"]])),
        ("aud", json!("*")),
        ("aud", Value::Null),
        ("sub", json!(forge.other.token.member_id)),
        ("sub", json!("per_nobody")),
        ("sub", json!("")),
        ("sub", json!("admin")),
        ("sub", json!([forge.claims["sub"]])),
        ("sub", json!({"$ne": null})),
        ("sub", Value::Null),
        ("jti", json!(forge.other.token.id)),
        ("jti", json!(forge.revoked.token.id)),
        ("jti", json!(forge.static_id)),
        ("jti", json!("tok_unknown")),
        ("jti", json!("tok_' OR 1=1")),
        ("jti", json!("per_1")),
        ("jti", json!("")),
        ("jti", Value::Null),
    ] {
        forge.assert_refused(&forge.claim(claim, value.clone()), &format!("{claim}: {value}")).await;
    }
    forge.assert_refused(forge.revoked.secret.as_deref().expect("a token"), "a revoked token").await;
}

#[tokio::test]
async fn signed_claims_with_unknown_fields_are_refused() {
    let forge = TokenForge::new().await;
    for (claim, value) in [
        ("scope", json!("messages:read root")),
        ("scope", json!(["admin"])),
        ("scope", json!("ADMIN")),
        ("scope", json!(7)),
        ("scope", Value::Null),
        ("admin", json!(true)),
        ("role", json!("admin")),
        ("scopes", json!(["admin"])),
        ("act", json!({"sub": "per_1"})),
        ("nbf", json!(forge.now())),
        ("cnf", json!({"jkt": "x"})),
        ("__proto__", json!({})),
    ] {
        forge.assert_refused(&forge.claim(claim, value.clone()), &format!("{claim}: {value}")).await;
    }
}

#[tokio::test]
async fn signed_claims_with_duplicate_keys_or_without_an_object_are_refused() {
    let forge = TokenForge::new().await;
    let claims = forge.claims.to_string();
    let twice = |claim: &str, value: Value| claims.replacen('{', &format!("{{\"{claim}\":{value},"), 1);
    for (text, why) in [
        (twice("sub", json!(forge.other.token.member_id)), "sub twice"),
        (twice("sub", forge.claims["sub"].clone()), "the same sub twice"),
        (twice("exp", json!(1)), "exp twice"),
        (twice("jti", json!(forge.other.token.id)), "jti twice"),
        (twice("scope", json!("admin")), "scope twice"),
        (twice("\\u0073ub", json!(forge.other.token.member_id)), "sub twice, once in disguise"),
        (format!("[{claims}]"), "a list"),
        (json!(forge.claims.as_object().expect("object").values().collect::<Vec<_>>()).to_string(), "a list of values"),
        (format!("{claims}{claims}"), "two objects"),
        (format!("{claims}\0"), "a NUL behind"),
        (format!("\u{feff}{claims}"), "a byte order mark"),
        (claims[..claims.len() - 1].to_owned(), "without its end"),
        (format!("{}1{}", "{\"a\":".repeat(700), "}".repeat(700)), "deep"),
        ("[".repeat(2_000), "deeper"),
        ("{}".to_owned(), "nothing in it"),
        (String::new(), "nothing"),
        ("null".to_owned(), "null"),
        ("\"claims\"".to_owned(), "a text"),
    ] {
        forge.assert_refused(&forge.sign(&forge.head.to_string(), &text), why).await;
    }
}

#[tokio::test]
async fn a_token_cannot_claim_more_scopes_than_were_granted() {
    let forge = TokenForge::new().await;
    let greedy = forge.claim("scope", json!("messages:read messages:write tokens:manage admin"));
    let caller = forge.hub.sign_in(&greedy).await.expect("rightly signed");
    assert_eq!(caller.grant.scopes.iter().collect::<Vec<_>>(), [Scope::MessagesRead]);
    let longer = forge.claim("exp", json!(forge.now() + limits::TOKEN_SECONDS_MAX as i64));
    let ends = |caller: parlour_core::access::Principal| caller.grant.expires_at.expect("an end");
    let (longer, good) = (forge.hub.sign_in(&longer).await, forge.hub.sign_in(&forge.good).await);
    assert_eq!(ends(longer.expect("rightly signed")), ends(good.expect("good")));
}

#[tokio::test]
async fn mutated_tokens_are_refused() {
    let forge = TokenForge::new().await;
    mutation::attack_texts(&forge).await;
}

#[tokio::test]
async fn signed_mutated_claims_never_extend_the_grant() {
    let forge = TokenForge::new().await;
    mutation::attack_claims(&forge).await;
}
