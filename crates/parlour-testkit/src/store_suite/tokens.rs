//! Tokens: lookup by kind of key, limits, expiry and revocation; links that become sessions.

use parlour_core::{
    Code, Timestamp,
    access::{Grant, Role},
    attribution::{Origin, Surface},
    id::{MemberId, PersonId, TokenId},
    limits,
    paging::PageRequest,
    scope::{Scope, Scopes},
    token::{ActsAs, NewToken, OtherTokens, ProgramType, Token, TokenHash, TokenKey, TokenKind},
    write::Write,
};
use parlour_hub::Failure;
use tokio::task::JoinSet;

use super::accounts::{code, last_audit_entry, token_owner};
use crate::test_store::{TestMember, TestStore, check_pages, read_all};

const KINDS: [TokenKind; 6] = [
    TokenKind::Static,
    TokenKind::Jwt,
    TokenKind::Session,
    TokenKind::Link,
    TokenKind::Certificate,
    TokenKind::External,
];

/// The ids of all tokens of a member, including its first one.
async fn stored_tokens(test_store: &TestStore, member: &MemberId) -> Vec<TokenId> {
    let tokens = read_all(7, async |page| test_store.store().tokens(member, &page).await).await;
    tokens.into_iter().map(|token| token.id).collect()
}

/// Issues tokens to a member up to the limit; it has one already.
async fn fill_tokens(test_store: &TestStore, member: &MemberId, expires_at: Option<Timestamp>) {
    for _ in 1..limits::TOKENS_PER_MEMBER_MAX {
        let mut new = test_store.token(member);
        new.token.expires_at = expires_at;
        test_store.issue(new).await;
    }
}

/// A token of every kind is read with every field; an unknown one is none.
pub async fn a_token_is_read_as_it_was_stored(test_store: TestStore) {
    let (mara, root) = (test_store.person("Mara").await, test_store.admin("Root").await);
    for kind in KINDS {
        let mut new = test_store.token_of_kind(kind, &mara.member());
        new.token = Token {
            label: format!("a {kind:?}"),
            scopes: [Scope::MessagesRead, Scope::Admin].into_iter().collect(),
            acts_as: Some(ActsAs { program: ProgramType::Applet, name: test_store.name("file-browser") }),
            created_by: Some(root.member()),
            expires_at: Some(test_store.now().plus_millis(5)),
            ..new.token
        };
        assert_eq!(test_store.try_issue(&new).await.expect("stored"), new.token);
        assert_eq!(test_store.store().token(&new.token.id).await.expect("read"), Some(new.token));
    }
    assert_eq!(test_store.store().token(&TokenId::from_bits(test_store.bits())).await.expect("read"), None);
}

/// One hash can be the key of a token of every kind; each kind returns its own member.
pub async fn each_kind_of_key_is_looked_up_separately(test_store: TestStore) {
    let hash = test_store.secret();
    let keys = [TokenKey::Static, TokenKey::Session, TokenKey::Link, TokenKey::Certificate, TokenKey::External]
        .map(|key| key(hash));
    for key in keys {
        let name = format!("Owner of a {:?}", key.kind());
        let person = test_store.person(&name).await;
        let mut new = test_store.token_of_kind(key.kind(), &person.member());
        new.key = key;
        assert_eq!(token_owner(&test_store, &new).await, None, "{name}: another kind is no answer");
        test_store.issue(new.clone()).await;
        assert_eq!(token_owner(&test_store, &new).await, Some(person.member()));
        let signed = NewToken { key: TokenKey::Jwt(new.token.id.clone()), ..new };
        assert_eq!(token_owner(&test_store, &signed).await, None, "{name}: only a signed token is known by its id");
    }
}

