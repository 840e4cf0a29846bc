//! Links that somebody signs in with: each becomes one session.

use parlour_core::{
    Code,
    id::PersonId,
    limits,
    token::{NewToken, Token, TokenHash, TokenKind},
};
use tokio::task::JoinSet;

use super::accounts::{code, noted, owner};
use crate::world::{Caller, World};
use parlour_hub::Failure;

fn hash(link: &NewToken) -> TokenHash {
    *link.key.hash().expect("a link is known by its hash")
}

/// A session that names nobody: who has signed in is for the link to say.
fn session(world: &World) -> NewToken {
    world.token_of_kind(TokenKind::Session, &PersonId::from_bits(world.bits()).into())
}

async fn redeem(world: &World, link: &NewToken, session: &NewToken) -> Result<Token, Failure> {
    world.store().redeem_link(world.attribution(), &hash(link), session.clone()).await
}

/// A link becomes a session of its own member, whoever the session names, and is gone.
pub async fn a_link_becomes_a_session_of_its_member(world: World) {
    let mara = world.person("Mara").await;
    let link = world.issue(world.token_of_kind(TokenKind::Link, &mara.member())).await;
    let session = session(&world);
    let token = redeem(&world, &link, &session).await.expect("signed in");
    assert_eq!(token, Token { member_id: mara.member(), ..session.token.clone() });
    assert_eq!(owner(&world, &session).await, Some(mara.member()));
    assert_eq!(world.store().token(&token.id).await.expect("read"), Some(token));
    assert_eq!(owner(&world, &link).await, None);
    assert_eq!(world.store().token(&link.token.id).await.expect("read"), None);
}

/// A link that was used is refused, and so are one that has ended and one that never was; no session comes of it.
pub async fn a_link_that_is_no_good_is_refused(world: World) {
    let mara = world.person("Mara").await;
    let mut ended = world.token_of_kind(TokenKind::Link, &mara.member());
    ended.token.expires_at = Some(world.now().plus_millis(10));
    let used = world.token_of_kind(TokenKind::Link, &mara.member());
    for link in [&ended, &used] {
        world.issue(link.clone()).await;
    }
    redeem(&world, &used, &session(&world)).await.expect("signed in");
    world.clock().advance(10);
    let unknown = world.token_of_kind(TokenKind::Link, &mara.member());
    for (what, link) in [("ended", ended), ("used", used), ("unknown", unknown)] {
        let session = session(&world);
        assert_eq!(code(redeem(&world, &link, &session).await), Some(Code::SignInFailed), "{what}");
        assert_eq!(owner(&world, &session).await, None, "{what}");
    }
}

/// A link works until the moment before its end.
pub async fn a_link_works_until_its_end(world: World) {
    let mara = world.person("Mara").await;
    let mut link = world.token_of_kind(TokenKind::Link, &mara.member());
    link.token.expires_at = Some(world.now().plus_millis(10));
    world.issue(link.clone()).await;
    world.clock().advance(9);
    redeem(&world, &link, &session(&world)).await.expect("signed in");
}

/// Only links are redeemed: the hash of another kind of token is refused, and that token stays.
pub async fn other_tokens_are_no_links(world: World) {
    let mara = world.person("Mara").await;
    for kind in [TokenKind::Static, TokenKind::Session, TokenKind::Certificate, TokenKind::External] {
        let other = world.issue(world.token_of_kind(kind, &mara.member())).await;
        assert_eq!(code(redeem(&world, &other, &session(&world)).await), Some(Code::SignInFailed), "{kind:?}");
        assert_eq!(owner(&world, &other).await, Some(mara.member()), "{kind:?}");
    }
}

/// When the session cannot be kept, the link is not used up.
pub async fn a_link_is_not_used_up_without_a_session(world: World) {
    let mara = world.person("Mara").await;
    let link = world.issue(world.token_of_kind(TokenKind::Link, &mara.member())).await;
    let taken = world.issue(world.token_of_kind(TokenKind::Session, &mara.member())).await;
    assert_eq!(code(redeem(&world, &link, &taken).await), Some(Code::OutOfBounds));
    redeem(&world, &link, &session(&world)).await.expect("signed in");
}

/// A session takes the place of its link, so a member with as many tokens as it may have can still sign in.
pub async fn a_session_takes_the_place_of_its_link(world: World) {
    let mara = world.person("Mara").await;
    let link = world.issue(world.token_of_kind(TokenKind::Link, &mara.member())).await;
    for _ in 2..limits::TOKENS_PER_MEMBER_MAX {
        world.issue(world.token(&mara.member())).await;
    }
    assert_eq!(code(world.try_issue(&world.token(&mara.member())).await), Some(Code::Full));
    redeem(&world, &link, &session(&world)).await.expect("signed in");
}

/// Of many who redeem one link at once, one gets a session.
pub async fn of_many_who_redeem_one_link_one_gets_in(world: World) {
    let mara = world.person("Mara").await;
    let link = world.issue(world.token_of_kind(TokenKind::Link, &mara.member())).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (world, link, session) = (world.clone(), link.clone(), session(&world));
        tasks.spawn(async move {
            let is_told = redeem(&world, &link, &session).await.is_ok();
            assert_eq!(owner(&world, &session).await.is_some(), is_told);
            is_told
        });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|is_in| *is_in).count(), 1);
}

/// The audit log says which link has become which session.
pub async fn the_audit_log_names_a_link_and_its_session(world: World) {
    let mara = world.person("Mara").await;
    let link = world.issue(world.token_of_kind(TokenKind::Link, &mara.member())).await;
    let token = redeem(&world, &link, &session(&world)).await.expect("signed in");
    let subject = format!("{}/{}", link.token.id, token.id);
    assert_eq!(noted(&world).await, ("links.redeemed".into(), None, Some(subject)));
}
