//! Hidden targets are refused exactly like missing ones.

mod support;

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    Code,
    access::Principal,
    id::{ChannelId, ProjectId},
    paging::PageRequest,
    post::PostMessage,
    task::{TaskPatch, TaskStatus},
};
use parlour_hub::use_cases::{HistoryQuery, NewTask, OpenDm, OpenThread};
use support::{TestHub, agent_id, person_id, refused, say};

async fn sees_channel(hub: &TestHub, who: &Principal, channel: &ChannelId) -> bool {
    let read = hub.hub.history(who, &channel.clone().into(), &HistoryQuery::default(), &PageRequest::first()).await;
    let post = hub.hub.post_message(who, say(channel, "knock")).await;
    assert_eq!(read.is_ok(), post.is_ok(), "members who can read can also write, and others can do neither");
    read.is_ok()
}

#[tokio::test]
async fn a_private_channel_is_visible_only_to_its_members() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &tom).await;
    let coder = hub.agent(&project, "Coder").await;
    let secret = hub.private_channel(&mara, &project, "secret").await;
    assert!(sees_channel(&hub, &mara, &secret).await);
    for outsider in [&tom, &coder, &hub.admin] {
        assert!(!sees_channel(&hub, outsider, &secret).await, "{outsider:?}");
        assert_eq!(refused(hub.hub.channel(outsider, &secret).await), Code::NotFound);
        let listed = hub.hub.channels(outsider, &project, &PageRequest::first()).await.expect("list");
        assert!(listed.items.iter().all(|channel| channel.id != secret));
        let found = hub.hub.search(outsider, &project, "knock", &PageRequest::first()).await.expect("search");
        assert_eq!(found.items, []);
        assert_eq!(hub.hub.unread(outsider, &project).await.expect("unread").total, 0);
        let graph = hub.hub.project_graph(outsider, &project).await.expect("graph");
        assert!(graph.nodes.iter().all(|node| node.id != secret.as_str()));
    }
    hub.hub.add_channel_member(&mara, &secret, &tom.member).await.expect("added");
    assert!(sees_channel(&hub, &tom, &secret).await);
    hub.hub.remove_channel_member(&mara, &secret, &tom.member).await.expect("removed");
    assert!(!sees_channel(&hub, &tom, &secret).await);
}

#[tokio::test]
async fn a_foreign_project_is_indistinguishable_from_a_missing_one() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let (mine, his) = (hub.project(&mara, "Mine").await, hub.project(&tom, "His").await);
    let channel = hub.channel(&mara, &mine, "general").await;
    let message = hub.post(&mara, &channel, "hello").await.message.id;
    let stranger = hub.agent(&his, "Stranger").await;
    for outsider in [&tom, &stranger] {
        assert_eq!(refused(hub.hub.project(outsider, &mine).await), Code::NotFound);
        assert_eq!(refused(hub.hub.message(outsider, &message).await), Code::NotFound);
        assert_eq!(refused(hub.hub.search(outsider, &mine, "hello", &PageRequest::first()).await), Code::NotFound);
        assert!(!sees_channel(&hub, outsider, &channel).await);
        let projects = hub.hub.projects(outsider, &PageRequest::first()).await.expect("list").items;
        assert!(projects.iter().all(|project| project.id != mine));
    }
    let hidden = hub.hub.project(&tom, &mine).await.expect_err("hidden").to_string();
    let absent = hub.hub.project(&tom, &"prj_none".parse().expect("id")).await.expect_err("absent").to_string();
    assert_eq!(hidden.replace(mine.as_str(), "X"), absent.replace("prj_none", "X"));
}

#[tokio::test]
async fn a_person_who_left_the_project_cannot_read_it() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &tom).await;
    let channel = hub.channel(&mara, &project, "general").await;
    assert!(sees_channel(&hub, &tom, &channel).await);
    hub.hub.remove_project_person(&mara, &project, &person_id(&tom)).await.expect("removed");
    assert!(!sees_channel(&hub, &tom, &channel).await);
    let posted = hub.post(&mara, &channel, "@Tom are you there?").await;
    assert_eq!((posted.message.mentions.len(), posted.mention_problems.len()), (0, 1));
}

#[tokio::test]
async fn a_dm_is_visible_to_its_participants_only_and_unique_for_them() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &tom).await;
    let coder = hub.agent(&project, "Coder").await;
    let first = PostMessage { body: "just us".into(), ..PostMessage::default() };
    let request = OpenDm { project_id: None, participants: vec![coder.member.clone()], first: Some(first) };
    let opened = hub.hub.open_dm(&mara, request.clone()).await.expect("opened");
    let posted = opened.posted.expect("said").message.id;
    assert_eq!(hub.inbox(&coder).await, std::slice::from_ref(&posted));
    for outsider in [&tom, &hub.admin] {
        assert_eq!(refused(hub.hub.dm(outsider, &opened.dm.id).await), Code::NotFound);
        assert_eq!(refused(hub.hub.message(outsider, &posted).await), Code::NotFound);
        let dms = hub.hub.dms(outsider, None, &PageRequest::first()).await.expect("list").items;
        assert_eq!(dms, []);
    }
    let from_the_other_side = OpenDm { participants: vec![mara.member.clone()], first: None, ..request };
    let again = hub.hub.open_dm(&coder, from_the_other_side).await.expect("opened");
    assert_eq!(again.dm, opened.dm);
}

