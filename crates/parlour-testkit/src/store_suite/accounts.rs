//! People, their passwords, and the token of each member.

use parlour_core::{
    Code,
    access::Role,
    attribution::{Attribution, Origin, Surface},
    audit::AuditFilter,
    id::{AgentId, MemberId, PersonId, ProjectId},
    member::Person,
    paging::PageRequest,
    token::{NewToken, OtherTokens, TokenKind},
};
use parlour_hub::Failure;

use crate::test_store::{TestMember, TestStore, check_pages};

pub(super) fn code<T>(result: Result<T, Failure>) -> Option<Code> {
    result.err().and_then(|failure| failure.refusal().map(|refusal| refusal.code))
}

/// The action, project and subject of the newest entry of the audit log.
pub(super) async fn last_audit_entry(test_store: &TestStore) -> (String, Option<ProjectId>, Option<String>) {
    let page = PageRequest::new(None, Some(1)).expect("a page");
    let mut newest = test_store.store().audit(&AuditFilter::default(), &page).await.expect("entries");
    let entry = newest.items.pop().expect("an entry");
    (entry.action, entry.project_id, entry.subject)
}

/// The member that a token authenticates.
pub(super) async fn token_owner(test_store: &TestStore, token: &NewToken) -> Option<MemberId> {
    test_store.store().principal(&token.key).await.expect("principal").map(|caller| caller.member)
}

/// A person is read with every field; an unknown one is none.
pub async fn a_person_is_read_as_it_was_added(test_store: TestStore) {
    let person = Person { is_admin: true, ..test_store.new_person("Mara") };
    let added = test_store
        .store()
        .create_person(test_store.attribution(), person.clone(), test_store.token(&person.member()))
        .await
        .expect("added");
    assert_eq!(added, person);
    assert_eq!(last_audit_entry(&test_store).await, ("people.created".into(), None, Some(person.id.to_string())));
    assert_eq!(test_store.store().person(&person.id).await.expect("read"), Some(person));
    assert_eq!(test_store.store().person(&PersonId::from_bits(test_store.bits())).await.expect("read"), None);
}

/// A token returns the member, its name and its role; an unknown token returns none.
pub async fn a_token_identifies_its_member(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    for is_admin in [false, true] {
        let person = Person { is_admin, ..test_store.new_person(if is_admin { "Ada" } else { "Bela" }) };
        let token = test_store.token(&person.member());
        test_store.store().create_person(test_store.attribution(), person.clone(), token.clone()).await.expect("added");
        assert_eq!(token_owner(&test_store, &token).await, Some(person.member()));
    }
    let coder = test_store.new_agent("Coder", &tour);
    let token = test_store.token(&coder.member());
    let write = parlour_core::write::Write::CreateAgent(coder.clone(), token.clone(), None);
    test_store.change(&tour.id, &mara, write).await;
    let principal = test_store.store().principal(&token.key).await.expect("principal").expect("an agent");
    assert_eq!(principal.role, Role::Agent(tour.id));
    assert_eq!((principal.member, principal.name), (coder.member(), coder.name.clone()));
    assert_eq!(token_owner(&test_store, &test_store.token(&coder.member())).await, None);
}

/// A name that is confusable with another person's is refused, and neither the person nor its token is stored.
pub async fn a_person_with_a_confusable_name_is_refused(test_store: TestStore) {
    let mara = test_store.person("Mara Lind").await;
    for name in ["Mara Lind", "mara lind", "MARA-LIND", "Mara Iind"] {
        let person = test_store.new_person(name);
        let token = test_store.token(&person.member());
        let refused = test_store.store().create_person(test_store.attribution(), person, token.clone()).await;
        assert_eq!(code(refused), Some(Code::NameTaken), "{name}");
        assert_eq!(token_owner(&test_store, &token).await, None, "{name}");
    }
    let people = test_store.store().people(&PageRequest::first()).await.expect("people");
    assert_eq!(people.items, [mara]);
}

