//! Runs, their pauses and their timelines.

use parlour_core::{
    Code,
    delivery::DeliveryState,
    engine::Usage,
    event::Change,
    id::{MessageId, TaskId},
    inbox::InboxFilter,
    limits,
    message::Message,
    paging::PageRequest,
    question::Settlement,
    run::{PauseReason, Run, RunEnd, RunFilter, RunState},
    task::{TaskPatch, TaskStatus},
    timeline::{TimelineEntry, TimelineEntryKind},
    write::Write,
};

use super::fixtures::ProjectFixture;
use crate::test_store::{TestMember, TestStore, check_pages, yes};

fn pausing(test_store: &TestStore, run: &Run, reason: PauseReason, messages: &[&Message]) -> Write {
    Write::PauseRun(run.id.clone(), messages.iter().map(|message| test_store.pause(reason, message)).collect())
}

fn resuming(run: &Run, message: Option<&Message>) -> Write {
    let message: Option<MessageId> = message.map(|message| message.id.clone());
    Write::ResumeRun(run.id.clone(), message, "handled".into())
}

/// A run is read with every field, and its start writes one event.
pub async fn a_run_is_read_as_it_was_started(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let message = test_store.call(&fixture.mara, &fixture.general, &fixture.coder).await;
    let run = Run {
        label: Some("ships".into()),
        message_id: Some(message.id),
        task_id: Some(task.id),
        ..test_store.new_run(&fixture.coder, Some(&fixture.general))
    };
    let change = test_store.change(&fixture.tour.id, &fixture.coder, Write::StartRun(run.clone())).await;
    assert_eq!(change, Change::RunStarted(Box::new(run.clone())));
    assert_eq!(test_store.run(&run).await, run);
    assert_eq!(test_store.store().open_runs_of(&fixture.coder.id).await.expect("runs"), [run]);
}

/// A repeated id of the same agent returns the current run; a repeated id of another agent is refused.
pub async fn a_run_is_started_once(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let run = test_store.start(&fixture.coder, None).await;
    test_store.end_run(&fixture.coder, &run, RunState::Done).await;
    let again = test_store.repeat(&fixture.tour.id, &fixture.coder, Write::StartRun(run.clone())).await;
    assert_eq!(again, Change::RunStarted(Box::new(test_store.run(&run).await)));
    let stolen = Run { id: run.id.clone(), ..test_store.new_run(&fixture.tester, None) };
    let refused = test_store.refusal(&fixture.tour.id, &fixture.tester, Write::StartRun(stolen)).await;
    assert_eq!(refused, Code::ClientIdReused);
}

/// A reference to an unknown thing or to one of another project is refused and changes nothing.
pub async fn a_run_with_unknown_references_is_refused(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let (hall, task) = (test_store.channel("hall", &fair).await, test_store.task("Build", &fair).await);
    let (stranger, foreign) =
        (test_store.agent("Robot", &fair).await, test_store.post(&fixture.mara, &hall, "hi").await);
    let before = fixture.shot(&test_store).await;
    let own = test_store.new_run(&fixture.coder, None);
    for run in [
        Run { agent_id: stranger.id, ..own.clone() },
        Run { conversation_id: Some(hall.id.into()), ..own.clone() },
        Run { task_id: Some(task.id), ..own.clone() },
        Run { message_id: Some(foreign.id), ..own.clone() },
    ] {
        assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, Write::StartRun(run)).await, Code::NotFound);
    }
    for write in [
        pausing(&test_store, &own, PauseReason::Asked, &[]),
        resuming(&own, None),
        Write::EndRun(own.id, RunEnd { state: RunState::Done, reason: None, usage: None }),
    ] {
        assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, write).await, Code::NotFound);
    }
    assert_eq!(fixture.shot(&test_store).await, before);
}

/// An agent has a bounded number of open runs.
pub async fn an_agent_has_a_bounded_number_of_runs(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let first = test_store.start(&fixture.coder, None).await;
    for _ in 1..limits::RUNS_PER_AGENT_MAX {
        test_store.start(&fixture.coder, None).await;
    }
    let more = Write::StartRun(test_store.new_run(&fixture.coder, None));
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, more.clone()).await, Code::Full);
    test_store.start(&fixture.tester, None).await;
    test_store.end_run(&fixture.coder, &first, RunState::Done).await;
    test_store.change(&fixture.tour.id, &fixture.coder, more).await;
}

