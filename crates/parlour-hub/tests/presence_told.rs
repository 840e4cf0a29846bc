//! What live readers are told of presence and typing.

mod support;

use std::collections::{BTreeMap, VecDeque};

use futures_util::future::join_all;
use parlour_core::{
    Code,
    access::Principal,
    id::{ConversationId, MemberId, ProjectId},
    limits,
    live::{PresenceChanges, ServerFrame, Typing},
    paging::PageRequest,
    presence::{Presence, PresenceState, PresenceUpdate},
};
use parlour_hub::{
    live::{Reader, Session, StartPosition},
    use_cases::OpenDm,
};
use support::{TestHub, person_id, refused};
use tokio_util::sync::DropGuard;

/// A running hub with a project of Mara, where Tom takes part too.
struct Stage {
    test: TestHub,
    _running: DropGuard,
    project: ProjectId,
    mara: (Principal, String),
    tom: (Principal, String),
}

impl Stage {
    async fn new() -> Self {
        let (test, _running) = TestHub::live().await;
        let (mara, tom) = (test.person_with_token("Mara").await, test.person_with_token("Tom").await);
        let project = test.project(&mara.0, "Apollo").await;
        test.join(&project, &tom.0).await;
        Self { test, _running, project, mara, tom }
    }

    async fn listen(&self, token: &str) -> Listener {
        let session = self.test.hub.open_session(token).await.expect("session");
        let mut reader = session.subscribe(&self.project, StartPosition::Now).await.expect("reader");
        // What is of the moment is told to those who are live.
        while reader.next().await.expect("not ended").iter().all(|told| told.name != "live") {}
        Listener { session, reader, heard: VecDeque::new() }
    }

    async fn announce(&self, who: &Principal, state: PresenceState) {
        let request = PresenceUpdate { state, ..PresenceUpdate::default() };
        self.test.hub.announce_presence(who, request).await.expect("announced");
    }

    /// Lets the window of whatever has just happened end.
    fn end_window(&self) {
        self.test.clock.advance(u32::try_from(limits::PRESENCE_WINDOW_MS).expect("small"));
    }

    async fn list(&self) -> Vec<Presence> {
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("page");
        self.test.hub.presence(&self.test.admin, Some(&self.project), &page).await.expect("list").items
    }
}

/// A reader of the project, of which only presence and typing are heard.
struct Listener {
    session: Session,
    reader: Reader,
    heard: VecDeque<ServerFrame>,
}

impl Listener {
    async fn next(&mut self) -> ServerFrame {
        loop {
            if let Some(frame) = self.heard.pop_front() {
                return frame;
            }
            let told = self.reader.next().await.expect("not ended");
            for told in told.iter().filter(|told| ["presence", "typing"].contains(&told.name)) {
                assert_eq!(told.offset, None, "what is of the moment has no place in the log");
                self.heard.push_back(serde_json::from_slice(&told.json).expect("a frame"));
            }
        }
    }

    async fn presence(&mut self) -> PresenceChanges {
        match self.next().await {
            ServerFrame::Presence(told) => told.what,
            other => unreachable!("{other:?}"),
        }
    }

