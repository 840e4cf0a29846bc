//! Tokens: issuing, scopes, expiry, renewal and revocation.

mod support;

#[path = "tokens/acting.rs"]
mod acting;
#[path = "tokens/ending.rs"]
mod ending;
#[path = "tokens/expiring.rs"]
mod expiring;
#[path = "tokens/issuing.rs"]
mod issuing;
#[path = "tokens/outside.rs"]
mod outside;
#[path = "tokens/races.rs"]
mod races;
#[path = "tokens/renewing.rs"]
mod renewing;
#[path = "tokens/signed.rs"]
mod signed;

use parlour_core::{access::Principal, id::ProjectId, paging::PageRequest, token::Token};
use support::TestHub;

/// Mara with her project and her agent, and Tom, a member of the project.
struct TokenFixture {
    test: TestHub,
    mara: Principal,
    tom: Principal,
    project: ProjectId,
    coder: Principal,
}

impl TokenFixture {
    async fn new() -> Self {
        let test = TestHub::new().await;
        let (mara, tom) = (test.person("Mara").await, test.person("Tom").await);
        let project = test.project(&mara, "Release").await;
        test.join(&project, &tom).await;
        let coder = test.agent(&project, "Coder").await;
        Self { test, mara, tom, project, coder }
    }

    async fn tokens_of(&self, who: &Principal) -> Vec<Token> {
        self.test.hub.tokens(&self.test.admin, &who.member, &PageRequest::first()).await.expect("tokens").items
    }
}
