//! `parlour ask --wait`: the answer, as soon as it is there.

use std::io::{self, Write};

use parlour_agent::{ClientError, answers::Posted};
use parlour_core::{
    limits,
    message::Message,
    question::{Answer, Question, QuestionState},
};

use crate::{
    commands::{interrupt::Interrupt, post::report::Report},
    failure::{EXIT_INTERRUPTED, EXIT_UNMET, EXIT_WITHDRAWN, Failure},
    output::{
        Output,
        plain::harmless,
        question::{answer_line, state_line},
    },
    resolve::Place,
    session::Session,
};

/// Waits until the question has ended. What is said about it goes to stderr, only the answer to stdout.
pub(super) async fn for_answer(session: &Session, place: &Place, posted: &Posted) -> Result<Output, Failure> {
    say(&Report::of(posted).show(session, place));
    let mut interrupt = Interrupt::catch()?;
    let ended = tokio::select! {
        ended = until_closed(session, &posted.message) => ended?,
        () = interrupt.caught() => {
            say("The question stays open.\n");
            return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED });
        }
    };
    let question = ended.question.clone().ok_or_else(|| Failure::new("the question was removed"))?;
    say(&format!("It is {}.\n", state_line(&question, &session.moments)));
    let text = if session.is_json { Output::json(&ended)?.text } else { answer_text(session, &question).await? };
    Ok(Output { text, exit: exit_of(question.state) })
}

/// Asks again and again; a hub that stops in between is waited for.
async fn until_closed(session: &Session, asked: &Message) -> Result<Message, ClientError> {
    loop {
        let message = session.client.await_answer(&asked.id, limits::WAIT_SECONDS_MAX as u64).await?;
        if !message.question.as_ref().is_some_and(Question::is_open) {
            return Ok(message);
        }
    }
}

/// The answer alone, for whoever reads stdout.
async fn answer_text(session: &Session, question: &Question) -> Result<String, Failure> {
    match &question.answer {
        None => Ok(String::new()),
        Some(Answer { option: None, value: None, message_id: Some(id), .. }) => {
            let body = session.client.message(id).await?.body;
            Ok(harmless(body.trim_end()) + "\n")
        }
        Some(answer) => Ok(answer_line(answer) + "\n"),
    }
}

fn exit_of(state: QuestionState) -> u8 {
    match state {
        QuestionState::Answered => 0,
        QuestionState::Open | QuestionState::Expired | QuestionState::Ignored => EXIT_UNMET,
        QuestionState::Withdrawn => EXIT_WITHDRAWN,
    }
}

/// Nobody may be listening on stderr.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
