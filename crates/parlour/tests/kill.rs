//! The hub dies under a load of posts, is started again on the same folder, and dies again: by SIGKILL at moments
//! spread by a seed, and by its own hand at each step of a write. Then everything is read and held against what was
//! acknowledged.
//!
//! `PARLOUR_KILL_ROUNDS` sets the number of rounds, `PARLOUR_KILL_SEED` repeats their moments.

#[path = "kill/audit.rs"]
mod audit;
#[path = "kill/checker.rs"]
mod checker;
#[path = "kill/load.rs"]
mod load;
#[path = "kill/seed.rs"]
mod seed;
mod support;

use std::{collections::BTreeMap, env, os::unix::process::ExitStatusExt, path::Path};

use checker::{AckedWrite, RecoveryCheck, StoredState, complaints};
use load::{AGENT, KillSchedule, client, message, start_sender, to_acked};
use parlour_agent::{Client, HistoryRange, PageAt};
use parlour_core::{
    audit::AuditHead,
    id::{AgentId, ChannelId},
    inbox::InboxFilter,
    limits,
    paging::Page,
};
use seed::SeededRng;
use support::{Hub, TOKEN};
use tokio::sync::{mpsc, watch};

const ROUNDS_DEFAULT: usize = 50;
const SENDERS: usize = 8;
/// A round ends after fewer acknowledgements than this; none means right after the start.
const ACKS_PER_ROUND_END: u64 = 60;

/// Acknowledgements that wait to be counted; in a round of one's own death nobody counts.
const ACKS_WAITING_MAX: usize = 1_024;
/// The steps of a group of writes, in order.
const STEPS: [&str; 3] = ["after_job", "before_commit", "after_commit_before_answer"];
/// How often a step is reached until the hub dies at it; a hub writes a few times by itself before it is ready.
const TIMES: [usize; 3] = [6, 9, 20];
/// How a process ends that aborts.
const SIGABRT: i32 = 6;

