//! The cached facts for posts never outlive a change: a hub that has posted before decides like one that reads the store.

mod support;

use std::sync::atomic::{AtomicU64, Ordering};

use parlour_core::{
    Code,
    access::Principal,
    conversation::{ChannelPatch, Visibility},
    id::{ChannelId, MemberId, ProjectId},
    post::PostMessage,
    write::Archival,
};
use parlour_hub::Hub;
use proptest::prelude::*;
use support::{TestHub, agent_id, person_id, say};

/// A project with an open and a private channel; two people and two agents can write.
struct World {
    test: TestHub,
    project: ProjectId,
    channels: [ChannelId; 2],
    mara: Principal,
    authors: [Principal; 3],
    /// The number of attempted posts: two hubs over one store count their own ids, which would collide.
    attempts: AtomicU64,
}

/// A change of the facts for posts; numbers select the channel and the author.
#[derive(Clone, Copy, Debug)]
enum FactChange {
    Seat(usize, usize),
    Unseat(usize, usize),
    Subscribe(usize, usize),
    Unsubscribe(usize, usize),
    Archive(usize),
    Unarchive(usize),
    Close(usize),
    Open(usize),
    RemovePerson,
    AddPerson,
}

impl World {
    async fn new() -> Self {
        let test = TestHub::new().await;
        let mara = test.person("Mara").await;
        let tobias = test.person("Tobias").await;
        let project = test.project(&mara, "Release").await;
        test.join(&project, &tobias).await;
        let open = test.channel(&mara, &project, "general").await;
        let private = test.private_channel(&mara, &project, "board").await;
        let authors = [tobias, test.agent(&project, "Coder").await, test.agent(&project, "Painter").await];
        Self { test, project, channels: [open, private], mara, authors, attempts: AtomicU64::default() }
    }

    /// Makes a change; a refused one changes nothing.
    async fn make(&self, change: FactChange) {
        let (hub, mara) = (&self.test.hub, &self.mara);
        let (channel, author) = (|at: usize| &self.channels[at], |at: usize| &self.authors[at]);
        let visible = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        let tobias = person_id(author(0));
        let _ = match change {
            FactChange::Seat(at, who) => hub.add_channel_member(mara, channel(at), &author(who).member).await.map(drop),
            FactChange::Unseat(at, who) => hub.remove_channel_member(mara, channel(at), &author(who).member).await,
            FactChange::Subscribe(at, who) => hub.subscribe(mara, channel(at), &agent_id(author(who))).await.map(drop),
            FactChange::Unsubscribe(at, who) => hub.unsubscribe(mara, channel(at), &agent_id(author(who))).await,
            FactChange::Archive(at) => hub.archive_channel(mara, channel(at), Archival::Archived).await.map(drop),
            FactChange::Unarchive(at) => hub.archive_channel(mara, channel(at), Archival::Active).await.map(drop),
            FactChange::Close(at) => {
                hub.update_channel(mara, channel(at), visible(Visibility::Private)).await.map(drop)
            }
            FactChange::Open(at) => hub.update_channel(mara, channel(at), visible(Visibility::Project)).await.map(drop),
            FactChange::RemovePerson => hub.remove_project_person(&self.test.admin, &self.project, &tobias).await,
            FactChange::AddPerson => hub.add_project_person(&self.test.admin, &self.project, &tobias).await.map(drop),
        };
    }

    /// The outcome of a post of every author in every channel: its recipients, or the code of the refusal.
    async fn outcomes(&self, hub: &Hub) -> Vec<Result<Vec<MemberId>, Code>> {
        let mut outcomes = Vec::new();
        for channel in &self.channels {
            for author in self.authors.iter().chain([&self.mara]) {
                let id = format!("msg_{}", self.attempts.fetch_add(1, Ordering::Relaxed)).parse().expect("an id");
                let request = PostMessage { id: Some(id), ..say(channel, "Hello") };
                outcomes.push(match hub.post_message(author, request).await {
                    Ok(posted) => {
                        let deliveries = hub.deliveries(&self.mara, &posted.message.id).await.expect("deliveries");
                        Ok(deliveries.into_iter().map(|delivery| delivery.recipient).collect())
                    }
                    Err(failure) => Err(failure.refusal().expect("a refusal").code),
                });
            }
        }
        outcomes
    }
}

fn change() -> impl Strategy<Value = FactChange> {
    let (channel, author, agent) = (0..2_usize, 0..3_usize, 1..3_usize);
    prop_oneof![
        (channel.clone(), author.clone()).prop_map(|(at, who)| FactChange::Seat(at, who)),
        (channel.clone(), author).prop_map(|(at, who)| FactChange::Unseat(at, who)),
        (channel.clone(), agent.clone()).prop_map(|(at, who)| FactChange::Subscribe(at, who)),
        (channel.clone(), agent).prop_map(|(at, who)| FactChange::Unsubscribe(at, who)),
        channel.clone().prop_map(FactChange::Archive),
        channel.clone().prop_map(FactChange::Unarchive),
        channel.clone().prop_map(FactChange::Close),
        channel.prop_map(FactChange::Open),
        Just(FactChange::RemovePerson),
        Just(FactChange::AddPerson),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn posts_after_any_change_are_decided_by_the_facts_in_the_store(
        changes in proptest::collection::vec(change(), 1..10)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let world = World::new().await;
            world.outcomes(&world.test.hub).await;
            for change in changes {
                world.make(change).await;
                let fresh = world.outcomes(&world.test.forgetful()).await;
                let cached = world.outcomes(&world.test.hub).await;
                prop_assert_eq!(cached, fresh, "after {:?}", change);
            }
            Ok(())
        })?;
    }
}
