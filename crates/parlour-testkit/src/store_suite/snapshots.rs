//! Snapshots and private channel members: a project as a whole, at one position.

use futures_util::future::{join, join_all};
use parlour_core::{
    audience::PrivateChannelMembers,
    conversation::{Channel, ChannelPatch, Thread, Visibility},
    event::{Change, ChannelMember, Subscription},
    id::{MemberId, PersonId, ProjectId},
    limits,
    member::{Agent, Person},
    project::Project,
    snapshot::{ReadState, Snapshot},
    task::Task,
    write::Write,
};

use crate::test_store::{PostTarget, TestMember, TestStore, read_all};

/// Number of writes that are concurrent with reads.
const RACING_WRITES: usize = 60;

async fn snapshot(test_store: &TestStore, project: &Project, caller: &dyn TestMember) -> Snapshot {
    let found = test_store.store().snapshot(&project.id, &caller.principal()).await.expect("snapshot");
    found.expect("the caller sees the project")
}

/// A project with open and private things of every kind.
struct SnapshotsFixture {
    tour: Project,
    owner: Person,
    insider: Person,
    outsider: Person,
    admin: Person,
    agent: Agent,
    open: Channel,
    private: Channel,
}

async fn fixture(test_store: &TestStore) -> SnapshotsFixture {
    let owner = test_store.person("Owner").await;
    let tour = test_store.project("Tour", &owner).await;
    let (insider, outsider) = (test_store.member("Insider", &tour).await, test_store.member("Outsider", &tour).await);
    let admin = test_store.admin("Admin").await;
    let agent = test_store.agent("Coder", &tour).await;
    let open = test_store.channel("general", &tour).await;
    let private = test_store.private_channel("secrets", &tour, &[&insider, &agent]).await;
    let fixture = SnapshotsFixture { tour, owner, insider, outsider, admin, agent, open, private };
    fixture.fill(test_store).await;
    fixture
}

impl SnapshotsFixture {
    fn callers(&self) -> [&dyn TestMember; 5] {
        [&self.owner, &self.insider, &self.outsider, &self.admin, &self.agent]
    }

    async fn fill(&self, test_store: &TestStore) {
        test_store.subscribe(&self.agent, &self.open).await;
        test_store.task("Ship it", &self.tour).await;
        test_store.batch("Release", &self.tour).await;
        test_store.artifact("all.txt", &self.tour, None).await;
        self.post_messages(test_store, &self.open).await;
        self.fill_private(test_store).await;
    }

    /// Fills the private conversations.
    async fn fill_private(&self, test_store: &TestStore) {
        test_store.subscribe(&self.agent, &self.private).await;
        self.post_messages(test_store, &self.private).await;
        let dm = test_store.dm(&self.tour, &[&self.insider, &self.agent]).await;
        test_store.artifact("dm.txt", &self.tour, Some(&dm)).await;
        test_store.post(&self.agent, &dm, "psst").await;
    }

    /// Posts messages with and without mentions, a removed one, and a thread.
    async fn post_messages(&self, test_store: &TestStore, channel: &Channel) {
        let root = test_store.post(&self.insider, channel, "root").await;
        let called = test_store.draft(&self.insider, channel, "all").mentioning(&self.owner).mentioning(&self.outsider);
        test_store.send(&self.insider, &called).await;
        let gone = test_store.post(&self.insider, channel, "gone").await;
        test_store.remove(&self.insider, &gone).await;
        let thread = test_store.thread(channel, &root).await;
        test_store.post(&self.agent, &thread, "below").await;
        test_store.artifact("room.txt", &self.tour, Some(channel)).await;
        test_store.artifact("thread.txt", &self.tour, Some(&thread)).await;
    }
}

/// A snapshot contains exactly the items of the caller's lists.
pub async fn a_snapshot_contains_what_the_lists_show(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for caller in fixture.callers() {
        let shown = snapshot(&test_store, &fixture.tour, caller).await;
        assert_eq!(shown, listed(&test_store, &fixture.tour, caller, &shown).await, "{}", caller.principal().name);
    }
}

