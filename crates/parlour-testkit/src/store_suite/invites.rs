//! Invites of agents: limited uses, expiry and revocation.

use parlour_core::{
    Code,
    id::{InviteId, PersonId, ProjectId},
    invite::Invite,
    limits,
    member::{Agent, Person},
    paging::PageRequest,
    project::Project,
    scope::JoinRole,
    write::{Novelty, Write},
};
use tokio::task::JoinSet;

use super::accounts::{code, last_audit_entry};
use crate::test_store::{TestMember, TestStore, check_pages};

async fn fixture(test_store: &TestStore) -> (Person, Project) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    (mara, tour)
}

async fn uses(test_store: &TestStore, invite: &Invite) -> u32 {
    test_store.store().invite(&invite.id).await.expect("read").expect("an invite").uses
}

/// Joins an agent, which must succeed.
async fn join(test_store: &TestStore, name: &str, tour: &Project, invite: &Invite) -> Agent {
    let agent = test_store.new_agent(name, tour);
    test_store.change(&tour.id, &agent, test_store.joining(agent.clone(), invite)).await;
    agent
}

/// Tries to join an agent, which must be refused without any effect; returns the code.
async fn join_refused(test_store: &TestStore, tour: &Project, owner: &Person, invite: &Invite, name: &str) -> Code {
    let agent = test_store.new_agent(name, tour);
    let write = test_store.joining(agent.clone(), invite);
    let Write::CreateAgent(_, token, _) = write.clone() else { unreachable!("an agent joins") };
    let before = test_store.snapshot(tour, &[owner]).await;
    let code = test_store.refusal(&tour.id, &agent, write).await;
    assert_eq!(test_store.snapshot(tour, &[owner]).await, before, "{code:?}");
    assert_eq!(test_store.store().principal(&token.key).await.expect("read"), None, "{code:?}");
    code
}

/// An invite is read by its id and by its code with every field; an unknown one is none.
pub async fn an_invite_is_read_as_it_was_stored(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    for role in JoinRole::ALL {
        let invite = Invite { role: *role, label: format!("for {}", role.as_str()), ..test_store.new_invite(&tour, 3) };
        let hash = test_store.secret();
        let added = test_store.store().add_invite(test_store.attribution(), invite.clone(), hash).await.expect("added");
        assert_eq!(added, invite);
        assert_eq!(test_store.store().invite(&invite.id).await.expect("read"), Some(invite.clone()));
        assert_eq!(test_store.store().invite_by_code(&hash).await.expect("read"), Some(invite));
    }
    assert_eq!(test_store.store().invite(&InviteId::from_bits(test_store.bits())).await.expect("read"), None);
    assert_eq!(test_store.store().invite_by_code(&test_store.secret()).await.expect("read"), None);
}

/// An invite for an unknown project, by an unknown creator or with a stored code is refused.
pub async fn an_invalid_invite_is_refused(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let hash = test_store.secret();
    let first = test_store.new_invite(&tour, 1);
    test_store.store().add_invite(test_store.attribution(), first.clone(), hash).await.expect("added");
    let nowhere = Invite { project_id: ProjectId::from_bits(test_store.bits()), ..test_store.new_invite(&tour, 1) };
    assert_eq!(code(test_store.try_invite(nowhere).await), Some(Code::NotFound));
    let by_nobody =
        Invite { created_by: PersonId::from_bits(test_store.bits()).into(), ..test_store.new_invite(&tour, 1) };
    assert_eq!(code(test_store.try_invite(by_nobody).await), Some(Code::NotFound));
    let second = test_store.store().add_invite(test_store.attribution(), test_store.new_invite(&tour, 1), hash).await;
    assert_eq!(code(second), Some(Code::OutOfBounds));
    assert_eq!(test_store.store().invite_by_code(&hash).await.expect("read"), Some(first));
}

