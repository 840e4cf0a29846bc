//! Runs: begun once, paused and resumed, ended once, and seen like their conversation.

use parlour_core::{
    Code,
    delivery::DeliveryState,
    event::Change,
    id::MessageId,
    inbox::InboxFilter,
    limits,
    message::Message,
    paging::PageRequest,
    question::Settlement,
    run::{PauseReason, Run, RunEnd, RunFilter, RunState},
    usage::Usage,
    write::Write,
};

use super::calls::stage;
use crate::world::{Caller, World, check_pages, yes};

fn pausing(world: &World, run: &Run, reason: PauseReason, messages: &[&Message]) -> Write {
    Write::PauseRun(run.id.clone(), messages.iter().map(|message| world.pause(reason, message)).collect())
}

fn resuming(run: &Run, message: Option<&Message>) -> Write {
    let message: Option<MessageId> = message.map(|message| message.id.clone());
    Write::ResumeRun(run.id.clone(), message, "handled".into())
}

/// A run is read as it was begun, and told by one event.
pub async fn a_run_is_read_as_it_was_begun(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Ship it", &stage.tour).await;
    let message = world.call(&stage.mara, &stage.general, &stage.coder).await;
    let run = Run {
        label: Some("ships".into()),
        message_id: Some(message.id),
        task_id: Some(task.id),
        ..world.new_run(&stage.coder, Some(&stage.general))
    };
    let change = world.change(&stage.tour.id, &stage.coder, Write::StartRun(run.clone())).await;
    assert_eq!(change, Change::RunStarted(Box::new(run.clone())));
    assert_eq!(world.run(&run).await, run);
    assert_eq!(world.store().open_runs_of(&stage.coder.id).await.expect("runs"), [run]);
}

/// A repeated id of the same agent answers the run as it is now; of another one it is refused.
pub async fn a_run_begins_once(world: World) {
    let stage = stage(&world).await;
    let run = world.start(&stage.coder, None).await;
    world.end_run(&stage.coder, &run, RunState::Done).await;
    let again = world.repeat(&stage.tour.id, &stage.coder, Write::StartRun(run.clone())).await;
    assert_eq!(again, Change::RunStarted(Box::new(world.run(&run).await)));
    let stolen = Run { id: run.id.clone(), ..world.new_run(&stage.tester, None) };
    let refused = world.refusal(&stage.tour.id, &stage.tester, Write::StartRun(stolen)).await;
    assert_eq!(refused, Code::ClientIdReused);
}

/// A run that refers to something of another project, or to nothing, is refused and leaves no trace.
pub async fn a_run_of_unknown_things_is_refused(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let (hall, task) = (world.channel("hall", &fair).await, world.task("Build", &fair).await);
    let (stranger, foreign) = (world.agent("Robot", &fair).await, world.post(&stage.mara, &hall, "hi").await);
    let before = stage.shot(&world).await;
    let own = world.new_run(&stage.coder, None);
    for run in [
        Run { agent_id: stranger.id, ..own.clone() },
        Run { conversation_id: Some(hall.id.into()), ..own.clone() },
        Run { task_id: Some(task.id), ..own.clone() },
        Run { message_id: Some(foreign.id), ..own.clone() },
    ] {
        assert_eq!(world.refusal(&stage.tour.id, &stage.coder, Write::StartRun(run)).await, Code::NotFound);
    }
    for write in [
        pausing(&world, &own, PauseReason::Asked, &[]),
        resuming(&own, None),
        Write::EndRun(own.id, RunEnd { state: RunState::Done, reason: None, usage: None }),
    ] {
        assert_eq!(world.refusal(&stage.tour.id, &stage.coder, write).await, Code::NotFound);
    }
    assert_eq!(stage.shot(&world).await, before);
}

