//! Timelines: what happened in a run and to a task, moment by moment.

use parlour_core::{
    id::TaskId,
    paging::PageRequest,
    run::{PauseReason, Run, RunState},
    task::{TaskPatch, TaskStatus},
    timeline::{TimelineEntry, TimelineEntryKind},
    write::Write,
};

use super::calls::{Stage, stage};
use crate::world::{Caller, World, check_pages};

async fn of_run(world: &World, run: &Run, caller: &dyn Caller) -> Vec<TimelineEntry> {
    let page = PageRequest::first();
    world.store().run_timeline(&run.id, &caller.principal(), &page).await.expect("moments").items
}

async fn of_task(world: &World, task: &TaskId, caller: &dyn Caller) -> Vec<TimelineEntry> {
    let page = PageRequest::first();
    world.store().task_timeline(task, &caller.principal(), &page).await.expect("moments").items
}

fn kinds(moments: &[TimelineEntry]) -> Vec<TimelineEntryKind> {
    moments.iter().map(|moment| moment.kind).collect()
}

/// Begins a run of the coder for a task.
async fn start_for(world: &World, stage: &Stage, task: &TaskId) -> Run {
    let run = Run { task_id: Some(task.clone()), ..world.new_run(&stage.coder, Some(&stage.general)) };
    world.change(&stage.tour.id, &stage.coder, Write::StartRun(run.clone())).await;
    run
}

/// Each start, pause, question, resumption and end is one moment of the run and of its task, with who and when.
pub async fn every_turn_of_a_run_is_a_moment(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Ship it", &stage.tour).await;
    let run = start_for(&world, &stage, &task.id).await;
    let sent = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let asked = world.ask(&stage.coder, &stage.general, &[&stage.mara]).await;
    let pauses = vec![world.pause(PauseReason::Message, &sent), world.pause(PauseReason::Asked, &asked)];
    world.change(&stage.tour.id, &stage.coder, Write::PauseRun(run.id.clone(), pauses)).await;
    let paused_at = world.now();
    world.resume_run(&stage.mara, &run).await;
    let resumed_at = world.now();
    world.end_run(&stage.coder, &run, RunState::Failed).await;
    let moments = of_run(&world, &run, &stage.mara).await;
    use TimelineEntryKind::{Asked, Paused, Resumed, RunFailed, RunStarted};
    assert_eq!(kinds(&moments), [RunStarted, Paused, Asked, Resumed, Resumed, RunFailed]);
    let (mara, coder) = (stage.mara.author(), stage.coder.author());
    assert_eq!((&moments[1].by, moments[1].message_id.as_ref(), moments[1].at), (&mara, Some(&sent.id), paused_at));
    assert_eq!((&moments[2].by, moments[2].message_id.as_ref()), (&coder, Some(&asked.id)));
    assert_eq!((&moments[3].by, moments[3].detail.as_deref(), moments[3].at), (&mara, Some("by hand"), resumed_at));
    assert_eq!((&moments[5].by, moments[5].detail.as_deref()), (&coder, Some("out of luck")));
    assert!(moments.iter().all(|one| (&one.run_id, &one.task_id) == (&Some(run.id.clone()), &Some(task.id.clone()))));
    assert_eq!(of_task(&world, &task.id, &stage.mara).await[1..], moments);
}

/// Each way to end a run has a moment of its own.
pub async fn every_end_is_told_as_it_was(world: World) {
    let stage = stage(&world).await;
    for (state, expected) in [
        (RunState::Done, TimelineEntryKind::RunDone),
        (RunState::Failed, TimelineEntryKind::RunFailed),
        (RunState::Cancelled, TimelineEntryKind::RunCancelled),
    ] {
        let run = world.start(&stage.coder, None).await;
        world.end_run(&stage.coder, &run, state).await;
        assert_eq!(kinds(&of_run(&world, &run, &stage.mara).await)[1..], [expected]);
    }
}

