//! The graph of a project: what stands in it and what does not.

use std::collections::BTreeSet;

use parlour_core::{
    artifact::Artifact,
    graph::{EdgeKind, Graph, NodeKind},
    id::ArtifactId,
    limits,
    member::Person,
    project::Project,
    task::Task,
    write::Write,
};
use tokio::task::JoinSet;

use crate::world::{Caller, World};

async fn graph(world: &World, project: &Project, caller: &dyn Caller) -> Graph {
    world.store().graph(&project.id, &caller.principal()).await.expect("graph")
}

async fn stage(world: &World) -> (Person, Project) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    (mara, tour)
}

fn has_node(graph: &Graph, kind: NodeKind, id: &str) -> bool {
    graph.nodes.iter().any(|node| node.kind == kind && node.id == id)
}

fn ids(graph: &Graph, kind: NodeKind) -> BTreeSet<&str> {
    graph.nodes.iter().filter(|node| node.kind == kind).map(|node| node.id.as_str()).collect()
}

/// Whether the two are connected in any way.
fn connects(graph: &Graph, one: &str, other: &str) -> bool {
    graph.edges.iter().any(|edge| (edge.from == one && edge.to == other) || (edge.from == other && edge.to == one))
}

fn has_edge(graph: &Graph, from: &str, kind: EdgeKind, to: &str) -> bool {
    graph.edges.iter().any(|edge| edge.from == from && edge.kind == kind && edge.to == to)
}

/// The project, its members, conversations and work stand in the graph, each connected with what it belongs to.
pub async fn a_graph_holds_the_things_of_the_project(world: World) {
    let (mara, tour) = stage(&world).await;
    let (coder, general) = (world.agent("Coder", &tour).await, world.channel("general", &tour).await);
    let root = world.post(&mara, &general, "root").await;
    let (thread, dm) = (world.thread(&general, &root).await, world.dm(&tour, &[&mara, &coder]).await);
    let (batch, larger) = (world.batch("Release", &tour).await, world.task("Larger", &tour).await);
    let task = Task {
        assignee: Some(coder.member()),
        parent_id: Some(larger.id.clone()),
        batch_id: Some(batch.id.clone()),
        ..world.new_task("Ship it", &tour)
    };
    world.change(&tour.id, &mara, Write::CreateTask(task.clone())).await;
    let graph = graph(&world, &tour, &mara).await;
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

/// Messages stand in the graph when they open a thread, carry an artifact or mention someone; others do not.
pub async fn a_graph_holds_the_messages_that_connect_something(world: World) {
    let (mara, tour) = stage(&world).await;
    let (coder, general) = (world.agent("Coder", &tour).await, world.channel("general", &tour).await);
    let file = world.artifact("a.txt", &tour, None).await;
    let root = world.post(&mara, &general, "root").await;
    let thread = world.thread(&general, &root).await;
    let carrying = world.send(&mara, &world.draft(&mara, &general, "file").carrying(&file)).await;
    let calling = world.send(&mara, &world.draft(&mara, &general, "@Coder").mentioning(&coder)).await;
    world.post(&mara, &general, "plain").await;
    world.post(&mara, &thread, "plain").await;
    let graph = graph(&world, &tour, &mara).await;
    let expected = [&root, &carrying, &calling].map(|message| message.id.as_str());
    assert_eq!(ids(&graph, NodeKind::Message), BTreeSet::from(expected));
    assert!(connects(&graph, carrying.id.as_str(), file.id.as_str()));
    assert!(has_edge(&graph, calling.id.as_str(), EdgeKind::Mentions, coder.id.as_str()));
}

/// A removed message leaves the graph, with its text and its mentions.
pub async fn a_removed_message_leaves_the_graph(world: World) {
    let (mara, tour) = stage(&world).await;
    let (coder, general) = (world.agent("Coder", &tour).await, world.channel("general", &tour).await);
    let message = world.send(&mara, &world.draft(&mara, &general, "password").mentioning(&coder)).await;
    world.remove(&mara, &message).await;
    let graph = graph(&world, &tour, &mara).await;
    assert!(!format!("{graph:?}").contains("password"));
    assert!(!graph.edges.iter().any(|edge| edge.kind == EdgeKind::Mentions));
}

/// What a task produced is connected with it.
pub async fn an_artifact_is_connected_with_its_task(world: World) {
    let (mara, tour) = stage(&world).await;
    let task = world.task("Ship it", &tour).await;
    let file = Artifact {
        id: ArtifactId::from_bits(world.bits()),
        task_id: Some(task.id.clone()),
        ..world.artifact("a.txt", &tour, None).await
    };
    world.change(&tour.id, &mara, Write::CreateArtifact(file.clone())).await;
    let graph = graph(&world, &tour, &mara).await;
    assert!(has_edge(&graph, task.id.as_str(), EdgeKind::Produced, file.id.as_str()));
}

/// Of very many messages the newest stand in the graph.
pub async fn a_graph_holds_the_newest_of_very_many_messages(world: World) {
    let (mara, tour) = stage(&world).await;
    let general = world.channel("general", &tour).await;
    let oldest = world.send(&mara, &world.draft(&mara, &general, "oldest").mentioning(&mara)).await;
    let mut posts = JoinSet::new();
    for number in 0..limits::GRAPH_MESSAGES_MAX {
        let (world, mara, general) = (world.clone(), mara.clone(), general.clone());
        posts.spawn(async move {
            let draft = world.draft(&mara, &general, &format!("message {number}")).mentioning(&mara);
            world.send(&mara, &draft).await.id.to_string()
        });
    }
    let newest = posts.join_all().await;
    let graph = graph(&world, &tour, &mara).await;
    assert_eq!(ids(&graph, NodeKind::Message), newest.iter().map(String::as_str).collect());
    assert!(!has_node(&graph, NodeKind::Message, oldest.id.as_str()));
}

/// What the caller may not read leaves no node and no edge; another project leaves nothing at all.
pub async fn what_the_caller_may_not_read_leaves_no_trace(world: World) {
    let (mara, tour) = stage(&world).await;
    let (bela, coder) = (world.member("Bela", &tour).await, world.agent("Coder", &tour).await);
    let fair = world.project("Fair", &mara).await;
    world.channel("hall", &fair).await;
    let before = graph(&world, &tour, &bela).await;
    let secret = world.private_channel("secret", &tour, &[&mara]).await;
    let file = world.artifact("hidden.txt", &tour, Some(&secret)).await;
    let draft = world.draft(&mara, &secret, "hidden").mentioning(&coder).carrying(&file);
    let hidden = world.send(&mara, &draft).await;
    world.thread(&secret, &hidden).await;
    let dm = world.dm(&tour, &[&mara, &coder]).await;
    world.send(&mara, &world.draft(&mara, &dm, "hidden").mentioning(&coder)).await;
    assert_eq!(graph(&world, &tour, &bela).await, before);
    let full = graph(&world, &tour, &mara).await;
    assert!(has_node(&full, NodeKind::Channel, secret.id.as_str()) && has_node(&full, NodeKind::Dm, dm.id.as_str()));
}
