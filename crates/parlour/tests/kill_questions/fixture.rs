//! The hub that dies, and those who ask it.

#![allow(clippy::panic, reason = "this is part of tests")]

use std::path::{Path, PathBuf};

use parlour_agent::{Client, ClientError, Retry};
use parlour_core::{Code, id::ChannelId};

use crate::support::{Hub, TOKEN};

/// How often a request is made before the test gives up: the hub dies once.
const TRIES_MAX: usize = 5;

/// When the hub dies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crash {
    /// By its own hand, when it reaches this step of a write for the so-many-th time.
    At(&'static str, usize),
    /// By SIGKILL, after so many requests.
    After(usize),
}

/// Actor asks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Actor {
    Person,
    Agent,
}

/// A hub in a folder, with a person and an agent.
pub(crate) struct QuestionHub {
    folder: PathBuf,
    hub: Option<Hub>,
    death: Option<Crash>,
    requests: usize,
    deaths: usize,
    agent_token: String,
    pub(crate) channel_id: ChannelId,
}

impl QuestionHub {
    pub(crate) fn make(folder: &Path) -> Self {
        let hub = Hub::start(folder);
        let make = |line: &str, field: &str| hub.json(line)[field].as_str().expect(field).to_owned();
        make("project create Story", "id");
        let channel = make("channel create release --project Story", "id");
        let agent = make("agent create Coder --project Story", "id");
        let agent_token = make(&format!("agent token {agent}"), "token");
        hub.kill();
        let channel_id = channel.parse().expect("an id");
        Self { folder: folder.to_owned(), hub: None, death: None, requests: 0, deaths: 0, agent_token, channel_id }
    }

    /// How often the hub has died.
    pub(crate) fn deaths(&self) -> usize {
        self.deaths
    }

    /// Starts a hub that will die like this.
    pub(crate) fn start_to_die(&mut self, death: Crash) {
        self.end();
        (self.death, self.requests) = (Some(death), 0);
        self.hub = Some(match death {
            Crash::After(_) => Hub::start(&self.folder),
            Crash::At(step, times) => Hub::start_with(&self.folder, |command| {
                command.env("PARLOUR_ADMIN_TOKEN", TOKEN).env("PARLOUR_FAILPOINT", format!("{step}:{times}"))
            }),
        });
    }

    /// Makes a request until the hub has answered it, starting the hub again when it is dead. A refusal with this code
    /// means that an earlier try had come through, whose answer was lost: then there is none now.
    pub(crate) async fn ask<T>(
        &mut self,
        who: Actor,
        done: Option<Code>,
        request: impl AsyncFn(Client) -> Result<T, ClientError>,
    ) -> Option<T> {
        for tries in 0..TRIES_MAX {
            match request(self.client(who)).await {
                Ok(answer) => {
                    self.count();
                    return Some(answer);
                }
                Err(ClientError::Unreachable { .. }) => self.start_again(),
                Err(error) => {
                    let is_done = tries > 0 && is_refusal(&error, done);
                    assert!(is_done, "{who:?}: {error}\n{}", self.hub.as_ref().map(Hub::log).unwrap_or_default());
                    return None;
                }
            }
        }
        panic!("the hub is gone for good");
    }

    fn client(&self, who: Actor) -> Client {
        let hub = self.hub.as_ref().expect("a hub was started");
        let token = match who {
            Actor::Person => TOKEN,
            Actor::Agent => &self.agent_token,
        };
        Client::new(&hub.url, Some(token)).expect("a client").with_retry(Retry::NEVER)
    }

    fn count(&mut self) {
        self.requests += 1;
        if matches!(self.death, Some(Crash::After(requests)) if requests == self.requests) {
            self.hub.take().expect("a hub").kill();
            self.start_again();
        }
    }

    fn start_again(&mut self) {
        if let Some(mut hub) = self.hub.take() {
            hub.wait();
        }
        (self.death, self.deaths) = (None, self.deaths + 1);
        self.hub = Some(Hub::start(&self.folder));
    }

    fn end(&mut self) {
        if let Some(hub) = self.hub.take() {
            let log = hub.log();
            assert!(!log.contains("panicked"), "{log}");
            hub.kill();
        }
    }
}

fn is_refusal(error: &ClientError, wanted: Option<Code>) -> bool {
    let ClientError::Problem(problem) = error else { return false };
    wanted.is_some_and(|code| problem.code == code.as_str())
}

impl Drop for QuestionHub {
    fn drop(&mut self) {
        drop(self.hub.take());
    }
}
