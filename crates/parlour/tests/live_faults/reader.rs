//! A reader: connects, listens, is cut off or killed, and comes back to where it was for certain.

use std::time::Duration;

use parlour_core::position::Position;
use reqwest::{Client, Method};
use serde_json::Value;

use crate::{
    api::{ANSWER_PATIENCE, Api},
    course::Course,
    seed::Numbers,
    spot::Spot,
    sse::SseLine,
    transcript::{Heard, Session, Transcript, text},
    ws::WsLine,
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

/// The transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    Ws,
}

/// What a reader does when it connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
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
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) door: Door,
    pub(crate) habit: Habit,
    pub(crate) spot: Spot,
    /// The life of the log.
    pub(crate) epoch: String,
}

/// Reads until everything was heard.
pub(crate) async fn read_on(plan: Plan, course: Course, numbers: Numbers) -> Transcript {
    let mut reader =
        Reader { api: Api::new(&plan.spot.url, &plan.spot.token), client: Client::new(), plan, course, numbers };
    let mut transcript = Transcript { reader: reader.plan.name.clone(), sessions: Vec::new() };
    let mut note = (reader.plan.habit == Habit::FromTheBeginning).then(|| reader.position(0));
    for _ in 0..SESSIONS_MAX {
        reader.course.hub_is_there().await;
        let mut session = reader.begin(note.as_ref()).await;
        let Some(mut line) = reader.open(&session).await else { continue };
        let outcome = reader.listen(&mut line, &mut session, &mut note).await;
        transcript.sessions.push(session);
        if outcome == Outcome::Finished {
            return transcript;
        }
    }
    unreachable!("{} never came to an end", transcript.reader)
}

struct Reader {
    plan: Plan,
    api: Api,
    client: Client,
    course: Course,
    numbers: Numbers,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything was heard.
    Finished,
    /// The connection is gone.
    Cut,
    /// The reader was killed, and knows only what it had noted.
    Killed,
}

/// What comes next.
enum Ear {
    Frame(Heard),
    /// The end of the run is known from now on.
    FinishKnown,
    /// The connection has ended, or was silent for too long.
    Gone,
}

/// An open connection.
enum Line {
    Sse(Box<SseLine>),
    Ws(Box<WsLine>),
}

impl Line {
    async fn next(&mut self) -> Option<Value> {
        match self {
            Self::Sse(line) => line.next().await,
            Self::Ws(line) => line.next().await,
        }
    }
}

impl Reader {
    fn position(&self, offset: u64) -> Position {
        Position::new(&self.plan.epoch, offset).expect("a position")
    }

    /// Where the next session begins.
    async fn begin(&mut self, note: Option<&Position>) -> Session {
        let (after, is_fresh) = match self.plan.habit {
            Habit::Snapshots => (Some(self.snapshot().await), true),
            Habit::Forgetful if note.is_none() || self.numbers.one_in(4) => (Some(self.wrong_position()), false),
            _ => (note.cloned(), false),
        };
        Session { after, is_fresh, heard: Vec::new() }
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
        let path = format!("/projects/{}/snapshot", self.plan.spot.project);
        let snapshot = self.api.ask(&mut self.course, Method::GET, &path, &Value::Null).await.expect("a snapshot");
        text(&snapshot, "/position").parse().expect("a position")
    }

    /// Opens a connection; nothing when it broke, or nobody answered in time.
    async fn open(&self, session: &Session) -> Option<Line> {
        let after = session.after.as_ref().map(Position::to_string);
        let spot = &self.plan.spot;
        let opening = async {
            match self.plan.door {
                Door::Sse => Some(Line::Sse(SseLine::open(&self.client, spot, after.as_deref()).await?.into())),
                Door::Ws => Some(Line::Ws(WsLine::open(spot, after.as_deref()).await?.into())),
            }
        };
        tokio::time::timeout(ANSWER_PATIENCE, opening).await.ok().flatten()
    }

    /// Listens until the end, of the run or of the connection or of the reader. The note is where it will resume.
    async fn listen(&mut self, line: &mut Line, session: &mut Session, note: &mut Option<Position>) -> Outcome {
        let mut frames_left = self.numbers.below(LIFE_FRAMES_END);
        let mut place = None;
        while !self.is_finished(place.as_ref()) {
            match self.hear(line).await {
                Ear::Frame(heard) => {
                    place = heard.place().or(place);
                    session.heard.push(heard);
                    if frames_left == 0 {
                        return Outcome::Killed;
                    }
                    frames_left -= 1;
                    if self.numbers.one_in(NOTED_ONE_IN) {
                        *note = place.clone().or(note.take());
                    }
                }
                Ear::Gone => {
                    // It lives on, and knows all that it has heard.
                    *note = place.or(note.take());
                    return Outcome::Cut;
                }
                Ear::FinishKnown => {}
            }
        }
        Outcome::Finished
    }

    async fn hear(&mut self, line: &mut Line) -> Ear {
        let is_known = self.course.finish.borrow_and_update().is_some();
        tokio::select! {
            frame = line.next() => frame.map_or(Ear::Gone, |frame| Ear::Frame(Heard::now(frame))),
            _ = self.course.finish.changed(), if !is_known => Ear::FinishKnown,
            () = tokio::time::sleep(PATIENCE), if is_known => Ear::Gone,
        }
    }

    fn is_finished(&self, place: Option<&Position>) -> bool {
        let finish = *self.course.finish.borrow();
        place.zip(finish).is_some_and(|(place, finish)| place.offset() >= finish)
    }
}
