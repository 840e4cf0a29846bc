//! Tasks, batches, artifacts and the graph of a project.

use std::collections::BTreeSet;

use parlour_core::{
    Code,
    artifact::Artifact,
    graph::{EdgeKind, Graph, NodeKind},
    id::{ArtifactId, BatchId, MemberId, TaskId},
    limits,
    member::Person,
    project::Project,
    task::{Batch, Task, TaskPatch, TaskStatus},
    write::Write,
};
use tokio::task::JoinSet;

use crate::test_store::{PostTarget, TestMember, TestStore, check_pages, read_all};

async fn fixture(test_store: &TestStore) -> (Person, Project, Project) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    (mara, tour, fair)
}

pub async fn a_task_is_read_as_it_was_created(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    let root = test_store.post(&mara, &general, "root").await;
    let task = Task {
        description: Some("All of it.".into()),
        status: TaskStatus::Blocked,
        assignee: Some(test_store.agent("Coder", &tour).await.member()),
        parent_id: Some(test_store.task("Larger", &tour).await.id),
        batch_id: Some(test_store.batch("Release", &tour).await.id),
        thread_id: Some(test_store.thread(&general, &root).await.id),
        ..test_store.new_task("Ship it", &tour)
    };
    test_store.change(&tour.id, &mara, Write::CreateTask(task.clone())).await;
    assert_eq!(test_store.store().task(&task.id).await.expect("read"), Some(task));
    assert_eq!(test_store.store().task(&TaskId::from_bits(test_store.bits())).await.expect("read"), None);
}

/// A patch changes the named fields and the time of the last change.
pub async fn a_task_is_read_with_its_changes(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let task = test_store.task("Ship it", &tour).await;
    let patch = TaskPatch { status: Some(TaskStatus::Done), assignee: Some(mara.member()), ..TaskPatch::default() };
    test_store.change(&tour.id, &mara, Write::UpdateTask(task.id.clone(), patch.clone())).await;
    let patched = task.patched(&patch, test_store.now()).expect("patched");
    assert_eq!(test_store.store().task(&task.id).await.expect("read"), Some(patched));
}

/// The others are refused with the current status.
pub async fn one_of_several_concurrent_starts_of_a_task_succeeds(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let task = test_store.task("Ship it", &tour).await;
    let begin = |member: MemberId| TaskPatch {
        status: Some(TaskStatus::Working),
        assignee: Some(member),
        if_status: Some(TaskStatus::Open),
        ..TaskPatch::default()
    };
    let mut racers = JoinSet::new();
    for number in 0..8 {
        let agent = test_store.agent(&format!("Agent {number}"), &tour).await;
        let (test_store, project, write) =
            (test_store.clone(), tour.id.clone(), Write::UpdateTask(task.id.clone(), begin(agent.member())));
        racers.spawn(async move { (agent.member(), test_store.append(&project, &agent, write).await) });
    }
    let (begun, late): (Vec<_>, Vec<_>) = racers.join_all().await.into_iter().partition(|(_, result)| result.is_ok());
    assert_eq!(begun.len(), 1);
    let stored = test_store.store().task(&task.id).await.expect("read").expect("a task");
    assert_eq!((stored.status, stored.assignee.as_ref()), (TaskStatus::Working, Some(&begun[0].0)));
    for (_, result) in late {
        let refusal = result.expect_err("refused").refusal().expect("a refusal").clone();
        assert_eq!((refusal.code, refusal.detail.contains("working")), (Code::TaskMoved, true), "{refusal}");
    }
    let again = Write::UpdateTask(task.id, begin(begun[0].0.clone()));
    assert_eq!(test_store.refusal(&tour.id, &mara, again).await, Code::TaskMoved, "even for the member who started it");
}