/// Each message pauses a run once, and the run is found by the message until it is resumed.
pub async fn a_run_continues_when_it_has_no_pause_left(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (one, two) = (
        test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await,
        test_store.ask(&fixture.tester, &fixture.general, &[&fixture.coder]).await,
    );
    let run = test_store.start(&fixture.coder, None).await;
    let write = pausing(&test_store, &run, PauseReason::Message, &[&one, &two]);
    test_store.change(&fixture.tour.id, &fixture.coder, write.clone()).await;
    let paused_at = test_store.now();
    test_store.repeat(&fixture.tour.id, &fixture.coder, write).await;
    let paused = test_store.run(&run).await;
    assert_eq!((paused.state, paused.pauses.len(), paused.updated_at), (RunState::Paused, 2, paused_at));
    let by = async |message: &Message| test_store.store().runs_paused_by(&message.id).await.expect("runs");
    assert_eq!((by(&one).await, by(&two).await), (vec![paused.clone()], vec![paused]));
    test_store.change(&fixture.tour.id, &fixture.coder, resuming(&run, Some(&one))).await;
    assert_eq!(
        (test_store.run(&run).await.state, by(&one).await.len(), by(&two).await.len()),
        (RunState::Paused, 0, 1)
    );
    let refused = test_store.refusal(&fixture.tour.id, &fixture.coder, resuming(&run, Some(&one))).await;
    assert_eq!(refused, Code::NotPaused);
    test_store.change(&fixture.tour.id, &fixture.coder, resuming(&run, None)).await;
    assert_eq!((test_store.run(&run).await.state, by(&two).await), (RunState::Running, vec![]));
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, resuming(&run, None)).await, Code::NotPaused);
}

/// A question that was closed, handled or ignored, or that does not address the agent, pauses nothing: nothing would
/// resume the run.
pub async fn only_open_questions_to_the_agent_pause_a_run(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let run = test_store.start(&fixture.coder, None).await;
    let pause = async |reason, message: &Message| {
        let change =
            test_store.repeat(&fixture.tour.id, &fixture.coder, pausing(&test_store, &run, reason, &[message])).await;
        assert_eq!((change.name(), test_store.run(&run).await.state), ("runs.paused", RunState::Running));
    };
    let answered = test_store.ask(&fixture.coder, &fixture.general, &[&fixture.mara]).await;
    test_store.settle(&fixture.mara, &answered, yes()).await;
    pause(PauseReason::Asked, &answered).await;
    let ignored = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder, &fixture.tester]).await;
    test_store.settle(&fixture.coder, &ignored, Settlement::Ignored(fixture.coder.member())).await;
    pause(PauseReason::Message, &ignored).await;
    let to_tester = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.tester]).await;
    pause(PauseReason::Message, &to_tester).await;
    let handled = test_store.ask(&fixture.tester, &fixture.general, &[&fixture.coder]).await;
    let other = test_store.start(&fixture.coder, None).await;
    test_store.pause_run(&fixture.coder, &other, &handled).await;
    test_store.resume_run(&fixture.coder, &other).await;
    pause(PauseReason::Message, &handled).await;
}

/// A message from which its agent resumes is handled and seen, and leaves the inbox; the event follows that of the run.
pub async fn resuming_from_a_message_marks_it_as_handled(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let run = test_store.start(&fixture.coder, Some(&fixture.general)).await;
    test_store.pause_run(&fixture.coder, &run, &asked).await;
    test_store.resume_run(&fixture.coder, &run).await;
    let delivery = test_store.delivery(&fixture.coder, &asked).await.expect("a delivery");
    assert_eq!((delivery.state, delivery.handled_at), (DeliveryState::Seen, Some(test_store.now())));
    let page = PageRequest::first();
    let inbox = test_store.store().inbox(&fixture.coder.id, &InboxFilter::default(), &page).await.expect("inbox");
    assert_eq!(inbox.items, []);
    let names = test_store.event_names(&fixture.tour).await;
    assert_eq!(names[names.len() - 2..], ["runs.resumed", "messaging.delivered"]);
}

/// When another member resumes a run, the message is handled, and seen only if it was injected.
pub async fn resuming_for_an_agent_sets_seen_only_if_injected(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for (shown, expected) in [(false, DeliveryState::Stored), (true, DeliveryState::Seen)] {
        let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
        let run = test_store.start(&fixture.coder, None).await;
        test_store.pause_run(&fixture.coder, &run, &asked).await;
        if shown {
            test_store.reach(&fixture.coder, &asked, DeliveryState::Injected).await;
        }
        test_store.resume_run(&fixture.mara, &run).await;
        let delivery = test_store.delivery(&fixture.coder, &asked).await.expect("a delivery");
        assert_eq!((delivery.state, delivery.handled_at), (expected, Some(test_store.now())));
        assert_eq!(test_store.store().blocks_of(&fixture.coder.id, 9).await.expect("blocks"), []);
    }
}

