use parlour_core::{Refusal, call::PassedCall, event::Change, write::Appended};

use super::{find, scope::Scope};
use crate::sqlite::{calls, error::StoreResult, rows::event::About};

/// Closes an open call without an answer; one that is no longer open stays as it is.
pub(super) fn pass_call(scope: &Scope<'_>, passed: PassedCall) -> StoreResult<Appended> {
    let stored = find::message(scope, &passed.message_id)?;
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &passed.agent_id)?;
    if !calls::is_called(scope.tx, agent_no, stored.no)? {
        return Err(Refusal::not_found("call", &passed.message_id).into());
    }
    let change = Change::CallPassed(Box::new(PassedCall { conversation_id: stored.message.to, ..passed }));
    if !calls::close(scope.tx, agent_no, stored.no, scope.at)? {
        return scope.repeated(change);
    }
    scope.record_about(About { message_no: Some(stored.no), member_no: Some(agent_no) }, change)
}
