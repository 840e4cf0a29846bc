//! Invites of agents: each lets in as many as it says, until its end.

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

use super::accounts::{code, noted};
use crate::world::{Caller, World, check_pages};

async fn stage(world: &World) -> (Person, Project) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    (mara, tour)
}

async fn uses(world: &World, invite: &Invite) -> u32 {
    world.store().invite(&invite.id).await.expect("read").expect("an invite").uses
}

/// Lets an agent join, which must succeed.
async fn join(world: &World, name: &str, tour: &Project, invite: &Invite) -> Agent {
    let agent = world.new_agent(name, tour);
    world.change(&tour.id, &agent, world.joining(agent.clone(), invite)).await;
    agent
}

/// Lets an agent try to join, which must be refused and leave no trace.
async fn check_refused(world: &World, tour: &Project, owner: &Person, invite: &Invite, name: &str) -> Code {
    let agent = world.new_agent(name, tour);
    let write = world.joining(agent.clone(), invite);
    let Write::CreateAgent(_, token, _) = write.clone() else { unreachable!("an agent joins") };
    let before = world.snapshot(tour, &[owner]).await;
    let code = world.refusal(&tour.id, &agent, write).await;
    assert_eq!(world.snapshot(tour, &[owner]).await, before, "{code:?}");
    assert_eq!(world.store().principal(&token.key).await.expect("read"), None, "{code:?}");
    code
}

/// An invite is read by its id and by its code as it was made; an unknown one is none.
pub async fn an_invite_is_read_as_it_was_made(world: World) {
    let (_, tour) = stage(&world).await;
    for role in JoinRole::ALL {
        let invite = Invite { role: *role, label: format!("for {}", role.as_str()), ..world.new_invite(&tour, 3) };
        let hash = world.secret();
        let added = world.store().add_invite(world.attribution(), invite.clone(), hash).await.expect("added");
        assert_eq!(added, invite);
        assert_eq!(world.store().invite(&invite.id).await.expect("read"), Some(invite.clone()));
        assert_eq!(world.store().invite_by_code(&hash).await.expect("read"), Some(invite));
    }
    assert_eq!(world.store().invite(&InviteId::from_bits(world.bits())).await.expect("read"), None);
    assert_eq!(world.store().invite_by_code(&world.secret()).await.expect("read"), None);
}

/// An invite into no project, by nobody or with a code that another one has is refused.
pub async fn an_invite_that_cannot_be_is_refused(world: World) {
    let (_, tour) = stage(&world).await;
    let hash = world.secret();
    let first = world.new_invite(&tour, 1);
    world.store().add_invite(world.attribution(), first.clone(), hash).await.expect("added");
    let nowhere = Invite { project_id: ProjectId::from_bits(world.bits()), ..world.new_invite(&tour, 1) };
    assert_eq!(code(world.try_invite(nowhere).await), Some(Code::NotFound));
    let by_nobody = Invite { created_by: PersonId::from_bits(world.bits()).into(), ..world.new_invite(&tour, 1) };
    assert_eq!(code(world.try_invite(by_nobody).await), Some(Code::NotFound));
    let second = world.store().add_invite(world.attribution(), world.new_invite(&tour, 1), hash).await;
    assert_eq!(code(second), Some(Code::OutOfBounds));
    assert_eq!(world.store().invite_by_code(&hash).await.expect("read"), Some(first));
}

/// The invites of a project are listed oldest first on pages of any size, ended ones too and no other project's.
pub async fn the_invites_of_a_project_are_listed_oldest_first(world: World) {
    let (mara, tour) = stage(&world).await;
    let fair = world.project("Fair", &mara).await;
    let mut expected = Vec::new();
    for uses_max in 1..=3 {
        world.invite(&fair, uses_max).await;
        expected.push(world.invite(&tour, uses_max).await);
    }
    join(&world, "Coder", &tour, &expected[0]).await;
    world.clock().advance(limits::INVITE_SECONDS_MAX as u32 * 1_000);
    let ids: Vec<_> = expected.iter().map(|invite| invite.id.to_string()).collect();
    let key = |invite: &Invite| invite.id.to_string();
    check_pages(&ids, key, async |page| world.store().invites(&tour.id, &page).await).await;
    let nowhere = ProjectId::from_bits(world.bits());
    assert_eq!(world.store().invites(&nowhere, &PageRequest::first()).await.expect("read").items, []);
}