/// The invites of a project are listed oldest first on pages of any size, including ended ones.
pub async fn the_invites_of_a_project_are_listed_oldest_first(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    let fair = test_store.project("Fair", &mara).await;
    let mut expected = Vec::new();
    for uses_max in 1..=3 {
        test_store.invite(&fair, uses_max).await;
        expected.push(test_store.invite(&tour, uses_max).await);
    }
    join(&test_store, "Coder", &tour, &expected[0]).await;
    test_store.clock().advance(limits::INVITE_SECONDS_MAX as u32 * 1_000);
    let ids: Vec<_> = expected.iter().map(|invite| invite.id.to_string()).collect();
    let key = |invite: &Invite| invite.id.to_string();
    check_pages(&ids, key, async |page| test_store.store().invites(&tour.id, &page).await).await;
    let nowhere = ProjectId::from_bits(test_store.bits());
    assert_eq!(test_store.store().invites(&nowhere, &PageRequest::first()).await.expect("read").items, []);
}

pub async fn an_invite_of_another_project_is_no_page_key(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    let theirs = test_store.invite(&test_store.project("Fair", &mara).await, 1).await.id.to_string();
    for key in [theirs.as_str(), "inv_none", "zzz"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("a page");
        assert_eq!(code(test_store.store().invites(&tour.id, &page).await), Some(Code::BadQuery), "{key}");
    }
}

/// Revoking returns the invite and makes it unknown; the agents that joined with it stay.
pub async fn a_revoked_invite_is_unknown(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let (invite, hash) = (test_store.new_invite(&tour, 5), test_store.secret());
    test_store.store().add_invite(test_store.attribution(), invite.clone(), hash).await.expect("added");
    let stays = test_store.invite(&tour, 5).await;
    let coder = join(&test_store, "Coder", &tour, &invite).await;
    let revoked = test_store.store().revoke_invite(test_store.attribution(), &invite.id).await.expect("revoked");
    assert_eq!(revoked, Invite { uses: 1, ..invite.clone() });
    assert_eq!(test_store.store().invite(&invite.id).await.expect("read"), None);
    assert_eq!(test_store.store().invite_by_code(&hash).await.expect("read"), None);
    assert_eq!(test_store.store().invites(&tour.id, &PageRequest::first()).await.expect("read").items, [stays]);
    assert_eq!(
        code(test_store.store().revoke_invite(test_store.attribution(), &invite.id).await),
        Some(Code::NotFound),
        "once"
    );
    assert!(test_store.store().is_member(&tour.id, &coder.member()).await.expect("read"));
}

/// A project has a bounded number of open invites, counted per project.
pub async fn a_project_has_a_bounded_number_of_open_invites(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    let fair = test_store.project("Fair", &mara).await;
    for _ in 0..limits::INVITES_PER_PROJECT_MAX {
        test_store.invite(&tour, 1).await;
    }
    let refused = test_store.new_invite(&tour, 1);
    assert_eq!(code(test_store.try_invite(refused.clone()).await), Some(Code::Full));
    assert_eq!(test_store.store().invite(&refused.id).await.expect("read"), None);
    test_store.invite(&fair, 1).await;
}

/// Invites that are used up, revoked or expired do not count.
pub async fn ended_invites_do_not_count(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let (used, revoked) = (test_store.invite(&tour, 1).await, test_store.invite(&tour, 1).await);
    for _ in 2..limits::INVITES_PER_PROJECT_MAX {
        test_store.invite(&tour, 1).await;
    }
    join(&test_store, "Coder", &tour, &used).await;
    test_store.invite(&tour, 1).await;
    test_store.store().revoke_invite(test_store.attribution(), &revoked.id).await.expect("revoked");
    test_store.invite(&tour, 1).await;
    assert_eq!(code(test_store.try_invite(test_store.new_invite(&tour, 1)).await), Some(Code::Full));
    test_store.clock().advance(limits::INVITE_SECONDS_DEFAULT as u32 * 1_000);
    test_store.invite(&tour, 1).await;
}

/// Each joining agent uses its invite once; an agent that is added without an invite uses none.
pub async fn joining_increments_the_uses_of_an_invite(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let (invite, other) = (test_store.invite(&tour, 3).await, test_store.invite(&tour, 3).await);
    for (number, name) in (1..).zip(["Coder", "Tester", "Writer"]) {
        join(&test_store, name, &tour, &invite).await;
        assert_eq!(uses(&test_store, &invite).await, number);
    }
    test_store.agent("Plain", &tour).await;
    assert_eq!((uses(&test_store, &invite).await, uses(&test_store, &other).await), (3, 0));
}

