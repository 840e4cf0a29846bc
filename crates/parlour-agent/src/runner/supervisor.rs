//! The event loop of a runner: handles hub events, starts queued work and handles its results.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use parlour_core::{
    call::{Call, answer_id},
    delivery::{DeliveryState, DeliveryStep},
    event::Change,
    id::{MemberId, MessageId, RunId},
    limits,
    message::{Message, State},
    run::{Run, RunState},
    task::{Task, TaskStatus},
};
use tokio::{
    sync::mpsc,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    RunnerEvent,
    answer::{self, WorkResult},
    answer_control::AnswerControl,
    questions::{self, QuestionOutcome, QuestionQueue, is_asked},
    run_lease::{self, run_of},
    shared::{self, BlockingQuestion, OpenWork, SharedState, fresh_id},
    tasks,
    work_queue::{AddResult, QUEUE_LEN_MAX, QueueKey, WorkBatch, WorkId, WorkItem, WorkQueue, call_of},
};
use crate::link::{HubEvent, HubEvents, LinkError};

/// Grace period of answers in progress when the runner stops.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// Time limit after that to end them as failed.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// Pause before open work is read again after the hub could not be reached.
pub(super) const REREAD_PAUSE: Duration = Duration::from_secs(30);
/// Calls that are passed in parallel because the queue is full; further ones are passed when they are read again.
const PASSING_MAX: usize = 100;

/// Supervises all answers, tasks and questions of one agent.
pub(super) struct AgentSupervisor {
    pub(super) shared: Arc<SharedState>,
    pub(super) stop: CancellationToken,
    pub(super) events: Box<dyn HubEvents>,
    pub(super) queue: WorkQueue,
    pub(super) questions: QuestionQueue,
    /// Questions that pause runs of this process.
    pub(super) blocking_questions: mpsc::Receiver<BlockingQuestion>,
    pub(super) jobs: JoinSet<JobResult>,
    pub(super) running: Vec<RunnerJob>,
    /// Reports to the hub whose result nobody needs.
    pub(super) background: JoinSet<()>,
    /// Open runs of the agent that other processes started.
    pub(super) other_runs: Vec<RunId>,
    /// Calls that are being passed because the queue is full.
    pub(super) passing: JoinSet<WorkResult>,
    /// The request for open work, while it is in progress.
    pub(super) open_work_request: Option<BoxFuture<'static, Result<OpenWork, LinkError>>>,
    /// The pause before open work is read once more, if the current request may return outdated data.
    pub(super) reread_after: Option<Duration>,
    /// Whether the agent has just connected; it is ready when the open work was read.
    pub(super) is_arriving: bool,
    pub(super) is_shown_working: bool,
}

/// One answer or task in progress.
pub(super) struct RunnerJob {
    pub(super) id: Id,
    pub(super) kind: JobKind,
    pub(super) work: Vec<WorkId>,
    pub(super) control: Arc<AnswerControl>,
}

pub(super) enum JobKind {
    /// A job from the work queue.
    Queued(QueueKey),
    /// The answer to this blocking question, in parallel to all other jobs.
    Question(MessageId),
}

/// Result of a job.
pub(super) enum JobResult {
    Work(WorkResult),
    Question(QuestionOutcome),
}

impl AgentSupervisor {
    pub(super) fn new(
        shared: Arc<SharedState>,
        blocking_questions: mpsc::Receiver<BlockingQuestion>,
        stop: CancellationToken,
    ) -> Self {
        let queue = WorkQueue::new(shared.options.debounce, shared.options.answers_max);
        let events = shared.link.follow();
        Self {
            shared,
            stop,
            events,
            queue,
            questions: QuestionQueue::default(),
            blocking_questions,
            jobs: JoinSet::new(),
            running: Vec::new(),
            background: JoinSet::new(),
            other_runs: Vec::new(),
            passing: JoinSet::new(),
            open_work_request: None,
            reread_after: None,
            is_arriving: true,
            is_shown_working: false,
        }
    }

    /// Works until the runner is stopped or the hub revokes access; then waits for jobs in progress.
    pub(super) async fn run(mut self) -> Result<(), LinkError> {
        self.publish_presence();
        let outcome = self.work().await;
        if outcome.is_ok() {
            self.wait_for_jobs(STOP_GRACE).await;
        }
        self.shared.stopping.cancel();
        self.wait_for_jobs(STOP_TIME_MAX).await;
        outcome
    }

