//! A reader: connects, listens, is cut off or killed, and comes back to where it was for certain.

use std::time::Duration;

use parlour_core::position::Position;
use reqwest::{Client, Method};
use serde_json::Value;

use crate::{
    api::{ANSWER_PATIENCE, RetryingApi},
    run_state::FaultRunState,
    seed::SeededRng,
    sse::SseConnection,
    transcript::{ReaderSession, ReceivedFrame, Transcript, text},
    ws::WsConnection,
};

/// Connections of one reader; more would mean that nothing gets through at all.
const SESSIONS_MAX: usize = 20_000;
/// A reader is killed after fewer frames than this.
const LIFE_FRAMES_END: u64 = 400;
/// A reader notes its place for good once in so many frames.
const NOTED_ONE_IN: u64 = 5;
/// How long the last events may be on their way. A reader that gets nothing for so long asks again, and hears at once
/// what it should have heard.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a client needs to know to follow a project.
#[derive(Clone, Debug)]
pub(crate) struct ReaderTarget {
    /// The address, of the proxy or of the hub itself.
    pub(crate) url: String,
    /// The project.
    pub(crate) project: String,
    /// Whose eyes.
    pub(crate) token: String,
}

/// The transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReaderTransport {
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    Ws,
}

/// What a reader does when it connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartMode {
    /// It begins with the first event, and resumes.
    FromTheBeginning,
    /// It begins with what happens next, and resumes.
    News,
    /// It loads a snapshot each time, and goes on from there.
    Snapshots,
    /// It resumes, and now and then its note is of another life of the log, or lies ahead of it.
    Forgetful,
}

/// A reader to be.
#[derive(Clone)]
pub(crate) struct ReaderPlan {
    pub(crate) name: String,
    pub(crate) door: ReaderTransport,
    pub(crate) habit: StartMode,
    pub(crate) target: ReaderTarget,
    /// The life of the log.
    pub(crate) epoch: String,
}

/// Reads until everything was heard.
pub(crate) async fn read_on(plan: ReaderPlan, run_state: FaultRunState, numbers: SeededRng) -> Transcript {
    let mut reader = FaultReader {
        api: RetryingApi::new(&plan.target.url, &plan.target.token),
        client: Client::new(),
        plan,
        run_state,
        numbers,
    };
    let mut transcript = Transcript { reader: reader.plan.name.clone(), sessions: Vec::new() };
    let mut note = (reader.plan.habit == StartMode::FromTheBeginning).then(|| reader.position(0));
    for _ in 0..SESSIONS_MAX {
        reader.run_state.hub_is_there().await;
        let mut session = reader.begin(note.as_ref()).await;
        let Some(mut line) = reader.open(&session).await else { continue };
        let outcome = reader.listen(&mut line, &mut session, &mut note).await;
        transcript.sessions.push(session);
        if outcome == ReaderEnd::Finished {
            return transcript;
        }
    }
    unreachable!("{} never came to an end", transcript.reader)
}

struct FaultReader {
    plan: ReaderPlan,
    api: RetryingApi,
    client: Client,
    run_state: FaultRunState,
    numbers: SeededRng,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReaderEnd {
    /// Everything was heard.
    Finished,
    /// The connection is gone.
    Cut,
    /// The reader was killed, and knows only what it had noted.
    Killed,
}

/// What comes next.
enum ReaderInput {
    Frame(ReceivedFrame),
    /// The end of the run is known from now on.
    FinishKnown,
    /// The connection has ended, or was silent for too long.
    Gone,
}

/// An open connection.
enum LiveConnection {
    Sse(Box<SseConnection>),
    Ws(Box<WsConnection>),
}

impl LiveConnection {
    async fn next(&mut self) -> Option<Value> {
        match self {
            Self::Sse(line) => line.next().await,
            Self::Ws(line) => line.next().await,
        }
    }
}

impl FaultReader {
    fn position(&self, offset: u64) -> Position {
        Position::new(&self.plan.epoch, offset).expect("a position")
    }

    /// Where the next session begins.
    async fn begin(&mut self, note: Option<&Position>) -> ReaderSession {
        let (after, is_fresh) = match self.plan.habit {
            StartMode::Snapshots => (Some(self.snapshot().await), true),
            StartMode::Forgetful if note.is_none() || self.numbers.one_in(4) => (Some(self.wrong_position()), false),
            _ => (note.cloned(), false),
        };
        ReaderSession { after, is_fresh, received: Vec::new() }
    }

    fn wrong_position(&mut self) -> Position {
        let offset = self.numbers.below(50);
        match self.numbers.one_in(2) {
            true => Position::new("ANOTHERLIFE", offset).expect("a position"),
            // Far ahead of what any run can write.
            false => self.position(1_000_000 + offset),
        }
    }

    async fn snapshot(&mut self) -> Position {
        let path = format!("/projects/{}/snapshot", self.plan.target.project);
        let snapshot = self.api.ask(&mut self.run_state, Method::GET, &path, &Value::Null).await.expect("a snapshot");
        text(&snapshot, "/position").parse().expect("a position")
    }

    /// Opens a connection; nothing when it broke, or nobody answered in time.
    async fn open(&self, session: &ReaderSession) -> Option<LiveConnection> {
        let after = session.after.as_ref().map(Position::to_string);
        let target = &self.plan.target;
        let opening = async {
            match self.plan.door {
                ReaderTransport::Sse => {
                    Some(LiveConnection::Sse(SseConnection::open(&self.client, target, after.as_deref()).await?.into()))
                }
                ReaderTransport::Ws => {
                    Some(LiveConnection::Ws(WsConnection::open(target, after.as_deref()).await?.into()))
                }
            }
        };
        tokio::time::timeout(ANSWER_PATIENCE, opening).await.ok().flatten()
    }

    /// Listens until the end, of the run or of the connection or of the reader. The note is where it will resume.
    async fn listen(
        &mut self,
        line: &mut LiveConnection,
        session: &mut ReaderSession,
        note: &mut Option<Position>,
    ) -> ReaderEnd {
        let mut frames_left = self.numbers.below(LIFE_FRAMES_END);
        let mut place = None;
        while !self.is_finished(place.as_ref()) {
            match self.hear(line).await {
                ReaderInput::Frame(received) => {
                    place = received.place().or(place);
                    session.received.push(received);
                    if frames_left == 0 {
                        return ReaderEnd::Killed;
                    }
                    frames_left -= 1;
                    if self.numbers.one_in(NOTED_ONE_IN) {
                        *note = place.clone().or(note.take());
                    }
                }
                ReaderInput::Gone => {
                    // It lives on, and knows all that it has heard.
                    *note = place.or(note.take());
                    return ReaderEnd::Cut;
                }
                ReaderInput::FinishKnown => {}
            }
        }
        ReaderEnd::Finished
    }

    async fn hear(&mut self, line: &mut LiveConnection) -> ReaderInput {
        let is_known = self.run_state.finish.borrow_and_update().is_some();
        tokio::select! {
            frame = line.next() => frame.map_or(ReaderInput::Gone, |frame| ReaderInput::Frame(ReceivedFrame::now(frame))),
            _ = self.run_state.finish.changed(), if !is_known => ReaderInput::FinishKnown,
            () = tokio::time::sleep(PATIENCE), if is_known => ReaderInput::Gone,
        }
    }

    fn is_finished(&self, place: Option<&Position>) -> bool {
        let finish = *self.run_state.finish.borrow();
        place.zip(finish).is_some_and(|(place, finish)| place.offset() >= finish)
    }
}
