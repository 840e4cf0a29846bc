//! Certificates and identities of foreign issuers; only administrators assign them to members.

use parlour_core::{Code, token::TokenKind};
use parlour_hub::use_cases::{Credential, TokenFormat};

use super::TokenFixture;
use crate::support::{refused, token_request};

fn external(issuer: &str, subject: &str) -> TokenFormat {
    TokenFormat::External { issuer: issuer.into(), subject: subject.into() }
}

#[tokio::test]
async fn a_certificate_authenticates_its_member_and_has_no_secret() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&[7; 32])).await), Code::Unauthenticated);
    let request = token_request(Some(&fixture.coder), TokenFormat::Certificate([7; 32]), None);
    let issued = hub.issue_token(&fixture.test.admin, request).await.expect("issued");
    assert_eq!((issued.secret, issued.token.kind), (None, TokenKind::Certificate));
    let caller = hub.sign_in(Credential::Certificate(&[7; 32])).await.expect("signed in");
    assert_eq!(caller.member, fixture.coder.member);
    hub.revoke_token(&fixture.mara, &issued.token.id).await.expect("revoked");
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&[7; 32])).await), Code::Unauthenticated);
}

#[tokio::test]
async fn only_administrators_assign_certificates_and_foreign_identities() {
    let fixture = TokenFixture::new().await;
    for format in [TokenFormat::Certificate([7; 32]), external("https://issuer.example", "mara")] {
        for member in [&fixture.mara, &fixture.coder] {
            let request = token_request(Some(member), format.clone(), None);
            assert_eq!(refused(fixture.test.hub.issue_token(&fixture.mara, request).await), Code::Forbidden);
        }
    }
}

#[tokio::test]
async fn a_certificate_or_foreign_identity_belongs_to_one_member() {
    let fixture = TokenFixture::new().await;
    for format in [TokenFormat::Certificate([7; 32]), external("https://issuer.example", "mara")] {
        let first = token_request(Some(&fixture.mara), format.clone(), None);
        fixture.test.hub.issue_token(&fixture.test.admin, first).await.expect("issued");
        let second = token_request(Some(&fixture.tom), format, None);
        assert_eq!(refused(fixture.test.hub.issue_token(&fixture.test.admin, second).await), Code::OutOfBounds);
    }
}

#[tokio::test]
async fn invalid_foreign_identities_are_refused_with_their_field() {
    let fixture = TokenFixture::new().await;
    for (field, format) in [
        ("issuer", external("", "mara")),
        ("issuer", external("https://issuer\n.example", "mara")),
        ("subject", external("https://issuer.example", " ")),
        ("subject", external("https://issuer.example", &"x".repeat(5_000))),
    ] {
        let request = token_request(Some(&fixture.mara), format, None);
        let failure = fixture.test.hub.issue_token(&fixture.test.admin, request).await.expect_err("refused");
        assert_eq!(failure.refusal().and_then(|refusal| refusal.field.as_deref()), Some(field));
    }
}

#[tokio::test]
async fn a_credential_is_looked_up_only_among_its_own_kind() {
    let fixture = TokenFixture::new().await;
    let token = fixture.test.narrow_token(&fixture.mara, parlour_core::scope::Scopes::all()).await;
    let hub = &fixture.test.hub;
    hub.sign_in(Credential::Bearer(&token)).await.expect("as a bearer token");
    assert_eq!(refused(hub.sign_in(Credential::Session(&token)).await), Code::Unauthenticated);
    let hash = parlour_hub::hash_token(&token);
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&hash)).await), Code::Unauthenticated);
    assert_eq!(refused(hub.sign_in_with_link(&token, Default::default()).await), Code::SignInFailed);
}
