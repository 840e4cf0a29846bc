//! The loop of a runner: takes what happens, begins what is ready, and takes note of what has ended.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use parlour_core::{
    call::{Call, answer_id},
    delivery::DeliveryPath,
    id::{MessageId, RunId},
    task::Task,
};
use tokio::{
    sync::mpsc,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Report,
    answering::{self, Done},
    control::Control,
    interjecting::Interjected,
    lanes::{LANE_LEN_MAX, Lanes, Taken},
    open_work::{self, OpenWork},
    presence,
    shared::{Shared, Wanted, fresh_id},
    tasks,
    work::{Batch, LaneKey, Work, WorkId},
};
use crate::link::{LinkError, News, NewsItem};

mod chores;
mod events;
mod questions;

use questions::Questions;

/// How long running answers may go on when the agent is stopped.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// How long it may take after that until they have ended as failed.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// How long to wait before work that could not be done for lack of a hub is looked for again.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// Calls without room that are being passed at once; further ones are passed when they are read again.
const PASSING_MAX: usize = 100;

/// Keeps one agent in a project.
pub(super) struct Keeper {
    shared: Arc<Shared>,
    stop: CancellationToken,
    news: Box<dyn News>,
    lanes: Lanes,
    questions: Questions,
    /// What paused runs wait for.
    wanted: mpsc::Receiver<Wanted>,
    errands: JoinSet<Outcome>,
    running: Vec<Running>,
    /// Small things to tell the hub that nothing waits for.
    chores: JoinSet<()>,
    /// Runs of the agent that are none of this process.
    other_runs: Vec<RunId>,
    /// Calls that are passed for lack of room.
    passing: JoinSet<Done>,
    /// Reads what is open at the hub.
    looking: Option<BoxFuture<'static, Result<OpenWork, LinkError>>>,
    /// After which pause to look again, when what is being read may be too old.
    look_again: Option<Duration>,
    /// Whether the agent has just come, or come back, and is not ready before that was read.
    is_arriving: bool,
    is_shown_working: bool,
}

/// Something that is under way.
struct Running {
    errand: Id,
    course: Course,
    work: Vec<WorkId>,
    control: Arc<Control>,
}

/// On which course something is under way.
enum Course {
    /// In its lane, in its turn.
    Lane(LaneKey),
    /// RelatedLookups all others: the question of this message.
    Question(MessageId),
}

/// What came of something that was under way.
enum Outcome {
    Work(Done),
    Question(Interjected),
}

impl Keeper {
    pub(super) fn new(shared: Arc<Shared>, wanted: mpsc::Receiver<Wanted>, stop: CancellationToken) -> Self {
        let lanes = Lanes::new(shared.options.debounce, shared.options.answers_max);
        let news = shared.link.follow();
        Self {
            shared,
            stop,
            news,
            lanes,
            questions: Questions::default(),
            wanted,
            errands: JoinSet::new(),
            running: Vec::new(),
            chores: JoinSet::new(),
            other_runs: Vec::new(),
            passing: JoinSet::new(),
            looking: None,
            look_again: None,
            is_arriving: true,
            is_shown_working: false,
        }
    }

    /// Works until the agent is stopped or no longer let in; then lets what is under way end.
    pub(super) async fn run(mut self) -> Result<(), LinkError> {
        self.say_presence();
        let outcome = self.work().await;
        if outcome.is_ok() {
            self.wait_for_errands(STOP_GRACE).await;
        }
        self.shared.stopping.cancel();
        self.wait_for_errands(STOP_TIME_MAX).await;
        outcome
    }