pub async fn tasks_are_listed_oldest_first(test_store: TestStore) {
    let (_, tour, fair) = fixture(&test_store).await;
    let mut expected = Vec::new();
    for title in ["Ship it", "Build it", "Plan it"] {
        test_store.task(title, &fair).await;
        expected.push(test_store.task(title, &tour).await.id.to_string());
    }
    let key = |task: &Task| task.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().tasks(&tour.id, &page).await).await;
    let recent = test_store.store().recent_tasks(&tour.id, 2).await.expect("read");
    expected.reverse();
    assert_eq!(recent.iter().map(key).collect::<Vec<_>>(), expected[..2], "newest first");
}

pub async fn batches_are_read_and_listed_oldest_first(test_store: TestStore) {
    let (_, tour, fair) = fixture(&test_store).await;
    let mut expected = Vec::new();
    for name in ["Two", "One", "Three"] {
        test_store.batch(name, &fair).await;
        let batch = test_store.batch(name, &tour).await;
        assert_eq!(test_store.store().batch(&batch.id).await.expect("read").as_ref(), Some(&batch));
        expected.push(batch.id.to_string());
    }
    let key = |batch: &Batch| batch.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().batches(&tour.id, &page).await).await;
    assert_eq!(test_store.store().batch(&BatchId::from_bits(test_store.bits())).await.expect("read"), None);
}

pub async fn an_artifact_is_read_as_it_was_recorded(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    let artifact = Artifact {
        id: ArtifactId::from_bits(test_store.bits()),
        size: 50_000_000,
        conversation_id: Some(general.conversation_id()),
        task_id: Some(test_store.task("Ship it", &tour).await.id),
        ..test_store.artifact("Übersicht 2.txt", &tour, None).await
    };
    test_store.change(&tour.id, &mara, Write::CreateArtifact(artifact.clone())).await;
    assert_eq!(test_store.store().artifact(&artifact.id).await.expect("read"), Some(artifact));
    assert_eq!(test_store.store().artifact(&ArtifactId::from_bits(test_store.bits())).await.expect("read"), None);
}

pub async fn artifacts_can_share_a_content(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let first = test_store.artifact("a.txt", &tour, None).await;
    let second = Artifact { id: ArtifactId::from_bits(test_store.bits()), filename: "b.txt".into(), ..first.clone() };
    test_store.change(&tour.id, &mara, Write::CreateArtifact(second.clone())).await;
    let caller = mara.principal();
    let listed = read_all(9, async |page| test_store.store().artifacts(&tour.id, &caller, &page).await).await;
    assert_eq!(listed, [first, second]);
}

/// Artifacts are listed oldest first; those of a private conversation only for its readers.
pub async fn artifacts_are_listed_for_members_who_may_see_them(test_store: TestStore) {
    let (mara, tour, fair) = fixture(&test_store).await;
    let (bela, outsider) = (test_store.member("Bela", &tour).await, test_store.person("Olaf").await);
    let coder = test_store.agent("Coder", &tour).await;
    let secret = test_store.private_channel("secret", &tour, &[&mara]).await;
    let root = test_store.post(&mara, &secret, "root").await;
    let thread = test_store.thread(&secret, &root).await;
    let dm = test_store.dm(&tour, &[&mara, &coder]).await;
    let general = test_store.channel("general", &tour).await;
    test_store.artifact("elsewhere", &fair, None).await;
    let mut ids = Vec::new();
    for target in [None, Some(&secret as &dyn PostTarget), Some(&thread), Some(&dm), Some(&general)] {
        ids.push(test_store.artifact("a.txt", &tour, target).await.id.to_string());
    }
    for (caller, seen) in
        [(&mara as &dyn TestMember, &[0, 1, 2, 3, 4][..]), (&coder, &[0, 3, 4]), (&bela, &[0, 4]), (&outsider, &[])]
    {
        let expected: Vec<_> = seen.iter().map(|index: &usize| ids[*index].clone()).collect();
        let (key, caller) = (|artifact: &Artifact| artifact.id.to_string(), caller.principal());
        check_pages(&expected, key, async |page| test_store.store().artifacts(&tour.id, &caller, &page).await).await;
    }
}

