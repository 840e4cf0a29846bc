//! The loop of a runner: takes what happens, begins what is ready, and takes note of what has ended.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use parlour_core::{call::Call, call::answer_id, id::MessageId, task::Task};
use tokio::{
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Report,
    answering::{self, Done},
    lanes::{LANE_LEN_MAX, Lanes, Taken},
    open_work::{self, OpenWork},
    presence,
    shared::{Shared, fresh_id},
    tasks,
    work::{Batch, LaneKey, Work, WorkId},
};
use crate::link::{LinkError, News, NewsItem};

mod events;

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
    errands: JoinSet<Done>,
    running: Vec<Running>,
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
    lane: LaneKey,
    work: Vec<WorkId>,
    answer_id: MessageId,
    ended: CancellationToken,
}

impl Keeper {
    pub(super) fn new(shared: Arc<Shared>, stop: CancellationToken) -> Self {
        let lanes = Lanes::new(shared.options.debounce, shared.options.answers_max);
        let news = shared.link.follow();
        Self {
            shared,
            stop,
            news,
            lanes,
            errands: JoinSet::new(),
            running: Vec::new(),
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
        open.calls.into_iter().for_each(|call| self.add_call(call));
        open.tasks.into_iter().for_each(|task| self.add_task(task));
        if std::mem::take(&mut self.is_arriving) {
            self.shared.tell(Report::Ready);
        }
        if let Some(pause) = self.look_again.take() {
            self.look_for_work(pause);
        }
    }

    fn add_call(&mut self, call: Call) {
        if let Taken::Overflow(Work::Call(call)) = self.lanes.add(Work::Call(Box::new(call)), Instant::now()) {
            self.pass_overflow(*call);
        }
    }

    /// A task that has no room stays open at the hub, and is found there when another one has ended.
    fn add_task(&mut self, task: Task) {
        self.lanes.add(Work::Task(Box::new(task)), Instant::now());
    }

    fn pass_overflow(&mut self, call: Call) {
        if self.passing.len() >= PASSING_MAX {
            self.lanes.forget(&WorkId::Call(call.message_id));
            return;
        }
        let shared = self.shared.clone();
        let reason = format!("{LANE_LEN_MAX} calls wait for {} here already", shared.agent().name);
        self.passing.spawn(async move { answering::pass(&shared, &[call], Some(reason)).await });
    }

    fn begin_ready(&mut self) {
        while let Some((lane, batch)) = self.lanes.begin(Instant::now()) {
            self.begin(lane, batch);
        }
        if self.lanes.is_working() != self.is_shown_working {
            self.say_presence();
        }
    }

    fn begin(&mut self, lane: LaneKey, batch: Batch) {
        let (shared, ended) = (self.shared.clone(), CancellationToken::new());
        let stop = ended.clone();
        let (work, answer_id, errand) = match batch {
            Batch::Calls(calls) => {
                let work = calls.iter().map(|call| WorkId::Call(call.message_id.clone())).collect();
                let answer_id = calls.last().map_or_else(fresh_id, |call| answer_id(&call.agent_id, &call.message_id));
                let id = answer_id.clone();
                (work, answer_id, self.errands.spawn(async move { answering::answer(&shared, id, calls, stop).await }))
            }
            Batch::Task(task) => {
                let (work, answer_id) = (vec![WorkId::Task(task.id.clone())], fresh_id());
                let id = answer_id.clone();
                (work, answer_id, self.errands.spawn(async move { tasks::do_task(&shared, id, *task, stop).await }))
            }
        };
        self.running.push(Running { errand: errand.id(), lane, work, answer_id, ended });
    }

    fn settle(&mut self, errand: Result<(Id, Done), JoinError>) {
        let (id, done) = match errand {
            Ok((id, done)) => (id, done),
            Err(error) => (error.id(), Done::Settled),
        };
        let Some(at) = self.running.iter().position(|running| running.errand == id) else { return };
        let running = self.running.swap_remove(at);
        self.lanes.end(&running.lane, Instant::now());
        let was_task = running.work.iter().any(|work| matches!(work, WorkId::Task(_)));
        for work in &running.work {
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

    fn say_presence(&mut self) {
        self.is_shown_working = self.lanes.is_working();
        let runtime = self.shared.engine.runtime();
        self.news.be_present(presence::wish(&self.shared.options, &runtime, self.is_shown_working));
    }

    /// Waits for what is under way, and still hears when somebody stops it. Nothing new is begun.
    async fn wait_for_errands(&mut self, time_max: Duration) {
        let waiting = async {
            let mut is_heard = true;
            while !self.errands.is_empty() || !self.passing.is_empty() {
                tokio::select! {
                    Some(errand) = self.errands.join_next_with_id() => self.settle(errand),
                    Some(_) = self.passing.join_next() => {}
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