    async fn work(&mut self) -> Result<(), LinkError> {
        loop {
            self.begin_ready();
            let ready = self.queue.next_ready();
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Ok(()),
                Some(job) = self.jobs.join_next_with_id() => self.settle(job),
                Some(_) = self.passing.join_next() => {}
                Some(_) = self.background.join_next() => {}
                Some(question) = self.blocking_questions.recv() => self.take_blocking_question(question),
                () = sleep_until(ready.unwrap_or_else(Instant::now)), if ready.is_some() => {}
                found = await_request(&mut self.open_work_request), if self.open_work_request.is_some() => self.take_open(found?),
                item = self.events.next() => self.handle_hub_event(item?),
            }
        }
    }

    fn handle_hub_event(&mut self, item: HubEvent) {
        match item {
            HubEvent::Live => {
                self.is_arriving = true;
                self.read_open_work(Duration::ZERO);
            }
            HubEvent::Event(event) => self.take_event(event.change),
            HubEvent::Lost(why) => self.shared.emit(RunnerEvent::Lost(why)),
        }
    }

    fn read_open_work(&mut self, pause: Duration) {
        self.open_work_request = Some(Box::pin(shared::read_open_work(self.shared.clone(), pause)));
    }

    /// Reads open work again after a pause, or after the current request has returned.
    pub(super) fn reread_open_work(&mut self, pause: Duration) {
        if self.open_work_request.is_some() {
            self.reread_after = Some(pause);
        } else {
            self.read_open_work(pause);
        }
    }

    /// Handles the open work of the hub; most of it is already known.
    fn take_open(&mut self, open: OpenWork) {
        self.open_work_request = None;
        self.take_other_runs(&open.runs);
        self.take_open_questions(&open);
        open.calls.into_iter().for_each(|call| self.add_call(call));
        open.tasks.into_iter().for_each(|task| self.add_task(task));
        if std::mem::take(&mut self.is_arriving) {
            self.shared.emit(RunnerEvent::Ready);
        }
        if let Some(pause) = self.reread_after.take() {
            self.read_open_work(pause);
        } else if open.is_partial {
            self.read_open_work(REREAD_PAUSE);
        }
    }

    pub(super) fn add_call(&mut self, call: Call) {
        let work = WorkItem::Call(Box::new(call.clone()));
        let has_to_wait = self.queue.is_held_up(&work.queue_key());
        match self.queue.add(work, Instant::now()) {
            AddResult::Queued if has_to_wait => self.report_queued(call.message_id),
            AddResult::Full(WorkItem::Call(call)) => self.pass_overflow(*call),
            _ => {}
        }
    }

    /// A task without room stays open at the hub and is read again when another job has ended.
    fn add_task(&mut self, task: Task) {
        self.queue.add(WorkItem::Task(Box::new(task)), Instant::now());
    }

    fn pass_overflow(&mut self, call: Call) {
        let reason = format!("{QUEUE_LEN_MAX} calls wait for {} here already", self.shared.agent().name);
        self.pass(call, reason);
    }

    fn pass(&mut self, call: Call, reason: String) {
        if self.passing.len() >= PASSING_MAX {
            self.queue.forget(&WorkId::Call(call.message_id));
            return;
        }
        let shared = self.shared.clone();
        self.passing.spawn(async move { answer::pass(&shared, &[call], Some(reason)).await });
    }

    fn begin_ready(&mut self) {
        self.begin_questions();
        while let Some((queue_key, batch)) = self.queue.begin(Instant::now()) {
            self.begin(queue_key, batch);
        }
        if self.is_working() != self.is_shown_working {
            self.publish_presence();
        }
    }

    fn begin(&mut self, queue_key: QueueKey, batch: WorkBatch) {
        let (shared, control) = (self.shared.clone(), AnswerControl::new());
        if self.has_questions() {
            control.request_checkpoint();
        }
        let job_control = control.clone();
        let (work, job) = match batch {
            WorkBatch::Calls(calls) => {
                let work = calls.iter().map(|call| WorkId::Call(call.message_id.clone())).collect();
                let id = calls.last().map_or_else(fresh_id, |call| answer_id(&call.agent_id, &call.message_id));
                let answering = async move { answer::answer(&shared, id, calls, job_control).await.done };
                (work, self.jobs.spawn(async { JobResult::Work(answering.await) }))
            }
            WorkBatch::Task(task) => {
                let work = vec![WorkId::Task(task.id.clone())];
                let doing = async move { tasks::do_task(&shared, fresh_id(), *task, job_control).await };
                (work, self.jobs.spawn(async { JobResult::Work(doing.await) }))
            }
        };
        self.running.push(RunnerJob { id: job.id(), kind: JobKind::Queued(queue_key), work, control });
    }

    fn settle(&mut self, job: Result<(Id, JobResult), JoinError>) {
        let (id, outcome) = match job {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(error) => (error.id(), None),
        };
        let Some(at) = self.running.iter().position(|running| running.id == id) else { return };
        let RunnerJob { kind, work, .. } = self.running.swap_remove(at);
        match (kind, outcome) {
            (JobKind::Queued(queue_key), Some(JobResult::Work(done))) => self.settle_work(&queue_key, &work, done),
            (JobKind::Queued(queue_key), _) => self.settle_work(&queue_key, &work, WorkResult::Settled),
            (JobKind::Question(message), Some(JobResult::Question(outcome))) => self.settle_question(message, outcome),
            (JobKind::Question(message), _) => self.settle_question(message, QuestionOutcome::Handled),
        }
    }

    fn settle_work(&mut self, queue_key: &QueueKey, work: &[WorkId], done: WorkResult) {
        self.queue.end(queue_key, Instant::now());
        let was_task = work.iter().any(|work| matches!(work, WorkId::Task(_)));
        for work in work {
            // A person may open a task again; then it is done again.
            if done == WorkResult::Later || (was_task && done == WorkResult::Settled) {
                self.queue.forget(work);
            }
        }
        match done {
            WorkResult::Later => self.reread_open_work(REREAD_PAUSE),
            WorkResult::Settled if was_task => self.reread_open_work(Duration::ZERO),
            WorkResult::Settled | WorkResult::Refused => {}
        }
    }

    fn is_working(&self) -> bool {
        !self.running.is_empty()
    }

    fn publish_presence(&mut self) {
        self.is_shown_working = self.is_working();
        let runtime = self.shared.engine.runtime();
        self.events.set_presence(shared::presence_update(&self.shared.options, &runtime, self.is_shown_working));
    }

    /// Waits for jobs in progress and still handles events that stop them. Starts nothing new.
    async fn wait_for_jobs(&mut self, time_max: Duration) {
        let waiting = async {
            let mut is_connected = true;
            while !self.jobs.is_empty() || !self.passing.is_empty() || !self.background.is_empty() {
                tokio::select! {
                    Some(job) = self.jobs.join_next_with_id() => self.settle(job),
                    Some(_) = self.passing.join_next() => {}
                    Some(_) = self.background.join_next() => {}
                    Some(question) = self.blocking_questions.recv() => self.take_blocking_question(question),
                    item = self.events.next(), if is_connected => match item {
                        Ok(HubEvent::Event(event)) => self.take_event(event.change),
                        Ok(_) => {}
                        Err(_) => is_connected = false,
                    },
                }
            }
        };
        // Jobs that are still in progress are dropped with the runner.
        let _ = timeout(time_max, waiting).await;
    }
}