/// An agent has a bounded number of runs that have not ended; one that ends makes room.
pub async fn an_agent_has_a_bounded_number_of_runs(world: World) {
    let stage = stage(&world).await;
    let first = world.start(&stage.coder, None).await;
    for _ in 1..limits::RUNS_PER_AGENT_MAX {
        world.start(&stage.coder, None).await;
    }
    let more = Write::StartRun(world.new_run(&stage.coder, None));
    assert_eq!(world.refusal(&stage.tour.id, &stage.coder, more.clone()).await, Code::Full);
    world.start(&stage.tester, None).await;
    world.end_run(&stage.coder, &first, RunState::Done).await;
    world.change(&stage.tour.id, &stage.coder, more).await;
}

/// A run is paused by each message once, is found by it, and goes on when none is left.
pub async fn a_run_goes_on_when_nothing_pauses_it(world: World) {
    let stage = stage(&world).await;
    let (one, two) = (
        world.ask(&stage.mara, &stage.general, &[&stage.coder]).await,
        world.ask(&stage.tester, &stage.general, &[&stage.coder]).await,
    );
    let run = world.start(&stage.coder, None).await;
    let write = pausing(&world, &run, PauseReason::Message, &[&one, &two]);
    world.change(&stage.tour.id, &stage.coder, write.clone()).await;
    let paused_at = world.now();
    world.repeat(&stage.tour.id, &stage.coder, write).await;
    let paused = world.run(&run).await;
    assert_eq!((paused.state, paused.pauses.len(), paused.updated_at), (RunState::Paused, 2, paused_at));
    let by = async |message: &Message| world.store().runs_paused_by(&message.id).await.expect("runs");
    assert_eq!((by(&one).await, by(&two).await), (vec![paused.clone()], vec![paused]));
    world.change(&stage.tour.id, &stage.coder, resuming(&run, Some(&one))).await;
    assert_eq!((world.run(&run).await.state, by(&one).await.len(), by(&two).await.len()), (RunState::Paused, 0, 1));
    let refused = world.refusal(&stage.tour.id, &stage.coder, resuming(&run, Some(&one))).await;
    assert_eq!(refused, Code::NotPaused);
    world.change(&stage.tour.id, &stage.coder, resuming(&run, None)).await;
    assert_eq!((world.run(&run).await.state, by(&two).await), (RunState::Running, vec![]));
    assert_eq!(world.refusal(&stage.tour.id, &stage.coder, resuming(&run, None)).await, Code::NotPaused);
}

/// What has ended, was handled, ignored or never addressed the agent pauses nothing: nobody would resume the run.
pub async fn only_what_still_waits_pauses_a_run(world: World) {
    let stage = stage(&world).await;
    let run = world.start(&stage.coder, None).await;
    let pause = async |reason, message: &Message| {
        let change = world.repeat(&stage.tour.id, &stage.coder, pausing(&world, &run, reason, &[message])).await;
        assert_eq!((change.name(), world.run(&run).await.state), ("runs.paused", RunState::Running));
    };
    let answered = world.ask(&stage.coder, &stage.general, &[&stage.mara]).await;
    world.settle(&stage.mara, &answered, yes()).await;
    pause(PauseReason::Asked, &answered).await;
    let ignored = world.ask(&stage.mara, &stage.general, &[&stage.coder, &stage.tester]).await;
    world.settle(&stage.coder, &ignored, Settlement::Ignored(stage.coder.member())).await;
    pause(PauseReason::Message, &ignored).await;
    let to_tester = world.ask(&stage.mara, &stage.general, &[&stage.tester]).await;
    pause(PauseReason::Message, &to_tester).await;
    let handled = world.ask(&stage.tester, &stage.general, &[&stage.coder]).await;
    let other = world.start(&stage.coder, None).await;
    world.pause_run(&stage.coder, &other, &handled).await;
    world.resume_run(&stage.coder, &other).await;
    pause(PauseReason::Message, &handled).await;
}

