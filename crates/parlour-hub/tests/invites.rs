//! Invites: joining, roles, number of uses, expiry and revocation.

mod support;

use parlour_core::{
    Code,
    access::Principal,
    attribution::Surface,
    event::Change,
    id::{InviteId, ProjectId},
    invite::Invite,
    limits,
    paging::PageRequest,
    scope::{JoinRole, Scope, Scopes},
    token::TokenKind,
};
use parlour_hub::{
    Failure,
    ports::{Clock, Log},
    use_cases::{Join, Joined, NewInvite},
};
use support::{TestHub, name, person_id, refused, say};

struct InviteFixture {
    test: TestHub,
    mara: Principal,
    project: ProjectId,
}

impl InviteFixture {
    async fn new() -> Self {
        let test = TestHub::new().await;
        let mara = test.person("Mara").await;
        let project = test.project(&mara, "Release").await;
        Self { test, mara, project }
    }

    fn request(&self, role: JoinRole, uses_max: u32) -> NewInvite {
        let (project_id, label) = (self.project.clone(), "the build machine".to_owned());
        NewInvite { project_id, role, label, uses_max, expires_in_seconds: None }
    }

    async fn invite(&self, role: JoinRole, uses_max: u32) -> (Invite, String) {
        self.test.hub.create_invite(&self.mara, self.request(role, uses_max)).await.expect("invite")
    }

    async fn join(&self, code: &str, called: &str) -> Result<Joined, Failure> {
        let request = Join {
            code: code.to_owned(),
            name: name(called),
            capabilities: vec!["rust".into()],
            endpoint_url: None,
            instructions: Some(String::new()),
            context: None,
        };
        self.test.hub.join(request, Surface::Http).await
    }

    async fn listed(&self) -> Vec<Invite> {
        self.test.hub.invites(&self.mara, &self.project, &PageRequest::first()).await.expect("list").items
    }
}

#[tokio::test]
async fn an_agent_joins_with_a_code_and_can_post_and_receive_messages() {
    let fixture = InviteFixture::new().await;
    let channel = fixture.test.channel(&fixture.mara, &fixture.project, "general").await;
    let (invite, code) = fixture.invite(JoinRole::Full, 1).await;
    assert!(code.starts_with("parlour_inv_"), "secret scanners recognise the prefix");
    let joined = fixture.join(&code, "Coder").await.expect("joined");
    assert_eq!((joined.project.id, joined.agent.owner), (fixture.project.clone(), person_id(&fixture.mara)));
    assert_eq!((joined.agent.capabilities, joined.agent.instructions), (vec!["rust".to_owned()], None));
    assert_eq!((joined.token.token.kind, joined.token.token.scopes), (TokenKind::Jwt, JoinRole::Full.scopes()));
    let coder = fixture.test.hub.sign_in(&joined.token.secret.expect("secret")).await.expect("signed in");
    fixture.test.hub.post_message(&coder, say(&channel, "Here I am")).await.expect("posted");
    let posted = fixture.test.post(&fixture.mara, &channel, "@Coder welcome").await;
    assert_eq!(posted.message.mentions, std::slice::from_ref(&coder.member), "the roster contains it");
    assert_eq!(fixture.test.inbox(&coder).await, [posted.message.id]);
    assert_eq!(fixture.listed().await, [Invite { uses: 1, ..invite }]);
}

#[tokio::test]
async fn the_log_attributes_the_join_to_the_agent() {
    let fixture = InviteFixture::new().await;
    let (_, code) = fixture.invite(JoinRole::Full, 1).await;
    let joined = fixture.join(&code, "Coder").await.expect("joined");
    let events = fixture.test.store().events_after(&fixture.project, 0, 100).await.expect("events");
    let last = events.last().expect("an event");
    assert!(matches!(&last.change, Change::AgentCreated(agent) if **agent == joined.agent), "{:?}", last.change);
    assert_eq!(last.actor.member_id(), Some(joined.agent.id.into()));
}

#[tokio::test]
async fn a_joined_agent_has_the_role_of_the_invite() {
    let fixture = InviteFixture::new().await;
    let channel = fixture.test.channel(&fixture.mara, &fixture.project, "general").await;
    for (role, called, may_write) in [(JoinRole::ReadOnly, "Reader", false), (JoinRole::PostOnly, "Poster", true)] {
        let (_, code) = fixture.invite(role, 1).await;
        let secret = fixture.join(&code, called).await.expect("joined").token.secret.expect("secret");
        let agent = fixture.test.hub.sign_in(&secret).await.expect("signed in");
        assert_eq!(agent.grant.scopes, role.scopes());
        let posted = fixture.test.hub.post_message(&agent, say(&channel, "Hi")).await;
        assert_eq!(posted.is_ok(), may_write, "{called}");
        assert_eq!(fixture.test.hub.unread(&agent, &fixture.project).await.is_ok(), !may_write, "{called}");
    }
}

