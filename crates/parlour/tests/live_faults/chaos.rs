//! One run: a hub that is killed again and again under load, and readers behind a bad line.

use std::{path::Path, time::Instant};

use parlour_core::position::Position;
use reqwest::Method;
use serde_json::json;
use tokio::task::{JoinHandle, JoinSet};

use crate::{
    api::RetryingApi,
    hub_runner::{HubEnd, HubRunner, own_address},
    load::{AckedPost, Poster, toggle_membership},
    producer::{AnswerProducer, ProducedAnswer},
    project_fixture::{FaultProject, ProjectMember},
    proxy::{FaultProfile, Proxy},
    reader::{ReaderPlan, ReaderTransport, StartMode, read_on},
    run_state::{FaultRunState, run_state},
    seed::SeededRng,
    support::{Hub, TOKEN},
    tail::TailReader,
    transcript::{Transcript, text},
};

/// The line of the readers.
const ROUGH: FaultProfile = FaultProfile { spared_one_in: 6, bytes_end: 60_000, stalled_one_in: 4, stall_ms_end: 400 };
/// The line of the load: it has to get something done.
const MILD: FaultProfile = FaultProfile { spared_one_in: 3, bytes_end: 60_000, stalled_one_in: 10, stall_ms_end: 60 };

/// What a run does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunSettings {
    pub(crate) seed: u64,
    /// How often the hub ends under load.
    pub(crate) deaths: usize,
    /// It ends after fewer acknowledgements than this.
    pub(crate) acks_end: u64,
    /// What the hub does wrong on purpose.
    pub(crate) sabotage: Option<&'static str>,
}

/// What came of a run.
pub(crate) struct RunOutcome {
    pub(crate) project_fixture: FaultProject,
    pub(crate) transcripts: Vec<(ReaderRole, Transcript)>,
    pub(crate) done: LoadResult,
    /// The offset of the last event that every reader waited for.
    pub(crate) finish: u64,
}

/// What the load has done.
#[derive(Default)]
pub(crate) struct LoadResult {
    pub(crate) acked: Vec<AckedPost>,
    pub(crate) answers: Vec<ProducedAnswer>,
    /// The moments before each request to let the wanderer in.
    pub(crate) asked_in: Vec<Instant>,
}

/// Through whose eyes a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReaderRole {
    Owner,
    Insider,
    Stranger,
    Wanderer,
}

impl ReaderRole {
    /// The member.
    pub(crate) fn member(self, project_fixture: &FaultProject) -> &ProjectMember {
        match self {
            Self::Owner => &project_fixture.owner,
            Self::Insider => &project_fixture.insider,
            Self::Stranger => &project_fixture.stranger,
            Self::Wanderer => &project_fixture.wanderer,
        }
    }
}

/// The readers: every transport, every habit, everybody's eyes.
const READERS: [(ReaderRole, ReaderTransport, StartMode); 8] = [
    (ReaderRole::Owner, ReaderTransport::Sse, StartMode::Snapshots),
    (ReaderRole::Owner, ReaderTransport::Ws, StartMode::Snapshots),
    (ReaderRole::Insider, ReaderTransport::Sse, StartMode::FromTheBeginning),
    (ReaderRole::Insider, ReaderTransport::Ws, StartMode::News),
    (ReaderRole::Stranger, ReaderTransport::Sse, StartMode::Forgetful),
    (ReaderRole::Stranger, ReaderTransport::Ws, StartMode::FromTheBeginning),
    (ReaderRole::Wanderer, ReaderTransport::Sse, StartMode::FromTheBeginning),
    (ReaderRole::Wanderer, ReaderTransport::Ws, StartMode::FromTheBeginning),
];

/// Lets everything happen that the setting asks for, in this folder.
pub(crate) async fn run(folder: &Path, setting: RunSettings) -> RunOutcome {
    let mut numbers = SeededRng::new(setting.seed);
    let project_fixture = FaultProject::make(folder).await;
    let (control, run_state) = run_state();
    let rough = Proxy::start(run_state.hub.clone(), ROUGH, numbers.fork()).await;
    let mild = Proxy::start(run_state.hub.clone(), MILD, numbers.fork()).await;
    let mut readers = start_readers(&project_fixture, &rough, &run_state, &mut numbers);
    if setting.sabotage.is_none() {
        start_tails(&mut readers, folder, &project_fixture, &mild, &run_state, &mut numbers);
    }
    let load = start_load(&project_fixture, &mild, &run_state, &mut numbers);

    let runner = HubRunner { folder, listen: own_address(), sabotage: setting.sabotage, control };
    for _ in 0..setting.deaths {
        runner.run_until(HubEnd::draw(setting.acks_end, &mut numbers), &run_state).await;
    }
    let hub = runner.start_hub();
    runner.control.goes_on.send_replace(false);
    let done = load.await.expect("the load never panics");
    // Answers that are still open end with the next start.
    runner.kill(hub);
    let hub = runner.start_hub();
    let finish = post_last(&hub, &project_fixture, run_state).await;
    runner.control.finish.send_replace(Some(finish));
    let transcripts = readers.join_all().await;
    runner.kill(hub);
    RunOutcome { project_fixture, transcripts, done, finish }
}

