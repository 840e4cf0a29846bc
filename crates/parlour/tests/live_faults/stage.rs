//! The hub behind the scenes: it starts on the same folder again and again, and ends in every way there is.

use std::{os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus, time::Duration};

use rustix::process::{Signal, kill_process};
use tokio::task::block_in_place;

use crate::{
    course::{Conductor, Course},
    seed::Numbers,
    support::{Hub, TOKEN},
};

/// The steps of a group of writes, in order.
const STEPS: [&str; 3] = ["after_job", "before_commit", "after_commit_before_answer"];
/// So many times a step is passed for certain: a hub that starts ends the answers that were left open.
const TIMES_FIRST: u64 = 40;
/// And after fewer further times than this the hub dies at it.
const TIMES_END: u64 = 60;
/// A step is passed at least once in so many acknowledgements.
const ACKS_PER_STEP_MAX: u64 = 50;
/// A hub that is asked to stop has done so by then.
const STOP_PATIENCE: Duration = Duration::from_secs(60);
/// How a process ends that aborts.
const SIGABRT: i32 = 6;

/// How a hub ends.
#[derive(Clone, Debug)]
pub(crate) enum Death {
    /// By SIGKILL, after so many acknowledgements.
    Killed(u64),
    /// It is asked to stop, after so many acknowledgements.
    Stopped(u64),
    /// By its own hand, when it reaches this step of a write for the so-many-th time.
    At(&'static str, u64),
}

impl Death {
    /// One of the ways to end.
    pub(crate) fn draw(acks_end: u64, numbers: &mut Numbers) -> Self {
        let acks = numbers.below(acks_end);
        match numbers.below(8) {
            0 => Self::Stopped(acks),
            1..=3 => Self::At(numbers.pick::<&str>(&STEPS), TIMES_FIRST + numbers.below(TIMES_END)),
            _ => Self::Killed(acks),
        }
    }
}

/// Where hubs are started, and what they do wrong on purpose.
pub(crate) struct Stage<'run> {
    pub(crate) folder: &'run Path,
    pub(crate) sabotage: Option<&'static str>,
    pub(crate) conductor: Conductor,
}

impl Stage<'_> {
    /// Starts a hub and tells everybody where it is.
    pub(crate) fn start_hub(&self) -> Hub {
        self.start_with(None)
    }

    /// Ends a hub at once.
    pub(crate) fn kill(&self, hub: Hub) {
        self.conductor.hub.send_replace(None);
        assert_sound(&hub);
        block_in_place(|| hub.kill());
    }

    /// Starts a hub under load and lets it end like this.
    pub(crate) async fn live_through(&self, death: Death, course: &Course) {
        match death {
            Death::Killed(acks) => {
                let hub = self.start_hub();
                course.acknowledged(acks).await;
                self.kill(hub);
            }
            Death::Stopped(acks) => {
                let hub = self.start_hub();
                course.acknowledged(acks).await;
                assert_sound(&hub);
                // Nobody new comes, and those who are there are sent away.
                self.conductor.hub.send_replace(None);
                hub.signal(Signal::TERM);
                let (hub, status) = wait(hub, tokio::time::sleep(STOP_PATIENCE)).await;
                assert!(status.success(), "{status}: {}", hub.log());
            }
            Death::At(step, times) => {
                let hub = self.start_with(Some(&format!("{step}:{times}")));
                let (hub, status) = wait(hub, course.acknowledged(TIMES_END * ACKS_PER_STEP_MAX)).await;
                self.conductor.hub.send_replace(None);
                assert_eq!(status.signal(), Some(SIGABRT), "{step}: {}", hub.log());
                assert_sound(&hub);
            }
        }
    }

    fn start_with(&self, failpoint: Option<&str>) -> Hub {
        let hub = block_in_place(|| {
            Hub::start_with(self.folder, |command| {
                let command = command.env("PARLOUR_ADMIN_TOKEN", TOKEN);
                let settings = [("PARLOUR_SABOTAGE", self.sabotage), ("PARLOUR_FAILPOINT", failpoint)];
                let wanted = settings.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
                command.envs(wanted)
            })
        });
        let address = hub.url["http://".len()..].parse().expect("an address");
        self.conductor.hub.send_replace(Some(address));
        hub
    }
}

/// Waits for the end of the hub, which comes before that of the patience.
async fn wait(mut hub: Hub, patience: impl Future<Output = ()>) -> (Hub, ExitStatus) {
    let pid = hub.pid();
    let mut ended = tokio::task::spawn_blocking(move || {
        let status = hub.wait();
        (hub, status)
    });
    tokio::select! {
        ended = &mut ended => ended.expect("a wait never panics"),
        () = patience => {
            // Its waiting thread would keep the test from ending.
            kill_process(pid, Signal::KILL).expect("the hub runs");
            let (hub, _) = ended.await.expect("a wait never panics");
            unreachable!("the hub goes on; was it built without the features for tests? {}", hub.log())
        }
    }
}

fn assert_sound(hub: &Hub) {
    assert!(!hub.log().contains("panicked"), "{}", hub.log());
}
