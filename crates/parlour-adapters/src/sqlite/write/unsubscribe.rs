use parlour_core::{
    event::{Change, Subscription},
    write::Appended,
};

use super::{find, scope::Scope};
use crate::sqlite::error::StoreResult;

/// Ends an agent's subscription; what it has not read yet stays in its inbox.
pub(super) fn unsubscribe(scope: &Scope<'_>, subscription: Subscription) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(scope, &subscription.channel_id)?;
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &subscription.agent_id)?;
    let removed = scope.tx.execute(
        "DELETE FROM subscription
         WHERE channel_no = ?1 AND agent_no = ?2",
        [channel_no, agent_no],
    )?;
    let change = Change::Unsubscribed(Box::new(subscription));
    if removed == 0 { scope.repeated(change) } else { scope.record(change) }
}