    async fn work(&mut self) -> Result<(), LinkError> {
        loop {
            self.begin_ready();
            let ready = self.lanes.next_ready();
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Ok(()),
                Some(errand) = self.errands.join_next_with_id() => self.settle(errand),
                Some(_) = self.passing.join_next() => {}
                Some(_) = self.chores.join_next() => {}
                Some(wanted) = self.wanted.recv() => self.take_wanted(wanted),
                () = sleep_until(ready.unwrap_or_else(Instant::now)), if ready.is_some() => {}
                found = look(&mut self.looking), if self.looking.is_some() => self.take_open(found?),
                item = self.news.next() => self.take_news(item?),
            }
        }
    }

    fn take_news(&mut self, item: NewsItem) {
        match item {
            NewsItem::Live => {
                self.is_arriving = true;
                self.look_for_work(Duration::ZERO);
            }
            NewsItem::Event(event) => self.take_event(event.change),
            NewsItem::Lost(why) => self.shared.tell(Report::Lost(why)),
        }
    }

    fn look_for_work(&mut self, pause: Duration) {
        self.looking = Some(Box::pin(open_work::read(self.shared.clone(), pause)));
    }

    /// Looks again after a pause, or when what is being read was taken.
    fn look_again_for_work(&mut self, pause: Duration) {
        if self.looking.is_some() {
            self.look_again = Some(pause);
        } else {
            self.look_for_work(pause);
        }
    }

    /// Takes what is open at the hub; most of it is known already.
    fn take_open(&mut self, open: OpenWork) {
        self.looking = None;
        self.take_other_runs(&open.runs);
        self.take_open_questions(&open);
        open.calls.into_iter().for_each(|call| self.add_call(call));
        open.tasks.into_iter().for_each(|task| self.add_task(task));
        if std::mem::take(&mut self.is_arriving) {
            self.shared.tell(Report::Ready);
        }
        if let Some(pause) = self.look_again.take() {
            self.look_for_work(pause);
        } else if open.is_partial {
            self.look_for_work(LOOK_AGAIN);
        }
    }

    fn add_call(&mut self, call: Call) {
        let work = Work::Call(Box::new(call.clone()));
        let has_to_wait = self.lanes.is_held_up(&work.lane());
        match self.lanes.add(work, Instant::now()) {
            Taken::Waits if has_to_wait => self.report_queued(call.message_id),
            Taken::Overflow(Work::Call(call)) => self.pass_overflow(*call),
            _ => {}
        }
    }

    /// A task that has no room stays open at the hub, and is found there when another one has ended.
    fn add_task(&mut self, task: Task) {
        self.lanes.add(Work::Task(Box::new(task)), Instant::now());
    }

    fn pass_overflow(&mut self, call: Call) {
        let reason = format!("{LANE_LEN_MAX} calls wait for {} here already", self.shared.agent().name);
        self.pass(call, reason);
    }

    fn pass(&mut self, call: Call, reason: String) {
        if self.passing.len() >= PASSING_MAX {
            self.lanes.forget(&WorkId::Call(call.message_id));
            return;
        }
        let shared = self.shared.clone();
        self.passing.spawn(async move { answering::pass(&shared, &[call], Some(reason)).await });
    }

    fn begin_ready(&mut self) {
        self.begin_questions();
        while let Some((lane, batch)) = self.lanes.begin(Instant::now()) {
            self.begin(lane, batch);
        }
        if self.is_working() != self.is_shown_working {
            self.say_presence();
        }
    }

    fn begin(&mut self, lane: LaneKey, batch: Batch) {
        let (shared, control) = (self.shared.clone(), Control::new());
        if self.has_questions() {
            control.want_checkpoint();
        }
        let steered = control.clone();
        let (work, errand) = match batch {
            Batch::Calls(calls) => {
                let work = calls.iter().map(|call| WorkId::Call(call.message_id.clone())).collect();
                let id = calls.last().map_or_else(fresh_id, |call| answer_id(&call.agent_id, &call.message_id));
                let answering =
                    async move { answering::answer(&shared, id, calls, steered, DeliveryPath::Prompt).await.done };
                (work, self.errands.spawn(async { Outcome::Work(answering.await) }))
            }
            Batch::Task(task) => {
                let work = vec![WorkId::Task(task.id.clone())];
                let doing = async move { tasks::do_task(&shared, fresh_id(), *task, steered).await };
                (work, self.errands.spawn(async { Outcome::Work(doing.await) }))
            }
        };
        self.running.push(Running { errand: errand.id(), course: Course::Lane(lane), work, control });
    }

    fn settle(&mut self, errand: Result<(Id, Outcome), JoinError>) {
        let (id, outcome) = match errand {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(error) => (error.id(), None),
        };
        let Some(at) = self.running.iter().position(|running| running.errand == id) else { return };
        let Running { course, work, .. } = self.running.swap_remove(at);
        match (course, outcome) {
            (Course::Lane(lane), Some(Outcome::Work(done))) => self.settle_work(&lane, &work, done),
            (Course::Lane(lane), _) => self.settle_work(&lane, &work, Done::Settled),
            (Course::Question(message), Some(Outcome::Question(outcome))) => self.settle_question(message, outcome),
            (Course::Question(message), _) => self.settle_question(message, Interjected::Handled),
        }
    }

    fn settle_work(&mut self, lane: &LaneKey, work: &[WorkId], done: Done) {
        self.lanes.end(lane, Instant::now());
        let was_task = work.iter().any(|work| matches!(work, WorkId::Task(_)));
        for work in work {
            // A task may be opened again, and is then to be done again.
            if done == Done::Later || (was_task && done == Done::Settled) {
                self.lanes.forget(work);
            }
        }
        match done {
            Done::Later => self.look_again_for_work(LOOK_AGAIN),
            Done::Settled if was_task => self.look_again_for_work(Duration::ZERO),
            Done::Settled | Done::Refused => {}
        }
    }

    fn is_working(&self) -> bool {
        !self.running.is_empty()
    }

    fn say_presence(&mut self) {
        self.is_shown_working = self.is_working();
        let runtime = self.shared.engine.runtime();
        self.news.be_present(presence::request(&self.shared.options, &runtime, self.is_shown_working));
    }

    /// Waits for what is under way, and still hears when somebody stops it. Nothing new is begun.
    async fn wait_for_errands(&mut self, time_max: Duration) {
        let waiting = async {
            let mut is_heard = true;
            while !self.errands.is_empty() || !self.passing.is_empty() || !self.chores.is_empty() {
                tokio::select! {
                    Some(errand) = self.errands.join_next_with_id() => self.settle(errand),
                    Some(_) = self.passing.join_next() => {}
                    Some(_) = self.chores.join_next() => {}
                    Some(wanted) = self.wanted.recv() => self.take_wanted(wanted),
                    item = self.news.next(), if is_heard => match item {
                        Ok(NewsItem::Event(event)) => self.take_event(event.change),
                        Ok(_) => {}
                        Err(_) => is_heard = false,
                    },
                }
            }
        };
        // What has not ended by then is dropped with the runner.
        let _ = timeout(time_max, waiting).await;
    }
}

/// Waits for what is looked for; for ever when nothing is.
async fn look(looking: &mut Option<BoxFuture<'static, Result<OpenWork, LinkError>>>) -> Result<OpenWork, LinkError> {
    match looking {
        Some(looking) => looking.await,
        None => std::future::pending().await,
    }
}