/// Waits for the request for open work; never returns if there is none.
async fn await_request(
    open_work_request: &mut Option<BoxFuture<'static, Result<OpenWork, LinkError>>>,
) -> Result<OpenWork, LinkError> {
    match open_work_request {
        Some(open_work_request) => open_work_request.await,
        None => std::future::pending().await,
    }
}

impl AgentSupervisor {
    pub(super) fn take_event(&mut self, change: Change) {
        let me = self.shared.agent().id;
        match change {
            Change::MessagePosted(message) | Change::MessageFinished(message) => self.take_message(&message),
            Change::MessageRemoved(message) => {
                self.queue.withdraw(&WorkId::Call(message.id.clone()));
                self.end_answer(&message.id);
            }
            // An edit closes the call when it takes the mention out of the message.
            Change::MessageEdited(message) if !message.calls.contains(&me) => {
                self.queue.withdraw(&WorkId::Call(message.id));
            }
            Change::CallPassed(passed) if passed.agent_id == me => {
                self.queue.withdraw(&WorkId::Call(passed.message_id.clone()));
            }
            Change::AgentUpdated(agent) if agent.id == me => self.shared.change_agent(*agent),
            Change::RunEnded(run) if run.state == RunState::Cancelled => self.stop_run(&run),
            Change::TaskCreated(task) | Change::TaskUpdated(task) => self.take_task(*task),
            _ => {}
        }
    }