async fn graph(test_store: &TestStore, project: &Project, caller: &dyn TestMember) -> Graph {
    test_store.store().graph(&project.id, &caller.principal()).await.expect("graph")
}

async fn graph_fixture(test_store: &TestStore) -> (Person, Project) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    (mara, tour)
}

fn has_node(graph: &Graph, kind: NodeKind, id: &str) -> bool {
    graph.nodes.iter().any(|node| node.kind == kind && node.id == id)
}

fn ids(graph: &Graph, kind: NodeKind) -> BTreeSet<&str> {
    graph.nodes.iter().filter(|node| node.kind == kind).map(|node| node.id.as_str()).collect()
}

/// Whether any edge connects the two.
fn connects(graph: &Graph, one: &str, other: &str) -> bool {
    graph.edges.iter().any(|edge| (edge.from == one && edge.to == other) || (edge.from == other && edge.to == one))
}

fn has_edge(graph: &Graph, from: &str, kind: EdgeKind, to: &str) -> bool {
    graph.edges.iter().any(|edge| edge.from == from && edge.kind == kind && edge.to == to)
}

/// The project, its members, conversations and work are nodes, each connected with the thing it belongs to.
pub async fn a_graph_contains_the_things_of_the_project(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let (coder, general) = (test_store.agent("Coder", &tour).await, test_store.channel("general", &tour).await);
    let root = test_store.post(&mara, &general, "root").await;
    let (thread, dm) = (test_store.thread(&general, &root).await, test_store.dm(&tour, &[&mara, &coder]).await);
    let (batch, larger) = (test_store.batch("Release", &tour).await, test_store.task("Larger", &tour).await);
    let task = Task {
        assignee: Some(coder.member()),
        parent_id: Some(larger.id.clone()),
        batch_id: Some(batch.id.clone()),
        ..test_store.new_task("Ship it", &tour)
    };
    test_store.change(&tour.id, &mara, Write::CreateTask(task.clone())).await;
    let graph = graph(&test_store, &tour, &mara).await;
    for (kind, id) in [
        (NodeKind::Project, tour.id.as_str()),
        (NodeKind::Person, mara.id.as_str()),
        (NodeKind::Agent, coder.id.as_str()),
        (NodeKind::Task, task.id.as_str()),
        (NodeKind::Batch, batch.id.as_str()),
        (NodeKind::Channel, general.id.as_str()),
        (NodeKind::Thread, thread.id.as_str()),
        (NodeKind::Dm, dm.id.as_str()),
        (NodeKind::Message, root.id.as_str()),
    ] {
        assert!(has_node(&graph, kind, id), "{kind:?} {id}");
    }
    assert!(has_edge(&graph, tour.id.as_str(), EdgeKind::Member, mara.id.as_str()));
    assert!(has_edge(&graph, tour.id.as_str(), EdgeKind::Member, coder.id.as_str()));
    for (one, other) in [
        (tour.id.as_str(), general.id.as_str()),
        (thread.id.as_str(), root.id.as_str()),
        (dm.id.as_str(), coder.id.as_str()),
        (task.id.as_str(), coder.id.as_str()),
        (task.id.as_str(), larger.id.as_str()),
        (task.id.as_str(), batch.id.as_str()),
    ] {
        assert!(connects(&graph, one, other), "{one} {other}");
    }
}

/// Other messages are not included.
pub async fn a_graph_contains_messages_with_a_thread_an_artifact_or_a_mention(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let (coder, general) = (test_store.agent("Coder", &tour).await, test_store.channel("general", &tour).await);
    let file = test_store.artifact("a.txt", &tour, None).await;
    let root = test_store.post(&mara, &general, "root").await;
    let thread = test_store.thread(&general, &root).await;
    let carrying = test_store.send(&mara, &test_store.draft(&mara, &general, "file").carrying(&file)).await;
    let calling = test_store.send(&mara, &test_store.draft(&mara, &general, "@Coder").mentioning(&coder)).await;
    test_store.post(&mara, &general, "plain").await;
    test_store.post(&mara, &thread, "plain").await;
    let graph = graph(&test_store, &tour, &mara).await;
    let expected = [&root, &carrying, &calling].map(|message| message.id.as_str());
    assert_eq!(ids(&graph, NodeKind::Message), BTreeSet::from(expected));
    assert!(connects(&graph, carrying.id.as_str(), file.id.as_str()));
    assert!(has_edge(&graph, calling.id.as_str(), EdgeKind::Mentions, coder.id.as_str()));
}

