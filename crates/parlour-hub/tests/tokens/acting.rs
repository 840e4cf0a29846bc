use parlour_core::{
    Code,
    author::AuthorType,
    message::Kind,
    post::PostMessage,
    scope::{JoinRole, Scope},
    token::{ActsAs, ProgramType},
};
use parlour_hub::{
    ports::Clock as _,
    use_cases::{IssueToken, TokenFormat},
};

use super::TokenFixture;
use crate::support::{name, refused, say, token_request};

fn acting(program: ProgramType, called: &str) -> IssueToken {
    let acts_as = Some(ActsAs { program, name: name(called) });
    IssueToken { acts_as, ..token_request(None, TokenFormat::Static, None) }
}

#[tokio::test]
async fn a_post_of_an_applet_or_schedule_names_it_as_author_and_its_person_in_the_attribution() {
    let fixture = TokenFixture::new().await;
    let channel = fixture.test.channel(&fixture.mara, &fixture.project, "general").await;
    for (program, called, author) in [
        (ProgramType::Applet, "file-browser", AuthorType::Applet),
        (ProgramType::Scheduler, "daily-standup", AuthorType::Scheduler),
    ] {
        let issued = fixture.test.hub.issue_token(&fixture.mara, acting(program, called)).await.expect("issued");
        assert_eq!(issued.token.scopes, JoinRole::Full.scopes());
        let caller = fixture.test.hub.sign_in(&issued.secret.expect("secret")).await.expect("signed in");
        let message = fixture.test.post(&caller, &channel, "Collect the open reviews").await.message;
        assert_eq!((message.from.author_type, message.from.name.as_str()), (author, called));
        assert_eq!((message.from.member_id(), message.kind), (None, Kind::User));
        assert_eq!(caller.attribution(fixture.test.clock.now()).actor.member_id(), Some(fixture.mara.member.clone()));
    }
}

#[tokio::test]
async fn a_token_of_a_program_cannot_have_management_scopes() {
    let fixture = TokenFixture::new().await;
    for scope in [Scope::TokensManage, Scope::ProjectsManage, Scope::MentionsWide, Scope::Admin] {
        let request =
            IssueToken { scopes: Some([scope].into_iter().collect()), ..acting(ProgramType::Applet, "file-browser") };
        assert_eq!(refused(fixture.test.hub.issue_token(&fixture.mara, request).await), Code::Forbidden, "{scope:?}");
    }
}

#[tokio::test]
async fn a_program_cannot_act_for_an_agent() {
    let fixture = TokenFixture::new().await;
    let member_id = Some(fixture.coder.member.clone());
    let request = IssueToken { member_id, ..acting(ProgramType::Scheduler, "nightly") };
    assert_eq!(refused(fixture.test.hub.issue_token(&fixture.mara, request).await), Code::Forbidden);
}

#[tokio::test]
async fn a_program_cannot_stream() {
    let fixture = TokenFixture::new().await;
    let channel = fixture.test.channel(&fixture.mara, &fixture.project, "general").await;
    let issued =
        fixture.test.hub.issue_token(&fixture.mara, acting(ProgramType::Applet, "board")).await.expect("issued");
    let caller = fixture.test.hub.sign_in(&issued.secret.expect("secret")).await.expect("signed in");
    let request = PostMessage { stream: true, ..say(&channel, "") };
    assert_eq!(refused(fixture.test.hub.post_message(&caller, request).await), Code::Forbidden);
}

#[tokio::test]
async fn a_renewed_token_acts_as_the_same_program() {
    let fixture = TokenFixture::new().await;
    let issued =
        fixture.test.hub.issue_token(&fixture.mara, acting(ProgramType::Applet, "board")).await.expect("issued");
    let caller = fixture.test.hub.sign_in(&issued.secret.expect("secret")).await.expect("signed in");
    let renewed = fixture.test.hub.renew_token(&caller).await.expect("renewed");
    assert_eq!(renewed.token.acts_as, issued.token.acts_as);
}