/// The caller's lists in the form of a snapshot, with the position and mentions of the given one.
async fn listed(test_store: &TestStore, project: &Project, caller: &dyn TestMember, shown: &Snapshot) -> Snapshot {
    let (store, id, principal) = (test_store.store(), &project.id, caller.principal());
    let channels = read_all(9, async |page| store.channels(id, &principal, &page).await).await;
    let reader = principal.member.clone();
    Snapshot {
        position: store.end_of_log(id).await.expect("end").expect("a log"),
        project: store.project(id).await.expect("project").expect("a project"),
        people: read_all(9, async |page| store.project_people(id, &page).await).await,
        agents: read_all(9, async |page| store.agents(id, &page).await).await,
        channel_members: listed_members(test_store, &channels).await,
        subscriptions: listed_subscriptions(test_store, &channels).await,
        threads: listed_threads(test_store, &channels).await,
        dms: read_all(9, async |page| store.dms(&reader, Some(id), &page).await).await,
        runs: shown.runs.clone(),
        tasks: read_all(9, async |page| store.tasks(id, &page).await).await,
        batches: read_all(9, async |page| store.batches(id, &page).await).await,
        artifacts: read_all(9, async |page| store.artifacts(id, &principal, &page).await).await,
        reading: listed_reading(test_store, id, caller, &shown.reading).await,
        streams: Vec::new(),
        presence: Vec::new(),
        channels,
        reader,
    }
}

async fn listed_members(test_store: &TestStore, channels: &[Channel]) -> Vec<ChannelMember> {
    let mut rows = Vec::new();
    for channel in channels {
        let members = read_all(9, async |page| test_store.store().channel_members(&channel.id, &page).await).await;
        rows.extend(members.into_iter().map(|member_id| ChannelMember { channel_id: channel.id.clone(), member_id }));
    }
    rows.sort_by(|one, other| one.channel_id.cmp(&other.channel_id));
    rows
}

async fn listed_subscriptions(test_store: &TestStore, channels: &[Channel]) -> Vec<Subscription> {
    let mut rows = Vec::new();
    for channel in channels {
        let agents = read_all(9, async |page| test_store.store().subscribers(&channel.id, &page).await).await;
        rows.extend(agents.into_iter().map(|agent_id| Subscription { channel_id: channel.id.clone(), agent_id }));
    }
    rows.sort_by(|one, other| one.channel_id.cmp(&other.channel_id));
    rows
}

/// Test ids are ascending, so sorting by id is sorting by creation.
async fn listed_threads(test_store: &TestStore, channels: &[Channel]) -> Vec<Thread> {
    let mut rows = Vec::new();
    for channel in channels {
        rows.extend(read_all(9, async |page| test_store.store().threads(&channel.id, &page).await).await);
    }
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    rows
}

/// The unread lists in the form of a snapshot. The lists count mentions, so their numbers are copied where the count
/// agrees.
async fn listed_reading(
    test_store: &TestStore,
    id: &ProjectId,
    caller: &dyn TestMember,
    shown: &[ReadState],
) -> Vec<ReadState> {
    if caller.member().agent().is_some() {
        return Vec::new();
    }
    let rows = test_store.store().unread(id, &caller.principal()).await.expect("unread");
    let mut reading: Vec<_> = rows.into_iter().filter(|row| row.last_seq > 0).collect();
    reading.sort_by(|one, other| one.conversation_id.as_str().cmp(other.conversation_id.as_str()));
    let as_reading = reading.into_iter().map(|row| {
        let shown = shown.iter().find(|one| one.conversation_id == row.conversation_id);
        let mentions = shown.map(|one| one.mentions.clone()).filter(|seqs| seqs.len() as u64 == row.mentions);
        ReadState {
            conversation_id: row.conversation_id,
            last_seq: row.last_seq,
            read_seq: row.read_seq,
            unread: row.unread,
            mentions: mentions.unwrap_or_default(),
        }
    });
    as_reading.collect()
}

/// Mentions that were read or removed are not included.
pub async fn a_snapshot_contains_the_numbers_of_unread_mentions(test_store: TestStore) {
    let owner = test_store.person("Owner").await;
    let tour = test_store.project("Tour", &owner).await;
    let mara = test_store.member("Mara", &tour).await;
    let channel = test_store.channel("general", &tour).await;
    let mut posts = Vec::new();
    for text in ["one", "two", "three", "four"] {
        posts.push(test_store.send(&owner, &test_store.draft(&owner, &channel, text).mentioning(&mara)).await);
    }
    test_store.read(&mara, &posts[0]).await;
    test_store.remove(&owner, &posts[2]).await;
    let [reading] = snapshot(&test_store, &tour, &mara).await.reading.try_into().expect("one conversation");
    let expected = ReadState {
        conversation_id: channel.conversation_id(),
        last_seq: 4,
        read_seq: 1,
        unread: 2,
        mentions: vec![2, 4],
    };
    assert_eq!(reading, expected);
    assert_eq!(snapshot(&test_store, &tour, &owner).await.reading[0].mentions, [0; 0], "of the author");
}

