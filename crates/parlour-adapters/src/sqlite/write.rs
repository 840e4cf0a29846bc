//! Applies entries to the database. A write reads the facts it needs, asks `parlour_core` for the decision, changes
//! rows and records one event. A write that changes nothing records no event.

use parlour_core::{
    Refusal, Timestamp,
    attribution::Attribution,
    author::Author,
    event::{Change, Event},
    id::ProjectId,
    position::Position,
    write::{Appended, Entry, Novelty, Write},
};
use parlour_hub::ports::AppendedBatch;

use self::log::LogWriter;
use crate::sqlite::{
    error::{StoreError, StoreResult},
    text_index::index_words,
    tx::Tx,
};

pub(super) mod accounts;
mod agents;
pub(super) mod calls;
pub(super) mod channels;
pub(super) mod deliveries;
mod edit_message;
pub(super) mod find;
mod finish_message;
pub(super) mod invites;
pub(super) mod log;
mod names;
mod post_message;
mod project;
pub(super) mod questions;
mod reactions;
mod read_position;
pub(super) mod runs;
mod tasks;
mod threads_and_dms;

/// An entry with the parts that are computed before the writer thread gets it.
pub(super) struct Prepared {
    entry: Entry,
    /// The words of a message's new text, for the text index.
    words: String,
}

/// Computes the parts of an entry that need no database.
pub(super) fn prepare(entry: Entry) -> Prepared {
    let words = match &entry.write {
        Write::PostMessage(new) => index_words(&new.message.body),
        Write::EditMessage(_, text) => index_words(&text.body),
        Write::FinishMessage(_, ending) => index_words(&ending.text.body),
        _ => String::new(),
    };
    Prepared { entry, words }
}

/// The result of an entry, with the data of its events.
pub(super) struct Recorded {
    pub(super) appended: Appended,
    /// Further events that the write caused.
    more: Vec<(Position, Change)>,
    project_id: ProjectId,
    actor: Author,
    at: Timestamp,
}

impl Recorded {
    /// The recorded events; none if nothing changed.
    pub(super) fn events(&self) -> Vec<Event> {
        let own = (self.appended.novelty == Novelty::New).then_some((&self.appended.position, &self.appended.change));
        let more = self.more.iter().map(|(position, change)| (position, change));
        own.into_iter().chain(more).map(|(position, change)| self.event(position, change)).collect()
    }

    fn event(&self, position: &Position, change: &Change) -> Event {
        Event {
            position: position.clone(),
            project_id: self.project_id.clone(),
            at: self.at,
            actor: self.actor.clone(),
            change: change.clone(),
        }
    }
}

/// Applies an entry and records its events.
pub(super) fn append(tx: &Tx<'_>, prepared: Prepared) -> StoreResult<Recorded> {
    let Prepared { entry, words } = prepared;
    let Entry { project_id, attribution, write } = entry;
    let log = match &write {
        Write::CreateProject(project) => project::begin_log(tx, &project_id, project, &attribution)?,
        _ => LogWriter::open(tx, &project_id, &attribution)?,
    };
    let appended = apply_write(&log, write, words)?;
    let more = log.take_more();
    let Attribution { actor, at, .. } = attribution;
    Ok(Recorded { appended, more, project_id, actor, at })
}

