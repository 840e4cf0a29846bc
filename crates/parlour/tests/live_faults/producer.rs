//! Agents that write answers piece by piece, and end them in every way.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::RetryingApi, expected::AnswerScript, load::AckedPost, project_fixture::PostDestination,
    run_state::FaultRunState, seed::SeededRng, transcript::text,
};

/// An answer that has ended, or whose stream was cut off by the end of the hub.
const STREAM_ENDED: &str = "PARLOUR-C07";
/// An answer has fewer pieces than this.
const PIECES_END: u64 = 40;
/// What pieces are made of: letters of one to four bytes, and signs of several letters.
const WORDS: [&str; 6] = ["so ", "größer ", "日本 ", "👩‍💻 ", "e\u{301}", "\n"];

/// An answer as its producer knows it.
#[derive(Clone, Debug)]
pub(crate) struct ProducedAnswer {
    /// Its opening, which is a post like any other.
    pub(crate) opened: AckedPost,
    pub(crate) script: AnswerScript,
    /// How much of the text was acknowledged.
    pub(crate) acked_chars: usize,
    /// How it ended, if that was acknowledged.
    pub(crate) ended: Option<&'static str>,
}

/// Who writes answers.
pub(crate) struct AnswerProducer {
    pub(crate) number: usize,
    pub(crate) api: RetryingApi,
    /// A person who may stop answers.
    pub(crate) owner: RetryingApi,
    pub(crate) rooms: Vec<PostDestination>,
    pub(crate) run_state: FaultRunState,
    pub(crate) numbers: SeededRng,
}

impl AnswerProducer {
    /// Writes answers until the load ends.
    pub(crate) async fn run(mut self) -> Vec<ProducedAnswer> {
        let mut answers = Vec::new();
        while self.run_state.goes_on() {
            let mut answer = self.open(answers.len()).await;
            if self.write(&mut answer).await {
                answer.ended = self.end(&mut answer).await;
            }
            answers.push(answer);
        }
        answers
    }

    async fn open(&mut self, number: usize) -> ProducedAnswer {
        let id = format!("msg_answer-{}-{number}", self.number);
        let room = self.numbers.pick(&self.rooms);
        let body = if self.numbers.one_in(3) { "Well: " } else { "" };
        let request = json!({ "id": id, room.field: room.id, "body": body, "stream": true });
        let posted = self.api.do_it(&mut self.run_state, Method::POST, "/messages", &request).await;
        let opened = AckedPost { id, position: text(&posted, "/position").to_owned() };
        let script = AnswerScript { streamed: body.to_owned(), replaced_by: None };
        ProducedAnswer { opened, script, acked_chars: body.chars().count(), ended: None }
    }

    /// Adds pieces; answers whether the stream is still open then.
    async fn write(&mut self, answer: &mut ProducedAnswer) -> bool {
        for _ in 0..=self.numbers.below(PIECES_END) {
            let count = usize::try_from(self.numbers.below(8)).expect("small");
            // Never of blanks alone: an answer must say something.
            let piece = (0..count).fold(String::from("so"), |piece, _| piece + *self.numbers.pick(&WORDS));
            let start = answer.script.streamed.chars().count();
            // From now on the hub may have it, whether that is acknowledged or not.
            answer.script.streamed += &piece;
            let chunk = json!({ "start": start, "text": piece });
            if self.ask(&self.api.clone(), &answer.opened.id, "chunks", chunk).await.is_none() {
                return false;
            }
            answer.acked_chars = answer.script.streamed.chars().count();
        }
        true
    }

    /// Ends the answer in one of the ways there are, or leaves it to its lease; answers the state that was acknowledged.
    async fn end(&mut self, answer: &mut ProducedAnswer) -> Option<&'static str> {
        let id = answer.opened.id.clone();
        let (state, path, body) = match self.numbers.below(6) {
            0 | 1 => ("complete", "complete", json!({})),
            2 => {
                answer.script.replaced_by = Some(format!("the whole of {id}"));
                ("complete", "complete", json!({ "body": answer.script.replaced_by }))
            }
            3 => ("failed", "fail", json!({ "reason": "no more words" })),
            4 => ("cancelled", "cancel", json!({ "reason": "enough" })),
            _ => return None,
        };
        let asker = if state == "cancelled" { self.owner.clone() } else { self.api.clone() };
        self.ask(&asker, &id, path, body).await.map(|_| state)
    }

    /// Asks for something about an open answer; nothing when that has ended meanwhile.
    async fn ask(&mut self, asker: &RetryingApi, id: &str, what: &str, body: Value) -> Option<Value> {
        let path = format!("/messages/{id}/{what}");
        let answer = asker.ask(&mut self.run_state, Method::POST, &path, &body).await;
        self.run_state.count();
        match answer {
            Ok(answer) => Some(answer),
            Err(refused) if refused.code == STREAM_ENDED => None,
            Err(refused) => unreachable!("{path}: {}", refused.problem),
        }
    }
}