#[tokio::test]
async fn concurrent_joins_do_not_exceed_the_uses_of_an_invite() {
    let fixture = InviteFixture::new().await;
    let (_, code) = fixture.invite(JoinRole::Full, 2).await;
    let names = ["Anna", "Bert", "Carl", "Dora"];
    let joins = futures_util::future::join_all(names.map(|called| fixture.join(&code, called))).await;
    let (joined, late): (Vec<_>, Vec<_>) = joins.into_iter().partition(Result::is_ok);
    assert_eq!((joined.len(), late.len()), (2, 2));
    for one in late {
        assert_eq!(refused(one), Code::InviteEnded);
    }
}

#[tokio::test]
async fn a_join_with_a_taken_name_does_not_use_the_invite() {
    let fixture = InviteFixture::new().await;
    let (_, code) = fixture.invite(JoinRole::Full, 1).await;
    fixture.test.agent(&fixture.project, "Coder").await;
    for taken in ["Coder", "coder", "Mara"] {
        assert_eq!(refused(fixture.join(&code, taken).await), Code::NameTaken, "{taken}");
    }
    fixture.join(&code, "Painter").await.expect("the invite is still open");
}

#[tokio::test]
async fn unknown_used_expired_and_revoked_codes_get_the_same_refusal() {
    let fixture = InviteFixture::new().await;
    let (_, used_up) = fixture.invite(JoinRole::Full, 1).await;
    fixture.join(&used_up, "Coder").await.expect("joined");
    let (revoked, revoked_code) = fixture.invite(JoinRole::Full, 1).await;
    fixture.test.hub.revoke_invite(&fixture.mara, &revoked.id).await.expect("revoked");
    let (_, ended) = fixture.invite(JoinRole::Full, 1).await;
    let clock = &fixture.test.clock;
    clock.advance(u32::try_from(limits::INVITE_SECONDS_DEFAULT).expect("fits") * 1_000);
    let mut words = Vec::new();
    for code in [used_up.as_str(), &revoked_code, &ended, "parlour_inv_nonsense", "", &"x".repeat(100_000)] {
        let failure = fixture.join(code, "Painter").await.expect_err("refused");
        assert_eq!(failure.refusal().expect("a refusal").code, Code::InviteEnded);
        words.push(failure.to_string());
    }
    words.dedup();
    assert_eq!(words.len(), 1, "{words:?}");
}

#[tokio::test]
async fn an_invite_ends_when_its_creator_leaves_the_project() {
    let fixture = InviteFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    let hub = &fixture.test.hub;
    let (_, of_tom) = hub.create_invite(&tom, fixture.request(JoinRole::Full, 9)).await.expect("invite");
    let (_, of_admin) =
        hub.create_invite(&fixture.test.admin, fixture.request(JoinRole::Full, 9)).await.expect("invite");
    fixture.join(&of_tom, "Anna").await.expect("joined");
    hub.remove_project_person(&fixture.mara, &fixture.project, &person_id(&tom)).await.expect("removed");
    assert_eq!(refused(fixture.join(&of_tom, "Bert").await), Code::InviteEnded);
    fixture.join(&of_admin, "Carl").await.expect("administrators count as members of every project");
}

#[tokio::test]
async fn an_invite_cannot_grant_scopes_that_its_creator_lacks() {
    let fixture = InviteFixture::new().await;
    let scopes = JoinRole::ReadOnly.scopes().with(Scope::AgentsManage);
    let token = fixture.test.narrow_token(&fixture.mara, scopes).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    for role in [JoinRole::PostOnly, JoinRole::Full] {
        let failure = fixture.test.hub.create_invite(&caller, fixture.request(role, 1)).await.expect_err("refused");
        let refusal = failure.refusal().expect("a refusal");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Forbidden, Some("role")));
        assert!(refusal.detail.contains("messages:write"), "{refusal}");
    }
    fixture
        .test
        .hub
        .create_invite(&caller, fixture.request(JoinRole::ReadOnly, 1))
        .await
        .expect("a role within its own scopes");
}