/// The message that an agent resumes from is handled and seen, and has left its inbox; that is told after the run.
pub async fn what_is_resumed_from_is_handled(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let run = world.start(&stage.coder, Some(&stage.general)).await;
    world.pause_run(&stage.coder, &run, &asked).await;
    world.resume_run(&stage.coder, &run).await;
    let delivery = world.delivery(&stage.coder, &asked).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.handled_at), (DeliveryState::Seen, Some(world.now())));
    let page = PageRequest::first();
    let inbox = world.store().inbox(&stage.coder.id, &InboxFilter::default(), &page).await.expect("inbox");
    assert_eq!(inbox.items, []);
    let names = world.event_names(&stage.tour).await;
    assert_eq!(names[names.len() - 2..], ["runs.resumed", "messaging.delivered"]);
}

/// When somebody else resumes a run, its message counts as handled, and as seen only if it was shown to the agent.
pub async fn nobody_claims_that_an_agent_has_read(world: World) {
    let stage = stage(&world).await;
    for (shown, expected) in [(false, DeliveryState::Stored), (true, DeliveryState::Seen)] {
        let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
        let run = world.start(&stage.coder, None).await;
        world.pause_run(&stage.coder, &run, &asked).await;
        if shown {
            world.reach(&stage.coder, &asked, DeliveryState::Injected).await;
        }
        world.resume_run(&stage.mara, &run).await;
        let delivery = world.delivery(&stage.coder, &asked).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.handled_at), (expected, Some(world.now())));
        assert_eq!(world.store().blocks_of(&stage.coder.id, 9).await.expect("blocks"), []);
    }
}

/// A run ends once, with its reason and cost; ending it so again changes nothing, otherwise is refused.
pub async fn a_run_ends_once(world: World) {
    let stage = stage(&world).await;
    let asked = world.ask(&stage.mara, &stage.general, &[&stage.coder]).await;
    let run = world.start(&stage.coder, None).await;
    world.pause_run(&stage.coder, &run, &asked).await;
    let usage = Some(Usage { model: "small".into(), ..Usage::default() });
    let end = RunEnd { state: RunState::Failed, reason: Some("why".into()), usage: usage.clone() };
    let write = Write::EndRun(run.id.clone(), end);
    world.change(&stage.tour.id, &stage.coder, write.clone()).await;
    let ended = world.run(&run).await;
    assert_eq!((ended.state, ended.reason.as_deref(), &ended.usage), (RunState::Failed, Some("why"), &usage));
    assert_eq!((ended.pauses.len(), ended.finished_at), (0, Some(world.now())));
    assert_eq!(world.store().runs_paused_by(&asked.id).await.expect("runs"), []);
    assert_eq!(world.store().open_runs_of(&stage.coder.id).await.expect("runs"), []);
    world.repeat(&stage.tour.id, &stage.coder, write).await;
    let other = RunEnd { state: RunState::Done, reason: None, usage: None };
    for late in [
        Write::EndRun(run.id.clone(), other),
        pausing(&world, &run, PauseReason::Message, &[&asked]),
        resuming(&run, None),
    ] {
        assert_eq!(world.refusal(&stage.tour.id, &stage.coder, late).await, Code::RunEnded);
    }
}

/// Events and snapshots leave out what pauses a run from another conversation; the run itself has all.
pub async fn a_run_is_told_without_what_is_elsewhere(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    let hidden = world.ask(&stage.mara, &secret, &[&stage.coder]).await;
    let run = world.start(&stage.coder, Some(&stage.general)).await;
    world.pause_run(&stage.coder, &run, &hidden).await;
    let full = world.run(&run).await;
    assert_eq!((full.state, full.pauses.len()), (RunState::Paused, 1));
    let told = full.told();
    assert_eq!(told.pauses, []);
    let last = world.events(&stage.tour.id).await.pop().expect("an event");
    assert_eq!(last.change, Change::RunPaused(Box::new(told.clone())));
    let snapshot = world.store().snapshot(&stage.tour.id, &stage.mara.principal()).await.expect("snapshot");
    assert_eq!(snapshot.expect("a project").runs, [told]);
}

