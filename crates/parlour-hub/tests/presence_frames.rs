//! Presence and typing frames of live readers.

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

/// A running hub with a project of Mara and Tom.
struct PresenceFixture {
    test: TestHub,
    _running: DropGuard,
    project: ProjectId,
    mara: (Principal, String),
    tom: (Principal, String),
}

impl PresenceFixture {
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
        // Only live readers get ephemeral frames.
        while reader.next().await.expect("not ended").iter().all(|frame| frame.name != "live") {}
        Listener { session, reader, received: VecDeque::new() }
    }

    async fn announce(&self, who: &Principal, state: PresenceState) {
        let request = PresenceUpdate { state, ..PresenceUpdate::default() };
        self.test.hub.announce_presence(who, request).await.expect("announced");
    }

    /// Advances the clock past the current window.
    fn end_window(&self) {
        self.test.clock.advance(u32::try_from(limits::PRESENCE_WINDOW_MS).expect("small"));
    }

    async fn list(&self) -> Vec<Presence> {
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("page");
        self.test.hub.presence(&self.test.admin, Some(&self.project), &page).await.expect("list").items
    }
}

/// A reader that keeps only presence and typing frames.
struct Listener {
    session: Session,
    reader: Reader,
    received: VecDeque<ServerFrame>,
}

impl Listener {
    async fn next(&mut self) -> ServerFrame {
        loop {
            if let Some(frame) = self.received.pop_front() {
                return frame;
            }
            let frames = self.reader.next().await.expect("not ended");
            for frame in frames.iter().filter(|frame| ["presence", "typing"].contains(&frame.name)) {
                assert_eq!(frame.offset, None, "an ephemeral frame has no offset");
                self.received.push_back(serde_json::from_slice(&frame.json).expect("a frame"));
            }
        }
    }

    async fn presence(&mut self) -> PresenceChanges {
        match self.next().await {
            ServerFrame::Presence(frame) => frame.what,
            other => unreachable!("{other:?}"),
        }
    }