/// A run ends with its reason and usage; the same end again changes nothing, another end is refused.
pub async fn a_run_ends_once(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let asked = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let run = test_store.start(&fixture.coder, None).await;
    test_store.pause_run(&fixture.coder, &run, &asked).await;
    let usage = Some(Usage { model: "small".into(), ..Usage::default() });
    let end = RunEnd { state: RunState::Failed, reason: Some("why".into()), usage: usage.clone() };
    let write = Write::EndRun(run.id.clone(), end);
    test_store.change(&fixture.tour.id, &fixture.coder, write.clone()).await;
    let ended = test_store.run(&run).await;
    assert_eq!((ended.state, ended.reason.as_deref(), &ended.usage), (RunState::Failed, Some("why"), &usage));
    assert_eq!((ended.pauses.len(), ended.finished_at), (0, Some(test_store.now())));
    assert_eq!(test_store.store().runs_paused_by(&asked.id).await.expect("runs"), []);
    assert_eq!(test_store.store().open_runs_of(&fixture.coder.id).await.expect("runs"), []);
    test_store.repeat(&fixture.tour.id, &fixture.coder, write).await;
    let other = RunEnd { state: RunState::Done, reason: None, usage: None };
    for late in [
        Write::EndRun(run.id.clone(), other),
        pausing(&test_store, &run, PauseReason::Message, &[&asked]),
        resuming(&run, None),
    ] {
        assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, late).await, Code::RunEnded);
    }
}

/// Events and snapshots omit pauses by messages of other conversations; reading the run returns all.
pub async fn published_runs_omit_pauses_of_other_conversations(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let hidden = test_store.ask(&fixture.mara, &secret, &[&fixture.coder]).await;
    let run = test_store.start(&fixture.coder, Some(&fixture.general)).await;
    test_store.pause_run(&fixture.coder, &run, &hidden).await;
    let full = test_store.run(&run).await;
    assert_eq!((full.state, full.pauses.len()), (RunState::Paused, 1));
    let published = full.published();
    assert_eq!(published.pauses, []);
    let last = test_store.events(&fixture.tour.id).await.pop().expect("an event");
    assert_eq!(last.change, Change::RunPaused(Box::new(published.clone())));
    let snapshot = test_store.store().snapshot(&fixture.tour.id, &fixture.mara.principal()).await.expect("snapshot");
    assert_eq!(snapshot.expect("a project").runs, [published]);
}

/// Runs can be filtered by agent, task and open state, on pages of any size.
pub async fn runs_are_listed_newest_first(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let mut runs = Vec::new();
    for (agent, task_id) in [
        (&fixture.coder, None),
        (&fixture.tester, Some(&task.id)),
        (&fixture.coder, Some(&task.id)),
        (&fixture.coder, Some(&task.id)),
    ] {
        let run = Run { task_id: task_id.cloned(), ..test_store.new_run(agent, None) };
        test_store.change(&fixture.tour.id, agent, Write::StartRun(run.clone())).await;
        runs.push(run);
    }
    test_store.end_run(&fixture.coder, &runs[2], RunState::Done).await;
    let (coder, for_task) = (Some(fixture.coder.id.clone()), Some(task.id.clone()));
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
        let expected: Vec<String> = expected.into_iter().map(|index: usize| runs[index].id.to_string()).collect();
        let (tour, mara) = (&fixture.tour.id, fixture.mara.principal());
        let list = async |page| test_store.store().runs(tour, &mara, &filter, &page).await;
        check_pages(&expected, |run: &Run| run.id.to_string(), list).await;
    }
}

