use parlour_core::{
    event::{Change, ChannelMember},
    write::Appended,
};

use super::{find, private_members, scope::Scope, update_channel::forget_agent};
use crate::sqlite::error::StoreResult;

/// Takes a member out of a private channel; an agent loses its subscription and what it has not read or answered there.
pub(super) fn remove_channel_member(scope: &Scope<'_>, member: ChannelMember) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(scope, &member.channel_id)?;
    let member_no = find::member_no(scope, &member.member_id)?;
    let is_agent = member.member_id.agent().is_some();
    let change = Change::ChannelMemberRemoved(Box::new(member));
    if !private_members::remove(scope, channel_no, member_no)? {
        return scope.repeated(change);
    }
    if is_agent {
        forget_agent(scope, channel_no, member_no)?;
    }
    scope.record(change)
}