/// An invite that is used up, expired, revoked or unknown is refused, and nothing of the agent is stored.
pub async fn an_ended_invite_is_refused(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    let (used, revoked, unknown) =
        (test_store.invite(&tour, 1).await, test_store.invite(&tour, 1).await, test_store.new_invite(&tour, 1));
    join(&test_store, "Coder", &tour, &used).await;
    test_store.store().revoke_invite(test_store.attribution(), &revoked.id).await.expect("revoked");
    for invite in [&used, &revoked, &unknown] {
        assert_eq!(join_refused(&test_store, &tour, &mara, invite, "Tester").await, Code::InviteEnded);
    }
    let late = test_store.invite(&tour, 1).await;
    test_store.clock().advance(limits::INVITE_SECONDS_DEFAULT as u32 * 1_000);
    assert_eq!(join_refused(&test_store, &tour, &mara, &late, "Tester").await, Code::InviteEnded);
}

/// An attempt in another project does not use it up.
pub async fn an_invite_is_valid_for_its_own_project_only(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    let invite = test_store.invite(&test_store.project("Fair", &mara).await, 1).await;
    assert_eq!(join_refused(&test_store, &tour, &mara, &invite, "Coder").await, Code::InviteEnded);
    assert_eq!(uses(&test_store, &invite).await, 0);
}

/// A join that is refused for another reason does not use the invite; without an open invite no other reason is
/// returned.
pub async fn a_refused_join_does_not_use_an_invite(test_store: TestStore) {
    let (mara, tour) = fixture(&test_store).await;
    test_store.agent("Coder", &tour).await;
    let invite = test_store.invite(&tour, 1).await;
    assert_eq!(join_refused(&test_store, &tour, &mara, &invite, "coder").await, Code::NameTaken);
    assert_eq!(uses(&test_store, &invite).await, 0);
    join(&test_store, "Tester", &tour, &invite).await;
    assert_eq!(join_refused(&test_store, &tour, &mara, &invite, "coder").await, Code::InviteEnded);
}

/// A repeated join returns the first result and is counted once, even if its invite is used up.
pub async fn a_repeated_join_is_counted_once(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let invite = test_store.invite(&tour, 1).await;
    let agent = test_store.new_agent("Coder", &tour);
    let write = test_store.joining(agent.clone(), &invite);
    let first = test_store.change(&tour.id, &agent, write.clone()).await;
    assert_eq!(test_store.repeat(&tour.id, &agent, write).await, first);
    assert_eq!(uses(&test_store, &invite).await, 1);
}

pub async fn concurrent_joins_do_not_exceed_the_uses_of_an_invite(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    for uses_max in [1, 3] {
        let invite = test_store.invite(&tour, uses_max).await;
        let mut tasks = JoinSet::new();
        for number in 0..12 {
            let agent = test_store.new_agent(&format!("Agent {uses_max} of {number}"), &tour);
            let (test_store, write) = (test_store.clone(), test_store.joining(agent.clone(), &invite));
            tasks.spawn(async move { test_store.append(&agent.project_id, &agent, write).await });
        }
        let (joined, refused): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
        assert_eq!(joined.len(), uses_max as usize);
        assert!(joined.iter().flatten().all(|one| one.novelty == Novelty::New));
        assert!(refused.into_iter().all(|one| code(one) == Some(Code::InviteEnded)));
        assert_eq!(uses(&test_store, &invite).await, uses_max);
    }
}

pub async fn the_audit_log_names_invites_and_their_projects(test_store: TestStore) {
    let (_, tour) = fixture(&test_store).await;
    let invite = test_store.invite(&tour, 1).await;
    let said = |action: &str| (action.to_owned(), Some(tour.id.clone()), Some(invite.id.to_string()));
    assert_eq!(last_audit_entry(&test_store).await, said("invites.created"));
    test_store.store().revoke_invite(test_store.attribution(), &invite.id).await.expect("revoked");
    assert_eq!(last_audit_entry(&test_store).await, said("invites.revoked"));
}