/// A page of invites goes on only from an invite of the same project.
pub async fn another_projects_invite_is_no_key(world: World) {
    let (mara, tour) = stage(&world).await;
    let theirs = world.invite(&world.project("Fair", &mara).await, 1).await.id.to_string();
    for key in [theirs.as_str(), "inv_none", "zzz"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("a page");
        assert_eq!(code(world.store().invites(&tour.id, &page).await), Some(Code::BadQuery), "{key}");
    }
}

/// An invite that was taken back is answered once more and is unknown from then on; the agents that it let in stay.
pub async fn an_invite_that_was_taken_back_is_unknown(world: World) {
    let (_, tour) = stage(&world).await;
    let (invite, hash) = (world.new_invite(&tour, 5), world.secret());
    world.store().add_invite(world.attribution(), invite.clone(), hash).await.expect("added");
    let stays = world.invite(&tour, 5).await;
    let coder = join(&world, "Coder", &tour, &invite).await;
    let revoked = world.store().revoke_invite(world.attribution(), &invite.id).await.expect("taken back");
    assert_eq!(revoked, Invite { uses: 1, ..invite.clone() });
    assert_eq!(world.store().invite(&invite.id).await.expect("read"), None);
    assert_eq!(world.store().invite_by_code(&hash).await.expect("read"), None);
    assert_eq!(world.store().invites(&tour.id, &PageRequest::first()).await.expect("read").items, [stays]);
    assert_eq!(code(world.store().revoke_invite(world.attribution(), &invite.id).await), Some(Code::NotFound), "once");
    assert!(world.store().is_member(&tour.id, &coder.member()).await.expect("read"));
}

/// A project has a bounded number of open invites; other projects' do not count.
pub async fn a_project_has_a_bounded_number_of_open_invites(world: World) {
    let (mara, tour) = stage(&world).await;
    let fair = world.project("Fair", &mara).await;
    for _ in 0..limits::INVITES_PER_PROJECT_MAX {
        world.invite(&tour, 1).await;
    }
    let refused = world.new_invite(&tour, 1);
    assert_eq!(code(world.try_invite(refused.clone()).await), Some(Code::Full));
    assert_eq!(world.store().invite(&refused.id).await.expect("read"), None);
    world.invite(&fair, 1).await;
}

/// Invites that are used up, were taken back or have ended make room for others.
pub async fn invites_that_have_ended_make_room(world: World) {
    let (_, tour) = stage(&world).await;
    let (used, revoked) = (world.invite(&tour, 1).await, world.invite(&tour, 1).await);
    for _ in 2..limits::INVITES_PER_PROJECT_MAX {
        world.invite(&tour, 1).await;
    }
    join(&world, "Coder", &tour, &used).await;
    world.invite(&tour, 1).await;
    world.store().revoke_invite(world.attribution(), &revoked.id).await.expect("taken back");
    world.invite(&tour, 1).await;
    assert_eq!(code(world.try_invite(world.new_invite(&tour, 1)).await), Some(Code::Full));
    world.clock().advance(limits::INVITE_SECONDS_DEFAULT as u32 * 1_000);
    world.invite(&tour, 1).await;
}

/// Every agent that joins uses its invite once more, and an agent that needs none uses none.
pub async fn joining_uses_an_invite_once_more(world: World) {
    let (_, tour) = stage(&world).await;
    let (invite, other) = (world.invite(&tour, 3).await, world.invite(&tour, 3).await);
    for (number, name) in (1..).zip(["Coder", "Tester", "Writer"]) {
        join(&world, name, &tour, &invite).await;
        assert_eq!(uses(&world, &invite).await, number);
    }
    world.agent("Plain", &tour).await;
    assert_eq!((uses(&world, &invite).await, uses(&world, &other).await), (3, 0));
}

