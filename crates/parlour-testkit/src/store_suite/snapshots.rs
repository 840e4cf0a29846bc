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
    snapshot::{Reading, Snapshot},
    task::Task,
    write::Write,
};

use crate::world::{Caller, Place, World, read_all};

/// How many writes race with reads.
const RACING_WRITES: usize = 60;

async fn snapshot(world: &World, project: &Project, caller: &dyn Caller) -> Snapshot {
    let found = world.store().snapshot(&project.id, &caller.principal()).await.expect("snapshot");
    found.expect("the caller sees the project")
}

/// A project with something of every sort, open and private.
struct Scenery {
    tour: Project,
    owner: Person,
    insider: Person,
    outsider: Person,
    admin: Person,
    agent: Agent,
    open: Channel,
    private: Channel,
}

async fn scenery(world: &World) -> Scenery {
    let owner = world.person("Owner").await;
    let tour = world.project("Tour", &owner).await;
    let (insider, outsider) = (world.member("Insider", &tour).await, world.member("Outsider", &tour).await);
    let admin = world.admin("Admin").await;
    let agent = world.agent("Coder", &tour).await;
    let open = world.channel("general", &tour).await;
    let private = world.private_channel("secrets", &tour, &[&insider, &agent]).await;
    let scenery = Scenery { tour, owner, insider, outsider, admin, agent, open, private };
    scenery.fill(world).await;
    scenery
}

impl Scenery {
    fn callers(&self) -> [&dyn Caller; 5] {
        [&self.owner, &self.insider, &self.outsider, &self.admin, &self.agent]
    }

    async fn fill(&self, world: &World) {
        world.subscribe(&self.agent, &self.open).await;
        world.task("Ship it", &self.tour).await;
        world.batch("Release", &self.tour).await;
        world.artifact("all.txt", &self.tour, None).await;
        self.talk(world, &self.open).await;
        self.whisper(world).await;
    }

    /// Everything that can happen in private.
    async fn whisper(&self, world: &World) {
        world.subscribe(&self.agent, &self.private).await;
        self.talk(world, &self.private).await;
        let dm = world.dm(&self.tour, &[&self.insider, &self.agent]).await;
        world.artifact("dm.txt", &self.tour, Some(&dm)).await;
        world.post(&self.agent, &dm, "psst").await;
    }

    /// Messages with and without calls, one removed, and a thread.
    async fn talk(&self, world: &World, channel: &Channel) {
        let root = world.post(&self.insider, channel, "root").await;
        let called = world.draft(&self.insider, channel, "all").mentioning(&self.owner).mentioning(&self.outsider);
        world.send(&self.insider, &called).await;
        let gone = world.post(&self.insider, channel, "gone").await;
        world.remove(&self.insider, &gone).await;
        let thread = world.thread(channel, &root).await;
        world.post(&self.agent, &thread, "below").await;
        world.artifact("room.txt", &self.tour, Some(channel)).await;
        world.artifact("thread.txt", &self.tour, Some(&thread)).await;
    }
}

/// A snapshot holds exactly what the lists show to its caller.
pub async fn a_snapshot_holds_what_the_lists_show(world: World) {
    let scenery = scenery(&world).await;
    for caller in scenery.callers() {
        let shown = snapshot(&world, &scenery.tour, caller).await;
        assert_eq!(shown, listed(&world, &scenery.tour, caller, &shown).await, "{}", caller.principal().name);
    }
}

