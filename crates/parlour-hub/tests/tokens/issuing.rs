use parlour_core::{
    Code, limits,
    paging::PageRequest,
    scope::{JoinRole, Scope, Scopes},
    token::TokenKind,
};
use parlour_hub::use_cases::{IssueToken, TokenFormat};

use super::TokenFixture;
use crate::support::{refused, token_request};

fn only(scopes: impl IntoIterator<Item = Scope>) -> Option<Scopes> {
    Some(scopes.into_iter().collect())
}

#[tokio::test]
async fn a_person_issues_a_token_for_itself_with_the_requested_scopes() {
    let fixture = TokenFixture::new().await;
    let request = IssueToken {
        label: "nightly build".into(),
        expires_in_seconds: Some(3_600),
        ..token_request(None, TokenFormat::Static, only([Scope::MessagesWrite]))
    };
    let issued = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued");
    let caller = fixture.test.hub.sign_in(&issued.secret.expect("secret")).await.expect("signed in");
    assert_eq!(
        (caller.member, caller.grant.origin.token),
        (fixture.mara.member.clone(), Some(issued.token.id.clone()))
    );
    assert_eq!(caller.grant.scopes.to_string(), "messages:write");
    assert_eq!((issued.token.kind, issued.token.label.as_str()), (TokenKind::Static, "nightly build"));
    assert_eq!(issued.token.created_by, Some(fixture.mara.member.clone()));
    let listed =
        fixture.test.hub.tokens(&fixture.mara, &fixture.mara.member, &PageRequest::first()).await.expect("list");
    assert!(listed.items.contains(&issued.token));
}

#[tokio::test]
async fn a_token_without_requested_scopes_gets_the_default_scopes() {
    let fixture = TokenFixture::new().await;
    let own =
        fixture.test.hub.issue_token(&fixture.mara, token_request(None, TokenFormat::Jwt, None)).await.expect("issued");
    assert_eq!(own.token.scopes, Scopes::all());
    let request = token_request(Some(&fixture.coder), TokenFormat::Jwt, None);
    let of_agent = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued");
    assert_eq!(of_agent.token.scopes, JoinRole::Full.scopes());
}

#[tokio::test]
async fn a_token_cannot_issue_scopes_that_it_lacks() {
    let fixture = TokenFixture::new().await;
    let narrow = [Scope::TokensManage, Scope::MessagesRead].into_iter().collect();
    let token = fixture.test.narrow_token(&fixture.mara, narrow).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    for member in [None, Some(&fixture.coder)] {
        let request = token_request(member, TokenFormat::Static, only([Scope::MessagesRead, Scope::MessagesWrite]));
        let failure = fixture.test.hub.issue_token(&caller, request).await.expect_err("refused");
        let refusal = failure.refusal().expect("a refusal");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Forbidden, Some("scopes")));
        assert!(refusal.detail.ends_with(": messages:write"), "{refusal}");
        let request = token_request(member, TokenFormat::Static, None);
        let issued = fixture.test.hub.issue_token(&caller, request).await.expect("its own scopes");
        assert!(narrow.contains_all(issued.token.scopes), "{}", issued.token.scopes);
    }
}

#[tokio::test]
async fn a_token_without_tokens_manage_issues_lists_and_revokes_nothing() {
    let fixture = TokenFixture::new().await;
    let token = fixture.test.narrow_token(&fixture.mara, JoinRole::Full.scopes()).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    let request = token_request(None, TokenFormat::Static, only([Scope::MessagesRead]));
    assert_eq!(refused(fixture.test.hub.issue_token(&caller, request).await), Code::MissingScope);
    let listed = fixture.test.hub.tokens(&caller, &fixture.mara.member, &PageRequest::first()).await;
    assert_eq!(refused(listed), Code::MissingScope);
    let id = caller.grant.origin.token.clone().expect("id");
    assert_eq!(refused(fixture.test.hub.revoke_token(&caller, &id).await), Code::MissingScope);
}

#[tokio::test]
async fn tokens_of_agents_cannot_have_scopes_of_people() {
    let fixture = TokenFixture::new().await;
    for scope in [Scope::Admin, Scope::ProjectsManage] {
        for giver in [&fixture.test.admin, &fixture.mara] {
            let request = token_request(Some(&fixture.coder), TokenFormat::Jwt, only([Scope::MessagesRead, scope]));
            assert_eq!(refused(fixture.test.hub.issue_token(giver, request).await), Code::Forbidden, "{scope}");
        }
    }
}

