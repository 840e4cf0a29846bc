//! People and tokens.

use parlour_core::{
    Code,
    access::Role,
    audit::AuditFilter,
    id::{AgentId, MemberId, PersonId, ProjectId},
    member::Person,
    paging::PageRequest,
    token::{NewToken, OtherTokens},
};

use crate::world::{Caller, World, check_pages};
use parlour_hub::Failure;

/// The code of a refusal.
pub(super) fn code<T>(result: Result<T, Failure>) -> Option<Code> {
    result.err().and_then(|failure| failure.refusal().map(|refusal| refusal.code))
}

/// What the newest entry of the audit log says was done, in which project and on what.
pub(super) async fn noted(world: &World) -> (String, Option<ProjectId>, Option<String>) {
    let page = PageRequest::new(None, Some(1)).expect("a page");
    let mut newest = world.store().audit(&AuditFilter::default(), &page).await.expect("entries");
    let entry = newest.items.pop().expect("an entry");
    (entry.action, entry.project_id, entry.subject)
}

/// Whom a token lets in.
pub(super) async fn owner(world: &World, token: &NewToken) -> Option<MemberId> {
    world.store().principal(&token.key).await.expect("principal").map(|caller| caller.member)
}

/// A person is read as it was added, and an unknown one is none.
pub async fn a_person_is_read_as_it_was_added(world: World) {
    let person = Person { is_admin: true, ..world.new_person("Mara") };
    let added = world
        .store()
        .create_person(world.attribution(), person.clone(), world.token(&person.member()))
        .await
        .expect("added");
    assert_eq!(added, person);
    assert_eq!(noted(&world).await, ("people.created".into(), None, Some(person.id.to_string())));
    assert_eq!(world.store().person(&person.id).await.expect("read"), Some(person));
    assert_eq!(world.store().person(&PersonId::from_bits(world.bits())).await.expect("read"), None);
}

/// A token leads to its owner, its name and its role; another token to nobody.
pub async fn a_token_tells_who_is_calling(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    for is_admin in [false, true] {
        let person = Person { is_admin, ..world.new_person(if is_admin { "Ada" } else { "Bela" }) };
        let token = world.token(&person.member());
        world.store().create_person(world.attribution(), person.clone(), token.clone()).await.expect("added");
        assert_eq!(owner(&world, &token).await, Some(person.member()));
    }
    let coder = world.new_agent("Coder", &tour);
    let token = world.token(&coder.member());
    let write = parlour_core::write::Write::CreateAgent(coder.clone(), token.clone(), None);
    world.change(&tour.id, &mara, write).await;
    let principal = world.store().principal(&token.key).await.expect("principal").expect("an agent");
    assert_eq!(principal.role, Role::Agent(tour.id));
    assert_eq!((principal.member, principal.name), (coder.member(), coder.name.clone()));
    assert_eq!(owner(&world, &world.token(&coder.member())).await, None);
}

/// A name that looks like another person's is refused, and nothing of the refused person stays, its token included.
pub async fn a_look_alike_person_is_refused_and_leaves_no_trace(world: World) {
    let mara = world.person("Mara Lind").await;
    for name in ["Mara Lind", "mara lind", "MARA-LIND", "Mara Iind"] {
        let person = world.new_person(name);
        let token = world.token(&person.member());
        let refused = world.store().create_person(world.attribution(), person, token.clone()).await;
        assert_eq!(code(refused), Some(Code::NameTaken), "{name}");
        assert_eq!(owner(&world, &token).await, None, "{name}");
    }
    let people = world.store().people(&PageRequest::first()).await.expect("people");
    assert_eq!(people.items, [mara]);
}

/// People are listed oldest first on pages of any size.
pub async fn people_are_listed_oldest_first(world: World) {
    let mut expected = Vec::new();
    for name in ["Zoe", "Mara", "Ada"] {
        expected.push(world.person(name).await.id.to_string());
    }
    let key = |person: &Person| person.id.to_string();
    check_pages(&expected, key, async |page| world.store().people(&page).await).await;
}

/// A new token takes the place of all that the member had; other members keep theirs.
pub async fn a_new_token_replaces_the_old_ones(world: World) {
    let (mara, other) = (world.person("Mara").await, world.person("Bela").await);
    let kept = world.token(&other.member());
    world.store().add_token(world.attribution(), kept.clone(), OtherTokens::Stay).await.expect("kept");
    let mut old = world.token(&mara.member());
    world.store().add_token(world.attribution(), old.clone(), OtherTokens::Stay).await.expect("kept");
    for _ in 0..2 {
        let new = world.token(&mara.member());
        world.store().add_token(world.attribution(), new.clone(), OtherTokens::End).await.expect("replaced");
        assert_eq!(owner(&world, &old).await, None);
        assert_eq!(owner(&world, &new).await, Some(mara.member()));
        old = new;
    }
    assert_eq!(owner(&world, &kept).await, Some(other.member()));
}

/// An agent's token can be replaced too.
pub async fn an_agents_token_can_be_replaced(world: World) {
    let tour = world.project("Tour", &world.person("Mara").await).await;
    let coder = world.agent("Coder", &tour).await;
    let token = world.token(&coder.member());
    world.store().add_token(world.attribution(), token.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(owner(&world, &token).await, Some(coder.member()));
}

/// A token for a member that does not exist is refused and leads to nobody.
pub async fn a_token_for_nobody_is_refused(world: World) {
    let person = MemberId::from(PersonId::from_bits(world.bits()));
    let agent = MemberId::from(AgentId::from_bits(world.bits()));
    for nobody in [person, agent] {
        let token = world.token(&nobody);
        let added = world.store().add_token(world.attribution(), token.clone(), OtherTokens::Stay).await;
        assert_eq!(code(added), Some(Code::NotFound), "{nobody}");
        assert_eq!(owner(&world, &token).await, None);
    }
}

/// A caller is shown with the name that it has now.
pub async fn a_renamed_agent_is_shown_by_its_new_name(world: World) {
    use parlour_core::{member::AgentPatch, write::Write};
    let tour = world.project("Tour", &world.person("Mara").await).await;
    let coder = world.agent("Coder", &tour).await;
    let token = world.token(&coder.member());
    world.store().add_token(world.attribution(), token.clone(), OtherTokens::Stay).await.expect("token");
    assert_eq!(owner(&world, &token).await, Some(coder.member()), "seen by its old name first");
    let patch = AgentPatch { name: Some(world.name("Builder")), ..AgentPatch::default() };
    world.change(&tour.id, &coder, Write::UpdateAgent(coder.id.clone(), patch)).await;
    let principal = world.store().principal(&token.key).await.expect("principal").expect("an agent");
    assert_eq!(principal.name, world.name("Builder"));
}