/// Lists and snapshots omit runs of conversations that the caller may not read; `open_runs` returns all to the hub.
pub async fn runs_are_visible_like_their_conversation(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (bela, olaf) = (test_store.member("Bela", &fixture.tour).await, test_store.person("Olaf").await);
    let secret = test_store.private_channel("secret", &fixture.tour, &[&bela, &fixture.coder]).await;
    let below = test_store.thread(&secret, &test_store.post(&bela, &secret, "root").await).await;
    let free = test_store.start(&fixture.coder, None).await;
    let hidden = test_store.start(&fixture.coder, Some(&secret)).await;
    let deeper = test_store.start(&fixture.coder, Some(&below)).await;
    let ids = |runs: &[&Run]| runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>();
    for (caller, expected) in [
        (&bela as &dyn TestMember, ids(&[&free, &hidden, &deeper])),
        (&fixture.mara, ids(&[&free])),
        (&fixture.tester, ids(&[&free])),
        (&olaf, vec![]),
    ] {
        let (caller, page) = (caller.principal(), PageRequest::first());
        let listed =
            test_store.store().runs(&fixture.tour.id, &caller, &RunFilter::default(), &page).await.expect("runs");
        let mut listed: Vec<_> = listed.items.into_iter().map(|run| run.id).collect();
        listed.reverse();
        let snapshot = test_store.store().snapshot(&fixture.tour.id, &caller).await.expect("snapshot");
        let shown: Vec<_> = snapshot.into_iter().flat_map(|snapshot| snapshot.runs).map(|run| run.id).collect();
        assert_eq!((&listed, &shown), (&expected, &expected), "{}", caller.name);
    }
    let mut expected: Vec<String> = ids(&[&free, &hidden, &deeper]).iter().map(ToString::to_string).collect();
    expected.sort();
    check_pages(&expected, |run: &Run| run.id.to_string(), async |page| test_store.store().open_runs(&page).await)
        .await;
}

async fn run_timeline(test_store: &TestStore, run: &Run, caller: &dyn TestMember) -> Vec<TimelineEntry> {
    let page = PageRequest::first();
    test_store.store().run_timeline(&run.id, &caller.principal(), &page).await.expect("entries").items
}

async fn task_timeline(test_store: &TestStore, task: &TaskId, caller: &dyn TestMember) -> Vec<TimelineEntry> {
    let page = PageRequest::first();
    test_store.store().task_timeline(task, &caller.principal(), &page).await.expect("entries").items
}

fn kinds(entries: &[TimelineEntry]) -> Vec<TimelineEntryKind> {
    entries.iter().map(|entry| entry.kind).collect()
}

/// Starts a run of the coder for a task.
async fn start_for(test_store: &TestStore, fixture: &ProjectFixture, task: &TaskId) -> Run {
    let run = Run { task_id: Some(task.clone()), ..test_store.new_run(&fixture.coder, Some(&fixture.general)) };
    test_store.change(&fixture.tour.id, &fixture.coder, Write::StartRun(run.clone())).await;
    run
}

/// Each start, pause, question, resumption and end is one entry in the timeline of the run and of its task, with actor
/// and time.
pub async fn every_change_of_a_run_is_a_timeline_entry(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let run = start_for(&test_store, &fixture, &task.id).await;
    let sent = test_store.ask(&fixture.mara, &fixture.general, &[&fixture.coder]).await;
    let asked = test_store.ask(&fixture.coder, &fixture.general, &[&fixture.mara]).await;
    let pauses = vec![test_store.pause(PauseReason::Message, &sent), test_store.pause(PauseReason::Asked, &asked)];
    test_store.change(&fixture.tour.id, &fixture.coder, Write::PauseRun(run.id.clone(), pauses)).await;
    let paused_at = test_store.now();
    test_store.resume_run(&fixture.mara, &run).await;
    let resumed_at = test_store.now();
    test_store.end_run(&fixture.coder, &run, RunState::Failed).await;
    let entries = run_timeline(&test_store, &run, &fixture.mara).await;
    use TimelineEntryKind::{Asked, Paused, Resumed, RunFailed, RunStarted};
    assert_eq!(kinds(&entries), [RunStarted, Paused, Asked, Resumed, Resumed, RunFailed]);
    let (mara, coder) = (fixture.mara.author(), fixture.coder.author());
    assert_eq!((&entries[1].by, entries[1].message_id.as_ref(), entries[1].at), (&mara, Some(&sent.id), paused_at));
    assert_eq!((&entries[2].by, entries[2].message_id.as_ref()), (&coder, Some(&asked.id)));
    assert_eq!((&entries[3].by, entries[3].detail.as_deref(), entries[3].at), (&mara, Some("by hand"), resumed_at));
    assert_eq!((&entries[5].by, entries[5].detail.as_deref()), (&coder, Some("out of luck")));
    assert!(entries.iter().all(|one| (&one.run_id, &one.task_id) == (&Some(run.id.clone()), &Some(task.id.clone()))));
    assert_eq!(task_timeline(&test_store, &task.id, &fixture.mara).await[1..], entries);
}