    async fn typing(&mut self) -> Typing {
        match self.next().await {
            ServerFrame::Typing(frame) => frame.what,
            other => unreachable!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arrivals_and_departures_are_published_to_the_project() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    fixture.announce(&fixture.mara.0, PresenceState::Working).await;
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!((frame.present, frame.count, frame.is_partial), (fixture.list().await, 1, false));
    fixture.test.hub.withdraw_presence(&fixture.mara.0).await.expect("withdrawn");
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!((frame.gone, frame.count), (vec![fixture.mara.0.member.clone()], 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_is_published_as_gone_after_three_missed_heartbeats() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    fixture.announce(&fixture.mara.0, PresenceState::Idle).await;
    fixture.end_window();
    reader.presence().await;
    fixture.test.clock.advance(60_000);
    // The expiry of the announcement starts a new window; the list is empty once the hub has noticed it.
    while !fixture.list().await.is_empty() {
        tokio::task::yield_now().await;
    }
    fixture.end_window();
    assert_eq!(reader.presence().await.gone, vec![fixture.mara.0.member.clone()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_within_a_window_are_one_frame_and_a_short_absence_is_none() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    for state in [PresenceState::Idle, PresenceState::Working, PresenceState::Paused] {
        fixture.announce(&fixture.mara.0, state).await;
    }
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!(frame.present.iter().map(|one| one.state).collect::<Vec<_>>(), [PresenceState::Paused]);
    fixture.test.hub.withdraw_presence(&fixture.mara.0).await.expect("withdrawn");
    fixture.announce(&fixture.mara.0, PresenceState::Paused).await;
    fixture.announce(&fixture.tom.0, PresenceState::Idle).await;
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!(frame.present.iter().map(|one| &one.member_id).collect::<Vec<_>>(), [&fixture.tom.0.member]);
    assert_eq!(frame.gone, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_published_presence_names_no_other_project() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    let hidden = fixture.test.project(&fixture.mara.0, "Secret works").await;
    fixture.announce(&fixture.mara.0, PresenceState::Idle).await;
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!(frame.present[0].project_ids, vec![fixture.project.clone()]);
    assert!(!serde_json::to_string(&frame).expect("json").contains(hidden.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_removed_from_a_project_is_published_as_gone() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.mara.1).await;
    fixture.announce(&fixture.tom.0, PresenceState::Idle).await;
    fixture.end_window();
    reader.presence().await;
    let tom = person_id(&fixture.tom.0);
    fixture.test.hub.remove_project_person(&fixture.mara.0, &fixture.project, &tom).await.expect("removed");
    fixture.end_window();
    assert_eq!(reader.presence().await.gone, vec![fixture.tom.0.member.clone()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_members_are_published_in_a_few_small_frames() {
    let fixture = &PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    let agents = 1_000_u64;
    // Concurrently, so that the store commits many of them together.
    let enter = |number| async move {
        let agent = fixture.test.agent(&fixture.project, &format!("Agent {number}")).await;
        fixture.announce(&agent, PresenceState::Working).await;
    };
    join_all((0..agents).map(enter)).await;
    fixture.end_window();
    let frame = reader.presence().await;
    assert!(frame.is_partial && frame.present.len() <= limits::PRESENCE_CHANGES_MAX, "{frame:?}");
    assert_eq!(frame.count, agents);
    assert!(serde_json::to_vec(&frame).expect("json").len() <= limits::PRESENCE_FRAME_BYTES_MAX);
    fixture.announce(&fixture.mara.0, PresenceState::Idle).await;
    fixture.end_window();
    let frame = reader.presence().await;
    assert_eq!((frame.present.len(), frame.count, frame.is_partial), (1, agents + 1, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn published_presence_changes_add_up_to_the_list() {
    let fixture = PresenceFixture::new().await;
    let mut reader = fixture.listen(&fixture.tom.1).await;
    let coder = fixture.test.agent(&fixture.project, "Coder").await;
    let mut view: BTreeMap<MemberId, Presence> = BTreeMap::new();
    for round in 0..12_u32 {
        let state = [PresenceState::Idle, PresenceState::Working, PresenceState::Paused][round as usize % 3];
        let who = [&fixture.mara.0, &coder, &fixture.tom.0][round as usize % 3];
        match round % 4 {
            2 => fixture.test.hub.withdraw_presence(&coder).await.expect("withdrawn"),
            _ => fixture.announce(who, state).await,
        }
        let request = PresenceUpdate { runtime: Some(format!("round {round}")), ..PresenceUpdate::default() };
        fixture.test.hub.enter_presence(&fixture.tom.0, reader.session.id(), request).await.expect("entered");
        fixture.end_window();
        let frame = reader.presence().await;
        view.extend(frame.present.into_iter().map(|one| (one.member_id.clone(), one)));
        frame.gone.iter().for_each(|member| drop(view.remove(member)));
        assert_eq!(view.values().cloned().collect::<Vec<_>>(), fixture.list().await, "round {round}");
        assert_eq!(view.len() as u64, frame.count);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typing_is_sent_to_the_readers_of_a_channel() {
    let fixture = PresenceFixture::new().await;
    let channel: ConversationId = fixture.test.channel(&fixture.mara.0, &fixture.project, "general").await.into();
    let mut reader = fixture.listen(&fixture.tom.1).await;
    for who in [&fixture.mara.0, &fixture.tom.0, &fixture.mara.0] {
        fixture.test.hub.note_typing(who, &channel).await.expect("typing");
    }
    fixture.end_window();
    let members = vec![fixture.mara.0.member.clone(), fixture.tom.0.member.clone()];
    assert_eq!(reader.typing().await, Typing { conversation_id: channel, members });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typing_in_a_dm_or_private_channel_is_sent_to_its_members_only() {
    let fixture = PresenceFixture::new().await;
    let (mara, eve) = (&fixture.mara.0, fixture.test.person_with_token("Eve").await);
    fixture.test.join(&fixture.project, &eve.0).await;
    let (project_id, participants) = (Some(fixture.project.clone()), vec![fixture.tom.0.member.clone()]);
    let request = OpenDm { project_id, participants, first: None };
    let dm: ConversationId = fixture.test.hub.open_dm(mara, request).await.expect("dm").dm.id.into();
    let private: ConversationId = fixture.test.private_channel(mara, &fixture.project, "board").await.into();
    let open: ConversationId = fixture.test.channel(mara, &fixture.project, "general").await.into();
    let mut outside = fixture.listen(&eve.1).await;
    let mut inside = fixture.listen(&fixture.tom.1).await;
    for conversation in [&dm, &private, &open] {
        fixture.test.hub.note_typing(mara, conversation).await.expect("typing");
    }
    fixture.end_window();
    assert_eq!(outside.typing().await.conversation_id, open);
    let mut received = [inside.typing().await.conversation_id, inside.typing().await.conversation_id];
    received.sort();
    assert_eq!(received, [open, dm]);
}

#[tokio::test]
async fn typing_requires_write_access() {
    let test = TestHub::new().await;
    let (mara, tom) = (test.person("Mara").await, test.person("Tom").await);
    let project = test.project(&mara, "Apollo").await;
    let coder = test.agent(&project, "Coder").await;
    let channel = test.channel(&mara, &project, "general").await;
    let conversation: ConversationId = channel.clone().into();
    assert_eq!(refused(test.hub.note_typing(&coder, &conversation).await), Code::Forbidden);
    assert_eq!(refused(test.hub.note_typing(&tom, &conversation).await), Code::NotFound);
    let archived = parlour_core::write::Archival::Archived;
    test.hub.archive_channel(&mara, &channel, archived).await.expect("archived");
    assert_eq!(refused(test.hub.note_typing(&mara, &conversation).await), Code::Archived);
}