/// A token grants its own scopes until its own expiry, and the grant names the token.
pub async fn a_token_grants_its_scopes_and_expiry(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut new = test_store.token_until(&mara.member(), test_store.now().plus_millis(9));
    new.token.scopes = [Scope::ChannelsRead].into_iter().collect();
    new.token.acts_as = Some(ActsAs { program: ProgramType::Scheduler, name: test_store.name("daily-standup") });
    test_store.issue(new.clone()).await;
    let caller = test_store.store().principal(&new.key).await.expect("read").expect("a caller");
    let origin = Origin { surface: Surface::Host, token: Some(new.token.id.clone()) };
    assert_eq!(
        caller.grant,
        Grant { scopes: new.token.scopes, acts_as: new.token.acts_as, expires_at: new.token.expires_at, origin }
    );
}

/// A token without the scope does not give the administrator role.
pub async fn an_administrator_needs_the_admin_scope(test_store: TestStore) {
    let root = test_store.admin("Root").await;
    for (scopes, role) in [(Scopes::all(), Role::Admin), (Scopes::all().without(Scope::Admin), Role::Person)] {
        let mut new = test_store.token(&root.member());
        new.token.scopes = scopes;
        test_store.issue(new.clone()).await;
        let caller = test_store.store().principal(&new.key).await.expect("read").expect("a caller");
        assert_eq!(caller.role, role, "{scopes}");
    }
}

/// The store does not compare times: the hub does.
pub async fn an_expired_token_is_returned_with_its_expiry(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let new = test_store.issue(test_store.token_until(&mara.member(), test_store.now().plus_millis(1))).await;
    test_store.clock().advance(1_000);
    let caller = test_store.store().principal(&new.key).await.expect("read").expect("a caller");
    assert_eq!(caller.grant.expires_at, new.token.expires_at);
}

/// The tokens of a member are listed oldest first on pages of any size, including expired ones.
pub async fn the_tokens_of_a_member_are_listed_oldest_first(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let mut expected = stored_tokens(&test_store, &mara.member()).await;
    for kind in KINDS {
        test_store.issue(test_store.token_of_kind(kind, &bela.member())).await;
        let mut new = test_store.token_of_kind(kind, &mara.member());
        new.token.expires_at = Some(test_store.now().plus_millis(1));
        expected.push(test_store.issue(new).await.token.id);
    }
    test_store.clock().advance(1_000);
    let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
    let key = |token: &Token| token.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().tokens(&mara.member(), &page).await).await;
    let nobody = PersonId::from_bits(test_store.bits()).into();
    assert_eq!(stored_tokens(&test_store, &nobody).await, []);
}

pub async fn a_token_of_another_member_is_no_page_key(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let theirs = stored_tokens(&test_store, &bela.member()).await.remove(0).to_string();
    for key in [theirs.as_str(), "tok_none", "zzz"] {
        let page = PageRequest::new(Some(key.to_owned()), None).expect("a page");
        assert_eq!(code(test_store.store().tokens(&mara.member(), &page).await), Some(Code::BadQuery), "{key}");
    }
}

/// Revoking returns the token and makes it unknown; other tokens stay.
pub async fn a_revoked_token_is_unknown(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    for kind in KINDS {
        let (ended, stays) =
            (test_store.token_of_kind(kind, &mara.member()), test_store.token_of_kind(kind, &mara.member()));
        test_store.issue(ended.clone()).await;
        test_store.issue(stays.clone()).await;
        let id = &ended.token.id;
        assert_eq!(test_store.store().revoke_token(test_store.attribution(), id).await.expect("revoked"), ended.token);
        assert_eq!(
            (token_owner(&test_store, &ended).await, test_store.store().token(id).await.expect("read")),
            (None, None)
        );
        assert!(!stored_tokens(&test_store, &mara.member()).await.contains(id));
        assert_eq!(token_owner(&test_store, &stays).await, Some(mara.member()));
        assert_eq!(
            code(test_store.store().revoke_token(test_store.attribution(), id).await),
            Some(Code::NotFound),
            "once"
        );
    }
}

