//! Tasks, batches and artifacts.

use parlour_core::{
    Code,
    artifact::Artifact,
    id::{ArtifactId, BatchId, MemberId, TaskId},
    member::Person,
    project::Project,
    task::{Batch, Task, TaskPatch, TaskStatus},
    write::Write,
};
use tokio::task::JoinSet;

use crate::world::{Caller, Place, World, check_pages, read_all};

async fn stage(world: &World) -> (Person, Project, Project) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    (mara, tour, fair)
}

/// A task is read with all it was given with.
pub async fn a_task_is_read_as_it_was_given(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let general = world.channel("general", &tour).await;
    let root = world.post(&mara, &general, "root").await;
    let task = Task {
        description: Some("All of it.".into()),
        status: TaskStatus::Blocked,
        assignee: Some(world.agent("Coder", &tour).await.member()),
        parent_id: Some(world.task("Larger", &tour).await.id),
        batch_id: Some(world.batch("Release", &tour).await.id),
        thread_id: Some(world.thread(&general, &root).await.id),
        ..world.new_task("Ship it", &tour)
    };
    world.change(&tour.id, &mara, Write::CreateTask(task.clone())).await;
    assert_eq!(world.store().task(&task.id).await.expect("read"), Some(task));
    assert_eq!(world.store().task(&TaskId::from_bits(world.bits())).await.expect("read"), None);
}

/// A change of a task changes what it names, and the time of the change.
pub async fn a_task_is_read_as_it_is_now(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let task = world.task("Ship it", &tour).await;
    let patch = TaskPatch { status: Some(TaskStatus::Done), assignee: Some(mara.member()), ..TaskPatch::default() };
    world.change(&tour.id, &mara, Write::UpdateTask(task.id.clone(), patch.clone())).await;
    let patched = task.patched(&patch, world.now()).expect("patched");
    assert_eq!(world.store().task(&task.id).await.expect("read"), Some(patched));
}

/// Of many who begin a task at once one does, and the others are told how far it is.
pub async fn of_many_who_begin_a_task_one_does(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let task = world.task("Ship it", &tour).await;
    let begin = |member: MemberId| TaskPatch {
        status: Some(TaskStatus::Working),
        assignee: Some(member),
        if_status: Some(TaskStatus::Open),
        ..TaskPatch::default()
    };
    let mut racers = JoinSet::new();
    for number in 0..8 {
        let agent = world.agent(&format!("Agent {number}"), &tour).await;
        let (world, project, write) =
            (world.clone(), tour.id.clone(), Write::UpdateTask(task.id.clone(), begin(agent.member())));
        racers.spawn(async move { (agent.member(), world.append(&project, &agent, write).await) });
    }
    let (begun, late): (Vec<_>, Vec<_>) = racers.join_all().await.into_iter().partition(|(_, told)| told.is_ok());
    assert_eq!(begun.len(), 1);
    let stored = world.store().task(&task.id).await.expect("read").expect("a task");
    assert_eq!((stored.status, stored.assignee.as_ref()), (TaskStatus::Working, Some(&begun[0].0)));
    for (_, told) in late {
        let refusal = told.expect_err("refused").refusal().expect("an expected no").clone();
        assert_eq!((refusal.code, refusal.detail.contains("working")), (Code::TaskMoved, true), "{refusal}");
    }
    let again = Write::UpdateTask(task.id, begin(begun[0].0.clone()));
    assert_eq!(world.refusal(&tour.id, &mara, again).await, Code::TaskMoved, "even who has begun it is told so");
}

/// Tasks of a project are listed oldest first on pages of any size.
pub async fn tasks_are_listed_oldest_first(world: World) {
    let (_, tour, fair) = stage(&world).await;
    let mut expected = Vec::new();
    for title in ["Ship it", "Build it", "Plan it"] {
        world.task(title, &fair).await;
        expected.push(world.task(title, &tour).await.id.to_string());
    }
    let key = |task: &Task| task.id.to_string();
    check_pages(&expected, key, async |page| world.store().tasks(&tour.id, &page).await).await;
}

/// Batches of a project are read as they were made and listed oldest first.
pub async fn batches_are_read_and_listed_oldest_first(world: World) {
    let (_, tour, fair) = stage(&world).await;
    let mut expected = Vec::new();
    for name in ["Two", "One", "Three"] {
        world.batch(name, &fair).await;
        let batch = world.batch(name, &tour).await;
        assert_eq!(world.store().batch(&batch.id).await.expect("read").as_ref(), Some(&batch));
        expected.push(batch.id.to_string());
    }
    let key = |batch: &Batch| batch.id.to_string();
    check_pages(&expected, key, async |page| world.store().batches(&tour.id, &page).await).await;
    assert_eq!(world.store().batch(&BatchId::from_bits(world.bits())).await.expect("read"), None);
}

/// The record of an artifact is read with all it was made with.
pub async fn an_artifact_is_read_as_it_was_recorded(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let general = world.channel("general", &tour).await;
    let artifact = Artifact {
        id: ArtifactId::from_bits(world.bits()),
        size: 50_000_000,
        conversation_id: Some(general.conversation_id()),
        task_id: Some(world.task("Ship it", &tour).await.id),
        ..world.artifact("Übersicht 2.txt", &tour, None).await
    };
    world.change(&tour.id, &mara, Write::CreateArtifact(artifact.clone())).await;
    assert_eq!(world.store().artifact(&artifact.id).await.expect("read"), Some(artifact));
    assert_eq!(world.store().artifact(&ArtifactId::from_bits(world.bits())).await.expect("read"), None);
}

/// Two artifacts may have the same content.
pub async fn artifacts_may_share_a_content(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let first = world.artifact("a.txt", &tour, None).await;
    let second = Artifact { id: ArtifactId::from_bits(world.bits()), filename: "b.txt".into(), ..first.clone() };
    world.change(&tour.id, &mara, Write::CreateArtifact(second.clone())).await;
    let caller = mara.principal();
    let listed = read_all(9, async |page| world.store().artifacts(&tour.id, &caller, &page).await).await;
    assert_eq!(listed, [first, second]);
}

/// Artifacts are listed oldest first; those of a private conversation for its readers only.
pub async fn artifacts_are_listed_for_those_who_may_see_them(world: World) {
    let (mara, tour, fair) = stage(&world).await;
    let (bela, outsider) = (world.member("Bela", &tour).await, world.person("Olaf").await);
    let coder = world.agent("Coder", &tour).await;
    let secret = world.private_channel("secret", &tour, &[&mara]).await;
    let root = world.post(&mara, &secret, "root").await;
    let thread = world.thread(&secret, &root).await;
    let dm = world.dm(&tour, &[&mara, &coder]).await;
    let general = world.channel("general", &tour).await;
    world.artifact("elsewhere", &fair, None).await;
    let mut ids = Vec::new();
    for place in [None, Some(&secret as &dyn Place), Some(&thread), Some(&dm), Some(&general)] {
        ids.push(world.artifact("a.txt", &tour, place).await.id.to_string());
    }
    for (caller, seen) in
        [(&mara as &dyn Caller, &[0, 1, 2, 3, 4][..]), (&coder, &[0, 3, 4]), (&bela, &[0, 4]), (&outsider, &[])]
    {
        let expected: Vec<_> = seen.iter().map(|place: &usize| ids[*place].clone()).collect();
        let (key, caller) = (|artifact: &Artifact| artifact.id.to_string(), caller.principal());
        check_pages(&expected, key, async |page| world.store().artifacts(&tour.id, &caller, &page).await).await;
    }
}