pub async fn a_snapshot_names_the_thread_of_a_task_only_to_its_readers(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let root = test_store.post(&fixture.insider, &fixture.private, "root").await;
    let thread = test_store.thread(&fixture.private, &root).await;
    let task = Task { thread_id: Some(thread.id.clone()), ..test_store.new_task("Hidden", &fixture.tour) };
    test_store.change(&fixture.tour.id, &fixture.insider, Write::CreateTask(task)).await;
    for (caller, shown) in [(&fixture.insider, Some(&thread.id)), (&fixture.outsider, None), (&fixture.admin, None)] {
        let tasks = snapshot(&test_store, &fixture.tour, caller).await.tasks;
        assert_eq!(tasks.last().and_then(|task| task.thread_id.as_ref()), shown, "{}", caller.name);
    }
}

/// Changes in conversations that the caller may not read change only the position.
pub async fn hidden_changes_do_not_change_a_snapshot(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for caller in [&fixture.outsider, &fixture.admin] as [&dyn TestMember; 2] {
        let before = snapshot(&test_store, &fixture.tour, caller).await;
        fixture.post_messages(&test_store, &fixture.private).await;
        test_store.dm(&fixture.tour, &[&fixture.insider, &fixture.owner, other_than(&fixture, caller)]).await;
        let after = snapshot(&test_store, &fixture.tour, caller).await;
        assert_ne!(after.position, before.position);
        assert_eq!(Snapshot { position: before.position.clone(), ..after }, before);
    }
}

/// A member who is not the caller, so that each iteration creates another DM.
fn other_than<'a>(fixture: &'a SnapshotsFixture, caller: &dyn TestMember) -> &'a dyn TestMember {
    if caller.member() == fixture.outsider.member() { &fixture.agent } else { &fixture.outsider }
}

/// The result is the same as for an unknown project.
pub async fn a_caller_who_does_not_see_a_project_gets_no_snapshot(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let stranger = test_store.person("Stranger").await;
    let read = |id: ProjectId, caller: &Person| {
        let (test_store, principal) = (test_store.clone(), caller.principal());
        async move { test_store.store().snapshot(&id, &principal).await.expect("read") }
    };
    assert_eq!(read(fixture.tour.id.clone(), &stranger).await, None);
    assert_eq!(read(ProjectId::from_bits(test_store.bits()), &fixture.owner).await, None);
    test_store.change(&fixture.tour.id, &fixture.owner, Write::RemovePerson(fixture.insider.id.clone())).await;
    assert_eq!(read(fixture.tour.id.clone(), &fixture.insider).await, None);
}

pub async fn a_snapshot_has_one_position_under_concurrent_writes(test_store: TestStore) {
    let owner = test_store.person("Owner").await;
    let tour = test_store.project("Tour", &owner).await;
    let mara = test_store.member("Mara", &tour).await;
    let channel = test_store.channel("general", &tour).await;
    let start = snapshot(&test_store, &tour, &mara).await.position.offset();
    let writes = async {
        for number in 0..RACING_WRITES {
            join(test_store.task(&format!("Task {number}"), &tour), test_store.post(&owner, &channel, "hi")).await;
        }
    };
    let reads = async {
        for _ in 0..RACING_WRITES {
            let shown = snapshot(&test_store, &tour, &mara).await;
            let posts = shown.reading.first().map_or(0, |reading| reading.last_seq);
            assert_eq!(shown.tasks.len() as u64 + posts, shown.position.offset() - start);
        }
    };
    join(writes, reads).await;
}

/// This also holds under concurrent writes.
pub async fn private_members_agree_with_the_events_up_to_their_position(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let empty = test_store.private_channel("empty", &fixture.tour, &[]).await;
    let writes = async {
        for _ in 0..RACING_WRITES / 6 {
            change_channel_members(&test_store, &fixture, &empty).await;
        }
    };
    let reads = async {
        let mut seen = Vec::new();
        for _ in 0..RACING_WRITES {
            seen.push(
                test_store
                    .store()
                    .private_members(&fixture.tour.id)
                    .await
                    .expect("private_members")
                    .expect("a project"),
            );
        }
        seen
    };
    let (seen, ()) = join(reads, writes).await;
    let events = test_store.events(&fixture.tour.id).await;
    for at in seen {
        let mut private_members = PrivateChannelMembers::default();
        for event in events.iter().filter(|event| event.position.offset() <= at.position.offset()) {
            private_members.apply(&event.change);
        }
        assert_eq!(at.private_members, private_members, "at {}", at.position);
    }
}

