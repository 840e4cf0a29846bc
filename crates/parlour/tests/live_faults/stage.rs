//! The hub behind the scenes: it starts on the same folder again and again, and ends in every way there is.

use std::{os::unix::process::ExitStatusExt as _, path::Path};

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
            1..=3 => Self::At(*numbers.pick::<&str>(&STEPS), TIMES_FIRST + numbers.below(TIMES_END)),
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
                let status = block_in_place(|| hub.stop());
                assert!(status.success(), "{status}");
            }
            Death::At(step, times) => {
                let mut hub = self.start_with(Some(format!("{step}:{times}")));
                let status = block_in_place(|| hub.wait());
                self.conductor.hub.send_replace(None);
                assert_eq!(status.signal(), Some(SIGABRT), "{step}: {}", hub.log());
                assert_sound(&hub);
            }
        }
    }

    fn start_with(&self, failpoint: Option<String>) -> Hub {
        let hub = block_in_place(|| {
            Hub::start_with(self.folder, |command| {
                let command = command.env("PARLOUR_ADMIN_TOKEN", TOKEN);
                let settings = [("PARLOUR_SABOTAGE", self.sabotage), ("PARLOUR_FAILPOINT", failpoint.as_deref())];
                let wanted = settings.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
                command.envs(wanted)
            })
        });
        let address = hub.url["http://".len()..].parse().expect("an address");
        self.conductor.hub.send_replace(Some(address));
        hub
    }
}

fn assert_sound(hub: &Hub) {
    assert!(!hub.log().contains("panicked"), "{}", hub.log());
}
