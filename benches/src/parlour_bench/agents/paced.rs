//! An engine that writes tokens at an even rate; the first one contains the time at which it was written.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use parlour_agent::engine::{AnswerSink, Completion, Engine, EngineError, Prompt};
use tokio_util::sync::CancellationToken;

/// The interval between two tokens.
const PAUSE: Duration = Duration::from_millis(20);

/// The number of tokens, and the start of time measurement.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) tokens: usize,
    pub(super) epoch: Instant,
}

#[async_trait]
impl Engine for Pace {
    fn runtime(&self) -> String {
        "bench".to_owned()
    }

    async fn answer(
        &self,
        _: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        let mut ticks = tokio::time::interval(PAUSE);
        for token in 0..self.tokens {
            tokio::select! {
                _ = ticks.tick() => {}
                () = stop.cancelled() => return Err(EngineError::new("stopped")),
            }
            let text = if token == 0 { mark(self.epoch.elapsed()) } else { "token ".to_owned() };
            out.write(&text).await?;
        }
        Ok(Completion::default())
    }
}

/// The first token of an answer: the time at which it was written.
fn mark(time: Duration) -> String {
    format!("~{} ", time.as_micros())
}

/// Parses the time at the start of a text.
pub(super) fn marked(text: &str) -> Option<Duration> {
    let micros = text.strip_prefix('~')?.split(' ').next()?.parse().ok()?;
    Some(Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_time_is_parsed_from_the_start_of_a_text() {
        let time = Duration::from_micros(1_234_567);
        assert_eq!(marked(&format!("{}token token ", mark(time))), Some(time));
        assert_eq!(marked("token"), None);
    }
}
