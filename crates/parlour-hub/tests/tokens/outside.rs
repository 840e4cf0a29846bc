//! Certificates and names that another issuer gives: administrators alone say whose they are.

use parlour_core::{Code, token::TokenKind};
use parlour_hub::use_cases::{Credential, TokenFormat};

use super::Stage;
use crate::support::{refused, wish_for};

fn external(issuer: &str, subject: &str) -> TokenFormat {
    TokenFormat::External { issuer: issuer.into(), subject: subject.into() }
}

#[tokio::test]
async fn a_certificate_lets_its_member_in_and_has_no_secret() {
    let stage = Stage::new().await;
    let hub = &stage.test.hub;
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&[7; 32])).await), Code::Unauthenticated);
    let request = wish_for(Some(&stage.coder), TokenFormat::Certificate([7; 32]), None);
    let issued = hub.issue_token(&stage.test.admin, request).await.expect("issued");
    assert_eq!((issued.secret, issued.token.kind), (None, TokenKind::Certificate));
    let caller = hub.sign_in(Credential::Certificate(&[7; 32])).await.expect("signed in");
    assert_eq!(caller.member, stage.coder.member);
    hub.revoke_token(&stage.mara, &issued.token.id).await.expect("revoked");
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&[7; 32])).await), Code::Unauthenticated);
}

#[tokio::test]
async fn only_administrators_say_whose_a_certificate_or_an_outside_name_is() {
    let stage = Stage::new().await;
    for wanted in [TokenFormat::Certificate([7; 32]), external("https://issuer.example", "mara")] {
        for member in [&stage.mara, &stage.coder] {
            let request = wish_for(Some(member), wanted.clone(), None);
            assert_eq!(refused(stage.test.hub.issue_token(&stage.mara, request).await), Code::Forbidden);
        }
    }
}

#[tokio::test]
async fn a_certificate_and_an_outside_name_belong_to_one_member() {
    let stage = Stage::new().await;
    for wanted in [TokenFormat::Certificate([7; 32]), external("https://issuer.example", "mara")] {
        let first = wish_for(Some(&stage.mara), wanted.clone(), None);
        stage.test.hub.issue_token(&stage.test.admin, first).await.expect("issued");
        let second = wish_for(Some(&stage.tom), wanted, None);
        assert_eq!(refused(stage.test.hub.issue_token(&stage.test.admin, second).await), Code::OutOfBounds);
    }
}

#[tokio::test]
async fn outside_names_are_plain_lines_that_say_something() {
    let stage = Stage::new().await;
    for (field, wanted) in [
        ("issuer", external("", "mara")),
        ("issuer", external("https://issuer\n.example", "mara")),
        ("subject", external("https://issuer.example", " ")),
        ("subject", external("https://issuer.example", &"x".repeat(5_000))),
    ] {
        let request = wish_for(Some(&stage.mara), wanted, None);
        let failure = stage.test.hub.issue_token(&stage.test.admin, request).await.expect_err("refused");
        assert_eq!(failure.refusal().and_then(|refusal| refusal.field.as_deref()), Some(field));
    }
}

#[tokio::test]
async fn what_is_shown_in_one_way_is_not_looked_up_in_another() {
    let stage = Stage::new().await;
    let token = stage.test.narrow_token(&stage.mara, parlour_core::scope::Scopes::all()).await;
    let hub = &stage.test.hub;
    hub.sign_in(Credential::Bearer(&token)).await.expect("as what it is");
    assert_eq!(refused(hub.sign_in(Credential::Session(&token)).await), Code::Unauthenticated);
    let hash = parlour_hub::hash_token(&token);
    assert_eq!(refused(hub.sign_in(Credential::Certificate(&hash)).await), Code::Unauthenticated);
    assert_eq!(refused(hub.sign_in_with_link(&token, Default::default()).await), Code::SignInFailed);
}
