//! One run: a hub that is killed again and again under load, and readers behind a bad line.

use std::{path::Path, time::Instant};

use parlour_core::position::Position;
use reqwest::Method;
use serde_json::json;
use tokio::task::{JoinHandle, JoinSet};

use crate::{
    api::Api,
    course::{Course, course},
    ground::{Ground, Member},
    load::{Acked, Poster, keep_door},
    producer::{Answer, Producer},
    proxy::{Proxy, Temper},
    reader::{Door, Habit, Plan, read_on},
    seed::Numbers,
    stage::{Death, Stage, own_address},
    support::{Hub, TOKEN},
    tail::Tail,
    transcript::{Transcript, text},
};

/// The line of the readers.
const ROUGH: Temper = Temper { spared_one_in: 6, bytes_end: 60_000, stalled_one_in: 4, stall_ms_end: 400 };
/// The line of the load: it has to get something done.
const MILD: Temper = Temper { spared_one_in: 3, bytes_end: 60_000, stalled_one_in: 10, stall_ms_end: 60 };

/// What a run does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    /// How often the hub ends under load.
    pub(crate) deaths: usize,
    /// It ends after fewer acknowledgements than this.
    pub(crate) acks_end: u64,
    /// What the hub does wrong on purpose.
    pub(crate) sabotage: Option<&'static str>,
}

/// What came of a run.
pub(crate) struct Outcome {
    pub(crate) ground: Ground,
    pub(crate) transcripts: Vec<(Who, Transcript)>,
    pub(crate) done: Done,
    /// The offset of the last event that every reader waited for.
    pub(crate) finish: u64,
}

/// What the load has done.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) acked: Vec<Acked>,
    pub(crate) answers: Vec<Answer>,
    /// The moments before each request to let the wanderer in.
    pub(crate) asked_in: Vec<Instant>,
}

/// Through whose eyes a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    Owner,
    Insider,
    Stranger,
    Wanderer,
}

impl Who {
    /// The member.
    pub(crate) fn member(self, ground: &Ground) -> &Member {
        match self {
            Self::Owner => &ground.owner,
            Self::Insider => &ground.insider,
            Self::Stranger => &ground.stranger,
            Self::Wanderer => &ground.wanderer,
        }
    }
}

/// The readers: every transport, every habit, everybody's eyes.
const READERS: [(Who, Door, Habit); 8] = [
    (Who::Owner, Door::Sse, Habit::Snapshots),
    (Who::Owner, Door::Ws, Habit::Snapshots),
    (Who::Insider, Door::Sse, Habit::FromTheBeginning),
    (Who::Insider, Door::Ws, Habit::News),
    (Who::Stranger, Door::Sse, Habit::Forgetful),
    (Who::Stranger, Door::Ws, Habit::FromTheBeginning),
    (Who::Wanderer, Door::Sse, Habit::FromTheBeginning),
    (Who::Wanderer, Door::Ws, Habit::FromTheBeginning),
];

/// Lets everything happen that the setting asks for, in this folder.
pub(crate) async fn run(folder: &Path, setting: Setting) -> Outcome {
    let mut numbers = Numbers::new(setting.seed);
    let ground = Ground::make(folder).await;
    let (conductor, course) = course();
    let rough = Proxy::start(course.hub.clone(), ROUGH, numbers.fork()).await;
    let mild = Proxy::start(course.hub.clone(), MILD, numbers.fork()).await;
    let mut readers = start_readers(&ground, &rough, &course, &mut numbers);
    if setting.sabotage.is_none() {
        start_tails(&mut readers, folder, &ground, &mild, &course, &mut numbers);
    }
    let load = start_load(&ground, &mild, &course, &mut numbers);

    let stage = Stage { folder, listen: own_address(), sabotage: setting.sabotage, conductor };
    for _ in 0..setting.deaths {
        stage.live_through(Death::draw(setting.acks_end, &mut numbers), &course).await;
    }
    let hub = stage.start_hub();
    stage.conductor.goes_on.send_replace(false);
    let done = load.await.expect("the load never panics");
    // Answers that are still open end with the next start.
    stage.kill(hub);
    let hub = stage.start_hub();
    let finish = post_last(&hub, &ground, course).await;
    stage.conductor.finish.send_replace(Some(finish));
    let transcripts = readers.join_all().await;
    stage.kill(hub);
    Outcome { ground, transcripts, done, finish }
}

