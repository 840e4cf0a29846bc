//! The writes: one file for each, all of the same shape. A write looks its things up, lets the core decide what
//! becomes of them, changes rows, and records one event; or finds everything as wanted and records none.

use parlour_core::{
    Timestamp,
    attribution::Attribution,
    author::Author,
    event::{Change, Event},
    id::ProjectId,
    position::Position,
    write::{Appended, Entry, Novelty, Write},
};

use self::scope::Scope;
use super::{error::StoreResult, text_index::index_words, tx::Tx};

mod add_channel_member;
mod add_person;
pub(super) mod answers;
mod archive_channel;
mod create_agent;
mod create_artifact;
mod create_batch;
mod create_channel;
mod create_dm;
pub(super) mod create_person;
mod create_project;
mod create_task;
mod create_thread;
mod done;
mod edit_message;
pub(super) mod end_run;
pub(super) mod find;
mod finish_message;
pub(super) mod invites;
mod mark_read;
mod mentions;
mod names;
mod pass_call;
pub(super) mod passwords;
mod pause_run;
mod post_message;
pub(super) mod private_members;
pub(super) mod prune_log;
mod react;
mod read_position;
mod remove_channel_member;
mod remove_message;
mod remove_person;
pub(super) mod rename_person;
mod report_deliveries;
mod resume_run;
pub(super) mod save_streams;
mod scope;
pub(super) mod series;
mod settle_question;
pub(super) mod start_run;
mod subscribe;
pub(super) mod tokens;
mod unreact;
mod unsubscribe;
mod update_agent;
mod update_channel;
mod update_project;
mod update_task;

/// An entry with what can be worked out before it reaches the thread that writes.
pub(super) struct Prepared {
    entry: Entry,
    /// The words of a message's new text, for the text index.
    words: String,
}

/// Works out what needs no database.
pub(super) fn prepare(entry: Entry) -> Prepared {
    let words = match &entry.write {
        Write::PostMessage(new) => index_words(&new.message.body),
        Write::EditMessage(_, text) => index_words(&text.body),
        Write::FinishMessage(_, ending) => index_words(&ending.text.body),
        _ => String::new(),
    };
    Prepared { entry, words }
}

/// What became of an entry, with all that its events say.
pub(super) struct Recorded {
    pub(super) appended: Appended,
    /// What follows from it, told by events of its own.
    more: Vec<(Position, Change)>,
    project_id: ProjectId,
    actor: Author,
    at: Timestamp,
}

impl Recorded {
    /// The events as they were written; none when everything was as wanted.
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

/// Makes the change of an entry and records its event.
pub(super) fn append(tx: &Tx<'_>, prepared: Prepared) -> StoreResult<Recorded> {
    let Prepared { entry, words } = prepared;
    let Entry { project_id, attribution, write } = entry;
    let scope = match &write {
        Write::CreateProject(project) => create_project::begin_log(tx, &project_id, project, &attribution)?,
        _ => Scope::open(tx, &project_id, &attribution)?,
    };
    let appended = make_change(&scope, write, words)?;
    let more = scope.take_more();
    let Attribution { actor, at, .. } = attribution;
    Ok(Recorded { appended, more, project_id, actor, at })
}

fn make_change(scope: &Scope<'_>, write: Write, words: String) -> StoreResult<Appended> {
    match write {
        Write::CreateProject(project) => create_project::create_project(scope, project),
        Write::UpdateProject(patch) => update_project::update_project(scope, &patch),
        Write::AddPerson(person) => add_person::add_person(scope, &person),
        Write::RemovePerson(person) => remove_person::remove_person(scope, &person),
        Write::CreateAgent(agent, token, invite) => create_agent::create_agent(scope, agent, &token, invite.as_ref()),
        Write::UpdateAgent(id, patch) => update_agent::update_agent(scope, &id, &patch),
        Write::CreateChannel(channel, members) => create_channel::create_channel(scope, channel, &members),
        Write::UpdateChannel(id, patch, members) => update_channel::update_channel(scope, &id, &patch, &members),
        Write::ArchiveChannel(id, archival) => archive_channel::archive_channel(scope, &id, archival),
        Write::AddChannelMember(member) => add_channel_member::add_channel_member(scope, member),
        Write::RemoveChannelMember(member) => remove_channel_member::remove_channel_member(scope, member),
        Write::Subscribe(subscription) => subscribe::subscribe(scope, subscription),
        Write::Unsubscribe(subscription) => unsubscribe::unsubscribe(scope, subscription),
        Write::CreateThread(thread) => create_thread::create_thread(scope, thread),
        Write::CreateDm(dm) => create_dm::create_dm(scope, dm),
        Write::PostMessage(new) => post_message::post_message(scope, new, words),
        Write::EditMessage(id, text) => edit_message::edit_message(scope, &id, text, words),
        Write::FinishMessage(id, ending) => finish_message::finish_message(scope, &id, ending, words),
        Write::PassCall(passed) => pass_call::pass_call(scope, passed),
        Write::RemoveMessage(id) => remove_message::remove_message(scope, &id),
        Write::React(id, emoji, member) => react::react(scope, &id, emoji, member),
        Write::Unreact(id, emoji, member) => unreact::unreact(scope, &id, emoji, member),
        Write::MarkRead(id, member) => mark_read::mark_read(scope, &id, member),
        Write::ReportDeliveries(report) => report_deliveries::report_deliveries(scope, &report),
        Write::SettleQuestion(id, settlement) => settle_question::settle_question(scope, &id, &settlement),
        Write::StartRun(run) => start_run::start_run(scope, run),
        Write::PauseRun(id, pauses) => pause_run::pause_run(scope, &id, &pauses),
        Write::ResumeRun(id, message, how) => resume_run::resume_run(scope, &id, message.as_ref(), &how),
        Write::EndRun(id, end) => end_run::end_run(scope, &id, &end),
        Write::CreateTask(task) => create_task::create_task(scope, task),
        Write::UpdateTask(id, patch) => update_task::update_task(scope, &id, &patch),
        Write::CreateBatch(batch) => create_batch::create_batch(scope, batch),
        Write::CreateArtifact(artifact) => create_artifact::create_artifact(scope, artifact),
    }
}
