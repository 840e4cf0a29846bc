//! An engine that repeats the calling message, for tests and first steps.

use std::time::Duration;

use async_trait::async_trait;
use parlour_core::message::Message;
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Prompt};

/// Answers with the author and text of the calling message, word by word.
///
/// The text is in a code block, where mentions have no effect, so an echo never calls another agent. It stays silent if
/// the call is optional.
#[derive(Clone, Copy, Debug, Default)]
pub struct EchoEngine {
    /// The pause before each word.
    pub word_pause: Duration,
}

#[async_trait]
impl Engine for EchoEngine {
    fn runtime(&self) -> String {
        "echo".to_owned()
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        if prompt.is_optional() {
            return Ok(Completion::default());
        }
        for word in echo(prompt).split_inclusive(char::is_whitespace) {
            select! {
                biased;
                () = stop.cancelled() => return Err(AnswerStopped.into()),
                () = pause(self.word_pause) => out.write(word).await?,
            }
        }
        Ok(Completion::default())
    }
}

/// Returns at once without a pause.
async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

fn echo(prompt: &Prompt) -> String {
    let is_called = |message: &&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let called = prompt.history.iter().filter(is_called);
    let said = called.map(|message| format!("{} said:\n\n{}", message.from.name, in_code(&message.body)));
    let task = prompt.task.as_ref().map(|task| {
        let description = task.description.as_ref().map(|text| format!("\n\n{text}")).unwrap_or_default();
        format!("The task is:\n\n{}", in_code(&format!("{}{description}", task.title)))
    });
    said.chain(task).collect::<Vec<_>>().join("\n\n")
}

/// A code block whose fence is longer than any in the text.
fn in_code(text: &str) -> String {
    let longest = text.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}
