//! Tokens: known by their own kind of key, bounded in number, ended for good.

use parlour_core::{
    Code, Timestamp,
    access::{Grant, Role},
    id::{MemberId, PersonId, TokenId},
    limits,
    origin::{Origin, Surface},
    paging::PageRequest,
    scope::{Scope, Scopes},
    token::{ActsAs, NewToken, OtherTokens, ProgramType, Token, TokenKey, TokenKind},
    write::Write,
};
use tokio::task::JoinSet;

use super::accounts::{code, noted, owner};
use crate::world::{Caller, World, check_pages, read_all};

const KINDS: [TokenKind; 6] = [
    TokenKind::Static,
    TokenKind::Jwt,
    TokenKind::Session,
    TokenKind::Link,
    TokenKind::Certificate,
    TokenKind::External,
];

/// The ids of the tokens that a member has, the one included that it was made with.
async fn kept(world: &World, member: &MemberId) -> Vec<TokenId> {
    let tokens = read_all(7, async |page| world.store().tokens(member, &page).await).await;
    tokens.into_iter().map(|token| token.id).collect()
}

/// Gives a member as many tokens as it may have, of which one is there already.
async fn fill(world: &World, member: &MemberId, expires_at: Option<Timestamp>) {
    for _ in 1..limits::TOKENS_PER_MEMBER_MAX {
        let mut new = world.token(member);
        new.token.expires_at = expires_at;
        world.issue(new).await;
    }
}

/// A token of every kind is read with all that it was made with, and an unknown one is none.
pub async fn a_token_is_read_as_it_was_kept(world: World) {
    let (mara, root) = (world.person("Mara").await, world.admin("Root").await);
    for kind in KINDS {
        let mut new = world.token_of_kind(kind, &mara.member());
        new.token = Token {
            label: format!("a {kind:?}"),
            scopes: [Scope::MessagesRead, Scope::Admin].into_iter().collect(),
            acts_as: Some(ActsAs { program: ProgramType::Applet, name: world.name("file-browser") }),
            created_by: Some(root.member()),
            expires_at: Some(world.now().plus_millis(5)),
            ..new.token
        };
        assert_eq!(world.try_issue(&new).await.expect("kept"), new.token);
        assert_eq!(world.store().token(&new.token.id).await.expect("read"), Some(new.token));
    }
    assert_eq!(world.store().token(&TokenId::from_bits(world.bits())).await.expect("read"), None);
}

/// One hash can be the key of a token of every kind: each leads to its own member only.
pub async fn each_kind_of_key_is_looked_up_among_its_own(world: World) {
    let hash = world.secret();
    let keys = [TokenKey::Static, TokenKey::Session, TokenKey::Link, TokenKey::Certificate, TokenKey::External]
        .map(|key| key(hash));
    for key in keys {
        let name = format!("Owner of a {:?}", key.kind());
        let person = world.person(&name).await;
        let mut new = world.token_of_kind(key.kind(), &person.member());
        new.key = key;
        assert_eq!(owner(&world, &new).await, None, "{name}: another kind is no answer");
        world.issue(new.clone()).await;
        assert_eq!(owner(&world, &new).await, Some(person.member()));
        let signed = NewToken { key: TokenKey::Jwt(new.token.id.clone()), ..new };
        assert_eq!(owner(&world, &signed).await, None, "{name}: only a signed token is known by its id");
    }
}

/// A token grants its own scopes until its own end, and says which one it was.
pub async fn a_token_grants_what_it_was_made_with(world: World) {
    let mara = world.person("Mara").await;
    let mut new = world.token_until(&mara.member(), world.now().plus_millis(9));
    new.token.scopes = [Scope::ChannelsRead].into_iter().collect();
    new.token.acts_as = Some(ActsAs { program: ProgramType::Scheduler, name: world.name("daily-standup") });
    world.issue(new.clone()).await;
    let caller = world.store().principal(&new.key).await.expect("read").expect("a caller");
    let origin = Origin { surface: Surface::Host, token: Some(new.token.id.clone()) };
    assert_eq!(
        caller.grant,
        Grant { scopes: new.token.scopes, acts_as: new.token.acts_as, expires_at: new.token.expires_at, origin }
    );
}

/// An administrator is one only by a token with the scope for it.
pub async fn an_administrator_needs_the_scope_to_be_one(world: World) {
    let root = world.admin("Root").await;
    for (scopes, role) in [(Scopes::all(), Role::Admin), (Scopes::all().without(Scope::Admin), Role::Person)] {
        let mut new = world.token(&root.member());
        new.token.scopes = scopes;
        world.issue(new.clone()).await;
        let caller = world.store().principal(&new.key).await.expect("read").expect("a caller");
        assert_eq!(caller.role, role, "{scopes}");
    }
}