fn apply_write(log: &LogWriter<'_>, write: Write, words: String) -> StoreResult<Appended> {
    match write {
        Write::CreateProject(project) => project::create_project(log, project),
        Write::UpdateProject(patch) => project::update_project(log, &patch),
        Write::AddPerson(person) => project::add_person(log, &person),
        Write::RemovePerson(person) => project::remove_person(log, &person),
        Write::CreateAgent(agent, token, invite) => agents::create_agent(log, agent, &token, invite.as_ref()),
        Write::UpdateAgent(id, patch) => agents::update_agent(log, &id, &patch),
        Write::CreateChannel(channel, members) => channels::create_channel(log, channel, &members),
        Write::UpdateChannel(id, patch, members) => channels::update_channel(log, &id, &patch, &members),
        Write::ArchiveChannel(id, archival) => channels::archive_channel(log, &id, archival),
        Write::AddChannelMember(member) => channels::add_channel_member(log, member),
        Write::RemoveChannelMember(member) => channels::remove_channel_member(log, &member),
        Write::Subscribe(subscription) => channels::subscribe(log, subscription),
        Write::Unsubscribe(subscription) => channels::unsubscribe(log, subscription),
        Write::CreateThread(thread) => threads_and_dms::create_thread(log, thread),
        Write::CreateDm(dm) => threads_and_dms::create_dm(log, dm),
        Write::PostMessage(new) => post_message::post_message(log, new, words),
        Write::EditMessage(id, text) => edit_message::edit_message(log, &id, text, words),
        Write::FinishMessage(id, ending) => finish_message::finish_message(log, &id, ending, words),
        Write::PassCall(passed) => calls::pass_call(log, passed),
        Write::RemoveMessage(id) => edit_message::remove_message(log, &id),
        Write::React(id, emoji, member) => reactions::react(log, &id, emoji, member),
        Write::Unreact(id, emoji, member) => reactions::unreact(log, &id, emoji, member),
        Write::MarkRead(id, member) => read_position::mark_read(log, &id, member),
        Write::ReportDeliveries(report) => deliveries::report_deliveries(log, &report),
        Write::SettleQuestion(id, settlement) => questions::settle_question(log, &id, &settlement),
        Write::StartRun(run) => runs::start_run(log, run),
        Write::PauseRun(id, pauses) => runs::pause_run(log, &id, &pauses),
        Write::ResumeRun(id, message, how) => runs::resume_run(log, &id, message.as_ref(), &how),
        Write::EndRun(id, end) => runs::end_run(log, &id, &end),
        Write::CreateTask(task) => tasks::create_task(log, task),
        Write::UpdateTask(id, patch) => tasks::update_task(log, &id, &patch),
        Write::CreateBatch(batch) => tasks::create_batch(log, batch),
        Write::CreateArtifact(artifact) => tasks::create_artifact(log, artifact),
    }
}

/// The result of several entries, with the data of their events.
pub(super) struct RecordedSeries {
    recorded: Vec<Recorded>,
    refusal: Option<Refusal>,
}

impl RecordedSeries {
    /// The recorded events, in order.
    pub(super) fn events(&self) -> Vec<Event> {
        self.recorded.iter().flat_map(Recorded::events).collect()
    }

    /// The result for the caller.
    pub(super) fn into_series(self) -> AppendedBatch {
        let appended = self.recorded.into_iter().map(|recorded| recorded.appended).collect();
        AppendedBatch { appended, refusal: self.refusal }
    }
}

/// Applies the entries in order, up to the first that is refused.
pub(super) fn append_all(tx: &Tx<'_>, prepared: Vec<Prepared>) -> StoreResult<RecordedSeries> {
    let mut series = RecordedSeries { recorded: Vec::with_capacity(prepared.len()), refusal: None };
    for entry in prepared {
        match append_or_undo(tx, entry) {
            Ok(recorded) => series.recorded.push(recorded),
            Err(StoreError::Refused(refusal)) => {
                series.refusal = Some(refusal);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(series)
}

/// Applies one entry in a savepoint, and undoes it if it is refused.
fn append_or_undo(tx: &Tx<'_>, entry: Prepared) -> StoreResult<Recorded> {
    let mark = tx.mark();
    tx.statement("SAVEPOINT entry")?.raw_execute()?;
    let outcome = append(tx, entry);
    if let Err(StoreError::Refused(_)) = &outcome {
        tx.forget_after(mark);
        tx.statement("ROLLBACK TO entry")?.raw_execute()?;
    }
    if matches!(&outcome, Ok(_) | Err(StoreError::Refused(_))) {
        tx.statement("RELEASE entry")?.raw_execute()?;
    }
    outcome
}