#[tokio::test]
async fn an_agent_with_tokens_manage_issues_own_tokens_within_its_scopes() {
    let fixture = TokenFixture::new().await;
    let scopes = only([Scope::TokensManage, Scope::MessagesRead]);
    let request = token_request(Some(&fixture.coder), TokenFormat::Jwt, scopes);
    let given = fixture.test.hub.issue_token(&fixture.mara, request).await.expect("issued").secret.expect("secret");
    let agent = fixture.test.hub.sign_in(&given).await.expect("signed in");
    let own =
        fixture.test.hub.issue_token(&agent, token_request(None, TokenFormat::Jwt, scopes)).await.expect("issued");
    assert_eq!(own.token.scopes, scopes.expect("scopes"));
    let raised = token_request(None, TokenFormat::Jwt, only([Scope::MessagesWrite]));
    assert_eq!(refused(fixture.test.hub.issue_token(&agent, raised).await), Code::Forbidden);
    let renewed = fixture.test.hub.renew_agent_token(&agent, agent.member.agent().expect("agent")).await.expect("new");
    let again = fixture.test.hub.sign_in(&renewed).await.expect("signed in");
    assert_eq!(again.grant.scopes.to_string(), "messages:read", "no more than full, and no more than its own");
    for other in [&fixture.mara, &fixture.test.agent(&fixture.project, "Painter").await] {
        let request = token_request(Some(other), TokenFormat::Static, only([Scope::MessagesRead]));
        assert_eq!(refused(fixture.test.hub.issue_token(&agent, request).await), Code::Forbidden);
    }
}

#[tokio::test]
async fn only_managers_of_an_agent_and_administrators_issue_and_list_tokens_of_others() {
    let fixture = TokenFixture::new().await;
    let hub = &fixture.test.hub;
    let eve = fixture.test.person("Eve").await;
    for (caller, member, code) in [
        (&fixture.tom, &fixture.coder, Code::Forbidden),
        (&fixture.tom, &fixture.mara, Code::Forbidden),
        (&eve, &fixture.coder, Code::NotFound),
        (&fixture.coder, &fixture.mara, Code::MissingScope),
    ] {
        let request = token_request(Some(member), TokenFormat::Static, None);
        assert_eq!(refused(hub.issue_token(caller, request).await), code, "{} for {}", caller.name, member.name);
        assert_eq!(refused(hub.tokens(caller, &member.member, &PageRequest::first()).await), code);
    }
    for (caller, member) in
        [(&fixture.mara, &fixture.coder), (&fixture.test.admin, &fixture.coder), (&fixture.test.admin, &eve)]
    {
        hub.issue_token(caller, token_request(Some(member), TokenFormat::Static, None)).await.expect("may");
        hub.tokens(caller, &member.member, &PageRequest::first()).await.expect("may");
    }
}

#[tokio::test]
async fn a_token_for_an_unknown_member_is_refused() {
    let fixture = TokenFixture::new().await;
    for member in ["per_nobody", "agt_nobody"] {
        let request = IssueToken {
            member_id: Some(member.parse().expect("an id")),
            ..token_request(None, TokenFormat::Static, None)
        };
        let failure = fixture.test.hub.issue_token(&fixture.test.admin, request).await.expect_err("refused");
        let refusal = failure.refusal().expect("a refusal");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::NotFound, Some("member_id")));
    }
}

#[tokio::test]
async fn labels_and_lengths_out_of_bounds_are_refused() {
    let fixture = TokenFixture::new().await;
    let good = token_request(None, TokenFormat::Static, None);
    let too_long = limits::TOKEN_SECONDS_MAX as u64 + 1;
    for (field, bad) in [
        ("label", IssueToken { label: "x".repeat(limits::TOKEN_LABEL_CHARS_MAX + 1), ..good.clone() }),
        ("label", IssueToken { label: "a\0b".into(), ..good.clone() }),
        ("expires_in_seconds", IssueToken { expires_in_seconds: Some(0), ..good.clone() }),
        ("expires_in_seconds", IssueToken { expires_in_seconds: Some(too_long), ..good.clone() }),
        ("expires_in_seconds", IssueToken { expires_in_seconds: Some(u64::MAX), format: TokenFormat::Jwt, ..good }),
    ] {
        let failure = fixture.test.hub.issue_token(&fixture.mara, bad.clone()).await.expect_err("refused");
        assert_eq!(failure.refusal().and_then(|refusal| refusal.field.as_deref()), Some(field), "{bad:?}");
    }
}

#[tokio::test]
async fn a_member_has_no_more_tokens_than_the_limit() {
    let fixture = TokenFixture::new().await;
    for _ in 1..limits::TOKENS_PER_MEMBER_MAX {
        fixture.test.narrow_token(&fixture.mara, Scopes::NONE).await;
    }
    let request = token_request(None, TokenFormat::Static, None);
    assert_eq!(refused(fixture.test.hub.issue_token(&fixture.mara, request).await), Code::Full);
}
