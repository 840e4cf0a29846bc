//! Related conversations, tasks and artifacts: newest first, limited, and independent of hidden things.

use parlour_core::{
    access::Principal,
    artifact::Artifact,
    conversation::Channel,
    id::{ConversationId, TaskId},
    member::Person,
    task::Task,
    write::Write,
};

use super::fixtures::TwoPeopleFixture;
use crate::test_store::{PostTarget, TestMember, TestStore};

impl TwoPeopleFixture {
    async fn conversations_with_calls(
        &self,
        test_store: &TestStore,
        readers: &[Principal],
        limit: usize,
    ) -> Vec<ConversationId> {
        test_store
            .store()
            .conversations_with_calls(&self.tour.id, &self.coder.id, readers, limit)
            .await
            .expect("conversations")
    }

    async fn related_files(
        &self,
        test_store: &TestStore,
        conversation: Option<&Channel>,
        task: Option<&Task>,
        reader: &Person,
    ) -> Vec<String> {
        let (conversation, task) = (conversation.map(PostTarget::conversation_id), task.map(|task| task.id.clone()));
        let readers = [reader.principal()];
        let found = test_store
            .store()
            .related_artifacts(&self.tour.id, conversation.as_ref(), task.as_ref(), &readers, 2)
            .await;
        found.expect("artifacts").into_iter().map(|artifact| artifact.filename).collect()
    }

    async fn create_file(&self, test_store: &TestStore, name: &str, task: &Task, target: Option<&dyn PostTarget>) {
        let plain = test_store.artifact("draft", &self.tour, target).await;
        let file = Artifact {
            id: parlour_core::id::ArtifactId::from_bits(test_store.bits()),
            filename: name.to_owned(),
            task_id: Some(task.id.clone()),
            ..plain
        };
        test_store.change(&self.tour.id, &self.mara, Write::CreateArtifact(file)).await;
    }

    async fn create_subtask(&self, test_store: &TestStore, title: &str, parent: &TaskId) -> Task {
        let task = Task { parent_id: Some(parent.clone()), ..test_store.new_task(title, &self.tour) };
        test_store.change(&self.tour.id, &self.mara, Write::CreateTask(task.clone())).await;
        task
    }
}

/// Each conversation is returned once, up to the limit.
pub async fn conversations_with_calls_are_ordered_by_the_latest_call(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    for target in [&fixture.general, &random, &random, &fixture.general] {
        test_store.call(&fixture.mara, target, &fixture.coder).await;
    }
    let readers = [fixture.mara.principal()];
    let all = [fixture.general.conversation_id(), random.conversation_id()];
    assert_eq!(fixture.conversations_with_calls(&test_store, &readers, 9).await, all);
    assert_eq!(fixture.conversations_with_calls(&test_store, &readers, 1).await, all[..1]);
    assert_eq!(fixture.conversations_with_calls(&test_store, &[], 9).await, []);
}

/// Calls in conversations that one of the readers may not read do not count against the limit.
pub async fn hidden_calls_displace_no_visible_conversation(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    for number in 0..5 {
        let name = format!("secret {number}");
        let secret = test_store.private_channel(&name, &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
        test_store.call(&fixture.mara, &secret, &fixture.coder).await;
    }
    let (mara, bela, coder) = (fixture.mara.principal(), fixture.bela.principal(), fixture.coder.principal());
    let open = [fixture.general.conversation_id()];
    assert_eq!(fixture.conversations_with_calls(&test_store, &[coder.clone(), mara], 9).await.len(), 6);
    assert_eq!(fixture.conversations_with_calls(&test_store, &[coder, bela.clone()], 1).await, open);
    assert_eq!(fixture.conversations_with_calls(&test_store, &[bela], 1).await, open);
}

/// Each task is returned once, newest first, and never the task itself.
pub async fn related_tasks_are_children_siblings_and_tasks_of_the_batch(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let larger = test_store.task("larger", &fixture.tour).await;
    let own = fixture.create_subtask(&test_store, "own", &larger.id).await;
    let batch = test_store.batch("Batch", &fixture.tour).await;
    for title in ["sister 1", "sister 2", "sister 3"] {
        fixture.create_subtask(&test_store, title, &larger.id).await;
    }
    fixture.create_subtask(&test_store, "part", &own.id).await;
    let batched = |title: &str| Task { batch_id: Some(batch.id.clone()), ..test_store.new_task(title, &fixture.tour) };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::CreateTask(batched("batched"))).await;
    test_store.task("stranger", &fixture.tour).await;
    let titles = |tasks: Vec<Task>| tasks.into_iter().map(|task| task.title).collect::<Vec<_>>();
    let found = test_store.store().related_tasks(&own, 9).await.expect("tasks");
    assert_eq!(titles(found), ["part", "sister 3", "sister 2", "sister 1"]);
    let own = Task { batch_id: Some(batch.id.clone()), ..own };
    let found = test_store.store().related_tasks(&own, 2).await.expect("tasks");
    assert_eq!(titles(found), ["batched", "part", "sister 3", "sister 2"]);
}

/// The newest files of a conversation or a task are returned; hidden ones do not count against the limit.
pub async fn hidden_files_displace_no_visible_ones(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let task = test_store.task("Paint", &fixture.tour).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        test_store.artifact(name, &fixture.tour, Some(&fixture.general)).await;
    }
    fixture.create_file(&test_store, "plan.txt", &task, None).await;
    for name in ["x.txt", "y.txt", "z.txt"] {
        fixture.create_file(&test_store, name, &task, Some(&secret)).await;
    }
    assert_eq!(
        fixture.related_files(&test_store, Some(&fixture.general), None, &fixture.bela).await,
        ["c.txt", "b.txt"]
    );
    assert_eq!(fixture.related_files(&test_store, None, Some(&task), &fixture.bela).await, ["plan.txt"]);
    assert_eq!(fixture.related_files(&test_store, None, Some(&task), &fixture.mara).await, ["z.txt", "y.txt"]);
    assert_eq!(fixture.related_files(&test_store, Some(&secret), None, &fixture.bela).await, [""; 0]);
    let both = fixture.related_files(&test_store, Some(&fixture.general), Some(&task), &fixture.bela).await;
    assert_eq!(both, ["plan.txt", "c.txt", "b.txt"]);
}