#[tokio::test]
async fn agents_and_outsiders_cannot_create_list_or_revoke_invites() {
    let fixture = InviteFixture::new().await;
    let hub = &fixture.test.hub;
    let (invite, _) = fixture.invite(JoinRole::Full, 1).await;
    let coder = fixture.test.agent(&fixture.project, "Coder").await;
    let eve = fixture.test.person("Eve").await;
    for (who, code) in [(&coder, Code::Forbidden), (&eve, Code::NotFound)] {
        assert_eq!(refused(hub.create_invite(who, fixture.request(JoinRole::ReadOnly, 1)).await), code);
        assert_eq!(refused(hub.invites(who, &fixture.project, &PageRequest::first()).await), code);
        assert_eq!(refused(hub.revoke_invite(who, &invite.id).await), code);
    }
    assert_eq!(refused(hub.revoke_invite(&fixture.mara, &InviteId::from_bits(7)).await), Code::NotFound);
}

#[tokio::test]
async fn an_invite_can_be_revoked_by_its_creator_the_owner_and_administrators() {
    let fixture = InviteFixture::new().await;
    let hub = &fixture.test.hub;
    let (tom, eve) = (fixture.test.person("Tom").await, fixture.test.person("Eve").await);
    fixture.test.join(&fixture.project, &tom).await;
    fixture.test.join(&fixture.project, &eve).await;
    for revoker in [&tom, &fixture.mara, &fixture.test.admin] {
        let (invite, _) = hub.create_invite(&tom, fixture.request(JoinRole::Full, 1)).await.expect("invite");
        assert_eq!(refused(hub.revoke_invite(&eve, &invite.id).await), Code::Forbidden);
        hub.revoke_invite(revoker, &invite.id).await.expect("revoked");
        assert_eq!(fixture.listed().await, []);
    }
}

#[tokio::test]
async fn invites_out_of_bounds_are_refused_by_their_field() {
    let fixture = InviteFixture::new().await;
    let good = fixture.request(JoinRole::Full, 1);
    for (field, bad) in [
        ("uses_max", NewInvite { uses_max: 0, ..good.clone() }),
        ("uses_max", NewInvite { uses_max: u32::MAX, ..good.clone() }),
        ("label", NewInvite { label: "x".repeat(limits::TOKEN_LABEL_CHARS_MAX + 1), ..good.clone() }),
        ("expires_in_seconds", NewInvite { expires_in_seconds: Some(0), ..good.clone() }),
        ("expires_in_seconds", NewInvite { expires_in_seconds: Some(u64::MAX), ..good.clone() }),
    ] {
        let failure = fixture.test.hub.create_invite(&fixture.mara, bad.clone()).await.expect_err("refused");
        assert_eq!(failure.refusal().and_then(|refusal| refusal.field.as_deref()), Some(field), "{bad:?}");
    }
}

#[tokio::test]
async fn the_token_of_a_joined_agent_can_be_revoked() {
    let fixture = InviteFixture::new().await;
    let (_, code) = fixture.invite(JoinRole::Full, 1).await;
    let token = fixture.join(&code, "Coder").await.expect("joined").token;
    let lives_ms = token.token.expires_at.expect("an end").as_millis() - fixture.test.clock.now().as_millis();
    assert_eq!(lives_ms, limits::TOKEN_SECONDS_DEFAULT as i64 * 1_000);
    assert_eq!(token.token.created_by, Some(fixture.mara.member.clone()));
    fixture.test.hub.revoke_token(&fixture.mara, &token.token.id).await.expect("its owner revokes it");
    assert_eq!(refused(fixture.test.hub.sign_in(&token.secret.expect("secret")).await), Code::Unauthenticated);
}

#[tokio::test]
async fn a_new_agent_gets_only_scopes_that_its_creator_has() {
    let fixture = InviteFixture::new().await;
    let scopes: Scopes = [Scope::AgentsManage, Scope::MessagesRead].into_iter().collect();
    let token = fixture.test.narrow_token(&fixture.mara, scopes).await;
    let caller = fixture.test.hub.sign_in(&token).await.expect("signed in");
    let request = parlour_hub::use_cases::NewAgent {
        project_id: fixture.project.clone(),
        name: name("Coder"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        role: None,
    };
    let (_, secret) = fixture.test.hub.create_agent(&caller, request).await.expect("agent");
    assert_eq!(fixture.test.hub.sign_in(&secret).await.expect("signed in").grant.scopes, scopes);
}