/// The store does not know what time it is: a token that has expired is told with its end.
pub async fn an_expired_token_is_told_with_its_end(world: World) {
    let mara = world.person("Mara").await;
    let new = world.issue(world.token_until(&mara.member(), world.now().plus_millis(1))).await;
    world.clock().advance(1_000);
    let caller = world.store().principal(&new.key).await.expect("read").expect("a caller");
    assert_eq!(caller.grant.expires_at, new.token.expires_at);
}

/// The tokens of a member are listed oldest first on pages of any size, expired ones too and nobody else's.
pub async fn the_tokens_of_a_member_are_listed_oldest_first(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    let mut expected = kept(&world, &mara.member()).await;
    for kind in KINDS {
        world.issue(world.token_of_kind(kind, &bela.member())).await;
        let mut new = world.token_of_kind(kind, &mara.member());
        new.token.expires_at = Some(world.now().plus_millis(1));
        expected.push(world.issue(new).await.token.id);
    }
    world.clock().advance(1_000);
    let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
    let key = |token: &Token| token.id.to_string();
    check_pages(&expected, key, async |page| world.store().tokens(&mara.member(), &page).await).await;
    let nobody = PersonId::from_bits(world.bits()).into();
    assert_eq!(kept(&world, &nobody).await, []);
}

/// A page of tokens goes on only from a token of the same member.
pub async fn another_members_token_is_no_key(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    let theirs = kept(&world, &bela.member()).await.remove(0).to_string();
    for key in [theirs.as_str(), "tok_none", "zzz"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("a page");
        assert_eq!(code(world.store().tokens(&mara.member(), &page).await), Some(Code::BadQuery), "{key}");
    }
}

/// A revoked token is answered once more and is unknown from then on; all others stay.
pub async fn a_revoked_token_is_unknown(world: World) {
    let mara = world.person("Mara").await;
    for kind in KINDS {
        let (ended, stays) = (world.token_of_kind(kind, &mara.member()), world.token_of_kind(kind, &mara.member()));
        world.issue(ended.clone()).await;
        world.issue(stays.clone()).await;
        let id = &ended.token.id;
        assert_eq!(world.store().revoke_token(world.attribution(), id).await.expect("revoked"), ended.token);
        assert_eq!((owner(&world, &ended).await, world.store().token(id).await.expect("read")), (None, None));
        assert!(!kept(&world, &mara.member()).await.contains(id));
        assert_eq!(owner(&world, &stays).await, Some(mara.member()));
        assert_eq!(code(world.store().revoke_token(world.attribution(), id).await), Some(Code::NotFound), "once");
    }
}

/// By one key the hub knows one token: a second one is refused, however it comes, and the first stays as it is.
pub async fn a_key_is_kept_once(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    let tour = world.project("Tour", &mara).await;
    for kind in KINDS {
        let first = world.issue(world.token_of_kind(kind, &mara.member())).await;
        let mut second = world.token_of_kind(kind, &bela.member());
        second.key = first.key.clone();
        second.token.id = if kind == TokenKind::Jwt { first.token.id.clone() } else { second.token.id };
        assert_eq!(code(world.try_issue(&second).await), Some(Code::OutOfBounds), "{kind:?}");
        let replaced = world.store().add_token(world.attribution(), second.clone(), OtherTokens::End).await;
        assert_eq!(code(replaced), Some(Code::OutOfBounds), "{kind:?}");
        let carl = world.new_person("Carl");
        let added = world.store().create_person(world.attribution(), carl, second.clone()).await;
        assert_eq!(code(added), Some(Code::OutOfBounds), "{kind:?}");
        let agent = Write::CreateAgent(world.new_agent("Coder", &tour), second, None);
        assert_eq!(world.refusal(&tour.id, &mara, agent).await, Code::OutOfBounds, "{kind:?}");
        assert_eq!(owner(&world, &first).await, Some(mara.member()), "{kind:?}");
    }
    assert_eq!(kept(&world, &bela.member()).await.len(), 1, "what was refused has ended nothing");
}

/// A token that a member makes who is not there is refused.
pub async fn a_token_made_by_nobody_is_refused(world: World) {
    let mara = world.person("Mara").await;
    let mut new = world.token(&mara.member());
    new.token.created_by = Some(PersonId::from_bits(world.bits()).into());
    assert_eq!(code(world.try_issue(&new).await), Some(Code::NotFound));
    assert_eq!(owner(&world, &new).await, None);
}