    fn take_message(&mut self, message: &Message) {
        let me = self.shared.agent().id;
        if is_asked(message, &me) {
            self.take_question(message);
        } else if let Some(call) = call_of(message, &me) {
            self.take_call(message, call);
        }
        if message.from.member_id() == Some(me.into()) {
            self.take_own_message(message);
        }
    }

    /// An answer to the agent's own question is awaited elsewhere and needs no answer: pass the call.
    fn take_call(&mut self, message: &Message, call: Call) {
        if message.answer_to.as_ref().is_some_and(|answered| self.shared.has_asked(&answered.message_id)) {
            self.queue.withdraw(&WorkId::Call(call.message_id.clone()));
            self.pass(call, "it answers a question".to_owned());
        } else {
            self.add_call(call);
        }
    }

    /// Handles a message of the agent itself: an answer of this process that somebody stopped, or an answer of
    /// another process, which closes the calls it covers.
    fn take_own_message(&mut self, message: &Message) {
        if matches!(message.state, State::Cancelled | State::Interrupted) {
            self.end_answer(&message.id);
        }
        match &message.reply_to {
            // A blocking question is answered out of order: earlier calls still need an answer.
            Some(question) if self.is_question(question) => self.queue.withdraw(&WorkId::Call(question.clone())),
            Some(answered) => self.queue.withdraw_up_to(answered),
            None => {}
        }
        let run = run_of(&message.id).filter(|run| self.other_runs.contains(run));
        if let Some(run) = run.filter(|_| message.state != State::Streaming) {
            self.end_abandoned_run(run);
        }
    }

    fn end_answer(&self, id: &MessageId) {
        let meant = self.running.iter().filter(|running| running.control.is_answer(id));
        meant.for_each(|running| running.control.ended.cancel());
    }

    fn stop_run(&self, run: &Run) {
        let meant = self.running.iter().filter(|running| running.control.is_run(&run.id));
        let reason = run.reason.clone().unwrap_or_else(|| "its run was stopped".to_owned());
        meant.for_each(|running| running.control.stop_run(reason.clone()));
    }

    fn take_task(&mut self, task: Task) {
        let is_mine = task.assignee == Some(MemberId::from(self.shared.agent().id));
        let is_wanted = is_mine && matches!(task.status, TaskStatus::Open | TaskStatus::Working);
        if !is_wanted {
            self.give_up(&WorkId::Task(task.id));
        } else if task.status == TaskStatus::Open && self.shared.options.picks_up_tasks {
            self.add_task(task);
        }
    }

    /// The task was assigned to somebody else or closed.
    fn give_up(&mut self, task: &WorkId) {
        self.queue.withdraw(task);
        self.queue.forget(task);
        let meant = self.running.iter().filter(|running| running.work.contains(task));
        meant.for_each(|running| running.control.ended.cancel());
    }
}

/// Background reports in parallel; further ones are skipped.
const BACKGROUND_MAX: usize = 200;

impl AgentSupervisor {
    /// Reports that a message is queued.
    pub(super) fn report_queued(&mut self, message: MessageId) {
        let shared = self.shared.clone();
        self.spawn_background(async move {
            let step = DeliveryStep::to(DeliveryState::Queued);
            let _ = shared.link.report_deliveries(&[message], &step).await;
        });
    }

    /// Resumes the runs that this message paused.
    pub(super) fn resume_paused_by(&mut self, message: &MessageId) {
        let paused = self.running.iter().filter(|running| running.control.is_paused_by(message));
        let runs: Vec<RunId> = paused.filter_map(|running| running.control.run().cloned()).collect();
        if !runs.is_empty() {
            self.spawn_background(questions::resume(self.shared.clone(), runs, message.clone()));
        }
    }

    /// Records the runs of other processes and ends those that are abandoned.
    pub(super) fn take_other_runs(&mut self, open: &[Run]) {
        let is_own = |id: &RunId| self.running.iter().any(|running| running.control.is_run(id));
        let others = open.iter().map(|run| &run.id).filter(|id| !is_own(id)).take(limits::RUNS_PER_AGENT_MAX);
        self.other_runs = others.cloned().collect();
        for run in self.other_runs.clone() {
            self.end_abandoned_run(run);
        }
    }

    pub(super) fn end_abandoned_run(&mut self, run: RunId) {
        let shared = self.shared.clone();
        self.spawn_background(async move { run_lease::end_abandoned_run(&shared, &run).await });
    }

    fn spawn_background(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        if self.background.len() < BACKGROUND_MAX {
            self.background.spawn(work);
        }
    }
}