    async fn typing(&mut self) -> Typing {
        match self.next().await {
            ServerFrame::Typing(told) => told.what,
            other => unreachable!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_project_is_told_who_comes_and_who_goes() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    stage.announce(&stage.mara.0, PresenceState::Working).await;
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!((told.present, told.count, told.is_partial), (stage.list().await, 1, false));
    stage.test.hub.withdraw_presence(&stage.mara.0).await.expect("withdrawn");
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!((told.gone, told.count), (vec![stage.mara.0.member.clone()], 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_silent_for_three_heartbeats_is_told_as_gone() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    stage.announce(&stage.mara.0, PresenceState::Idle).await;
    stage.end_window();
    reader.presence().await;
    stage.test.clock.advance(60_000);
    // The end of the announcement opens a window of its own; the list shows it once it is noticed.
    while !stage.list().await.is_empty() {
        tokio::task::yield_now().await;
    }
    stage.end_window();
    assert_eq!(reader.presence().await.gone, vec![stage.mara.0.member.clone()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_within_a_window_are_one_frame_and_a_short_absence_is_none() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    for state in [PresenceState::Idle, PresenceState::Working, PresenceState::Paused] {
        stage.announce(&stage.mara.0, state).await;
    }
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!(told.present.iter().map(|one| one.state).collect::<Vec<_>>(), [PresenceState::Paused]);
    stage.test.hub.withdraw_presence(&stage.mara.0).await.expect("withdrawn");
    stage.announce(&stage.mara.0, PresenceState::Paused).await;
    stage.announce(&stage.tom.0, PresenceState::Idle).await;
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!(told.present.iter().map(|one| &one.member_id).collect::<Vec<_>>(), [&stage.tom.0.member]);
    assert_eq!(told.gone, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_told_presence_names_no_other_project() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    let hidden = stage.test.project(&stage.mara.0, "Secret works").await;
    stage.announce(&stage.mara.0, PresenceState::Idle).await;
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!(told.present[0].project_ids, vec![stage.project.clone()]);
    assert!(!serde_json::to_string(&told).expect("json").contains(hidden.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_removed_from_a_project_is_gone_from_it() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.mara.1).await;
    stage.announce(&stage.tom.0, PresenceState::Idle).await;
    stage.end_window();
    reader.presence().await;
    let tom = person_id(&stage.tom.0);
    stage.test.hub.remove_project_person(&stage.mara.0, &stage.project, &tom).await.expect("removed");
    stage.end_window();
    assert_eq!(reader.presence().await.gone, vec![stage.tom.0.member.clone()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_members_are_told_in_a_few_small_frames() {
    let stage = &Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    let agents = 1_000_u64;
    // All at once: the store then writes many of them in one go.
    let enter = |number| async move {
        let agent = stage.test.agent(&stage.project, &format!("Agent {number}")).await;
        stage.announce(&agent, PresenceState::Working).await;
    };
    join_all((0..agents).map(enter)).await;
    stage.end_window();
    let told = reader.presence().await;
    assert!(told.is_partial && told.present.len() <= limits::PRESENCE_CHANGES_MAX, "{told:?}");
    assert_eq!(told.count, agents);
    assert!(serde_json::to_vec(&told).expect("json").len() <= limits::PRESENCE_FRAME_BYTES_MAX);
    stage.announce(&stage.mara.0, PresenceState::Idle).await;
    stage.end_window();
    let told = reader.presence().await;
    assert_eq!((told.present.len(), told.count, told.is_partial), (1, agents + 1, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_applies_what_it_is_told_knows_the_list() {
    let stage = Stage::new().await;
    let mut reader = stage.listen(&stage.tom.1).await;
    let coder = stage.test.agent(&stage.project, "Coder").await;
    let mut view: BTreeMap<MemberId, Presence> = BTreeMap::new();
    for round in 0..12_u32 {
        let state = [PresenceState::Idle, PresenceState::Working, PresenceState::Paused][round as usize % 3];
        let who = [&stage.mara.0, &coder, &stage.tom.0][round as usize % 3];
        match round % 4 {
            2 => stage.test.hub.withdraw_presence(&coder).await.expect("withdrawn"),
            _ => stage.announce(who, state).await,
        }
        let request = PresenceUpdate { runtime: Some(format!("round {round}")), ..PresenceUpdate::default() };
        stage.test.hub.enter_presence(&stage.tom.0, reader.session.id(), request).await.expect("entered");
        stage.end_window();
        let told = reader.presence().await;
        view.extend(told.present.into_iter().map(|one| (one.member_id.clone(), one)));
        told.gone.iter().for_each(|member| drop(view.remove(member)));
        assert_eq!(view.values().cloned().collect::<Vec<_>>(), stage.list().await, "round {round}");
        assert_eq!(view.len() as u64, told.count);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_a_channel_learn_who_is_typing() {
    let stage = Stage::new().await;
    let channel: ConversationId = stage.test.channel(&stage.mara.0, &stage.project, "general").await.into();
    let mut reader = stage.listen(&stage.tom.1).await;
    for who in [&stage.mara.0, &stage.tom.0, &stage.mara.0] {
        stage.test.hub.note_typing(who, &channel).await.expect("typing");
    }
    stage.end_window();
    let members = vec![stage.mara.0.member.clone(), stage.tom.0.member.clone()];
    assert_eq!(reader.typing().await, Typing { conversation_id: channel, members });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_those_in_a_dm_or_private_channel_learn_who_is_typing_there() {
    let stage = Stage::new().await;
    let (mara, eve) = (&stage.mara.0, stage.test.person_with_token("Eve").await);
    stage.test.join(&stage.project, &eve.0).await;
    let (project_id, participants) = (Some(stage.project.clone()), vec![stage.tom.0.member.clone()]);
    let request = OpenDm { project_id, participants, first: None };
    let dm: ConversationId = stage.test.hub.open_dm(mara, request).await.expect("dm").dm.id.into();
    let private: ConversationId = stage.test.private_channel(mara, &stage.project, "board").await.into();
    let open: ConversationId = stage.test.channel(mara, &stage.project, "general").await.into();
    let mut outside = stage.listen(&eve.1).await;
    let mut inside = stage.listen(&stage.tom.1).await;
    for place in [&dm, &private, &open] {
        stage.test.hub.note_typing(mara, place).await.expect("typing");
    }
    stage.end_window();
    assert_eq!(outside.typing().await.conversation_id, open);
    let mut heard = [inside.typing().await.conversation_id, inside.typing().await.conversation_id];
    heard.sort();
    assert_eq!(heard, [open, dm]);
}

#[tokio::test]
async fn typing_is_for_people_who_can_write_there() {
    let test = TestHub::new().await;
    let (mara, tom) = (test.person("Mara").await, test.person("Tom").await);
    let project = test.project(&mara, "Apollo").await;
    let coder = test.agent(&project, "Coder").await;
    let channel = test.channel(&mara, &project, "general").await;
    let place: ConversationId = channel.clone().into();
    assert_eq!(refused(test.hub.note_typing(&coder, &place).await), Code::Forbidden);
    assert_eq!(refused(test.hub.note_typing(&tom, &place).await), Code::NotFound);
    let archived = parlour_core::write::Archival::Archived;
    test.hub.archive_channel(&mara, &channel, archived).await.expect("archived");
    assert_eq!(refused(test.hub.note_typing(&mara, &place).await), Code::Archived);
}