/// An invite that is used up, has ended, was taken back or never was lets nobody in, and nothing of the agent stays.
pub async fn an_invite_that_has_ended_lets_nobody_in(world: World) {
    let (mara, tour) = stage(&world).await;
    let (used, revoked, unknown) =
        (world.invite(&tour, 1).await, world.invite(&tour, 1).await, world.new_invite(&tour, 1));
    join(&world, "Coder", &tour, &used).await;
    world.store().revoke_invite(world.attribution(), &revoked.id).await.expect("taken back");
    for invite in [&used, &revoked, &unknown] {
        assert_eq!(check_refused(&world, &tour, &mara, invite, "Tester").await, Code::InviteEnded);
    }
    let late = world.invite(&tour, 1).await;
    world.clock().advance(limits::INVITE_SECONDS_DEFAULT as u32 * 1_000);
    assert_eq!(check_refused(&world, &tour, &mara, &late, "Tester").await, Code::InviteEnded);
}

/// An invite lets into its own project only, and a try elsewhere does not use it up.
pub async fn an_invite_is_for_its_own_project(world: World) {
    let (mara, tour) = stage(&world).await;
    let invite = world.invite(&world.project("Fair", &mara).await, 1).await;
    assert_eq!(check_refused(&world, &tour, &mara, &invite, "Coder").await, Code::InviteEnded);
    assert_eq!(uses(&world, &invite).await, 0);
}

/// Whoever cannot join for another reason uses no invite up; whoever has none that is open is told no other reason.
pub async fn a_refused_join_uses_nothing_up(world: World) {
    let (mara, tour) = stage(&world).await;
    world.agent("Coder", &tour).await;
    let invite = world.invite(&tour, 1).await;
    assert_eq!(check_refused(&world, &tour, &mara, &invite, "coder").await, Code::NameTaken);
    assert_eq!(uses(&world, &invite).await, 0);
    join(&world, "Tester", &tour, &invite).await;
    assert_eq!(check_refused(&world, &tour, &mara, &invite, "coder").await, Code::InviteEnded);
}

/// A join that is asked for again is answered like the first and counted once, even when its invite is used up.
pub async fn a_repeated_join_is_counted_once(world: World) {
    let (_, tour) = stage(&world).await;
    let invite = world.invite(&tour, 1).await;
    let agent = world.new_agent("Coder", &tour);
    let write = world.joining(agent.clone(), &invite);
    let first = world.change(&tour.id, &agent, write.clone()).await;
    assert_eq!(world.repeat(&tour.id, &agent, write).await, first);
    assert_eq!(uses(&world, &invite).await, 1);
}

/// Of many agents that join at once by one invite, as many are let in as it says.
pub async fn of_many_who_join_at_once_as_many_get_in_as_the_invite_says(world: World) {
    let (_, tour) = stage(&world).await;
    for uses_max in [1, 3] {
        let invite = world.invite(&tour, uses_max).await;
        let mut tasks = JoinSet::new();
        for number in 0..12 {
            let agent = world.new_agent(&format!("Agent {uses_max} of {number}"), &tour);
            let (world, write) = (world.clone(), world.joining(agent.clone(), &invite));
            tasks.spawn(async move { world.append(&agent.project_id, &agent, write).await });
        }
        let (joined, refused): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
        assert_eq!(joined.len(), uses_max as usize);
        assert!(joined.iter().flatten().all(|one| one.novelty == Novelty::New));
        assert!(refused.into_iter().all(|one| code(one) == Some(Code::InviteEnded)));
        assert_eq!(uses(&world, &invite).await, uses_max);
    }
}

/// The audit log says which invite it was, and into which project.
pub async fn the_audit_log_names_invites_and_their_projects(world: World) {
    let (_, tour) = stage(&world).await;
    let invite = world.invite(&tour, 1).await;
    let said = |action: &str| (action.to_owned(), Some(tour.id.clone()), Some(invite.id.to_string()));
    assert_eq!(noted(&world).await, said("invites.created"));
    world.store().revoke_invite(world.attribution(), &invite.id).await.expect("taken back");
    assert_eq!(noted(&world).await, said("invites.revoked"));
}
