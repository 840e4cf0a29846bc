use parlour_core::{
    event::{Change, Subscription},
    limits,
    write::Appended,
};

use super::{find, private_members::check_count, scope::Scope};
use crate::sqlite::error::StoreResult;

/// Lets an agent follow a channel.
pub(super) fn subscribe(scope: &Scope<'_>, subscription: Subscription) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(scope, &subscription.channel_id)?;
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &subscription.agent_id)?;
    let added = scope.tx.execute(
        "INSERT INTO subscription (channel_no, agent_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [channel_no, agent_no],
    )?;
    let change = Change::Subscribed(Box::new(subscription));
    if added == 0 {
        return scope.repeated(change);
    }
    let sql = "SELECT COUNT(*)
         FROM subscription
         WHERE channel_no = ?1";
    check_count(scope.tx, sql, [channel_no], limits::CHANNEL_SUBSCRIBERS_MAX, "a channel", "subscribers")?;
    scope.record(change)
}
