//! The steps of a story. A refusal is a valid outcome if it is the same on both hubs.

use std::io::Cursor;

use parlour_core::{
    access::Principal,
    conversation::{ChannelPatch, Visibility},
    id::{ChannelId, ConversationId, MemberId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    post::PostMessage,
    presence::PresenceUpdate,
    step::StartStep,
    stream::StreamSnapshot,
    task::{TaskPatch, TaskStatus},
    write::Archival,
};
use parlour_hub::{
    Failure,
    use_cases::{EditMessage, NewArtifact, NewChannel, NewTask, OpenDm, OpenThread},
};

use crate::{
    story::{StepVisibility, StoryAction, StoryStep},
    story_hub::{PostedMessage, StoryHub, StoryObjects, name},
};

/// The words of generated messages.
pub(crate) const WORDS: [&str; 4] = ["launch", "payroll", "zyzzyva", "well"];

/// The item at this number modulo the length of the list.
pub(crate) fn pick<T: Clone>(list: &[T], number: u8) -> Option<T> {
    list.get(usize::from(number).checked_rem(list.len())?).cloned()
}

impl StoryHub {
    /// Plays a step, unless it is hidden and this hub skips hidden steps.
    pub(crate) async fn play(&mut self, number: u64, step: &StoryStep) {
        self.ids.begin(number);
        self.clock.advance(1);
        self.was_disclosed |= step.act == StoryAction::Disclose;
        let is_shared = step.side == StepVisibility::Open || step.act.is_shared();
        if !is_shared && !self.has_hidden {
            return;
        }
        let outcome = self.make(number, step).await;
        let result = match outcome {
            Some(Err(Failure::Refused(refusal))) => refusal.to_string(),
            Some(Err(fault)) => unreachable!("{step:?}: {fault}"),
            Some(Ok(())) => "done".to_owned(),
            None => "nothing to do it on".to_owned(),
        };
        if is_shared {
            self.outcomes.push(format!("{number} {step:?}: {result}"));
        }
    }

    async fn make(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        match step.act {
            StoryAction::MakeChannel => Some(self.make_channel(number, step).await),
            StoryAction::OpenThread => self.open_thread(step).await,
            StoryAction::OpenDm => Some(self.open_dm(step).await),
            StoryAction::Post | StoryAction::Stream => self.post(number, step).await,
            StoryAction::Answer => self.answer(number, step).await,
            StoryAction::Pass | StoryAction::Lift => self.settle(step).await,
            StoryAction::Ask | StoryAction::Settle => self.question(number, step).await,
            StoryAction::Begin | StoryAction::Check => self.run(step).await,
            StoryAction::Give => self.give(step).await,
            StoryAction::Chunk | StoryAction::BeginStep | StoryAction::Finish => self.write_on(number, step).await,
            StoryAction::Edit
            | StoryAction::Remove
            | StoryAction::React
            | StoryAction::Unreact
            | StoryAction::MarkRead => self.touch(number, step).await,
            StoryAction::Upload => self.upload(number, step).await,
            StoryAction::Archive
            | StoryAction::Unarchive
            | StoryAction::Retopic
            | StoryAction::Disclose
            | StoryAction::Close => self.manage(number, step).await,
            StoryAction::Subscribe | StoryAction::Unsubscribe | StoryAction::AddMember | StoryAction::RemoveMember => {
                self.move_member(step).await
            }
            StoryAction::Type => self.send_typing(step).await,
            StoryAction::GiveTask | StoryAction::MoveTask => self.task(number, step).await,
            StoryAction::Announce | StoryAction::Withdraw => Some(self.attend(number, step).await),
            StoryAction::Rest => Some(self.beat().await),
        }
    }

    pub(crate) fn objects(&self, side: StepVisibility) -> &StoryObjects {
        match side {
            StepVisibility::Open => &self.open,
            StepVisibility::Hidden => &self.hidden,
        }
    }

    pub(crate) fn objects_mut(&mut self, side: StepVisibility) -> &mut StoryObjects {
        match side {
            StepVisibility::Open => &mut self.open,
            StepVisibility::Hidden => &mut self.hidden,
        }
    }

    /// The actor of a step; in hidden conversations mostly one of their members.
    pub(crate) fn actor(&self, step: &StoryStep) -> Principal {
        let members = self.members();
        let count =
            if step.side == StepVisibility::Hidden && step.by < 200 { self.insiders().len() } else { members.len() };
        members[usize::from(step.by) % count].clone()
    }

    async fn make_channel(&mut self, number: u64, step: &StoryStep) -> Result<(), Failure> {
        let visibility = if step.side == StepVisibility::Open { Visibility::Project } else { Visibility::Private };
        let request = NewChannel {
            project_id: self.project.clone(),
            name: name(&format!("room {number}")),
            topic: Some(WORDS[usize::from(step.bits) % WORDS.len()].into()),
            visibility,
        };
        let made = self.hub.create_channel(&self.cast.mara, request).await?;
        self.objects_mut(step.side).channels.push(made.id);
        Ok(())
    }

    async fn open_thread(&mut self, step: &StoryStep) -> Option<Result<(), Failure>> {
        let said = pick(&self.objects(step.side).said, step.what)?;
        let ConversationId::Channel(channel_id) = said.to else { return None };
        let request = OpenThread { channel_id, root_message_id: said.id };
        let opened = self.hub.open_thread(&self.actor(step), request).await;
        Some(opened.map(|(thread, _)| self.objects_mut(step.side).threads.push(thread.id)))
    }

    /// Every open DM has a reader among its participants; no hidden one has.
    async fn open_dm(&mut self, step: &StoryStep) -> Result<(), Failure> {
        let insiders = self.insiders().map(|one| one.member);
        let mut participants: Vec<MemberId> = vec![insiders[1 + usize::from(step.bits) % 2].clone()];
        if step.side == StepVisibility::Open {
            participants.push(pick(&self.reader_ids(), step.what).expect("readers"));
        }
        let first = PostMessage { body: format!("{} between us", self.words(step)), ..PostMessage::default() };
        let request = OpenDm { project_id: Some(self.project.clone()), participants, first: Some(first) };
        let opened = self.hub.open_dm(&self.cast.mara, request).await?;
        let (by, id) = (self.cast.mara.clone(), opened.posted.expect("said").message.id);
        let objects = self.objects_mut(step.side);
        objects.said.push(PostedMessage { id, by, to: opened.dm.id.clone().into() });
        objects.dms.push(opened.dm.id);
        Ok(())
    }

    /// A few words, with the name of a reader or an insider.
    pub(crate) fn words(&self, step: &StoryStep) -> String {
        let called = ["Ben", "Clerk", "Coder", "Mara"][usize::from(step.what) % 4];
        let bits = usize::from(step.bits);
        format!("{} and {}, @{called}", WORDS[bits % 4], WORDS[bits / 4 % 4])
    }

    async fn post(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let objects = self.objects(step.side);
        let to = pick(&objects.conversations(), step.what)?;
        let is_stream = step.act == StoryAction::Stream;
        let by = self.speaker(step);
        let artifacts =
            pick(&objects.artifacts, step.bits).into_iter().filter(|_| step.bits.is_multiple_of(3)).collect();
        let request = PostMessage {
            body: format!("{number}: {}", self.words(step)),
            artifacts,
            stream: is_stream,
            ..addressed_to(&to)
        };
        let posted = match self.hub.post_message(&by, request).await {
            Ok(posted) => posted,
            Err(failure) => return Some(Err(failure)),
        };
        let said = PostedMessage { id: posted.message.id, by, to };
        let objects = self.objects_mut(step.side);
        if is_stream {
            objects.streams.push(said.clone());
        }
        objects.said.push(said);
        Some(Ok(()))
    }

    async fn write_on(&self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let PostedMessage { id, by, .. } = pick(&self.objects(step.side).streams, step.what)?;
        let hub = &self.hub;
        Some(match (step.act, step.bits % 3) {
            (StoryAction::Chunk, _) => {
                let chunk = AddChunk { start: None, text: format!(" {number} {}", self.words(step)) };
                hub.add_chunk(&by, &id, chunk).await.map(drop)
            }
            (StoryAction::BeginStep, _) => {
                let request = StartStep { id: number.to_string(), name: self.words(step), input: None };
                hub.start_step(&by, &id, request).await.map(drop)
            }
            (_, 0) => hub.complete_stream(&by, &id, Complete::default()).await.map(drop),
            (_, 1) => hub.fail_stream(&by, &id, Fail { reason: self.words(step), ..Fail::default() }).await.map(drop),
            _ => hub.cancel_stream(&self.actor(step), &id, Cancel::default()).await.map(drop),
        })
    }

    async fn touch(&self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let said = pick(&self.objects(step.side).said, step.what)?;
        let (hub, who, emoji) = (&self.hub, self.actor(step), ["+1", "eyes"][usize::from(step.bits) % 2]);
        Some(match step.act {
            StoryAction::Edit => {
                let request = EditMessage { body: format!("{number} edited: {}", self.words(step)) };
                hub.edit_message(&said.by, &said.id, request).await.map(drop)
            }
            StoryAction::Remove => hub.remove_message(&said.by, &said.id).await.map(drop),
            StoryAction::React => hub.react(&who, &said.id, emoji).await.map(drop),
            StoryAction::Unreact => hub.unreact(&who, &said.id, emoji).await.map(drop),
            _ => hub.mark_read(&who, &said.id, None).await.map(drop),
        })
    }

    async fn upload(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let request = NewArtifact {
            project_id: self.project.clone(),
            filename: format!("{number}.txt"),
            media_type: "text/plain".into(),
            conversation_id: pick(&self.objects(step.side).conversations(), step.what)?,
            task_id: pick(&self.tasks, step.bits).map(|(id, _)| id),
        };
        // Few different contents, so that some are equal on both sides.
        let content = Box::pin(Cursor::new(WORDS[usize::from(step.bits) % 2].as_bytes()));
        let made = self.hub.create_artifact(&self.actor(step), request, content).await;
        Some(made.map(|artifact| self.objects_mut(step.side).artifacts.push(artifact.id)))
    }

    async fn manage(&self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let channel = pick(&self.objects(step.side).channels, step.what)?;
        let (hub, mara) = (&self.hub, &self.cast.mara);
        let patch = match step.act {
            StoryAction::Archive => {
                return Some(hub.archive_channel(mara, &channel, Archival::Archived).await.map(drop));
            }
            StoryAction::Unarchive => {
                return Some(hub.archive_channel(mara, &channel, Archival::Active).await.map(drop));
            }
            StoryAction::Retopic => ChannelPatch { topic: Some(format!("topic {number}")), ..ChannelPatch::default() },
            // An open channel stays open: otherwise its history would differ.
            _ if step.side == StepVisibility::Open => return None,
            StoryAction::Disclose => visibility(Visibility::Project),
            _ => visibility(Visibility::Private),
        };
        Some(hub.update_channel(mara, &channel, patch).await.map(drop))
    }

    async fn move_member(&self, step: &StoryStep) -> Option<Result<(), Failure>> {
        let channel = pick(&self.objects(step.side).channels, step.what)?;
        let (hub, mara) = (&self.hub, &self.cast.mara);
        let agents = [&self.cast.coder, &self.cast.readers[1].0].map(|agent| agent.member.agent().expect("an agent"));
        let agent = agents[usize::from(step.bits) % 2];
        Some(match step.act {
            StoryAction::Subscribe => hub.subscribe(mara, &channel, agent).await.map(drop),
            StoryAction::Unsubscribe => hub.unsubscribe(mara, &channel, agent).await,
            StoryAction::AddMember => hub.add_channel_member(mara, &channel, &self.moved_member(step)).await.map(drop),
            _ => hub.remove_channel_member(mara, &channel, &self.moved_member(step)).await.map(drop),
        })
    }

    /// The member that is added or removed; readers only if the story allows it.
    fn moved_member(&self, step: &StoryStep) -> MemberId {
        let members = if self.readers_may_join { self.members() } else { self.insiders().to_vec() };
        pick(&members[1..], step.bits).expect("members").member
    }

    async fn send_typing(&self, step: &StoryStep) -> Option<Result<(), Failure>> {
        let to = pick(&self.objects(step.side).conversations(), step.what)?;
        Some(self.hub.note_typing(&self.actor(step), &to).await)
    }

    /// Creates a task, or moves it to a thread. The hub without hidden steps has no hidden threads, so a visible task
    /// never moves into one.
    async fn task(&mut self, number: u64, step: &StoryStep) -> Option<Result<(), Failure>> {
        let thread_id = pick(&self.objects(step.side).threads, step.what);
        let status = [TaskStatus::Open, TaskStatus::Working, TaskStatus::Done][usize::from(step.bits) % 3];
        if step.act == StoryAction::MoveTask {
            let may_move = |objects: &&mut (TaskId, StepVisibility)| {
                step.side == StepVisibility::Open || objects.1 == StepVisibility::Hidden
            };
            let mut movable: Vec<_> = self.tasks.iter_mut().filter(may_move).collect();
            let objects = usize::from(step.bits).checked_rem(movable.len())?;
            let id = movable[objects].0.clone();
            movable[objects].1 = step.side;
            let title = Some(format!("Task {number}"));
            let patch = TaskPatch { title, status: Some(status), thread_id, ..TaskPatch::default() };
            return Some(self.hub.update_task(&self.cast.mara, &id, patch).await.map(drop));
        }
        let request = NewTask {
            project_id: self.project.clone(),
            title: format!("Task {number}"),
            description: None,
            status,
            assignee: pick(&self.members(), step.by).map(|one| one.member),
            parent_id: pick(&self.tasks, step.by).map(|(id, _)| id),
            batch_id: None,
            thread_id,
        };
        Some(self.hub.create_task(&self.cast.mara, request).await.map(|task| self.tasks.push((task.id, step.side))))
    }

    async fn attend(&self, number: u64, step: &StoryStep) -> Result<(), Failure> {
        let who = pick(&self.members(), step.by).expect("members");
        if step.act == StoryAction::Withdraw {
            return self.hub.withdraw_presence(&who).await;
        }
        let request = PresenceUpdate { machine_name: Some(format!("desk {number}")), ..PresenceUpdate::default() };
        self.hub.announce_presence(&who, request).await.map(drop)
    }

    /// Ends every window, and sends a beat as an event, a chunk and typing after all earlier frames.
    pub(crate) async fn beat(&mut self) -> Result<(), Failure> {
        self.pulse.count += 1;
        let (count, pulse, hub) = (self.pulse.count, &self.pulse, &self.hub);
        let chunk = AddChunk { start: None, text: format!("<{count}>") };
        hub.add_chunk(&self.cast.coder, &pulse.answer, chunk).await?;
        hub.note_typing(&self.cast.mara, &pulse.channel.clone().into()).await?;
        let request = PostMessage { body: format!("<{count}>"), ..addressed_to(&pulse.channel.clone().into()) };
        hub.post_message(&self.cast.mara, request).await?;
        self.clock.advance(1_500);
        Ok(())
    }

    /// Waits until the last beat was published: before that, running streams differ between the hubs.
    pub(crate) async fn wait_for_delivery(&self) {
        let mark = format!("<{}>", self.pulse.count);
        let is_delivered =
            |running: &StreamSnapshot| running.message_id == self.pulse.answer && running.text.ends_with(&mark);
        loop {
            let snapshot = self.hub.snapshot(&self.cast.mara, &self.project).await.expect("snapshot");
            if snapshot.streams.iter().any(is_delivered) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Removes the access of the readers to all hidden conversations.
    pub(crate) async fn evict(&mut self, number: u64) {
        self.ids.begin(number);
        let (hub, mara) = (&self.hub, &self.cast.mara);
        for channel in &self.hidden.channels {
            hub.update_channel(mara, channel, visibility(Visibility::Private)).await.expect("closed");
            for member in self.reader_ids() {
                let outcome = hub.remove_channel_member(mara, channel, &member).await;
                assert!(outcome.is_ok() || self.is_away(channel, &member).await, "{outcome:?}");
            }
        }
    }

    async fn is_away(&self, channel: &ChannelId, member: &MemberId) -> bool {
        let page = parlour_core::paging::PageRequest::first();
        let members = self.hub.channel_members(&self.cast.mara, channel, &page).await.expect("members");
        !members.items.contains(member)
    }
}

fn visibility(visibility: Visibility) -> ChannelPatch {
    ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() }
}

/// A post to this conversation.
pub(crate) fn addressed_to(to: &ConversationId) -> PostMessage {
    let mut request = PostMessage::default();
    match to.clone() {
        ConversationId::Channel(id) => request.channel_id = Some(id),
        ConversationId::Thread(id) => request.thread_id = Some(id),
        ConversationId::Dm(id) => request.dm_id = Some(id),
    }
    request
}