/// Makes every kind of change to the members of a channel, and ends in the initial state.
async fn change_channel_members(test_store: &TestStore, fixture: &SnapshotsFixture, channel: &Channel) {
    let (project, owner) = (&fixture.tour.id, &fixture.owner);
    let in_channel = |member: MemberId| ChannelMember { channel_id: channel.id.clone(), member_id: member };
    let to = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
    let outsider: PersonId = fixture.outsider.id.clone();
    for write in [
        Write::AddChannelMember(in_channel(fixture.agent.member())),
        Write::AddChannelMember(in_channel(fixture.outsider.member())),
        Write::RemoveChannelMember(in_channel(fixture.agent.member())),
        Write::RemovePerson(outsider.clone()),
        Write::AddPerson(outsider),
        Write::UpdateChannel(channel.id.clone(), to(Visibility::Project), Vec::new()),
        Write::UpdateChannel(channel.id.clone(), to(Visibility::Private), vec![owner.member()]),
        Write::RemoveChannelMember(in_channel(owner.member())),
    ] {
        test_store.change(project, owner, write).await;
    }
}

pub async fn an_unknown_project_has_no_private_members(test_store: TestStore) {
    let unknown = ProjectId::from_bits(test_store.bits());
    assert_eq!(test_store.store().private_members(&unknown).await.expect("read"), None);
}

/// Of threads, tasks, batches and artifacts a snapshot contains the newest that the caller sees, by creation.
pub async fn a_snapshot_contains_the_newest_items(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let most = limits::SNAPSHOT_ITEMS_MAX;
    let other = test_store.channel("other", &fixture.tour).await;
    let make = async |number: usize| {
        let channel = [&fixture.open, &other, &fixture.private][number % 3];
        test_store.task("more", &fixture.tour).await;
        test_store.batch(&format!("Batch {number}"), &fixture.tour).await;
        test_store.artifact("more.txt", &fixture.tour, Some(channel)).await;
        let root = test_store.post(&fixture.insider, channel, "root").await;
        test_store.thread(channel, &root).await;
    };
    // The caller sees two of three; one more than the limit.
    join_all((0..most * 3 / 2 + 3).map(make)).await;
    let shown = snapshot(&test_store, &fixture.tour, &fixture.outsider).await;
    let events = test_store.events(&fixture.tour.id).await;
    let made = |pick: fn(&Change, &Channel) -> Option<String>| {
        let all: Vec<String> = events.iter().filter_map(|event| pick(&event.change, &fixture.private)).collect();
        all[all.len() - most..].to_vec()
    };
    assert_eq!(ids(&shown.tasks, |one| one.id.to_string()), made(task_id));
    assert_eq!(ids(&shown.batches, |one| one.id.to_string()), made(batch_id));
    assert_eq!(ids(&shown.threads, |one| one.id.to_string()), made(seen_thread_id));
    assert_eq!(ids(&shown.artifacts, |one| one.id.to_string()), made(seen_artifact_id));
}

fn ids<T>(list: &[T], id: impl Fn(&T) -> String) -> Vec<String> {
    list.iter().map(id).collect()
}

fn task_id(change: &Change, _: &Channel) -> Option<String> {
    let Change::TaskCreated(task) = change else { return None };
    Some(task.id.to_string())
}

fn batch_id(change: &Change, _: &Channel) -> Option<String> {
    let Change::BatchCreated(batch) = change else { return None };
    Some(batch.id.to_string())
}

fn seen_thread_id(change: &Change, hidden: &Channel) -> Option<String> {
    let Change::ThreadCreated(thread) = change else { return None };
    (thread.channel_id != hidden.id).then(|| thread.id.to_string())
}

/// Only artifacts of channels count: the few others are too old for the snapshot.
fn seen_artifact_id(change: &Change, hidden: &Channel) -> Option<String> {
    let Change::ArtifactCreated(artifact) = change else { return None };
    (artifact.conversation_id != Some(hidden.conversation_id())).then(|| artifact.id.to_string())
}
