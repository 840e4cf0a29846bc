//! Presence over a real store: contents, visibility and expiry.

mod support;

use parlour_core::{
    Code,
    access::Principal,
    id::ProjectId,
    limits,
    member::AgentPatch,
    paging::PageRequest,
    presence::{Abilities, Presence, PresenceState, PresenceUpdate},
};
use parlour_hub::use_cases::{NewAgent, NewPerson};
use support::{TestHub, agent_id, name, person_id, refused};

fn idle() -> PresenceUpdate {
    PresenceUpdate::default()
}

fn on(machine: &str) -> PresenceUpdate {
    PresenceUpdate { machine_name: Some(machine.into()), ..idle() }
}

impl TestHub {
    async fn announce(&self, who: &Principal, request: PresenceUpdate) -> Presence {
        self.hub.announce_presence(who, request).await.expect("announced")
    }

    async fn everybody(&self, reader: &Principal) -> Vec<Presence> {
        self.hub.presence(reader, None, &PageRequest::first()).await.expect("list").items
    }

    async fn names_in(&self, reader: &Principal, project: &ProjectId) -> Vec<String> {
        let page = self.hub.presence(reader, Some(project), &PageRequest::first()).await.expect("list");
        page.items.into_iter().map(|presence| presence.name.to_string()).collect()
    }
}

#[tokio::test]
async fn the_presence_of_an_agent_contains_its_record_and_its_update() {
    let test = TestHub::new().await;
    let project = test.project(&test.admin, "Apollo").await;
    let request = NewAgent {
        project_id: project.clone(),
        name: name("Coder"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: Some("Write Rust.".into()),
        engine: None,
        context: None,
        role: None,
    };
    let (agent, token) = test.hub.create_agent(&test.admin, request).await.expect("agent");
    let coder = test.hub.sign_in(&token).await.expect("signed in");
    let abilities = Abilities { can_stream: true, can_be_paused: true, can_be_woken: true };
    let request = PresenceUpdate {
        state: PresenceState::Working,
        machine_name: Some("build-7".into()),
        runtime: Some("rig 3".into()),
        abilities,
    };
    let shown = test.announce(&coder, request).await;
    let expected = Presence {
        member_id: agent.id.into(),
        name: name("Coder"),
        is_agent: true,
        project_ids: vec![project.clone()],
        instructions: Some("Write Rust.".into()),
        machine_name: Some("build-7".into()),
        runtime: Some("rig 3".into()),
        state: PresenceState::Working,
        abilities,
        since: parlour_hub::ports::Clock::now(test.clock.as_ref()),
    };
    assert_eq!(shown, expected);
    assert_eq!(test.everybody(&test.admin).await, [expected]);
}

#[tokio::test]
async fn several_connections_of_a_member_are_one_presence() {
    let test = TestHub::new().await;
    let (mara, token) = test.person_with_token("Mara").await;
    let project = test.project(&mara, "Apollo").await;
    let desk = test.hub.open_session(&token).await.expect("session");
    let phone = test.hub.open_session(&token).await.expect("session");
    test.hub.enter_presence(&mara, desk.id(), on("desk")).await.expect("entered");
    test.hub.enter_presence(&mara, phone.id(), on("phone")).await.expect("entered");
    assert_eq!(test.names_in(&mara, &project).await, ["Mara"]);
    drop(phone);
    assert_eq!(test.everybody(&mara).await[0].machine_name.as_deref(), Some("desk"));
    test.hub.leave_presence(desk.id());
    assert_eq!(test.names_in(&mara, &project).await, [] as [&str; 0]);
}

#[tokio::test]
async fn presence_ends_after_three_missed_heartbeats_or_when_it_is_withdrawn() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    let project = test.project(&mara, "Apollo").await;
    let beat = u32::try_from(limits::LIVE_HEARTBEAT_SECONDS * 1_000).expect("small");
    test.announce(&mara, idle()).await;
    test.clock.advance(2 * beat);
    test.announce(&mara, idle()).await;
    test.clock.advance(3 * beat - 1);
    assert_eq!(test.names_in(&mara, &project).await, ["Mara"]);
    test.clock.advance(1);
    assert_eq!(test.names_in(&mara, &project).await, [] as [&str; 0]);
    test.announce(&mara, idle()).await;
    for _ in 0..2 {
        test.hub.withdraw_presence(&mara).await.expect("withdrawn");
        assert_eq!(test.names_in(&mara, &project).await, [] as [&str; 0]);
    }
}

#[tokio::test]
async fn presence_is_hidden_in_projects_that_the_caller_does_not_see() {
    let test = TestHub::new().await;
    let (mara, tom, eve) = (test.person("Mara").await, test.person("Tom").await, test.person("Eve").await);
    let shared = test.project(&mara, "Apollo").await;
    test.join(&shared, &tom).await;
    let hidden = test.project(&mara, "Secret works").await;
    test.announce(&mara, idle()).await;
    let seen: Vec<_> = test.everybody(&tom).await.into_iter().map(|one| (one.name, one.project_ids)).collect();
    assert_eq!(seen, [(name("Mara"), vec![shared.clone()])]);
    assert_eq!(test.everybody(&eve).await, []);
    assert_eq!(test.everybody(&test.admin).await[0].project_ids, [shared, hidden.clone()]);
    let refusal = test.hub.presence(&tom, Some(&hidden), &PageRequest::first()).await;
    assert_eq!(refused(refusal), Code::NotFound);
}