/// How the hub of one round ends.
enum Crash {
    /// From outside, after so many acknowledgements.
    Killed(u64),
    /// By its own hand, when it reaches this step of a write for the so-many-th time.
    At(&'static str, usize),
}

fn rounds() -> usize {
    env::var("PARLOUR_KILL_ROUNDS").map_or(ROUNDS_DEFAULT, |text| text.parse().expect("a number of rounds"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_message_is_lost_duplicated_or_reordered_by_a_kill() {
    let mut moments = SeededRng::from_environment();
    let kills = (0..rounds()).map(|_| Crash::Killed(moments.below(ACKS_PER_ROUND_END))).collect();
    hold_to_promises(kills).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_message_is_lost_duplicated_or_reordered_at_any_step_of_a_write() {
    let deaths = STEPS.iter().flat_map(|step| TIMES.map(|times| Crash::At(step, times))).collect();
    hold_to_promises(deaths).await;
}

/// Posts through all these deaths and checks what is there afterwards.
async fn hold_to_promises(deaths: Vec<Crash>) {
    let rounds = deaths.len();
    let folder = tempfile::tempdir().expect("a folder");
    let project = TestProject::make(folder.path());
    let (acked, noted) = post_through(folder.path(), &project.channels, deaths).await;
    let hub = Hub::start(folder.path());
    let audit = audit::read(&client(&hub.url, &hub.token), noted).await;
    let aftermath = RecoveryCheck {
        repeats: repeat_all(&client(&hub.url, &hub.token), &acked, &project.channels).await,
        history: read_all(&client(&hub.url, &hub.token), &project.channels).await,
        inbox: read_inbox(&client(&hub.url, &project.agent_token), &project.agent).await,
        audited: audit.posted,
        audit_flaw: audit.flaw,
    };
    let complaints = complaints(&acked, &aftermath);
    let (broken, all) = (complaints.len(), acked.len());
    assert!(complaints.is_empty(), "{broken} broken promises over {all} messages:\n{}", complaints.join("\n"));
    assert!(acked.len() >= rounds, "the load was too small to show anything");
    assert!(!hub.log().contains("audit log was changed"), "{}", hub.log());
    assert!(!hub.log().contains("panicked"), "{}", hub.log());
}

#[tokio::test]
async fn a_hub_killed_while_it_starts_starts_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for _ in 0..10 {
        let mut command = support::parlour(folder.path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).env("PARLOUR_ADMIN_TOKEN", support::TOKEN);
        let mut child =
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().expect("started");
        // Killed as soon as the next step of its start shows on the disk, whatever that is.
        let steps = ["lock", "parlour.db", "parlour.db-wal", "blobs"].map(|name| folder.path().join("data").join(name));
        let before = steps.iter().filter(|path| path.exists()).count();
        while steps.iter().filter(|path| path.exists()).count() <= before.min(steps.len() - 1) {
            tokio::task::yield_now().await;
        }
        child.kill().expect("it runs");
        child.wait().expect("the end");
    }
    let hub = Hub::start(folder.path());
    assert_eq!(hub.run("project list").code, Some(0));
}

/// Where the load goes: a project of its own, so that its log holds nothing else.
struct TestProject {
    channels: Vec<ChannelId>,
    agent: AgentId,
    agent_token: String,
}

impl TestProject {
    fn make(folder: &Path) -> Self {
        let hub = Hub::start(folder);
        let make = |line: &str, field: &str| hub.json(line)[field].as_str().expect(field).to_owned();
        make("project create Load", "id");
        let channel = |name| make(&format!("channel create {name} --project Load"), "id").parse().expect("an id");
        let agent = make(&format!("agent create {AGENT} --project Load"), "id");
        let agent_token = make(&format!("agent token {agent}"), "token");
        Self { channels: ["left", "right"].map(channel).into(), agent: agent.parse().expect("an id"), agent_token }
    }
}

/// Lets the hub die and start again under load; answers everything that was acknowledged, and the head of the audit log
/// after the last death.
async fn post_through(folder: &Path, channels: &[ChannelId], deaths: Vec<Crash>) -> (Vec<AckedWrite>, AuditHead) {
    let (course, watcher) = watch::channel(KillSchedule { client: None, goes_on: true });
    let (ack, mut acks) = mpsc::channel(ACKS_WAITING_MAX);
    let senders: Vec<_> =
        (0..SENDERS).map(|sender| start_sender(sender, channels.to_vec(), watcher.clone(), ack.clone())).collect();
    for death in deaths {
        let hub = start_to_die(folder, &death);
        course.send_replace(KillSchedule { client: Some(client(&hub.url, &hub.token)), goes_on: true });
        end(hub, death, &mut acks).await;
        course.send_replace(KillSchedule { client: None, goes_on: true });
        // What came in just before the death counts for this round.
        while acks.try_recv().is_ok() {}
    }
    let hub = Hub::start(folder);
    course.send_replace(KillSchedule { client: Some(client(&hub.url, &hub.token)), goes_on: false });
    let mut acked = Vec::new();
    for sender in senders {
        acked.extend(sender.await.expect("a sender never panics"));
    }
    let noted = client(&hub.url, &hub.token).audit_head().await.expect("a head");
    hub.kill();
    (acked, noted)
}

fn start_to_die(folder: &Path, death: &Crash) -> Hub {
    match death {
        Crash::Killed(_) => Hub::start(folder),
        Crash::At(step, times) => Hub::start_with(folder, |command| {
            command.env("PARLOUR_ADMIN_TOKEN", TOKEN).env("PARLOUR_FAILPOINT", format!("{step}:{times}"))
        }),
    }
}

async fn end(mut hub: Hub, death: Crash, acks: &mut mpsc::Receiver<()>) {
    match death {
        Crash::Killed(after) => {
            for _ in 0..after {
                acks.recv().await.expect("the senders go on");
            }
            hub.kill();
        }
        Crash::At(step, _) => {
            let status = tokio::task::block_in_place(|| hub.wait());
            assert_eq!(status.signal(), Some(SIGABRT), "{step}: {}", hub.log());
        }
    }
}

/// Posts every acknowledged message once more, under its id.
async fn repeat_all(client: &Client, acked: &[AckedWrite], channels: &[ChannelId]) -> Vec<AckedWrite> {
    let mut repeats = Vec::new();
    for one in acked {
        let channel = &channels[(one.sender + one.number) % channels.len()];
        let (id, request) = message(one.sender, one.number, channel);
        let posted = client.post_message(&id, &request).await.expect("the first answer again");
        repeats.push(to_acked(&posted, one.sender, one.number));
    }
    repeats
}

/// Reads all conversations, oldest message first.
async fn read_all(client: &Client, channels: &[ChannelId]) -> BTreeMap<String, Vec<StoredState>> {
    let mut history = BTreeMap::new();
    for channel in channels {
        let mut found = Vec::new();
        let mut range =
            HistoryRange { since: Some("0".into()), limit: Some(limits::PAGE_ITEMS_MAX), ..HistoryRange::default() };
        loop {
            let Page { items, next } = client.history(&channel.clone().into(), &range).await.expect("a page");
            found.extend(items.into_iter().map(|item| StoredState {
                id: item.id.to_string(),
                body: item.body,
                seq: item.seq,
            }));
            let Some(cursor) = next else { break };
            range =
                HistoryRange { cursor: Some(cursor), limit: Some(limits::PAGE_ITEMS_MAX), ..HistoryRange::default() };
        }
        history.insert(channel.to_string(), found);
    }
    history
}

/// Reads the whole inbox of the agent, in its order.
async fn read_inbox(client: &Client, agent: &AgentId) -> Vec<String> {
    let mut ids = Vec::new();
    let mut at = PageAt::first(limits::PAGE_ITEMS_MAX);
    loop {
        let page = client.inbox(agent, &InboxFilter::default(), &at).await.expect("a page");
        ids.extend(page.items.iter().map(|entry| entry.message.id.to_string()));
        at.cursor = page.next;
        if at.cursor.is_none() {
            assert_eq!(page.unread, ids.len() as u64, "the count is that of the list");
            return ids;
        }
    }
}
