//! What a complete answer changes besides the conversation: the question that it settles and the deliveries that it marks as answered.
//!
//! All functions are pure. A store reads the facts, calls them, and writes the result in the transaction of the answer.

use crate::{
    Timestamp,
    author::Author,
    call,
    delivery::DeliveryState,
    id::{AgentId, MemberId, MessageId, ProjectId},
    message::{Message, State},
    question::{AnswerTo, Question, Settlement},
};

/// The sort key of an agent's calls: the time, then the offset of the event that made the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallOrder {
    /// The time of the call.
    pub called_at: Timestamp,
    /// The offset of the event that made the call.
    pub log_offset: u64,
}

/// The id of the message whose question the answer may settle; none while the answer is incomplete.
pub fn question_answered(answer_to: Option<&AnswerTo>, state: State) -> Option<&MessageId> {
    answer_to.filter(|_| state == State::Complete).map(|answer_to| &answer_to.message_id)
}

/// Whether an answer in this project settles the question of `asking`: the question is in the same project and open.
pub fn is_settled_by_answer(asking: &Message, answer_project: &ProjectId) -> bool {
    asking.project_id == *answer_project && asking.question.as_ref().is_some_and(Question::is_open)
}

/// A message whose call an answer has taken, with the state of its delivery to the agent that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenCall {
    /// The message that called.
    pub message_id: MessageId,
    /// The state of its delivery.
    pub delivery: DeliveryState,
}

/// The messages whose deliveries an agent's answer marks as answered, each once.
///
/// These are the message that it replies to, the message whose question it settles, and each message whose call it took
/// and that the agent has been shown. A call that was taken unshown stays unanswered, because nothing proves that the
/// agent read it. A notice or a tool result answers only the question that it settles. People have no deliveries.
pub fn answered_deliveries(answer: &Message, taken: &[TakenCall]) -> Vec<MessageId> {
    let is_agent = matches!(answer.from.member_id(), Some(MemberId::Agent(_)));
    if !is_agent || answer.state != State::Complete {
        return Vec::new();
    }
    let is_answer = call::is_answer(answer);
    let was_shown = |call: &&TakenCall| matches!(call.delivery, DeliveryState::Injected | DeliveryState::Seen);
    let shown = taken.iter().filter(was_shown).map(|call| &call.message_id);
    let replied = answer.reply_to.iter();
    let settled = answer.answer_to.iter().map(|answer_to| &answer_to.message_id);
    let mut answered: Vec<MessageId> = Vec::new();
    for id in shown.chain(replied).filter(|_| is_answer).chain(settled) {
        if *id != answer.id && !answered.contains(id) {
            answered.push(id.clone());
        }
    }
    answered
}

/// The agent whose delivery becomes answered because it settled a question without posting a message.
pub fn agent_that_answered(settlement: &Settlement, by: &Author) -> Option<AgentId> {
    match (settlement, by.member_id()) {
        (Settlement::Answered(_), Some(MemberId::Agent(agent))) => Some(agent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        author::AuthorType,
        id::PersonId,
        message::{Kind, tests::sample},
        question::{Answer, NewQuestion},
    };

    fn message_id(bits: u128) -> MessageId {
        MessageId::from_bits(bits)
    }

    fn agent_author() -> Author {
        let id = Some(AgentId::from_bits(1).to_string());
        Author { author_type: AuthorType::Agent, id, name: "Coder".into() }
    }

    fn answer() -> Message {
        Message { id: message_id(9), from: agent_author(), kind: Kind::Assistant, ..sample() }
    }

    fn taken(bits: u128, delivery: DeliveryState) -> TakenCall {
        TakenCall { message_id: message_id(bits), delivery }
    }

    #[test]
    fn only_a_complete_answer_can_settle_a_question() {
        let answer_to = AnswerTo { message_id: message_id(1), option: None, value: None };
        assert_eq!(question_answered(Some(&answer_to), State::Complete), Some(&message_id(1)));
        assert_eq!(question_answered(None, State::Complete), None);
        for state in [State::Streaming, State::Failed, State::Cancelled, State::Interrupted] {
            assert_eq!(question_answered(Some(&answer_to), state), None, "{state:?}");
        }
    }

    #[test]
    fn an_answer_settles_an_open_question_of_its_own_project_only() {
        let open = NewQuestion::default().asked(Vec::new(), Timestamp::from_millis(1));
        let asking = Message { question: Some(open.clone()), ..sample() };
        assert!(is_settled_by_answer(&asking, &asking.project_id));
        assert!(!is_settled_by_answer(&asking, &ProjectId::from_bits(77)));
        let closed = open.settled(&Settlement::Withdrawn, &agent_author(), Timestamp::from_millis(2)).expect("open");
        assert!(!is_settled_by_answer(&Message { question: Some(closed), ..sample() }, &sample().project_id));
        assert!(!is_settled_by_answer(&sample(), &sample().project_id));
    }

    #[test]
    fn an_answer_marks_its_reply_target_its_question_and_each_shown_call_once() {
        let answer_to = AnswerTo { message_id: message_id(3), option: None, value: None };
        let answer = Message { reply_to: Some(message_id(2)), answer_to: Some(answer_to), ..answer() };
        let taken = [
            taken(1, DeliveryState::Injected),
            taken(2, DeliveryState::Seen),
            taken(4, DeliveryState::Stored),
            taken(5, DeliveryState::Queued),
        ];
        assert_eq!(answered_deliveries(&answer, &taken), [message_id(1), message_id(2), message_id(3)]);
    }

    #[test]
    fn a_notice_answers_only_the_question_that_it_settles() {
        let answer_to = AnswerTo { message_id: message_id(3), option: None, value: None };
        let notice = Message { is_notice: true, reply_to: Some(message_id(2)), answer_to: Some(answer_to), ..answer() };
        assert_eq!(answered_deliveries(&notice, &[taken(1, DeliveryState::Seen)]), [message_id(3)]);
    }

    #[test]
    fn people_and_unfinished_answers_mark_no_delivery() {
        let id = Some(PersonId::from_bits(1).to_string());
        let person = Author { author_type: AuthorType::Person, id, name: "Maria".into() };
        let taken = [taken(1, DeliveryState::Seen)];
        assert_eq!(answered_deliveries(&Message { from: person.clone(), ..answer() }, &taken), []);
        assert_eq!(answered_deliveries(&Message { state: State::Streaming, ..answer() }, &taken), []);
        let given = Settlement::Answered(Answer {
            option: None,
            value: None,
            text: Some("yes".into()),
            message_id: None,
            is_default: false,
        });
        assert_eq!(agent_that_answered(&given, &person), None);
        assert_eq!(agent_that_answered(&given, &agent_author()), Some(AgentId::from_bits(1)));
        assert_eq!(agent_that_answered(&Settlement::Expired, &agent_author()), None);
    }
}
