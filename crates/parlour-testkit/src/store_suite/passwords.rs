//! Passwords of people.

use parlour_core::{
    Code,
    attribution::Attribution,
    id::PersonId,
    member::Person,
    origin::{Origin, Surface},
    token::{NewToken, TokenKind},
};

use super::accounts::{code, noted, owner};
use crate::world::{Caller, World};

async fn set_password(world: &World, person: &Person, hash: &str) {
    world.store().set_password(world.attribution(), &person.id, hash.to_owned()).await.expect("set");
}

/// The name and password hash of whom a name signs in.
async fn record(world: &World, name: &str) -> Option<(String, Option<String>)> {
    let found = world.store().sign_in_record(&world.name(name)).await.expect("read");
    found.map(|(person, hash)| (person.name.to_string(), hash))
}

/// A token of each of these kinds, kept for a person.
async fn issue_all<const N: usize>(world: &World, person: &Person, kinds: [TokenKind; N]) -> Vec<NewToken> {
    let mut tokens = Vec::new();
    for kind in kinds {
        tokens.push(world.issue(world.token_of_kind(kind, &person.member())).await);
    }
    tokens
}

/// A person has no password until one is set; a later one takes the place of the earlier, and nobody else's changes.
pub async fn a_password_is_the_last_that_was_set(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    assert_eq!(world.store().sign_in_record(&mara.name).await.expect("read"), Some((mara.clone(), None)));
    set_password(&world, &bela, "other").await;
    for hash in ["first", "second"] {
        set_password(&world, &mara, hash).await;
        let found = world.store().sign_in_record(&mara.name).await.expect("read");
        assert_eq!(found, Some((mara.clone(), Some(hash.to_owned()))));
    }
    assert_eq!(record(&world, "Bela").await, Some(("Bela".to_owned(), Some("other".to_owned()))));
}

/// Whoever signs in may write the own name in any way that looks like it.
pub async fn a_person_signs_in_by_any_spelling_of_its_name(world: World) {
    set_password(&world, &world.person("Mara Lind").await, "hash").await;
    for name in ["Mara Lind", "mara lind", "MARA-LIND", "mara_lind"] {
        assert_eq!(record(&world, name).await, Some(("Mara Lind".to_owned(), Some("hash".to_owned()))), "{name}");
    }
    assert_eq!(record(&world, "Mara").await, None);
}

/// Agents do not sign in by their names.
pub async fn an_agent_has_no_sign_in_record(world: World) {
    let tour = world.project("Tour", &world.person("Mara").await).await;
    let coder = world.agent("Coder", &tour).await;
    assert_eq!(world.store().sign_in_record(&coder.name).await.expect("read"), None);
    world.person("Coder").await;
    assert_eq!(record(&world, "Coder").await, Some(("Coder".to_owned(), None)), "the person of that name");
}

/// A new password ends the person's sessions and links; tokens of scripts, and other people's sessions, stay.
pub async fn a_new_password_ends_sessions_and_links(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    let browsers = [TokenKind::Session, TokenKind::Session, TokenKind::Link];
    let ended = issue_all(&world, &mara, browsers).await;
    let scripts = [TokenKind::Static, TokenKind::Jwt, TokenKind::Certificate, TokenKind::External];
    let stay = [issue_all(&world, &mara, scripts).await, issue_all(&world, &bela, browsers).await].concat();
    set_password(&world, &mara, "hash").await;
    for token in ended {
        assert_eq!(owner(&world, &token).await, None, "{token:?}");
    }
    for token in stay {
        assert_eq!(owner(&world, &token).await.as_ref(), Some(&token.token.member_id), "{token:?}");
    }
}

/// The session in which a password is set stays.
pub async fn a_password_does_not_end_the_session_that_sets_it(world: World) {
    let mara = world.person("Mara").await;
    let sessions = issue_all(&world, &mara, [TokenKind::Session, TokenKind::Session]).await;
    let origin = Origin { surface: Surface::Http, token: Some(sessions[1].token.id.clone()) };
    let attribution = Attribution { actor: mara.author(), at: world.now(), origin };
    world.store().set_password(attribution, &mara.id, "hash".to_owned()).await.expect("set");
    assert_eq!(owner(&world, &sessions[0]).await, None);
    assert_eq!(owner(&world, &sessions[1]).await, Some(mara.member()));
}

/// A person who does not exist has no password.
pub async fn a_password_for_nobody_is_refused(world: World) {
    let nobody = PersonId::from_bits(world.bits());
    let refused = world.store().set_password(world.attribution(), &nobody, "hash".to_owned()).await;
    assert_eq!(code(refused), Some(Code::NotFound));
}

/// The audit log says whose password was set.
pub async fn the_audit_log_names_the_person_of_a_password(world: World) {
    let mara = world.person("Mara").await;
    set_password(&world, &mara, "hash").await;
    assert_eq!(noted(&world).await, ("passwords.set".into(), None, Some(mara.id.to_string())));
}