/// A task's timeline tells when it was given and each change of its status; other changes are no moment.
pub async fn a_task_is_given_and_moves(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Ship it", &stage.tour).await;
    let patch =
        |status, description: &str| TaskPatch { status, description: Some(description.into()), ..TaskPatch::default() };
    for patch in [patch(None, "a"), patch(Some(TaskStatus::Working), "b"), patch(Some(TaskStatus::Working), "c")] {
        world.change(&stage.tour.id, &stage.mara, Write::UpdateTask(task.id.clone(), patch)).await;
    }
    let moments = of_task(&world, &task.id, &stage.mara).await;
    assert_eq!(kinds(&moments), [TimelineEntryKind::TaskCreated, TimelineEntryKind::TaskMoved]);
    let details: Vec<_> = moments.iter().map(|moment| moment.detail.as_deref()).collect();
    assert_eq!((details, &moments[1].by), (vec![Some("Ship it"), Some("working")], &stage.mara.author()));
    assert!(moments.iter().all(|moment| moment.run_id.is_none() && moment.task_id.as_ref() == Some(&task.id)));
}

/// Timelines come oldest first on pages of every size, and go on only from a moment that they show.
pub async fn a_chronicle_is_read_page_by_page(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Ship it", &stage.tour).await;
    let (run, other) = (start_for(&world, &stage, &task.id).await, world.start(&stage.tester, None).await);
    world.end_run(&stage.coder, &run, RunState::Done).await;
    let mara = stage.mara.principal();
    let numbers = |moments: &[TimelineEntry]| moments.iter().map(|one| one.no.to_string()).collect::<Vec<_>>();
    let key = |moment: &TimelineEntry| moment.no.to_string();
    let expected = numbers(&of_run(&world, &run, &stage.mara).await);
    check_pages(&expected, key, async |page| world.store().run_timeline(&run.id, &mara, &page).await).await;
    let expected = numbers(&of_task(&world, &task.id, &stage.mara).await);
    assert_eq!(expected.len(), 3);
    check_pages(&expected, key, async |page| world.store().task_timeline(&task.id, &mara, &page).await).await;
    let foreign = numbers(&of_run(&world, &other, &stage.mara).await).remove(0);
    for key in [foreign, "999999".to_owned(), "x".to_owned()] {
        let page = PageRequest::new(Some(key.clone()), None).expect("a page");
        assert!(world.store().run_timeline(&run.id, &mara, &page).await.is_err(), "{key}");
    }
}

/// What is about a message that the caller may not read, and what happened in a run that it does not see, is left out.
pub async fn what_is_hidden_leaves_no_moment(world: World) {
    let stage = stage(&world).await;
    let bela = world.member("Bela", &stage.tour).await;
    let secret = world.private_channel("secret", &stage.tour, &[&bela, &stage.coder]).await;
    let task = world.task("Ship it", &stage.tour).await;
    let open = start_for(&world, &stage, &task.id).await;
    let hidden = world.ask(&bela, &secret, &[&stage.coder]).await;
    world.pause_run(&stage.coder, &open, &hidden).await;
    let run = Run { task_id: Some(task.id.clone()), ..world.new_run(&stage.coder, Some(&secret)) };
    world.change(&stage.tour.id, &stage.coder, Write::StartRun(run.clone())).await;
    use TimelineEntryKind::{Paused, RunStarted, TaskCreated};
    assert_eq!(kinds(&of_run(&world, &open, &bela).await), [RunStarted, Paused]);
    assert_eq!(kinds(&of_run(&world, &open, &stage.mara).await), [RunStarted]);
    assert_eq!(kinds(&of_task(&world, &task.id, &bela).await), [TaskCreated, RunStarted, Paused, RunStarted]);
    assert_eq!(kinds(&of_task(&world, &task.id, &stage.mara).await), [TaskCreated, RunStarted]);
    assert_eq!(of_run(&world, &run, &stage.mara).await, []);
    let olaf = world.person("Olaf").await;
    assert_eq!((of_run(&world, &open, &olaf).await, of_task(&world, &task.id, &olaf).await), (vec![], vec![]));
}
