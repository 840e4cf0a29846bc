use parlour_core::{
    conversation::Visibility,
    event::{Change, ChannelMember},
    write::Appended,
};

use super::{find, private_members, scope::Scope};
use crate::sqlite::error::StoreResult;

/// Lets a member into a private channel. In a channel for the whole project everybody is already.
pub(super) fn add_channel_member(scope: &Scope<'_>, member: ChannelMember) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(scope, &member.channel_id)?;
    let member_no = find::member_no(scope, &member.member_id)?;
    let change = Change::ChannelMemberAdded(Box::new(member));
    if channel.visibility == Visibility::Project || !private_members::add(scope, channel_no, member_no)? {
        return scope.repeated(change);
    }
    private_members::check_room(scope, channel_no)?;
    scope.record(change)
}