/// What the lists show to a caller, in the form of a snapshot; the position and the mentions are taken over.
async fn listed(world: &World, project: &Project, caller: &dyn Caller, shown: &Snapshot) -> Snapshot {
    let (store, id, principal) = (world.store(), &project.id, caller.principal());
    let channels = read_all(9, async |page| store.channels(id, &principal, &page).await).await;
    let reader = principal.member.clone();
    Snapshot {
        position: store.end_of_log(id).await.expect("end").expect("a log"),
        project: store.project(id).await.expect("project").expect("a project"),
        people: read_all(9, async |page| store.project_people(id, &page).await).await,
        agents: read_all(9, async |page| store.agents(id, &page).await).await,
        channel_members: listed_members(world, &channels).await,
        subscriptions: listed_subscriptions(world, &channels).await,
        threads: listed_threads(world, &channels).await,
        dms: read_all(9, async |page| store.dms(&reader, Some(id), &page).await).await,
        runs: shown.runs.clone(),
        tasks: read_all(9, async |page| store.tasks(id, &page).await).await,
        batches: read_all(9, async |page| store.batches(id, &page).await).await,
        artifacts: read_all(9, async |page| store.artifacts(id, &principal, &page).await).await,
        reading: listed_reading(world, id, caller, &shown.reading).await,
        streams: Vec::new(),
        presence: Vec::new(),
        channels,
        reader,
    }
}

async fn listed_members(world: &World, channels: &[Channel]) -> Vec<ChannelMember> {
    let mut rows = Vec::new();
    for channel in channels {
        let members = read_all(9, async |page| world.store().channel_members(&channel.id, &page).await).await;
        rows.extend(members.into_iter().map(|member_id| ChannelMember { channel_id: channel.id.clone(), member_id }));
    }
    rows.sort_by(|one, other| one.channel_id.cmp(&other.channel_id));
    rows
}

async fn listed_subscriptions(world: &World, channels: &[Channel]) -> Vec<Subscription> {
    let mut rows = Vec::new();
    for channel in channels {
        let agents = read_all(9, async |page| world.store().subscribers(&channel.id, &page).await).await;
        rows.extend(agents.into_iter().map(|agent_id| Subscription { channel_id: channel.id.clone(), agent_id }));
    }
    rows.sort_by(|one, other| one.channel_id.cmp(&other.channel_id));
    rows
}

/// Ids of tests count upwards, so their order is that in which things were made.
async fn listed_threads(world: &World, channels: &[Channel]) -> Vec<Thread> {
    let mut rows = Vec::new();
    for channel in channels {
        rows.extend(read_all(9, async |page| world.store().threads(&channel.id, &page).await).await);
    }
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    rows
}

/// What the unread lists say; they count mentions, so the numbers of these are taken over where the count agrees.
async fn listed_reading(world: &World, id: &ProjectId, caller: &dyn Caller, shown: &[Reading]) -> Vec<Reading> {
    if caller.member().agent().is_some() {
        return Vec::new();
    }
    let rows = world.store().unread(id, &caller.principal()).await.expect("unread");
    let mut reading: Vec<_> = rows.into_iter().filter(|row| row.last_seq > 0).collect();
    reading.sort_by(|one, other| one.conversation_id.as_str().cmp(other.conversation_id.as_str()));
    let as_reading = reading.into_iter().map(|row| {
        let shown = shown.iter().find(|one| one.conversation_id == row.conversation_id);
        let mentions = shown.map(|one| one.mentions.clone()).filter(|seqs| seqs.len() as u64 == row.mentions);
        Reading {
            conversation_id: row.conversation_id,
            last_seq: row.last_seq,
            read_seq: row.read_seq,
            unread: row.unread,
            mentions: mentions.unwrap_or_default(),
        }
    });
    as_reading.collect()
}

/// Unread mentions are told by the numbers of their messages; those that were read or removed are not among them.
pub async fn a_snapshot_names_the_unread_mentions(world: World) {
    let owner = world.person("Owner").await;
    let tour = world.project("Tour", &owner).await;
    let mara = world.member("Mara", &tour).await;
    let channel = world.channel("general", &tour).await;
    let mut posts = Vec::new();
    for text in ["one", "two", "three", "four"] {
        posts.push(world.send(&owner, &world.draft(&owner, &channel, text).mentioning(&mara)).await);
    }
    world.read(&mara, &posts[0]).await;
    world.remove(&owner, &posts[2]).await;
    let [reading] = snapshot(&world, &tour, &mara).await.reading.try_into().expect("one conversation");
    let expected = Reading {
        conversation_id: channel.conversation_id(),
        last_seq: 4,
        read_seq: 1,
        unread: 2,
        mentions: vec![2, 4],
    };
    assert_eq!(reading, expected);
    assert_eq!(snapshot(&world, &tour, &owner).await.reading[0].mentions, [0; 0], "of the author");
}