pub async fn people_are_listed_oldest_first(test_store: TestStore) {
    let mut expected = Vec::new();
    for name in ["Zoe", "Mara", "Ada"] {
        expected.push(test_store.person(name).await.id.to_string());
    }
    let key = |person: &Person| person.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().people(&page).await).await;
}

/// A new token replaces all tokens of the member; other members keep theirs.
pub async fn a_new_token_replaces_the_old_ones(test_store: TestStore) {
    let (mara, other) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let kept = test_store.token(&other.member());
    test_store.store().add_token(test_store.attribution(), kept.clone(), OtherTokens::Stay).await.expect("kept");
    let mut old = test_store.token(&mara.member());
    test_store.store().add_token(test_store.attribution(), old.clone(), OtherTokens::Stay).await.expect("kept");
    for _ in 0..2 {
        let new = test_store.token(&mara.member());
        test_store.store().add_token(test_store.attribution(), new.clone(), OtherTokens::End).await.expect("replaced");
        assert_eq!(token_owner(&test_store, &old).await, None);
        assert_eq!(token_owner(&test_store, &new).await, Some(mara.member()));
        old = new;
    }
    assert_eq!(token_owner(&test_store, &kept).await, Some(other.member()));
}

pub async fn an_agents_token_can_be_replaced(test_store: TestStore) {
    let tour = test_store.project("Tour", &test_store.person("Mara").await).await;
    let coder = test_store.agent("Coder", &tour).await;
    let token = test_store.token(&coder.member());
    test_store.store().add_token(test_store.attribution(), token.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(token_owner(&test_store, &token).await, Some(coder.member()));
}

pub async fn a_token_for_an_unknown_member_is_refused(test_store: TestStore) {
    let person = MemberId::from(PersonId::from_bits(test_store.bits()));
    let agent = MemberId::from(AgentId::from_bits(test_store.bits()));
    for nobody in [person, agent] {
        let token = test_store.token(&nobody);
        let added = test_store.store().add_token(test_store.attribution(), token.clone(), OtherTokens::Stay).await;
        assert_eq!(code(added), Some(Code::NotFound), "{nobody}");
        assert_eq!(token_owner(&test_store, &token).await, None);
    }
}

/// A principal has the current name of the agent.
pub async fn a_renamed_agent_is_shown_by_its_new_name(test_store: TestStore) {
    use parlour_core::{member::AgentPatch, write::Write};
    let tour = test_store.project("Tour", &test_store.person("Mara").await).await;
    let coder = test_store.agent("Coder", &tour).await;
    let token = test_store.token(&coder.member());
    test_store.store().add_token(test_store.attribution(), token.clone(), OtherTokens::Stay).await.expect("token");
    assert_eq!(token_owner(&test_store, &token).await, Some(coder.member()), "seen by its old name first");
    let patch = AgentPatch { name: Some(test_store.name("Builder")), ..AgentPatch::default() };
    test_store.change(&tour.id, &coder, Write::UpdateAgent(coder.id.clone(), patch)).await;
    let principal = test_store.store().principal(&token.key).await.expect("principal").expect("an agent");
    assert_eq!(principal.name, test_store.name("Builder"));
}

async fn set_password(test_store: &TestStore, person: &Person, hash: &str) {
    test_store.store().set_password(test_store.attribution(), &person.id, hash.to_owned()).await.expect("set");
}

/// The name and password hash of the person whom this name identifies.
async fn sign_in_name_and_hash(test_store: &TestStore, name: &str) -> Option<(String, Option<String>)> {
    let found = test_store.store().sign_in_record(&test_store.name(name)).await.expect("read");
    found.map(|(person, hash)| (person.name.to_string(), hash))
}

/// Issues a token of each of these kinds to a person.
async fn issue_all<const N: usize>(test_store: &TestStore, person: &Person, kinds: [TokenKind; N]) -> Vec<NewToken> {
    let mut tokens = Vec::new();
    for kind in kinds {
        tokens.push(test_store.issue(test_store.token_of_kind(kind, &person.member())).await);
    }
    tokens
}

/// A person has no password until one is set; a later one replaces it, and nobody else's changes.
pub async fn the_latest_password_is_stored(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    assert_eq!(test_store.store().sign_in_record(&mara.name).await.expect("read"), Some((mara.clone(), None)));
    set_password(&test_store, &bela, "other").await;
    for hash in ["first", "second"] {
        set_password(&test_store, &mara, hash).await;
        let found = test_store.store().sign_in_record(&mara.name).await.expect("read");
        assert_eq!(found, Some((mara.clone(), Some(hash.to_owned()))));
    }
    assert_eq!(sign_in_name_and_hash(&test_store, "Bela").await, Some(("Bela".to_owned(), Some("other".to_owned()))));
}

pub async fn a_person_is_found_by_any_confusable_spelling_of_its_name(test_store: TestStore) {
    set_password(&test_store, &test_store.person("Mara Lind").await, "hash").await;
    for name in ["Mara Lind", "mara lind", "MARA-LIND", "mara_lind"] {
        assert_eq!(
            sign_in_name_and_hash(&test_store, name).await,
            Some(("Mara Lind".to_owned(), Some("hash".to_owned()))),
            "{name}"
        );
    }
    assert_eq!(sign_in_name_and_hash(&test_store, "Mara").await, None);
}

pub async fn an_agent_has_no_sign_in_record(test_store: TestStore) {
    let tour = test_store.project("Tour", &test_store.person("Mara").await).await;
    let coder = test_store.agent("Coder", &tour).await;
    assert_eq!(test_store.store().sign_in_record(&coder.name).await.expect("read"), None);
    test_store.person("Coder").await;
    assert_eq!(
        sign_in_name_and_hash(&test_store, "Coder").await,
        Some(("Coder".to_owned(), None)),
        "the person of that name"
    );
}

/// A new password deletes the person's sessions and links; static tokens, and other people's sessions, stay.
pub async fn a_new_password_deletes_sessions_and_links(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let browsers = [TokenKind::Session, TokenKind::Session, TokenKind::Link];
    let ended = issue_all(&test_store, &mara, browsers).await;
    let scripts = [TokenKind::Static, TokenKind::Jwt, TokenKind::Certificate, TokenKind::External];
    let stay = [issue_all(&test_store, &mara, scripts).await, issue_all(&test_store, &bela, browsers).await].concat();
    set_password(&test_store, &mara, "hash").await;
    for token in ended {
        assert_eq!(token_owner(&test_store, &token).await, None, "{token:?}");
    }
    for token in stay {
        assert_eq!(token_owner(&test_store, &token).await.as_ref(), Some(&token.token.member_id), "{token:?}");
    }
}

pub async fn a_new_password_keeps_the_session_that_sets_it(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let sessions = issue_all(&test_store, &mara, [TokenKind::Session, TokenKind::Session]).await;
    let origin = Origin { surface: Surface::Http, token: Some(sessions[1].token.id.clone()) };
    let attribution = Attribution { actor: mara.author(), at: test_store.now(), origin };
    test_store.store().set_password(attribution, &mara.id, "hash".to_owned()).await.expect("set");
    assert_eq!(token_owner(&test_store, &sessions[0]).await, None);
    assert_eq!(token_owner(&test_store, &sessions[1]).await, Some(mara.member()));
}

pub async fn a_password_for_an_unknown_person_is_refused(test_store: TestStore) {
    let nobody = PersonId::from_bits(test_store.bits());
    let refused = test_store.store().set_password(test_store.attribution(), &nobody, "hash".to_owned()).await;
    assert_eq!(code(refused), Some(Code::NotFound));
}

pub async fn the_audit_log_names_the_person_of_a_password(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    set_password(&test_store, &mara, "hash").await;
    assert_eq!(last_audit_entry(&test_store).await, ("passwords.set".into(), None, Some(mara.id.to_string())));
}