fn start_readers(
    project_fixture: &FaultProject,
    line: &Proxy,
    run_state: &FaultRunState,
    numbers: &mut SeededRng,
) -> JoinSet<(ReaderRole, Transcript)> {
    let mut readers = JoinSet::new();
    for (who, door, habit) in READERS {
        let name = format!("{who:?} over {door:?} ({habit:?})");
        let target = project_fixture.target(&line.url(), who.member(project_fixture));
        let reading = read_on(
            ReaderPlan { name, door, habit, target, epoch: project_fixture.epoch.clone() },
            run_state.clone(),
            numbers.fork(),
        );
        readers.spawn(async move { (who, reading.await) });
    }
    readers
}

/// Tails see the hub through the library that agents use, and so hide some of its faults: they come beside the others.
fn start_tails(
    readers: &mut JoinSet<(ReaderRole, Transcript)>,
    folder: &Path,
    project_fixture: &FaultProject,
    line: &Proxy,
    run_state: &FaultRunState,
    numbers: &mut SeededRng,
) {
    for who in [ReaderRole::Insider, ReaderRole::Stranger] {
        let tail = TailReader {
            name: format!("{who:?} over tail"),
            folder: folder.to_owned(),
            target: project_fixture.target(&line.url(), who.member(project_fixture)),
            start: Position::new(&project_fixture.epoch, 0).expect("a position"),
            run_state: run_state.clone(),
            numbers: numbers.fork(),
        };
        readers.spawn(async move { (who, tail.read_on().await) });
    }
}

fn start_load(
    project_fixture: &FaultProject,
    line: &Proxy,
    run_state: &FaultRunState,
    numbers: &mut SeededRng,
) -> JoinHandle<LoadResult> {
    let api = |member: &ProjectMember| RetryingApi::new(&line.url(), &member.token);
    let everywhere = [
        &project_fixture.open,
        &project_fixture.private,
        &project_fixture.open_thread,
        &project_fixture.private_thread,
    ]
    .map(Clone::clone)
    .to_vec();
    let in_the_open = vec![project_fixture.open.clone(), project_fixture.open_thread.clone()];
    let mut posters = JoinSet::new();
    let mut producers = JoinSet::new();
    let writers = [
        (&project_fixture.owner, &everywhere),
        (&project_fixture.insider, &everywhere),
        (&project_fixture.stranger, &in_the_open),
    ];
    for (number, (member, rooms)) in writers.into_iter().enumerate() {
        let (rooms, run_state) = (rooms.clone(), run_state.clone());
        let poster = Poster {
            number,
            api: api(member),
            rooms: rooms.clone(),
            run_state: run_state.clone(),
            numbers: numbers.fork(),
        };
        posters.spawn(poster.run());
        let (api, owner) = (api(member), api(&project_fixture.owner));
        producers.spawn(AnswerProducer { number, api, owner, rooms, run_state, numbers: numbers.fork() }.run());
    }
    let keeper =
        toggle_membership(api(&project_fixture.owner), project_fixture.clone(), run_state.clone(), numbers.fork());
    tokio::spawn(async move {
        let keeper = tokio::spawn(keeper);
        let acked = posters.join_all().await.concat();
        let answers = producers.join_all().await.concat();
        LoadResult { acked, answers, asked_in: keeper.await.expect("the keeper never panics") }
    })
}

/// Posts what everybody sees, as the last thing of all; answers where it stands.
async fn post_last(hub: &Hub, project_fixture: &FaultProject, mut run_state: FaultRunState) -> u64 {
    let request = json!({ "id": "msg_last", "channel_id": project_fixture.open.id, "body": "the end" });
    let api = RetryingApi::new(&hub.url, TOKEN);
    let posted = api.do_it(&mut run_state, Method::POST, "/messages", &request).await;
    let (_, offset) = text(&posted, "/position").split_once('-').expect("a position");
    offset.parse().expect("an offset")
}

impl RunOutcome {
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
            assert!(self.count(|found| found == kind) > 0, "nobody received a {kind}");
        }
        assert!(!self.done.asked_in.is_empty() && !self.done.acked.is_empty() && !self.done.answers.is_empty());
    }

    /// How many frames of this type were heard by all readers together.
    fn count(&self, is_meant: impl Fn(&str) -> bool) -> usize {
        let sessions = self.transcripts.iter().flat_map(|(_, transcript)| &transcript.sessions);
        sessions.flat_map(|session| &session.received).filter(|received| is_meant(received.kind())).count()
    }
}
