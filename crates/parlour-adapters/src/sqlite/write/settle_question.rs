use parlour_core::{
    Refusal,
    event::Change,
    id::MessageId,
    question::{Question, QuestionMark, Settlement},
    write::Appended,
};

use super::{answers, find, report_deliveries::tell_moved, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    questions,
    rows::{event::About, message::StoredMessage},
};

/// Settles the question of a message, or notes that one will not answer it.
pub(super) fn settle_question(scope: &Scope<'_>, id: &MessageId, settlement: &Settlement) -> StoreResult<Appended> {
    let asking = find::message(scope, id)?;
    let question = asking.message.question.clone().ok_or_else(|| Refusal::not_found("question", id))?;
    let spot = asking.spot(scope.project_no());
    match questions::settle(scope.tx, spot, &question, settlement, scope.actor, scope.at)? {
        None => scope.repeated(changed(&asking, question)),
        Some(settled) => {
            let answered = answers::note_given(scope, &asking, settlement)?;
            let appended = scope.record_about(about(&asking), changed(&asking, settled))?;
            tell_moved(scope, answered.map(|agent_no| (asking, agent_no)).into_iter().collect())?;
            Ok(appended)
        }
    }
}

/// What the event is about.
pub(super) fn about(asking: &StoredMessage) -> About {
    About { message_no: Some(asking.no), member_no: None }
}

/// What the event says.
pub(super) fn changed(asking: &StoredMessage, question: Question) -> Change {
    let (message_id, conversation_id) = (asking.message.id.clone(), asking.message.to.clone());
    Change::QuestionChanged(Box::new(QuestionMark { message_id, conversation_id, question }))
}