/// Its text and its mentions are removed too.
pub async fn a_removed_message_leaves_the_graph(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let (coder, general) = (test_store.agent("Coder", &tour).await, test_store.channel("general", &tour).await);
    let message = test_store.send(&mara, &test_store.draft(&mara, &general, "password").mentioning(&coder)).await;
    test_store.remove(&mara, &message).await;
    let graph = graph(&test_store, &tour, &mara).await;
    assert!(!format!("{graph:?}").contains("password"));
    assert!(!graph.edges.iter().any(|edge| edge.kind == EdgeKind::Mentions));
}

pub async fn an_artifact_is_connected_with_its_task(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let task = test_store.task("Ship it", &tour).await;
    let file = Artifact {
        id: ArtifactId::from_bits(test_store.bits()),
        task_id: Some(task.id.clone()),
        ..test_store.artifact("a.txt", &tour, None).await
    };
    test_store.change(&tour.id, &mara, Write::CreateArtifact(file.clone())).await;
    let graph = graph(&test_store, &tour, &mara).await;
    assert!(has_edge(&graph, task.id.as_str(), EdgeKind::Produced, file.id.as_str()));
}

pub async fn a_graph_contains_the_newest_of_very_many_messages(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let general = test_store.channel("general", &tour).await;
    let oldest = test_store.send(&mara, &test_store.draft(&mara, &general, "oldest").mentioning(&mara)).await;
    let mut posts = JoinSet::new();
    for number in 0..limits::GRAPH_MESSAGES_MAX {
        let (test_store, mara, general) = (test_store.clone(), mara.clone(), general.clone());
        posts.spawn(async move {
            let draft = test_store.draft(&mara, &general, &format!("message {number}")).mentioning(&mara);
            test_store.send(&mara, &draft).await.id.to_string()
        });
    }
    let newest = posts.join_all().await;
    let graph = graph(&test_store, &tour, &mara).await;
    assert_eq!(ids(&graph, NodeKind::Message), newest.iter().map(String::as_str).collect());
    assert!(!has_node(&graph, NodeKind::Message, oldest.id.as_str()));
}

/// Another project contributes nothing.
pub async fn hidden_things_have_no_node_and_no_edge(test_store: TestStore) {
    let (mara, tour) = graph_fixture(&test_store).await;
    let (bela, coder) = (test_store.member("Bela", &tour).await, test_store.agent("Coder", &tour).await);
    let fair = test_store.project("Fair", &mara).await;
    test_store.channel("hall", &fair).await;
    let before = graph(&test_store, &tour, &bela).await;
    let secret = test_store.private_channel("secret", &tour, &[&mara]).await;
    let file = test_store.artifact("hidden.txt", &tour, Some(&secret)).await;
    let draft = test_store.draft(&mara, &secret, "hidden").mentioning(&coder).carrying(&file);
    let hidden = test_store.send(&mara, &draft).await;
    test_store.thread(&secret, &hidden).await;
    let dm = test_store.dm(&tour, &[&mara, &coder]).await;
    test_store.send(&mara, &test_store.draft(&mara, &dm, "hidden").mentioning(&coder)).await;
    assert_eq!(graph(&test_store, &tour, &bela).await, before);
    let full = graph(&test_store, &tour, &mara).await;
    assert!(has_node(&full, NodeKind::Channel, secret.id.as_str()) && has_node(&full, NodeKind::Dm, dm.id.as_str()));
}
