//! A question of the agent itself, asked in the middle of an answer: it blocks, and the run waits for it.

use std::time::Duration;

use parlour_core::{
    id::{ConversationId, MessageId},
    message::Message,
    post::PostMessage,
    question::{Answer, Ask, QuestionState},
};
use tokio::time::{Instant, sleep_until};

use super::{
    Report,
    answering::wish_in,
    control::Control,
    shared::{Shared, fresh_id},
};
use crate::{
    engine::{AskMember, CannotAsk, Reply},
    link::LinkError,
    streaming::patiently,
};

/// How long to wait before a hub is asked again that could not be reached, or that did not wait.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// Where a question is asked.
pub(super) struct Place {
    pub(super) conversation: ConversationId,
    /// The open answer that it stands beside. As a reply to it, the question takes no call of the conversation.
    pub(super) beside: Option<MessageId>,
}

/// Asks, and waits until the question has ended. It always does: at the latest it expires.
pub(super) async fn ask(
    shared: &Shared,
    control: &Control,
    place: &Place,
    question: AskMember,
) -> Result<Reply, CannotAsk> {
    let _asking = control.begin_asking();
    let id = fresh_id();
    shared.remember_asked(id.clone());
    let request = PostMessage {
        body: question.body.clone(),
        mentions: vec![question.whom.to_string()],
        blocking: true,
        question: Some(Ask { run_id: control.run().cloned(), ..question.ask }),
        reply_to: place.beside.clone(),
        ..wish_in(&place.conversation)
    };
    patiently(|| shared.link.post(&id, &request)).await.map_err(|error| told(&error))?;
    shared.tell(Report::Asked { message_id: id.clone(), body: question.body });
    until_closed(shared, &id).await?;
    reply(shared, &id).await.map_err(|error| told(&error))
}

async fn until_closed(shared: &Shared, id: &MessageId) -> Result<(), CannotAsk> {
    loop {
        let again = Instant::now() + ASK_AGAIN;
        match shared.link.await_answer(id).await {
            Ok(Message { question: Some(question), .. }) if !question.is_open() => return Ok(()),
            Ok(Message { question: Some(_), .. }) => {}
            Ok(_) => return Err(CannotAsk::new("the question is gone")),
            Err(error) if error.is_retryable() => {}
            Err(error) => return Err(told(&error)),
        }
        sleep_until(again).await;
    }
}

/// What came back, as a model may read it.
async fn reply(shared: &Shared, id: &MessageId) -> Result<Reply, LinkError> {
    let question = patiently(|| shared.link.view(id)).await?.question;
    let state = question.as_ref().map_or(QuestionState::Withdrawn, |question| question.state);
    let Some(Answer { option, value, text, message_id, is_default }) = question.and_then(|question| question.answer)
    else {
        return Ok(Reply { state, option: None, value: None, text: None, is_default: false });
    };
    let is_text = option.is_none() && value.is_none() && text.is_none();
    let text = match message_id.filter(|_| is_text) {
        Some(id) => patiently(|| shared.link.view(&id)).await.ok().map(|message| message.body),
        None => text,
    };
    Ok(Reply { state, option, value, text, is_default })
}

fn told(error: &LinkError) -> CannotAsk {
    CannotAsk::new(error.to_string())
}
