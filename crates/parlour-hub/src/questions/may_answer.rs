use parlour_core::{Refusal, access::Principal, author::Author, id::MemberId, message::Message, question::Question};

/// Whether the caller is a person itself, and not a program that writes for one.
pub(crate) fn is_person(caller: &Principal) -> bool {
    caller.member.person().is_some() && caller.grant.acts_as.is_none()
}

/// Whether this author has written the message.
pub(crate) fn asks(author: &Author, message: &Message) -> bool {
    (author.author_type, &author.id) == (message.from.author_type, &message.from.id)
}

/// Who answers, or why this author may not: those whom the question addresses may, and every person, but never who asked.
///
/// Programs that write for a person do not: what counts as the word of a person is not to come from a schedule.
pub(crate) fn check_answer(author: &Author, message: &Message, question: &Question) -> Result<MemberId, Refusal> {
    let Some(member) = author.member_id() else {
        return Err(Refusal::forbidden("only people and agents answer questions, applets and schedules do not"));
    };
    if asks(author, message) {
        return Err(Refusal::forbidden("whoever asked does not answer: take the question back instead"));
    }
    if member.person().is_some() || question.addressees.contains(&member) {
        return Ok(member);
    }
    Err(Refusal::forbidden("only those whom the question asks, and people, answer it"))
}