pub async fn each_end_state_of_a_run_has_its_own_entry_kind(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    for (state, expected) in [
        (RunState::Done, TimelineEntryKind::RunDone),
        (RunState::Failed, TimelineEntryKind::RunFailed),
        (RunState::Cancelled, TimelineEntryKind::RunCancelled),
    ] {
        let run = test_store.start(&fixture.coder, None).await;
        test_store.end_run(&fixture.coder, &run, state).await;
        assert_eq!(kinds(&run_timeline(&test_store, &run, &fixture.mara).await)[1..], [expected]);
    }
}

/// Other changes of a task are no entries.
pub async fn a_timeline_of_a_task_lists_its_creation_and_status_changes(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let patch =
        |status, description: &str| TaskPatch { status, description: Some(description.into()), ..TaskPatch::default() };
    for patch in [patch(None, "a"), patch(Some(TaskStatus::Working), "b"), patch(Some(TaskStatus::Working), "c")] {
        test_store.change(&fixture.tour.id, &fixture.mara, Write::UpdateTask(task.id.clone(), patch)).await;
    }
    let entries = task_timeline(&test_store, &task.id, &fixture.mara).await;
    assert_eq!(kinds(&entries), [TimelineEntryKind::TaskCreated, TimelineEntryKind::TaskMoved]);
    let details: Vec<_> = entries.iter().map(|entry| entry.detail.as_deref()).collect();
    assert_eq!((details, &entries[1].by), (vec![Some("Ship it"), Some("working")], &fixture.mara.author()));
    assert!(entries.iter().all(|entry| entry.run_id.is_none() && entry.task_id.as_ref() == Some(&task.id)));
}

/// Timelines are listed oldest first; a page key must be an entry of the same timeline.
pub async fn a_timeline_is_listed_on_pages_of_any_size(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let (run, other) =
        (start_for(&test_store, &fixture, &task.id).await, test_store.start(&fixture.tester, None).await);
    test_store.end_run(&fixture.coder, &run, RunState::Done).await;
    let mara = fixture.mara.principal();
    let numbers = |entries: &[TimelineEntry]| entries.iter().map(|one| one.no.to_string()).collect::<Vec<_>>();
    let key = |entry: &TimelineEntry| entry.no.to_string();
    let expected = numbers(&run_timeline(&test_store, &run, &fixture.mara).await);
    check_pages(&expected, key, async |page| test_store.store().run_timeline(&run.id, &mara, &page).await).await;
    let expected = numbers(&task_timeline(&test_store, &task.id, &fixture.mara).await);
    assert_eq!(expected.len(), 3);
    check_pages(&expected, key, async |page| test_store.store().task_timeline(&task.id, &mara, &page).await).await;
    let foreign = numbers(&run_timeline(&test_store, &other, &fixture.mara).await).remove(0);
    for key in [foreign, "999999".to_owned(), "x".to_owned()] {
        let page = PageRequest::new(Some(key.clone()), None).expect("a page");
        assert!(test_store.store().run_timeline(&run.id, &mara, &page).await.is_err(), "{key}");
    }
}

/// Entries about messages and runs that the caller may not see are left out.
pub async fn hidden_messages_and_runs_have_no_timeline_entry(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let bela = test_store.member("Bela", &fixture.tour).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&bela, &fixture.coder]).await;
    let task = test_store.task("Ship it", &fixture.tour).await;
    let open = start_for(&test_store, &fixture, &task.id).await;
    let hidden = test_store.ask(&bela, &secret, &[&fixture.coder]).await;
    test_store.pause_run(&fixture.coder, &open, &hidden).await;
    let run = Run { task_id: Some(task.id.clone()), ..test_store.new_run(&fixture.coder, Some(&secret)) };
    test_store.change(&fixture.tour.id, &fixture.coder, Write::StartRun(run.clone())).await;
    use TimelineEntryKind::{Paused, RunStarted, TaskCreated};
    assert_eq!(kinds(&run_timeline(&test_store, &open, &bela).await), [RunStarted, Paused]);
    assert_eq!(kinds(&run_timeline(&test_store, &open, &fixture.mara).await), [RunStarted]);
    assert_eq!(
        kinds(&task_timeline(&test_store, &task.id, &bela).await),
        [TaskCreated, RunStarted, Paused, RunStarted]
    );
    assert_eq!(kinds(&task_timeline(&test_store, &task.id, &fixture.mara).await), [TaskCreated, RunStarted]);
    assert_eq!(run_timeline(&test_store, &run, &fixture.mara).await, []);
    let olaf = test_store.person("Olaf").await;
    assert_eq!(
        (run_timeline(&test_store, &open, &olaf).await, task_timeline(&test_store, &task.id, &olaf).await),
        (vec![], vec![])
    );
}