/// A second token with a stored key is refused on every path, and the first stays unchanged.
pub async fn a_token_key_is_stored_once(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let tour = test_store.project("Tour", &mara).await;
    for kind in KINDS {
        let first = test_store.issue(test_store.token_of_kind(kind, &mara.member())).await;
        let mut second = test_store.token_of_kind(kind, &bela.member());
        second.key = first.key.clone();
        second.token.id = if kind == TokenKind::Jwt { first.token.id.clone() } else { second.token.id };
        assert_eq!(code(test_store.try_issue(&second).await), Some(Code::OutOfBounds), "{kind:?}");
        let replaced = test_store.store().add_token(test_store.attribution(), second.clone(), OtherTokens::End).await;
        assert_eq!(code(replaced), Some(Code::OutOfBounds), "{kind:?}");
        let carl = test_store.new_person("Carl");
        let added = test_store.store().create_person(test_store.attribution(), carl, second.clone()).await;
        assert_eq!(code(added), Some(Code::OutOfBounds), "{kind:?}");
        let agent = Write::CreateAgent(test_store.new_agent("Coder", &tour), second, None);
        assert_eq!(test_store.refusal(&tour.id, &mara, agent).await, Code::OutOfBounds, "{kind:?}");
        assert_eq!(token_owner(&test_store, &first).await, Some(mara.member()), "{kind:?}");
    }
    assert_eq!(stored_tokens(&test_store, &bela.member()).await.len(), 1, "what was refused has ended nothing");
}

pub async fn a_token_of_an_unknown_creator_is_refused(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut new = test_store.token(&mara.member());
    new.token.created_by = Some(PersonId::from_bits(test_store.bits()).into());
    assert_eq!(code(test_store.try_issue(&new).await), Some(Code::NotFound));
    assert_eq!(token_owner(&test_store, &new).await, None);
}

