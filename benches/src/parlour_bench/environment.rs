//! The environment of a benchmark: its folder, its programs, and hubs with test data.

use std::{
    fs,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::{
    Setup,
    fixture::HubFixture,
    load::{self, Extent},
    report::Report,
    server::{self, Server},
};

/// Connections that fill a store; many of them share a disk sync.
const FILLERS: usize = 128;
/// Messages per load, because a load records the time of each.
const PORTION: usize = 1_000_000;
/// The file with the fixture of a kept store. It is written last, so a store that has it is complete.
const NOTE: &str = "stage.json";

/// The environment of one benchmark; its folder is deleted at the end, except kept stores.
pub(super) struct Environment {
    folder: TempDir,
    keep: Option<PathBuf>,
    hub: PathBuf,
    ceiling: Option<PathBuf>,
}

/// A hub with its fixture.
pub(super) struct PreparedHub {
    pub(super) server: Server,
    pub(super) fixture: HubFixture,
}

impl Environment {
    /// Creates the folder and finds the programs.
    pub(super) fn prepare(setup: &Setup) -> Result<Self> {
        let parent = setup.folder.clone().unwrap_or_else(std::env::temp_dir);
        let parent = parent.canonicalize().with_context(|| format!("find {}", parent.display()))?;
        let folder = tempfile::Builder::new().prefix("parlour-bench-").tempdir_in(&parent);
        Ok(Self {
            folder: folder.with_context(|| format!("make a folder in {}", parent.display()))?,
            keep: setup.keep.as_deref().map(made).transpose()?,
            hub: server::find_hub(setup.hub.as_deref())?,
            ceiling: server::find_ceiling(setup.ceiling.as_deref())?,
        })
    }

    /// A new folder of this name.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        made(&self.folder.path().join(name))
    }

    /// Starts the ceiling if its program exists; otherwise the report states how to build it.
    pub(super) fn start_ceiling(&self, report: &mut Report) -> Result<Option<Server>> {
        let Some(executable) = &self.ceiling else {
            report.notes.push(
                "There is no program `ceiling` to compare with. Build it: cargo build --release -p parlour-benches"
                    .into(),
            );
            return Ok(None);
        };
        let folder = self.folder("ceiling")?;
        Server::start(server::ceiling_command(executable, &folder.join("data")), &folder).map(Some)
    }

    /// Another reference program in the folder of the ceiling.
    pub(super) fn beside_ceiling(&self, name: &str) -> Option<PathBuf> {
        self.ceiling.as_ref().map(|path| path.with_file_name(name)).filter(|path| path.is_file())
    }

    /// The program of the hub.
    pub(super) fn hub_program(&self) -> &Path {
        &self.hub
    }

    /// Starts a hub on the data in `folder`.
    pub(super) fn start_hub(&self, folder: &Path, admin_token: &str) -> Result<Server> {
        Server::start(server::hub_command(&self.hub, &folder.join("data"), admin_token), folder)
    }

    /// Starts a hub on an empty store and creates its fixture.
    pub(super) async fn prepared_hub(&self, name: &str) -> Result<PreparedHub> {
        prepare_hub(self, &self.folder(name)?).await
    }

    /// Creates a store with this many messages, or reuses a kept one; returns its folder.
    ///
    /// The messages are posted over HTTP by many concurrent senders.
    pub(super) async fn filled_store(&self, messages: usize) -> Result<(PathBuf, HubFixture)> {
        let name = format!("store-{messages}");
        let folder = made(&self.keep.as_deref().unwrap_or(self.folder.path()).join(name))?;
        if let Ok(note) = fs::read(folder.join(NOTE)) {
            return Ok((folder, serde_json::from_slice(&note).context("read the note of a kept store")?));
        }
        let hub = prepare_hub(self, &folder).await?;
        hub.fill(&hub.fixture.channel_id, messages).await?;
        hub.server.stop()?;
        fs::write(folder.join(NOTE), serde_json::to_vec(&hub.fixture)?).context("write the note of the store")?;
        Ok((folder, hub.fixture))
    }

    /// Starts a hub on a store with this many messages.
    pub(super) async fn filled_hub(&self, messages: usize) -> Result<PreparedHub> {
        let (folder, fixture) = self.filled_store(messages).await?;
        Ok(PreparedHub { server: self.start_hub(&folder, &fixture.admin_token)?, fixture })
    }
}

impl PreparedHub {
    /// Posts this many messages into a channel.
    pub(super) async fn fill(&self, channel: &str, messages: usize) -> Result<()> {
        let mut scripts: Vec<_> =
            (0..FILLERS.min(messages)).map(|seed| self.fixture.post_script(channel, seed)).collect();
        let mut left = messages;
        while left > 0 {
            let count = left.min(PORTION);
            load::run(self.server.address(), &mut scripts, Extent::count(count)).await.context("fill the store")?;
            left -= count;
        }
        Ok(())
    }
}

async fn prepare_hub(environment: &Environment, folder: &Path) -> Result<PreparedHub> {
    let admin_token = random_token();
    let server = environment.start_hub(folder, &admin_token)?;
    let fixture = HubFixture::set(server.address(), admin_token).await.context("bring members into the hub")?;
    Ok(PreparedHub { server, fixture })
}

fn made(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    folder.canonicalize().with_context(|| format!("find {}", folder.display()))
}

/// A random token: other users of this machine must not use the measured hub. The standard library seeds its
/// hashers from the randomness of the system.
fn random_token() -> String {
    (0..4_u8).map(|part| format!("{:016x}", RandomState::new().hash_one(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that exists: these tests start none.
    fn any_program() -> PathBuf {
        std::env::current_exe().expect("this program")
    }

    fn setup() -> Setup {
        Setup {
            json: false,
            rounds: 1,
            quick: false,
            folder: None,
            keep: None,
            hub: Some(any_program()),
            ceiling: None,
        }
    }

    #[test]
    fn a_dropped_environment_removes_its_folder() {
        let environment = Environment::prepare(&setup()).expect("environment");
        let folder = environment.folder("hub").expect("folder");
        assert!(folder.is_dir());
        drop(environment);
        assert!(!folder.exists());
    }

    #[test]
    fn the_folder_for_kept_stores_is_created() {
        let parent = tempfile::tempdir().expect("folder");
        let keep = parent.path().join("kept");
        Environment::prepare(&Setup { keep: Some(keep.clone()), ..setup() }).expect("environment");
        assert!(keep.is_dir());
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = Some(PathBuf::from("no-such-folder"));
        assert!(Environment::prepare(&Setup { folder, ..setup() }).is_err());
    }

    #[test]
    fn without_a_ceiling_the_report_says_how_to_build_it() {
        let environment = Environment { ceiling: None, ..Environment::prepare(&setup()).expect("environment") };
        let mut report = Report::default();
        assert!(environment.start_ceiling(&mut report).expect("no error").is_none());
        assert!(report.notes[0].contains("cargo build --release -p parlour-benches"));
    }

    #[test]
    fn tokens_are_long_and_unique() {
        let (one, other) = (random_token(), random_token());
        assert!(one.len() == 64 && one != other);
    }
}
