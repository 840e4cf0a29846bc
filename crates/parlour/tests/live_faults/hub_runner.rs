//! The hub behind the scenes: it starts on the same folder again and again, and ends in every way there is.

use std::{
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::ExitStatus,
    sync::atomic::{AtomicU8, Ordering},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::block_in_place;

use crate::{
    run_state::{FaultRunState, RunControl},
    seed::SeededRng,
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
pub(crate) enum HubEnd {
    /// By SIGKILL, after so many acknowledgements.
    Killed(u64),
    /// It is asked to stop, after so many acknowledgements.
    Stopped(u64),
    /// By its own hand, when it reaches this step of a write for the so-many-th time.
    At(&'static str, u64),
}

impl HubEnd {
    /// One of the ways to end.
    pub(crate) fn draw(acks_end: u64, numbers: &mut SeededRng) -> Self {
        let acks = numbers.below(acks_end);
        match numbers.below(8) {
            0 => Self::Stopped(acks),
            1..=3 => Self::At(numbers.pick::<&str>(&STEPS), TIMES_FIRST + numbers.below(TIMES_END)),
            _ => Self::Killed(acks),
        }
    }
}

/// Where hubs are started, and what they do wrong on purpose.
pub(crate) struct HubRunner<'run> {
    pub(crate) folder: &'run Path,
    /// Where they listen, each at a port that it takes itself.
    pub(crate) listen: String,
    pub(crate) sabotage: Option<&'static str>,
    pub(crate) control: RunControl,
}

impl HubRunner<'_> {
    /// Starts a hub and tells everybody where it is.
    pub(crate) fn start_hub(&self) -> Hub {
        self.start_with(None)
    }

    /// Ends a hub at once.
    pub(crate) fn kill(&self, hub: Hub) {
        self.control.hub.send_replace(None);
        assert_sound(&hub);
        block_in_place(|| hub.kill());
    }

    /// Starts a hub under load and lets it end like this.
    pub(crate) async fn run_until(&self, death: HubEnd, run_state: &FaultRunState) {
        match death {
            HubEnd::Killed(acks) => {
                let hub = self.start_hub();
                run_state.acknowledged(acks).await;
                self.kill(hub);
            }
            HubEnd::Stopped(acks) => {
                let hub = self.start_hub();
                run_state.acknowledged(acks).await;
                assert_sound(&hub);
                // Nobody new comes, and those who are there are sent away.
                self.control.hub.send_replace(None);
                hub.signal(Signal::TERM);
                let (hub, status) = wait(hub, tokio::time::sleep(STOP_PATIENCE)).await;
                assert!(status.success(), "{status}: {}", hub.log());
            }
            HubEnd::At(step, times) => {
                let hub = self.start_with(Some(&format!("{step}:{times}")));
                let (hub, status) = wait(hub, run_state.acknowledged(TIMES_END * ACKS_PER_STEP_MAX)).await;
                self.control.hub.send_replace(None);
                assert_eq!(status.signal(), Some(SIGABRT), "{step}: {}", hub.log());
                assert_sound(&hub);
            }
        }
    }

    fn start_with(&self, failpoint: Option<&str>) -> Hub {
        let hub = block_in_place(|| {
            Hub::start_at(self.folder, &self.listen, |command| {
                let command = command.env("PARLOUR_ADMIN_TOKEN", TOKEN);
                let settings = [("PARLOUR_SABOTAGE", self.sabotage), ("PARLOUR_FAILPOINT", failpoint)];
                let wanted = settings.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
                command.envs(wanted)
            })
        });
        let address = hub.url["http://".len()..].parse().expect("an address");
        self.control.hub.send_replace(Some(address));
        hub
    }
}

/// An address of this machine that is no other run's. Between two hubs of a run the address of the first is still
/// called; whoever took its port meanwhile would answer in its place, or never.
pub(crate) fn own_address() -> String {
    static RUNS: AtomicU8 = AtomicU8::new(0);
    if cfg!(not(target_os = "linux")) {
        return "127.0.0.1:0".to_owned();
    }
    let [_, top, high, low] = std::process::id().to_be_bytes();
    // Processes have numbers below 2^22. Everybody else listens in 127.0, and nobody can in all of 127.255.
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let network = 1 + (u32::from(run) * 64 + u32::from(top)) % 250;
    format!("127.{network}.{high}.{low}:0")
}

/// Kills a process when it is dropped. A thread that waits for its end would otherwise keep the test from ending when
/// nobody waits for that thread any more.
struct KillOnDrop(Pid);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // It fails when the process has ended, which is what is wanted.
        let _ = kill_process(self.0, Signal::KILL);
    }
}

/// Waits for the end of the hub, which comes before that of the patience. Whoever gives the wait up ends the hub.
async fn wait(hub: Hub, patience: impl Future<Output = ()>) -> (Hub, ExitStatus) {
    let pid = hub.pid();
    let mut ended = tokio::task::spawn_blocking(move || {
        hub.until_ended();
        hub
    });
    // After the thread, so that it is dropped before: the number is that of the hub until the thread gives the hub up.
    let guard = KillOnDrop(pid);
    let mut hub = tokio::select! {
        hub = &mut ended => hub.expect("a wait never panics"),
        () = patience => {
            drop(guard);
            let hub = ended.await.expect("a wait never panics");
            unreachable!("the hub goes on; was it built without the features for tests? {}", hub.log())
        }
    };
    drop(guard);
    let status = hub.wait();
    (hub, status)
}

fn assert_sound(hub: &Hub) {
    assert!(!hub.log().contains("panicked"), "{}", hub.log());
}

#[cfg(test)]
mod tests {
    use std::{future::pending, sync::mpsc, thread};

    use super::*;

    /// What ends at all has ended by then.
    const END_PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn an_abandoned_wait_ends_its_hub_and_its_thread() {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start_at(folder.path(), &own_address(), |command| command.env("PARLOUR_ADMIN_TOKEN", TOKEN));
        let pid = hub.pid();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = wait(hub, pending()) => unreachable!("nobody ends the hub"),
                () = tokio::task::yield_now() => {}
            }
        });
        let (sender, ended) = mpsc::sync_channel(1);
        thread::spawn(move || {
            // A runtime waits for its threads.
            drop(runtime);
            sender.send(())
        });
        let is_over = ended.recv_timeout(END_PATIENCE).is_ok();
        if !is_over {
            kill_process(pid, Signal::KILL).expect("the hub runs");
        }
        assert!(is_over, "the hub lives on, and a thread waits for it");
    }

    #[test]
    fn runs_have_addresses_of_their_own() {
        let (one, other) = (own_address(), own_address());
        assert!(cfg!(not(target_os = "linux")) || one != other && !one.starts_with("127.0."), "{one} {other}");
    }
}