/// A task is everybody's, but only those learn where it is talked about who may read there.
pub async fn a_snapshot_tells_the_thread_of_a_task_to_its_readers(world: World) {
    let scenery = scenery(&world).await;
    let root = world.post(&scenery.insider, &scenery.private, "root").await;
    let thread = world.thread(&scenery.private, &root).await;
    let task = Task { thread_id: Some(thread.id.clone()), ..world.new_task("Hidden", &scenery.tour) };
    world.change(&scenery.tour.id, &scenery.insider, Write::CreateTask(task)).await;
    for (caller, shown) in [(&scenery.insider, Some(&thread.id)), (&scenery.outsider, None), (&scenery.admin, None)] {
        let tasks = snapshot(&world, &scenery.tour, caller).await.tasks;
        assert_eq!(tasks.last().and_then(|task| task.thread_id.as_ref()), shown, "{}", caller.name);
    }
}

/// What happens where the caller may not read changes nothing in its snapshot but the position.
pub async fn what_is_hidden_leaves_no_trace_in_a_snapshot(world: World) {
    let scenery = scenery(&world).await;
    for caller in [&scenery.outsider, &scenery.admin] as [&dyn Caller; 2] {
        let before = snapshot(&world, &scenery.tour, caller).await;
        scenery.talk(&world, &scenery.private).await;
        world.dm(&scenery.tour, &[&scenery.insider, &scenery.owner, caller_other(&scenery, caller)]).await;
        let after = snapshot(&world, &scenery.tour, caller).await;
        assert_ne!(after.position, before.position);
        assert_eq!(Snapshot { position: before.position.clone(), ..after }, before);
    }
}

/// Somebody who is not the caller, so that each turn opens another dm.
fn caller_other<'a>(scenery: &'a Scenery, caller: &dyn Caller) -> &'a dyn Caller {
    if caller.member() == scenery.outsider.member() { &scenery.agent } else { &scenery.outsider }
}

/// Who does not see a project gets no snapshot of it, like one of a project that does not exist.
pub async fn who_does_not_see_a_project_gets_no_snapshot(world: World) {
    let scenery = scenery(&world).await;
    let stranger = world.person("Stranger").await;
    let read = |id: ProjectId, caller: &Person| {
        let (world, principal) = (world.clone(), caller.principal());
        async move { world.store().snapshot(&id, &principal).await.expect("read") }
    };
    assert_eq!(read(scenery.tour.id.clone(), &stranger).await, None);
    assert_eq!(read(ProjectId::from_bits(world.bits()), &scenery.owner).await, None);
    world.change(&scenery.tour.id, &scenery.owner, Write::RemovePerson(scenery.insider.id.clone())).await;
    assert_eq!(read(scenery.tour.id.clone(), &scenery.insider).await, None);
}

/// However writes race with it, all of a snapshot is of the position that it names.
pub async fn a_snapshot_is_of_one_position_while_writes_race(world: World) {
    let owner = world.person("Owner").await;
    let tour = world.project("Tour", &owner).await;
    let mara = world.member("Mara", &tour).await;
    let channel = world.channel("general", &tour).await;
    let start = snapshot(&world, &tour, &mara).await.position.offset();
    let writes = async {
        for number in 0..RACING_WRITES {
            join(world.task(&format!("Task {number}"), &tour), world.post(&owner, &channel, "hi")).await;
        }
    };
    let reads = async {
        for _ in 0..RACING_WRITES {
            let shown = snapshot(&world, &tour, &mara).await;
            let posts = shown.reading.first().map_or(0, |reading| reading.last_seq);
            assert_eq!(shown.tasks.len() as u64 + posts, shown.position.offset() - start);
        }
    };
    join(writes, reads).await;
}