/// Runs are listed newest first, by agent, by task and by whether they have ended, on pages of every size.
pub async fn runs_are_listed_newest_first(world: World) {
    let stage = stage(&world).await;
    let task = world.task("Ship it", &stage.tour).await;
    let mut runs = Vec::new();
    for (agent, task_id) in [
        (&stage.coder, None),
        (&stage.tester, Some(&task.id)),
        (&stage.coder, Some(&task.id)),
        (&stage.coder, Some(&task.id)),
    ] {
        let run = Run { task_id: task_id.cloned(), ..world.new_run(agent, None) };
        world.change(&stage.tour.id, agent, Write::StartRun(run.clone())).await;
        runs.push(run);
    }
    world.end_run(&stage.coder, &runs[2], RunState::Done).await;
    let (coder, for_task) = (Some(stage.coder.id.clone()), Some(task.id.clone()));
    let filter = |agent_id, task_id, only_open| RunFilter { agent_id, task_id, only_open };
    for (filter, expected) in [
        (filter(None, None, false), vec![3, 2, 1, 0]),
        (filter(None, None, true), vec![3, 1, 0]),
        (filter(coder.clone(), None, false), vec![3, 2, 0]),
        (filter(coder.clone(), None, true), vec![3, 0]),
        (filter(None, for_task.clone(), false), vec![3, 2, 1]),
        (filter(None, for_task.clone(), true), vec![3, 1]),
        (filter(coder.clone(), for_task.clone(), false), vec![3, 2]),
        (filter(coder, for_task, true), vec![3]),
        (filter(Some("agt_none".parse().expect("id")), None, false), vec![]),
        (filter(None, Some("tsk_none".parse().expect("id")), false), vec![]),
    ] {
        let expected: Vec<String> = expected.into_iter().map(|place: usize| runs[place].id.to_string()).collect();
        let (tour, mara) = (&stage.tour.id, stage.mara.principal());
        let list = async |page| world.store().runs(tour, &mara, &filter, &page).await;
        check_pages(&expected, |run: &Run| run.id.to_string(), list).await;
    }
}

/// Who may not read the conversation of a run does not see it, in lists and in snapshots; open runs of all projects are
/// for the hub.
pub async fn runs_are_seen_like_their_conversation(world: World) {
    let stage = stage(&world).await;
    let (bela, olaf) = (world.member("Bela", &stage.tour).await, world.person("Olaf").await);
    let secret = world.private_channel("secret", &stage.tour, &[&bela, &stage.coder]).await;
    let below = world.thread(&secret, &world.post(&bela, &secret, "root").await).await;
    let free = world.start(&stage.coder, None).await;
    let hidden = world.start(&stage.coder, Some(&secret)).await;
    let deeper = world.start(&stage.coder, Some(&below)).await;
    let ids = |runs: &[&Run]| runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>();
    for (caller, expected) in [
        (&bela as &dyn Caller, ids(&[&free, &hidden, &deeper])),
        (&stage.mara, ids(&[&free])),
        (&stage.tester, ids(&[&free])),
        (&olaf, vec![]),
    ] {
        let (caller, page) = (caller.principal(), PageRequest::first());
        let listed = world.store().runs(&stage.tour.id, &caller, &RunFilter::default(), &page).await.expect("runs");
        let mut listed: Vec<_> = listed.items.into_iter().map(|run| run.id).collect();
        listed.reverse();
        let snapshot = world.store().snapshot(&stage.tour.id, &caller).await.expect("snapshot");
        let shown: Vec<_> = snapshot.into_iter().flat_map(|snapshot| snapshot.runs).map(|run| run.id).collect();
        assert_eq!((&listed, &shown), (&expected, &expected), "{}", caller.name);
    }
    let mut expected: Vec<String> = ids(&[&free, &hidden, &deeper]).iter().map(ToString::to_string).collect();
    expected.sort();
    check_pages(&expected, |run: &Run| run.id.to_string(), async |page| world.store().open_runs(&page).await).await;
}
