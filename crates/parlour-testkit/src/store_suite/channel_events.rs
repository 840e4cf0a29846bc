//! Events about channels say who sits in a private one, so that a reader can follow who may learn of what.

use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ClosedChannel, CreatedChannel},
    id::MemberId,
    member::{Agent, Person},
    project::Project,
    write::Write,
};

use crate::world::{Caller, World};

struct Stage {
    mara: Person,
    bela: Person,
    tour: Project,
    coder: Agent,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage { bela: world.member("Bela", &tour).await, coder: world.agent("Coder", &tour).await, mara, tour }
}

impl Stage {
    /// Makes a change and checks that the log tells it in the same words.
    async fn change(&self, world: &World, write: Write) -> Change {
        let change = world.change(&self.tour.id, &self.mara, write).await;
        assert_eq!(world.events(&self.tour.id).await.pop().map(|event| event.change), Some(change.clone()));
        change
    }

    /// Everybody, neither sorted nor each once.
    fn everybody(&self) -> Vec<MemberId> {
        let [mara, bela, coder] = [self.mara.member(), self.bela.member(), self.coder.member()];
        vec![bela.clone(), coder, mara, bela]
    }

    fn sorted(&self) -> Vec<MemberId> {
        let mut members = self.everybody();
        members.sort();
        members.dedup();
        members
    }
}

fn shown(visibility: Visibility) -> ChannelPatch {
    ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() }
}

/// A private channel is made with its members, sorted and each once; a repetition tells who is in it now.
pub async fn a_private_channel_is_made_with_its_members(world: World) {
    let stage = stage(&world).await;
    let channel = Channel { visibility: Visibility::Private, ..world.new_channel("secret", &stage.tour) };
    let write = Write::CreateChannel(channel.clone(), stage.everybody());
    let created = CreatedChannel { channel, members: stage.sorted() };
    let created = Change::ChannelCreated(Box::new(created));
    assert_eq!(stage.change(&world, write.clone()).await, created);
    assert_eq!(world.repeat(&stage.tour.id, &stage.mara, write).await, created);
}

/// A channel for the whole project has no members of its own.
pub async fn an_open_channel_is_made_without_members(world: World) {
    let stage = stage(&world).await;
    let channel = world.new_channel("general", &stage.tour);
    let write = Write::CreateChannel(channel.clone(), stage.everybody());
    let created = CreatedChannel { channel, members: Vec::new() };
    assert_eq!(stage.change(&world, write).await, Change::ChannelCreated(Box::new(created)));
}

/// A channel that becomes private names itself, as it is now, and all who are in it.
pub async fn a_channel_that_closes_names_who_is_in_it(world: World) {
    let stage = stage(&world).await;
    let general = world.channel("general", &stage.tour).await;
    let patch = ChannelPatch { topic: Some("Plans".into()), ..shown(Visibility::Private) };
    let write = Write::UpdateChannel(general.id.clone(), patch, stage.everybody());
    let channel = Channel { visibility: Visibility::Private, topic: Some("Plans".into()), ..general.clone() };
    let closed = ClosedChannel { channel_id: general.id, channel: Some(channel), members: stage.sorted() };
    assert_eq!(stage.change(&world, write).await, Change::ChannelClosed(Box::new(closed)));
}

/// A channel that becomes open to the project says so; closed again, only the newly named are in it.
pub async fn a_channel_that_opens_says_so(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.bela]).await;
    let open = Channel { visibility: Visibility::Project, ..secret.clone() };
    let write = Write::UpdateChannel(secret.id.clone(), shown(Visibility::Project), Vec::new());
    assert_eq!(stage.change(&world, write).await, Change::ChannelOpened(Box::new(open)));
    let write = Write::UpdateChannel(secret.id.clone(), shown(Visibility::Private), vec![stage.mara.member()]);
    let Change::ChannelClosed(closed) = stage.change(&world, write).await else { unreachable!("it closes") };
    assert_eq!((closed.channel, closed.members), (Some(secret), vec![stage.mara.member()]));
}

/// Any other change of a channel, open or private, is an update.
pub async fn any_other_change_of_a_channel_is_an_update(world: World) {
    let stage = stage(&world).await;
    let open = world.channel("general", &stage.tour).await;
    let private = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    for channel in [open, private] {
        let patch = ChannelPatch { topic: Some("Plans".into()), ..shown(channel.visibility) };
        let write = Write::UpdateChannel(channel.id.clone(), patch, stage.everybody());
        let updated = Channel { topic: Some("Plans".into()), ..channel };
        assert_eq!(stage.change(&world, write).await, Change::ChannelUpdated(Box::new(updated)));
    }
}