/// However writes race with it, private channel members are those that the events up to their position have made.
pub async fn seats_are_those_of_their_position(world: World) {
    let scenery = scenery(&world).await;
    let empty = world.private_channel("empty", &scenery.tour, &[]).await;
    let writes = async {
        for _ in 0..RACING_WRITES / 6 {
            shuffle_seats(&world, &scenery, &empty).await;
        }
    };
    let reads = async {
        let mut seen = Vec::new();
        for _ in 0..RACING_WRITES {
            seen.push(
                world.store().private_members(&scenery.tour.id).await.expect("private_members").expect("a project"),
            );
        }
        seen
    };
    let (seen, ()) = join(reads, writes).await;
    let events = world.events(&scenery.tour.id).await;
    for at in seen {
        let mut private_members = PrivateChannelMembers::default();
        for event in events.iter().filter(|event| event.position.offset() <= at.position.offset()) {
            private_members.apply(&event.change);
        }
        assert_eq!(at.private_members, private_members, "at {}", at.position);
    }
}

/// Makes every sort of change to who sits where, and ends as it began.
async fn shuffle_seats(world: &World, scenery: &Scenery, channel: &Channel) {
    let (project, owner) = (&scenery.tour.id, &scenery.owner);
    let seat = |member: MemberId| ChannelMember { channel_id: channel.id.clone(), member_id: member };
    let to = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
    let outsider: PersonId = scenery.outsider.id.clone();
    for write in [
        Write::AddChannelMember(seat(scenery.agent.member())),
        Write::AddChannelMember(seat(scenery.outsider.member())),
        Write::RemoveChannelMember(seat(scenery.agent.member())),
        Write::RemovePerson(outsider.clone()),
        Write::AddPerson(outsider),
        Write::UpdateChannel(channel.id.clone(), to(Visibility::Project), Vec::new()),
        Write::UpdateChannel(channel.id.clone(), to(Visibility::Private), vec![owner.member()]),
        Write::RemoveChannelMember(seat(owner.member())),
    ] {
        world.change(project, owner, write).await;
    }
}

/// The private channel members of a project that does not exist are none.
pub async fn an_unknown_project_has_no_seats(world: World) {
    let unknown = ProjectId::from_bits(world.bits());
    assert_eq!(world.store().private_members(&unknown).await.expect("read"), None);
}

/// Of threads, tasks, batches and artifacts a snapshot holds the newest that the caller sees, in the order in which
/// they were made.
pub async fn a_snapshot_holds_the_newest(world: World) {
    let scenery = scenery(&world).await;
    let most = limits::SNAPSHOT_ITEMS_MAX;
    let other = world.channel("other", &scenery.tour).await;
    let make = async |number: usize| {
        let channel = [&scenery.open, &other, &scenery.private][number % 3];
        world.task("more", &scenery.tour).await;
        world.batch(&format!("Batch {number}"), &scenery.tour).await;
        world.artifact("more.txt", &scenery.tour, Some(channel)).await;
        let root = world.post(&scenery.insider, channel, "root").await;
        world.thread(channel, &root).await;
    };
    // Two of three are seen, and one more than fits.
    join_all((0..most * 3 / 2 + 3).map(make)).await;
    let shown = snapshot(&world, &scenery.tour, &scenery.outsider).await;
    let events = world.events(&scenery.tour.id).await;
    let made = |pick: fn(&Change, &Channel) -> Option<String>| {
        let all: Vec<String> = events.iter().filter_map(|event| pick(&event.change, &scenery.private)).collect();
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

/// Only artifacts of channels are looked at: the few others are older than the window.
fn seen_artifact_id(change: &Change, hidden: &Channel) -> Option<String> {
    let Change::ArtifactCreated(artifact) = change else { return None };
    (artifact.conversation_id != Some(hidden.conversation_id())).then(|| artifact.id.to_string())
}
