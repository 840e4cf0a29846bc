//! What stands beside something: newest first, bounded, and untouched by what a reader may not see.

use parlour_core::{
    access::Principal,
    artifact::Artifact,
    conversation::Channel,
    id::{ConversationId, TaskId},
    member::{Agent, Person},
    project::Project,
    task::Task,
    write::Write,
};

use crate::world::{Caller, Place, World};

struct Stage {
    mara: Person,
    bela: Person,
    coder: Agent,
    tour: Project,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage {
        bela: world.member("Bela", &tour).await,
        coder: world.agent("Coder", &tour).await,
        general: world.channel("general", &tour).await,
        mara,
        tour,
    }
}

impl Stage {
    async fn called(&self, world: &World, readers: &[Principal], limit: usize) -> Vec<ConversationId> {
        world.store().called_places(&self.tour.id, &self.coder.id, readers, limit).await.expect("places")
    }

    async fn files(&self, world: &World, place: Option<&Channel>, task: Option<&Task>, reader: &Person) -> Vec<String> {
        let (place, task) = (place.map(Place::conversation_id), task.map(|task| task.id.clone()));
        let readers = [reader.principal()];
        let found = world.store().artifacts_beside(&self.tour.id, place.as_ref(), task.as_ref(), &readers, 2).await;
        found.expect("artifacts").into_iter().map(|artifact| artifact.filename).collect()
    }

    async fn file_of(&self, world: &World, name: &str, task: &Task, place: Option<&dyn Place>) {
        let plain = world.artifact("draft", &self.tour, place).await;
        let file = Artifact {
            id: parlour_core::id::ArtifactId::from_bits(world.bits()),
            filename: name.to_owned(),
            task_id: Some(task.id.clone()),
            ..plain
        };
        world.change(&self.tour.id, &self.mara, Write::CreateArtifact(file)).await;
    }

    async fn part(&self, world: &World, title: &str, parent: &TaskId) -> Task {
        let task = Task { parent_id: Some(parent.clone()), ..world.new_task(title, &self.tour) };
        world.change(&self.tour.id, &self.mara, Write::CreateTask(task.clone())).await;
        task
    }
}

/// Where an agent was called last comes first, each conversation once, and no more than are wanted.
pub async fn where_an_agent_was_called_comes_last_first(world: World) {
    let stage = stage(&world).await;
    let random = world.channel("random", &stage.tour).await;
    for place in [&stage.general, &random, &random, &stage.general] {
        world.call(&stage.mara, place, &stage.coder).await;
    }
    let readers = [stage.mara.principal()];
    let all = [stage.general.conversation_id(), random.conversation_id()];
    assert_eq!(stage.called(&world, &readers, 9).await, all);
    assert_eq!(stage.called(&world, &readers, 1).await, all[..1]);
    assert_eq!(stage.called(&world, &[], 9).await, []);
}

/// Calls where one of the readers may not read take no place from others, however many they are.
pub async fn hidden_calls_do_not_change_where_an_agent_was_called(world: World) {
    let stage = stage(&world).await;
    world.call(&stage.mara, &stage.general, &stage.coder).await;
    for number in 0..5 {
        let name = format!("secret {number}");
        let secret = world.private_channel(&name, &stage.tour, &[&stage.mara, &stage.coder]).await;
        world.call(&stage.mara, &secret, &stage.coder).await;
    }
    let (mara, bela, coder) = (stage.mara.principal(), stage.bela.principal(), stage.coder.principal());
    let open = [stage.general.conversation_id()];
    assert_eq!(stage.called(&world, &[coder.clone(), mara], 9).await.len(), 6);
    assert_eq!(stage.called(&world, &[coder, bela.clone()], 1).await, open);
    assert_eq!(stage.called(&world, &[bela], 1).await, open);
}

/// The tasks beside a task are its parts and its sisters, each once and newest first, and never the task itself.
pub async fn tasks_beside_a_task_are_its_parts_and_sisters(world: World) {
    let stage = stage(&world).await;
    let larger = world.task("larger", &stage.tour).await;
    let own = stage.part(&world, "own", &larger.id).await;
    let batch = world.batch("Batch", &stage.tour).await;
    for title in ["sister 1", "sister 2", "sister 3"] {
        stage.part(&world, title, &larger.id).await;
    }
    stage.part(&world, "part", &own.id).await;
    let batched = |title: &str| Task { batch_id: Some(batch.id.clone()), ..world.new_task(title, &stage.tour) };
    world.change(&stage.tour.id, &stage.mara, Write::CreateTask(batched("batched"))).await;
    world.task("stranger", &stage.tour).await;
    let titles = |tasks: Vec<Task>| tasks.into_iter().map(|task| task.title).collect::<Vec<_>>();
    let found = world.store().tasks_beside(&own, 9).await.expect("tasks");
    assert_eq!(titles(found), ["part", "sister 3", "sister 2", "sister 1"]);
    let own = Task { batch_id: Some(batch.id.clone()), ..own };
    let found = world.store().tasks_beside(&own, 2).await.expect("tasks");
    assert_eq!(titles(found), ["batched", "part", "sister 3", "sister 2"]);
}

/// The newest files of a place or a task are found, and hidden ones take no place from them.
pub async fn hidden_files_take_no_place_from_others(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Paint", &stage.tour).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        world.artifact(name, &stage.tour, Some(&stage.general)).await;
    }
    stage.file_of(&world, "plan.txt", &task, None).await;
    for name in ["x.txt", "y.txt", "z.txt"] {
        stage.file_of(&world, name, &task, Some(&secret)).await;
    }
    assert_eq!(stage.files(&world, Some(&stage.general), None, &stage.bela).await, ["c.txt", "b.txt"]);
    assert_eq!(stage.files(&world, None, Some(&task), &stage.bela).await, ["plan.txt"]);
    assert_eq!(stage.files(&world, None, Some(&task), &stage.mara).await, ["z.txt", "y.txt"]);
    assert_eq!(stage.files(&world, Some(&secret), None, &stage.bela).await, [""; 0]);
    let both = stage.files(&world, Some(&stage.general), Some(&task), &stage.bela).await;
    assert_eq!(both, ["plan.txt", "c.txt", "b.txt"]);
}
