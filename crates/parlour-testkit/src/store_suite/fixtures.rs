//! The projects that most tests of the suite start from.

use parlour_core::{
    conversation::Channel,
    member::{Agent, Person},
    project::Project,
};

use crate::test_store::TestStore;

/// A project with its owner, two agents and a channel.
pub(super) struct ProjectFixture {
    pub(super) mara: Person,
    pub(super) tour: Project,
    pub(super) coder: Agent,
    pub(super) tester: Agent,
    pub(super) general: Channel,
}

impl ProjectFixture {
    pub(super) async fn new(test_store: &TestStore) -> Self {
        let mara = test_store.person("Mara").await;
        let tour = test_store.project("Tour", &mara).await;
        Self {
            coder: test_store.agent("Coder", &tour).await,
            tester: test_store.agent("Tester", &tour).await,
            general: test_store.channel("general", &tour).await,
            mara,
            tour,
        }
    }
}

/// A project with its owner, another person, an agent and a channel.
pub(super) struct TwoPeopleFixture {
    pub(super) mara: Person,
    pub(super) bela: Person,
    pub(super) tour: Project,
    pub(super) coder: Agent,
    pub(super) general: Channel,
}

impl TwoPeopleFixture {
    pub(super) async fn new(test_store: &TestStore) -> Self {
        let mara = test_store.person("Mara").await;
        let tour = test_store.project("Tour", &mara).await;
        Self {
            bela: test_store.member("Bela", &tour).await,
            coder: test_store.agent("Coder", &tour).await,
            general: test_store.channel("general", &tour).await,
            mara,
            tour,
        }
    }
}