#[tokio::test]
async fn a_dm_needs_members_of_one_project() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    let open = |participants, project_id| OpenDm { project_id, participants, first: None };
    let people_only = open(vec![tom.member.clone()], None);
    assert_eq!(refused(hub.hub.open_dm(&mara, people_only).await), Code::WrongShape);
    let outsider = open(vec![tom.member.clone()], Some(project.clone()));
    assert_eq!(refused(hub.hub.open_dm(&mara, outsider.clone()).await), Code::NotFound);
    hub.join(&project, &tom).await;
    hub.hub.open_dm(&mara, outsider).await.expect("both are members now");
    let alone = open(vec![mara.member.clone()], Some(project));
    assert_eq!(refused(hub.hub.open_dm(&mara, alone).await), Code::OutOfBounds);
}

#[tokio::test]
async fn an_administrator_reads_an_inbox_without_private_messages() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let request = OpenDm {
        project_id: None,
        participants: vec![coder.member.clone()],
        first: Some(PostMessage { body: "private".into(), ..PostMessage::default() }),
    };
    hub.hub.open_dm(&mara, request).await.expect("opened");
    let inbox = async |who: &Principal| {
        hub.hub.inbox(who, &agent_id(&coder), &InboxFilter::default(), &PageRequest::first()).await
    };
    assert_eq!(refused(inbox(&mara).await), Code::Forbidden);
    let (page, count) = inbox(&hub.admin).await.expect("inbox");
    assert_eq!((page.items.len(), count), (0, 0));
    let channel = hub.channel(&mara, &project, "general").await;
    for body in ["@Coder one", "@Coder two"] {
        hub.post(&mara, &channel, body).await;
    }
    let one = PageRequest::new(None, Some(1)).expect("page");
    let (page, count) =
        hub.hub.inbox(&hub.admin, &agent_id(&coder), &InboxFilter::default(), &one).await.expect("inbox");
    assert_eq!((page.items[0].message.body.as_str(), count), ("@Coder one", 2));
    assert_eq!(page.next.as_deref(), Some(page.items[0].message.id.as_str()), "a key is never a hidden message");
}

#[tokio::test]
async fn a_dm_with_a_foreign_agent_is_refused_like_one_with_an_unknown_agent() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let his = hub.project(&tom, "His").await;
    let stranger = hub.agent(&his, "Stranger").await;
    let open = |member: &str| OpenDm {
        project_id: None,
        participants: vec![tom.member.clone(), member.parse().expect("id")],
        first: None,
    };
    let mut refusals = Vec::new();
    for member in [stranger.member.as_str(), "agt_none"] {
        let failure = hub.hub.open_dm(&mara, open(member)).await.expect_err("hidden");
        let refusal = failure.refusal().expect("refusal").clone();
        refusals.push((refusal.field, refusal.detail.replace(member, "X")));
    }
    assert_eq!(refusals[0], refusals[1]);
    assert_eq!(refusals[0].0.as_deref(), Some("participants[1]"));
}

#[tokio::test]
async fn a_refused_first_message_leaves_no_dm_behind() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let used = hub.post(&mara, &channel, "first").await.message.id;
    let first = PostMessage { id: Some(used), body: "second".into(), ..PostMessage::default() };
    let request = OpenDm { project_id: None, participants: vec![coder.member.clone()], first: Some(first) };
    assert_eq!(refused(hub.hub.open_dm(&mara, request).await), Code::ClientIdReused);
    assert_eq!(hub.hub.dms(&mara, None, &PageRequest::first()).await.expect("list").items, []);
}

#[tokio::test]
async fn a_task_names_its_thread_only_to_those_who_read_it() {
    let hub = TestHub::new().await;
    let (mara, tom) = (hub.person("Mara").await, hub.person("Tom").await);
    let project = hub.project(&mara, "Release").await;
    hub.join(&project, &tom).await;
    let secret = hub.private_channel(&mara, &project, "secret").await;
    let root = hub.post(&mara, &secret, "root").await.message.id;
    let request = OpenThread { channel_id: secret, root_message_id: root };
    let thread = hub.hub.open_thread(&mara, request).await.expect("thread").0.id;
    let request = NewTask { thread_id: Some(thread.clone()), ..task(&project, "Ship it") };
    let id = hub.hub.create_task(&mara, request).await.expect("task").id;
    for (who, seen) in [(&mara, Some(thread.clone())), (&tom, None), (&hub.admin, None), (&mara, Some(thread))] {
        assert_eq!(hub.hub.task(who, &id).await.expect("task").thread_id, seen);
        let listed = hub.hub.tasks(who, &project, &PageRequest::first()).await.expect("list").items;
        assert_eq!(listed[0].thread_id, seen);
        let patch = TaskPatch { description: Some(format!("by {}", who.name)), ..TaskPatch::default() };
        assert_eq!(hub.hub.update_task(who, &id, patch).await.expect("task").thread_id, seen);
    }
}

fn task(project: &ProjectId, title: &str) -> NewTask {
    NewTask {
        project_id: project.clone(),
        title: title.into(),
        description: None,
        status: TaskStatus::Open,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
    }
}