/// A member with as many tokens as it may have gets no other one beside them; it may replace them or end one.
pub async fn a_member_has_a_bounded_number_of_tokens(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    fill(&world, &mara.member(), None).await;
    let more = world.token(&mara.member());
    assert_eq!(code(world.try_issue(&more).await), Some(Code::Full));
    assert_eq!(owner(&world, &more).await, None);
    world.issue(world.token(&bela.member())).await;
    let ids = kept(&world, &mara.member()).await;
    assert_eq!(ids.len(), limits::TOKENS_PER_MEMBER_MAX);
    world.store().revoke_token(world.attribution(), &ids[0]).await.expect("revoked");
    world.issue(more).await;
    let alone = world.token(&mara.member());
    world.store().add_token(world.attribution(), alone.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(kept(&world, &mara.member()).await, [alone.token.id]);
}

/// Tokens that have expired when another one is added do not count, and are forgotten.
pub async fn expired_tokens_make_room(world: World) {
    let mara = world.person("Mara").await;
    let ends = world.now().plus_millis(100);
    fill(&world, &mara.member(), Some(ends)).await;
    world.clock().advance(99);
    assert_eq!(code(world.try_issue(&world.token(&mara.member())).await), Some(Code::Full), "a moment too early");
    world.clock().advance(1);
    let new = world.issue(world.token(&mara.member())).await;
    let ids = kept(&world, &mara.member()).await;
    assert_eq!((ids.len(), ids.last()), (2, Some(&new.token.id)));
}

/// Tokens are forgotten from the moment of their end on, and the answer says how many; those without an end stay.
pub async fn expired_tokens_are_forgotten(world: World) {
    let (mara, bela) = (world.person("Mara").await, world.person("Bela").await);
    let start = world.now();
    let [early, late] = [10, 20].map(|after| start.plus_millis(after));
    for (member, at) in [(&mara, early), (&bela, early), (&bela, late)] {
        world.issue(world.token_until(&member.member(), at)).await;
    }
    let forget = async |at: Timestamp| world.store().forget_expired_tokens(at).await.expect("forgotten");
    assert_eq!(forget(start.plus_millis(9)).await, 0);
    assert_eq!(forget(early).await, 2);
    assert_eq!((kept(&world, &mara.member()).await.len(), kept(&world, &bela.member()).await.len()), (1, 2));
    assert_eq!(forget(Timestamp::from_millis(i64::MAX)).await, 1);
    assert_eq!(forget(Timestamp::from_millis(i64::MAX)).await, 0);
    assert_eq!((kept(&world, &mara.member()).await.len(), kept(&world, &bela.member()).await.len()), (1, 1));
}

/// However many tokens have expired, one call forgets all of them.
pub async fn very_many_expired_tokens_are_forgotten(world: World) {
    let per_member = limits::TOKENS_PER_MEMBER_MAX - 1;
    let members = limits::STORE_PRUNE_LEN_MAX / per_member + 1;
    let ends = world.now().plus_millis(1_000);
    let mut tasks = JoinSet::new();
    for number in 0..members {
        let person = world.person(&format!("Person {number}")).await;
        for _ in 0..per_member {
            let (world, new) = (world.clone(), world.token_until(&person.member(), ends));
            tasks.spawn(async move { world.issue(new).await });
        }
    }
    tasks.join_all().await;
    assert_eq!(world.store().forget_expired_tokens(ends).await.expect("forgotten"), (members * per_member) as u64);
    assert_eq!(world.store().forget_expired_tokens(ends).await.expect("forgotten"), 0);
}

/// The audit log says of every change which token it was and whose, also when that token is gone.
pub async fn the_audit_log_names_tokens_and_their_members(world: World) {
    let mara = world.person("Mara").await;
    let (first, second) = (world.token(&mara.member()), world.token(&mara.member()));
    let said =
        |action: &str, new: &NewToken| (action.to_owned(), None, Some(format!("{}/{}", new.token.id, mara.member())));
    world.issue(first.clone()).await;
    assert_eq!(noted(&world).await, said("tokens.issued", &first));
    world.store().add_token(world.attribution(), second.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(noted(&world).await, said("tokens.replaced", &second));
    world.store().revoke_token(world.attribution(), &second.token.id).await.expect("revoked");
    assert_eq!(noted(&world).await, said("tokens.revoked", &second));
}
