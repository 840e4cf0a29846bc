//! A process that runs Coder.

use std::sync::{Arc, Mutex};

use parlour_agent::{
    link::LinkError,
    runner::{RunnerEvent, RunnerOptions, run},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::{engine::ScriptedEngine, fake_hub::FakeHub, fake_link::FakeLink};

/// A runner in the background; dropped, it dies in the middle of whatever it does.
pub(crate) struct RunnerFixture {
    stop: CancellationToken,
    task: AbortOnDropHandle<Result<(), LinkError>>,
    reports: Arc<Mutex<Vec<RunnerEvent>>>,
}

impl RunnerFixture {
    /// Starts one with the usual options.
    pub(crate) fn start(hub: &FakeHub, engine: &ScriptedEngine) -> Self {
        Self::start_with(hub, engine, RunnerOptions::default())
    }

    pub(crate) fn start_with(hub: &FakeHub, engine: &ScriptedEngine, options: RunnerOptions) -> Self {
        let (stop, reports) = (CancellationToken::new(), Arc::new(Mutex::new(Vec::new())));
        let (link, engine, told) = (Arc::new(FakeLink(hub.clone())), Arc::new(engine.clone()), reports.clone());
        let report = move |report| told.lock().expect("sound").push(report);
        let task = tokio::spawn(run(link, engine, options, report, stop.clone()));
        Self { stop, task: AbortOnDropHandle::new(task), reports }
    }

    /// What it has told.
    pub(crate) fn reports(&self) -> Vec<RunnerEvent> {
        self.reports.lock().expect("sound").clone()
    }

    /// Asks it to end, and waits.
    pub(crate) async fn stop(self) -> Result<(), LinkError> {
        self.stop.cancel();
        self.task.await.expect("no panic")
    }

    /// Asks it to end, without waiting.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.cancel();
    }

    /// Waits until it ends by itself.
    pub(crate) async fn ended(self) -> Result<(), LinkError> {
        self.task.await.expect("no panic")
    }

    /// It dies; the hub notices that its answers have lost their producer.
    pub(crate) fn kill(self, hub: &FakeHub) {
        drop(self);
        hub.with(|hub| {
            hub.interrupt_all();
            hub.expire_runs();
        });
    }
}