/// A member at the limit gets no further token; it can replace all or revoke one.
pub async fn a_member_has_a_bounded_number_of_tokens(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    fill_tokens(&test_store, &mara.member(), None).await;
    let more = test_store.token(&mara.member());
    assert_eq!(code(test_store.try_issue(&more).await), Some(Code::Full));
    assert_eq!(token_owner(&test_store, &more).await, None);
    test_store.issue(test_store.token(&bela.member())).await;
    let ids = stored_tokens(&test_store, &mara.member()).await;
    assert_eq!(ids.len(), limits::TOKENS_PER_MEMBER_MAX);
    test_store.store().revoke_token(test_store.attribution(), &ids[0]).await.expect("revoked");
    test_store.issue(more).await;
    let alone = test_store.token(&mara.member());
    test_store.store().add_token(test_store.attribution(), alone.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(stored_tokens(&test_store, &mara.member()).await, [alone.token.id]);
}

/// Tokens that have expired when another one is added do not count, and are deleted.
pub async fn expired_tokens_do_not_count(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let ends = test_store.now().plus_millis(100);
    fill_tokens(&test_store, &mara.member(), Some(ends)).await;
    test_store.clock().advance(99);
    assert_eq!(
        code(test_store.try_issue(&test_store.token(&mara.member())).await),
        Some(Code::Full),
        "before the expiry"
    );
    test_store.clock().advance(1);
    let new = test_store.issue(test_store.token(&mara.member())).await;
    let ids = stored_tokens(&test_store, &mara.member()).await;
    assert_eq!((ids.len(), ids.last()), (2, Some(&new.token.id)));
}

/// Tokens are deleted from the time of their expiry on, and the call returns their number; tokens without expiry stay.
pub async fn expired_tokens_are_deleted(test_store: TestStore) {
    let (mara, bela) = (test_store.person("Mara").await, test_store.person("Bela").await);
    let start = test_store.now();
    let [early, late] = [10, 20].map(|after| start.plus_millis(after));
    for (member, at) in [(&mara, early), (&bela, early), (&bela, late)] {
        test_store.issue(test_store.token_until(&member.member(), at)).await;
    }
    let forget = async |at: Timestamp| test_store.store().forget_expired_tokens(at).await.expect("forgotten");
    assert_eq!(forget(start.plus_millis(9)).await, 0);
    assert_eq!(forget(early).await, 2);
    assert_eq!(
        (
            stored_tokens(&test_store, &mara.member()).await.len(),
            stored_tokens(&test_store, &bela.member()).await.len()
        ),
        (1, 2)
    );
    assert_eq!(forget(Timestamp::from_millis(i64::MAX)).await, 1);
    assert_eq!(forget(Timestamp::from_millis(i64::MAX)).await, 0);
    assert_eq!(
        (
            stored_tokens(&test_store, &mara.member()).await.len(),
            stored_tokens(&test_store, &bela.member()).await.len()
        ),
        (1, 1)
    );
}

pub async fn very_many_expired_tokens_are_deleted_in_one_call(test_store: TestStore) {
    let per_member = limits::TOKENS_PER_MEMBER_MAX - 1;
    let members = limits::STORE_PRUNE_LEN_MAX / per_member + 1;
    let ends = test_store.now().plus_millis(1_000);
    let mut tasks = JoinSet::new();
    for number in 0..members {
        let person = test_store.person(&format!("Person {number}")).await;
        for _ in 0..per_member {
            let (test_store, new) = (test_store.clone(), test_store.token_until(&person.member(), ends));
            tasks.spawn(async move { test_store.issue(new).await });
        }
    }
    tasks.join_all().await;
    assert_eq!(test_store.store().forget_expired_tokens(ends).await.expect("forgotten"), (members * per_member) as u64);
    assert_eq!(test_store.store().forget_expired_tokens(ends).await.expect("forgotten"), 0);
}

/// The audit entry of every change names the token and its member, also after the token was deleted.
pub async fn the_audit_log_names_tokens_and_their_members(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (first, second) = (test_store.token(&mara.member()), test_store.token(&mara.member()));
    let said =
        |action: &str, new: &NewToken| (action.to_owned(), None, Some(format!("{}/{}", new.token.id, mara.member())));
    test_store.issue(first.clone()).await;
    assert_eq!(last_audit_entry(&test_store).await, said("tokens.issued", &first));
    test_store.store().add_token(test_store.attribution(), second.clone(), OtherTokens::End).await.expect("replaced");
    assert_eq!(last_audit_entry(&test_store).await, said("tokens.replaced", &second));
    test_store.store().revoke_token(test_store.attribution(), &second.token.id).await.expect("revoked");
    assert_eq!(last_audit_entry(&test_store).await, said("tokens.revoked", &second));
}

fn hash(link: &NewToken) -> TokenHash {
    *link.key.hash().expect("a link is known by its hash")
}

/// A session of an unknown member: the store takes the member from the link.
fn session(test_store: &TestStore) -> NewToken {
    test_store.token_of_kind(TokenKind::Session, &PersonId::from_bits(test_store.bits()).into())
}

async fn redeem(test_store: &TestStore, link: &NewToken, session: &NewToken) -> Result<Token, Failure> {
    test_store.store().redeem_link(test_store.attribution(), &hash(link), session.clone()).await
}

/// Redeeming replaces a link by a session of its own member, whatever member the session names.
pub async fn a_link_becomes_a_session_of_its_member(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let link = test_store.issue(test_store.token_of_kind(TokenKind::Link, &mara.member())).await;
    let session = session(&test_store);
    let token = redeem(&test_store, &link, &session).await.expect("signed in");
    assert_eq!(token, Token { member_id: mara.member(), ..session.token.clone() });
    assert_eq!(token_owner(&test_store, &session).await, Some(mara.member()));
    assert_eq!(test_store.store().token(&token.id).await.expect("read"), Some(token));
    assert_eq!(token_owner(&test_store, &link).await, None);
    assert_eq!(test_store.store().token(&link.token.id).await.expect("read"), None);
}

/// A used, expired or unknown link is refused and creates no session.
pub async fn an_invalid_link_is_refused(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut ended = test_store.token_of_kind(TokenKind::Link, &mara.member());
    ended.token.expires_at = Some(test_store.now().plus_millis(10));
    let used = test_store.token_of_kind(TokenKind::Link, &mara.member());
    for link in [&ended, &used] {
        test_store.issue(link.clone()).await;
    }
    redeem(&test_store, &used, &session(&test_store)).await.expect("signed in");
    test_store.clock().advance(10);
    let unknown = test_store.token_of_kind(TokenKind::Link, &mara.member());
    for (what, link) in [("ended", ended), ("used", used), ("unknown", unknown)] {
        let session = session(&test_store);
        assert_eq!(code(redeem(&test_store, &link, &session).await), Some(Code::SignInFailed), "{what}");
        assert_eq!(token_owner(&test_store, &session).await, None, "{what}");
    }
}

pub async fn a_link_works_until_just_before_its_expiry(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut link = test_store.token_of_kind(TokenKind::Link, &mara.member());
    link.token.expires_at = Some(test_store.now().plus_millis(10));
    test_store.issue(link.clone()).await;
    test_store.clock().advance(9);
    redeem(&test_store, &link, &session(&test_store)).await.expect("signed in");
}

/// The hash of another kind of token is refused, and that token stays.
pub async fn only_links_can_be_redeemed(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    for kind in [TokenKind::Static, TokenKind::Session, TokenKind::Certificate, TokenKind::External] {
        let other = test_store.issue(test_store.token_of_kind(kind, &mara.member())).await;
        assert_eq!(
            code(redeem(&test_store, &other, &session(&test_store)).await),
            Some(Code::SignInFailed),
            "{kind:?}"
        );
        assert_eq!(token_owner(&test_store, &other).await, Some(mara.member()), "{kind:?}");
    }
}

pub async fn a_link_stays_valid_if_its_session_is_refused(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let link = test_store.issue(test_store.token_of_kind(TokenKind::Link, &mara.member())).await;
    let taken = test_store.issue(test_store.token_of_kind(TokenKind::Session, &mara.member())).await;
    assert_eq!(code(redeem(&test_store, &link, &taken).await), Some(Code::OutOfBounds));
    redeem(&test_store, &link, &session(&test_store)).await.expect("signed in");
}

/// A member with the maximum number of tokens can still sign in.
pub async fn a_session_counts_in_place_of_its_link(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let link = test_store.issue(test_store.token_of_kind(TokenKind::Link, &mara.member())).await;
    for _ in 2..limits::TOKENS_PER_MEMBER_MAX {
        test_store.issue(test_store.token(&mara.member())).await;
    }
    assert_eq!(code(test_store.try_issue(&test_store.token(&mara.member())).await), Some(Code::Full));
    redeem(&test_store, &link, &session(&test_store)).await.expect("signed in");
}

pub async fn concurrent_redemptions_of_a_link_create_one_session(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let link = test_store.issue(test_store.token_of_kind(TokenKind::Link, &mara.member())).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (test_store, link, session) = (test_store.clone(), link.clone(), session(&test_store));
        tasks.spawn(async move {
            let is_redeemed = redeem(&test_store, &link, &session).await.is_ok();
            assert_eq!(token_owner(&test_store, &session).await.is_some(), is_redeemed);
            is_redeemed
        });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|is_in| *is_in).count(), 1);
}

pub async fn the_audit_log_names_a_link_and_its_session(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let link = test_store.issue(test_store.token_of_kind(TokenKind::Link, &mara.member())).await;
    let token = redeem(&test_store, &link, &session(&test_store)).await.expect("signed in");
    let subject = format!("{}/{}", link.token.id, token.id);
    assert_eq!(last_audit_entry(&test_store).await, ("links.redeemed".into(), None, Some(subject)));
}