fn start_readers(ground: &Ground, line: &Proxy, course: &Course, numbers: &mut Numbers) -> JoinSet<(Who, Transcript)> {
    let mut readers = JoinSet::new();
    for (who, door, habit) in READERS {
        let name = format!("{who:?} over {door:?} ({habit:?})");
        let spot = ground.spot(&line.url(), who.member(ground));
        let reading =
            read_on(Plan { name, door, habit, spot, epoch: ground.epoch.clone() }, course.clone(), numbers.fork());
        readers.spawn(async move { (who, reading.await) });
    }
    readers
}

/// Tails see the hub through the library that agents use, and so hide some of its faults: they come beside the others.
fn start_tails(
    readers: &mut JoinSet<(Who, Transcript)>,
    folder: &Path,
    ground: &Ground,
    line: &Proxy,
    course: &Course,
    numbers: &mut Numbers,
) {
    for who in [Who::Insider, Who::Stranger] {
        let tail = Tail {
            name: format!("{who:?} over tail"),
            folder: folder.to_owned(),
            spot: ground.spot(&line.url(), who.member(ground)),
            start: Position::new(&ground.epoch, 0).expect("a position"),
            course: course.clone(),
            numbers: numbers.fork(),
        };
        readers.spawn(async move { (who, tail.read_on().await) });
    }
}

fn start_load(ground: &Ground, line: &Proxy, course: &Course, numbers: &mut Numbers) -> JoinHandle<Done> {
    let api = |member: &Member| Api::new(&line.url(), &member.token);
    let everywhere =
        [&ground.open, &ground.private, &ground.open_thread, &ground.private_thread].map(Clone::clone).to_vec();
    let in_the_open = vec![ground.open.clone(), ground.open_thread.clone()];
    let mut posters = JoinSet::new();
    let mut producers = JoinSet::new();
    let writers = [(&ground.owner, &everywhere), (&ground.insider, &everywhere), (&ground.stranger, &in_the_open)];
    for (number, (member, rooms)) in writers.into_iter().enumerate() {
        let (rooms, course) = (rooms.clone(), course.clone());
        let poster =
            Poster { number, api: api(member), rooms: rooms.clone(), course: course.clone(), numbers: numbers.fork() };
        posters.spawn(poster.run());
        let (api, owner) = (api(member), api(&ground.owner));
        producers.spawn(Producer { number, api, owner, rooms, course, numbers: numbers.fork() }.run());
    }
    let keeper = keep_door(api(&ground.owner), ground.clone(), course.clone(), numbers.fork());
    tokio::spawn(async move {
        let keeper = tokio::spawn(keeper);
        let acked = posters.join_all().await.concat();
        let answers = producers.join_all().await.concat();
        Done { acked, answers, asked_in: keeper.await.expect("the keeper never panics") }
    })
}

/// Posts what everybody sees, as the last thing of all; answers where it stands.
async fn post_last(hub: &Hub, ground: &Ground, mut course: Course) -> u64 {
    let request = json!({ "id": "msg_last", "channel_id": ground.open.id, "body": "the end" });
    let api = Api::new(&hub.url, TOKEN);
    let posted = api.do_it(&mut course, Method::POST, "/messages", &request).await;
    let (_, offset) = text(&posted, "/position").split_once('-').expect("a position");
    offset.parse().expect("an offset")
}

impl Outcome {
    /// Says how much has happened, for whoever looks at the output.
    #[allow(clippy::print_stdout, reason = "a run of many should show that something happens")]
    pub(crate) fn say_what_happened(&self) {
        let sessions: usize = self.transcripts.iter().map(|(_, transcript)| transcript.sessions.len()).sum();
        let frames = self.count(|_| true);
        let (posts, answers) = (self.done.acked.len(), self.done.answers.len());
        println!("{} events, {posts} posts, {answers} answers; {sessions} sessions, {frames} frames", self.finish);
    }

    /// A run in which nothing happens proves nothing.
    pub(crate) fn assert_enough_happened(&self) {
        for (_, transcript) in &self.transcripts {
            assert!(transcript.sessions.len() > 1, "{} was never cut off", transcript.reader);
        }
        for kind in ["event", "live", "gap", "stream", "chunk"] {
            assert!(self.count(|found| found == kind) > 0, "nobody heard a {kind}");
        }
        assert!(!self.done.asked_in.is_empty() && !self.done.acked.is_empty() && !self.done.answers.is_empty());
    }

    /// How many frames of this type were heard by all readers together.
    fn count(&self, is_meant: impl Fn(&str) -> bool) -> usize {
        let sessions = self.transcripts.iter().flat_map(|(_, transcript)| &transcript.sessions);
        sessions.flat_map(|session| &session.heard).filter(|heard| is_meant(heard.kind())).count()
    }
}