#[tokio::test]
async fn an_agent_sees_presence_only_in_its_own_project() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    let (home, other) = (test.project(&mara, "Home").await, test.project(&mara, "Other").await);
    let (coder, stranger) = (test.agent(&home, "Coder").await, test.agent(&other, "Stranger").await);
    for who in [&mara, &coder, &stranger] {
        test.announce(who, idle()).await;
    }
    let seen = test.everybody(&coder).await;
    assert_eq!(seen.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Mara", "Coder"]);
    assert!(seen.iter().all(|one| one.project_ids == [home.clone()]));
}

#[tokio::test]
async fn an_administrator_is_present_only_in_projects_that_it_is_a_member_of() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    let project = test.project(&mara, "Apollo").await;
    test.announce(&test.admin, idle()).await;
    assert_eq!(test.names_in(&mara, &project).await, [] as [&str; 0]);
    test.join(&project, &test.admin).await;
    assert_eq!(test.names_in(&mara, &project).await, ["Admin"]);
}

#[tokio::test]
async fn presence_in_a_project_follows_its_members() {
    let test = TestHub::new().await;
    let (mara, tom) = (test.person("Mara").await, test.person("Tom").await);
    test.announce(&mara, idle()).await;
    test.announce(&tom, idle()).await;
    let project = test.project(&mara, "Apollo").await;
    assert_eq!(test.names_in(&mara, &project).await, ["Mara"]);
    test.join(&project, &tom).await;
    assert_eq!(test.names_in(&mara, &project).await, ["Mara", "Tom"]);
    test.hub.remove_project_person(&mara, &project, &person_id(&tom)).await.expect("removed");
    assert_eq!(test.names_in(&mara, &project).await, ["Mara"]);
    assert_eq!(test.everybody(&tom).await, []);
}

#[tokio::test]
async fn presence_follows_changes_of_an_agent() {
    let test = TestHub::new().await;
    let project = test.project(&test.admin, "Apollo").await;
    let coder = test.agent(&project, "Coder").await;
    test.announce(&coder, idle()).await;
    let patch =
        AgentPatch { name: Some(name("Painter")), instructions: Some("Paint.".into()), ..AgentPatch::default() };
    test.hub.update_agent(&test.admin, &agent_id(&coder), patch).await.expect("updated");
    let seen = &test.everybody(&test.admin).await[0];
    assert_eq!((&seen.name, seen.instructions.as_deref()), (&name("Painter"), Some("Paint.")));
}

#[tokio::test]
async fn presence_pages_continue_after_a_member_that_has_left() {
    let test = TestHub::new().await;
    let project = test.project(&test.admin, "Apollo").await;
    let mut members = Vec::new();
    for number in 0..5 {
        let request = NewPerson { name: name(&format!("Person {number}")), is_admin: false };
        let (_, token) = test.hub.create_person(&test.admin, request).await.expect("person");
        let who = test.hub.sign_in(&token).await.expect("signed in");
        test.join(&project, &who).await;
        test.announce(&who, idle()).await;
        members.push(who);
    }
    let page = |after| PageRequest::new(after, Some(2)).expect("page");
    let first = test.hub.presence(&test.admin, Some(&project), &page(None)).await.expect("first");
    let last = &members[1];
    assert_eq!(first.next.as_deref(), Some(last.member.as_str()));
    test.hub.withdraw_presence(last).await.expect("left");
    let second = test.hub.presence(&test.admin, Some(&project), &page(first.next)).await.expect("second");
    assert_eq!(
        second.items.iter().map(|one| &one.member_id).collect::<Vec<_>>(),
        [&members[2].member, &members[3].member]
    );
    let nonsense = test.hub.presence(&test.admin, None, &page(Some("nonsense".into()))).await;
    assert_eq!(refused(nonsense), Code::BadQuery);
}

#[tokio::test]
async fn an_invalid_presence_update_is_refused_and_not_stored() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    test.project(&mara, "Apollo").await;
    let request = on(&"x".repeat(limits::PRESENCE_TEXT_CHARS_MAX + 1));
    assert_eq!(refused(test.hub.announce_presence(&mara, request).await), Code::OutOfBounds);
    assert_eq!(test.everybody(&mara).await, []);
}

#[tokio::test]
async fn a_snapshot_contains_the_presence_of_its_project() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    let project = test.project(&mara, "Apollo").await;
    test.project(&mara, "Another").await;
    test.announce(&mara, idle()).await;
    let snapshot = test.hub.snapshot(&mara, &project).await.expect("snapshot");
    assert_eq!(snapshot.presence.len(), 1);
    assert_eq!(snapshot.presence[0].project_ids, [project]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn presence_after_concurrent_joins_and_removals_matches_the_store() {
    let test = TestHub::new().await;
    let (mara, tom) = (test.person("Mara").await, test.person("Tom").await);
    let project = test.project(&mara, "Apollo").await;
    test.announce(&tom, idle()).await;
    let id = person_id(&tom);
    for round in 0..40 {
        let _ = tokio::join!(
            test.hub.add_project_person(&mara, &project, &id),
            test.hub.remove_project_person(&mara, &project, &id),
            test.hub.announce_presence(&tom, idle()),
        );
        let is_member = test.hub.project(&tom, &project).await.is_ok();
        let is_shown = !test.names_in(&mara, &project).await.is_empty();
        assert_eq!(is_shown, is_member, "round {round}");
    }
}
