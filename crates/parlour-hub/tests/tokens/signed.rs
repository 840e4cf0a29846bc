use parlour_adapters::FileKeys;
use parlour_core::{
    Code,
    claims::Claims,
    id::TokenId,
    scope::{JoinRole, Scope, Scopes},
    token::TokenKind,
};
use parlour_hub::{ports::Keys, use_cases::TokenFormat};

use super::TokenFixture;
use crate::support::{refused, token_request};

/// A change of valid claims.
type Change = fn(&mut Claims);

impl TokenFixture {
    /// A token with these claims, signed with the key of the hub.
    fn sign(&self, change: impl FnOnce(&mut Claims)) -> String {
        let keys = FileKeys::open(self.test.folder.path()).expect("keys");
        let now = parlour_hub::ports::Clock::now(self.test.clock.as_ref()).as_millis() / 1_000;
        let mut claims = Claims {
            iss: keys.issuer().to_owned(),
            aud: keys.issuer().to_owned(),
            sub: self.mara.member.clone(),
            jti: TokenId::from_bits(7),
            scope: "admin".into(),
            iat: now,
            exp: now + 60,
        };
        change(&mut claims);
        keys.sign(&claims).expect("signed")
    }
}

#[tokio::test]
async fn agents_get_signed_tokens_of_the_role_full() {
    let fixture = TokenFixture::new().await;
    let tokens = fixture.tokens_of(&fixture.coder).await;
    assert_eq!(tokens.len(), 1);
    assert_eq!((tokens[0].kind, tokens[0].scopes), (TokenKind::Jwt, JoinRole::Full.scopes()));
    assert_eq!(tokens[0].created_by, Some(fixture.test.admin.member.clone()));
    assert_eq!(fixture.coder.grant.expires_at, tokens[0].expires_at);
}

#[tokio::test]
async fn people_get_static_tokens_without_expiry() {
    let fixture = TokenFixture::new().await;
    let tokens = fixture.tokens_of(&fixture.mara).await;
    assert_eq!(
        tokens.iter().map(|token| (token.kind, token.expires_at)).collect::<Vec<_>>(),
        [(TokenKind::Static, None)]
    );
}

#[tokio::test]
async fn a_valid_signature_of_an_unknown_token_does_not_authenticate() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    assert_eq!(refused(hub.sign_in(&fixture.sign(|_| ())).await), Code::Unauthenticated, "no such token");
    let known = fixture.tokens_of(&fixture.coder).await[0].id.clone();
    let stolen = fixture.sign(|claims| claims.jti = known);
    assert_eq!(refused(hub.sign_in(&stolen).await), Code::Unauthenticated, "the token of another member");
    let random = fixture.tokens_of(&fixture.mara).await[0].id.clone();
    let of_static = fixture.sign(|claims| claims.jti = random);
    assert_eq!(refused(hub.sign_in(&of_static).await), Code::Unauthenticated, "the id of a static token");
}

#[tokio::test]
async fn the_scopes_of_a_signed_token_are_limited_by_its_record() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let request =
        token_request(None, TokenFormat::Jwt, Some([Scope::MessagesRead, Scope::ChannelsRead].into_iter().collect()));
    let issued = hub.issue_token(&fixture.mara, request).await.expect("issued");
    let forged = fixture.sign(|claims| {
        claims.jti = issued.token.id.clone();
        claims.scope = "messages:read admin".into();
    });
    let caller = hub.sign_in(&forged).await.expect("signed in");
    assert_eq!(caller.grant.scopes.to_string(), "messages:read");
    assert!(caller.grant.expires_at < issued.token.expires_at, "the earlier end counts");
}

#[tokio::test]
async fn tokens_with_wrong_issuer_audience_time_or_scope_are_refused() {
    let fixture = TokenFixture::new().await;
    let request = token_request(None, TokenFormat::Jwt, Some(Scopes::all()));
    let id = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued").token.id;
    let cases: [(&str, Change); 6] = [
        ("issuer", |claims| claims.iss = "urn:parlour:other".into()),
        ("audience", |claims| claims.aud = "urn:parlour:other".into()),
        ("ended", |claims| claims.exp = claims.iat),
        ("long ago", |claims| claims.exp = 0),
        ("future", |claims| (claims.iat, claims.exp) = (claims.iat + 3_600, claims.exp + 3_600)),
        ("scope", |claims| claims.scope = "everything".into()),
    ];
    for (what, change) in cases {
        let token = fixture.sign(|claims| {
            claims.jti = id.clone();
            change(claims);
        });
        assert_eq!(refused(fixture.test.hub.sign_in(&token).await), Code::Unauthenticated, "{what}");
    }
}

#[tokio::test]
async fn tokens_of_an_older_key_still_work_after_a_rotation() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let old =
        hub.renew_agent_token(&fixture.mara, fixture.coder.member.agent().expect("agent")).await.expect("renewed");
    let kid = hub.rotate_key(&fixture.test.admin).await.expect("rotated");
    assert_eq!(hub.jwks()["keys"][0]["kid"], kid.as_str());
    fixture.test.forgetful().sign_in(&old).await.expect("still works");
    assert_eq!(refused(hub.rotate_key(&fixture.mara).await), Code::Forbidden);
    assert_eq!(refused(hub.rotate_key(&fixture.coder).await), Code::MissingScope);
}

#[tokio::test]
async fn a_static_token_may_contain_dots() {
    let fixture = TokenFixture::new().await;
    fixture.test.hub.first_start(Some("my.own.token")).await.expect("start");
    let admin = fixture.test.hub.sign_in("my.own.token").await.expect("signed in");
    assert_eq!(admin.member, fixture.test.admin.member);
    assert_eq!(refused(fixture.test.hub.sign_in("some.other.token").await), Code::Unauthenticated);
}
