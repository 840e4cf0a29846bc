use super::*;
use crate::{
    Timestamp,
    conversation::{Channel, Dm, Thread},
    event::{ChannelMember, ClosedChannel, CreatedChannel},
    id::{DmId, MessageId, ProjectId, ThreadId},
    inbox::ReadMark,
    message::tests::sample,
    name::Name,
};

fn member(id: &str) -> MemberId {
    id.parse().expect("id")
}

fn channel(visibility: Visibility) -> Channel {
    Channel {
        id: ChannelId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        name: Name::parse("secrets").expect("name"),
        topic: None,
        visibility,
        created_by: None,
        created_at: Timestamp::from_millis(0),
        archived_at: None,
    }
}

fn created(members: &[&str]) -> Change {
    let members = members.iter().map(|id| member(id)).collect();
    Change::ChannelCreated(Box::new(CreatedChannel { channel: channel(Visibility::Private), members }))
}

fn seat(id: &str) -> ChannelMember {
    ChannelMember { channel_id: ChannelId::from_bits(1), member_id: member(id) }
}

fn posted() -> Audience {
    Audience::Readers(AccessRoot::Channel(ChannelId::from_bits(1)))
}

#[test]
fn an_open_channel_is_for_everybody() {
    assert!(PrivateChannelMembers::default().admit(&posted(), &member("per_1")));
}

#[test]
fn a_private_channel_is_for_those_who_sit_in_it() {
    let mut private_members = PrivateChannelMembers::default();
    private_members.apply(&created(&["per_1"]));
    assert!(private_members.admit(&posted(), &member("per_1")) && !private_members.admit(&posted(), &member("per_2")));
    private_members.apply(&Change::ChannelMemberAdded(Box::new(seat("per_2"))));
    private_members.apply(&Change::ChannelMemberRemoved(Box::new(seat("per_1"))));
    assert!(!private_members.admit(&posted(), &member("per_1")) && private_members.admit(&posted(), &member("per_2")));
}

#[test]
fn a_channel_can_be_closed_and_opened() {
    let mut private_members = PrivateChannelMembers::default();
    let closed = ClosedChannel { channel_id: ChannelId::from_bits(1), channel: None, members: vec![member("per_1")] };
    private_members.apply(&Change::ChannelClosed(Box::new(closed)));
    assert!(!private_members.admit(&posted(), &member("per_2")));
    private_members.apply(&Change::ChannelOpened(Box::new(channel(Visibility::Project))));
    assert_eq!(private_members, PrivateChannelMembers::default());
}

#[test]
fn who_leaves_the_project_leaves_every_seat() {
    let mut private_members = PrivateChannelMembers::default();
    private_members.apply(&created(&["per_1"]));
    let person = crate::member::Person {
        id: "per_1".parse().expect("id"),
        name: Name::parse("Mara").expect("name"),
        is_admin: false,
        created_at: Timestamp::from_millis(0),
    };
    private_members.apply(&Change::PersonRemoved(Box::new(person)));
    assert!(!private_members.admit(&posted(), &member("per_1")));
}

#[test]
fn who_is_put_out_learns_of_it() {
    let removed = Change::ChannelMemberRemoved(Box::new(seat("per_1")));
    let audience = Audience::of(&removed, AccessRoot::told_by(&removed));
    let mut private_members = PrivateChannelMembers::default();
    private_members.apply(&created(&["per_1", "per_3"]));
    private_members.apply(&removed);
    let admitted = ["per_1", "per_2", "per_3"].map(|id| private_members.admit(&audience, &member(id)));
    assert_eq!(admitted, [true, false, true]);
}

#[test]
fn how_far_somebody_has_read_is_told_to_nobody_else() {
    let mark = ReadMark { reader: member("per_1"), conversation_id: sample().to, seq: 1, unread: 0 };
    let audience = Audience::of(&Change::Read(Box::new(mark)), Some(AccessRoot::Channel(ChannelId::from_bits(1))));
    let admitted = ["per_1", "per_2"].map(|id| PrivateChannelMembers::default().admit(&audience, &member(id)));
    assert_eq!(admitted, [true, false]);
}

#[test]
fn threads_stand_as_their_channel_and_dms_for_themselves() {
    let (project_id, at) = (ProjectId::from_bits(1), Timestamp::from_millis(0));
    let thread = Thread {
        id: ThreadId::from_bits(1),
        project_id: project_id.clone(),
        channel_id: ChannelId::from_bits(7),
        root_message_id: MessageId::from_bits(1),
        created_by: None,
        created_at: at,
    };
    assert_eq!(AccessRoot::of(&Conversation::Thread(thread.clone())), AccessRoot::Channel(ChannelId::from_bits(7)));
    assert_eq!(
        AccessRoot::told_by(&Change::ThreadCreated(Box::new(thread))),
        Some(AccessRoot::Channel(ChannelId::from_bits(7)))
    );
    let participants = vec![member("per_1"), member("per_2")];
    let dm = Dm { id: DmId::from_bits(1), project_id, participants, created_at: at };
    let audience = Audience::Readers(AccessRoot::of(&Conversation::Dm(dm)));
    let admitted = ["per_1", "per_3"].map(|id| PrivateChannelMembers::default().admit(&audience, &member(id)));
    assert_eq!(admitted, [true, false]);
}
