//! Browser sessions: sign-in with a password or a link, sign-out, passwords and links.

use std::{collections::HashSet, sync::Arc};

use parlour_core::{
    Code, Refusal,
    access::{self, Principal},
    attribution::{Attribution, Origin, Surface},
    author::Author,
    id::{MemberId, PersonId, TokenId},
    limits,
    member::Person,
    name::Name,
    paging::PageRequest,
    password,
    scope::{Scope, Scopes},
    token::{NewToken, OtherTokens, Token, TokenKey, TokenKind},
};

use crate::{
    Failure,
    accounts::{
        AccountService, IssuedToken,
        tokens::{CredentialKind, TokenDraft},
    },
    ports::Store,
    token::hash_token,
};

/// A new browser session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    pub caller: Principal,
    /// The session token; its secret is only for the cookie.
    pub session: IssuedToken,
}

/// The action of a refused sign-in in the audit log.
const SIGN_IN: &str = "sessions.sign_in";

impl AccountService {
    /// Signs a person in with name and password. A wrong name, a wrong password and a person without a password get the
    /// same refusal (`SignInFailed`) after the same time.
    pub async fn sign_in_with_password(
        &self,
        name: &str,
        password: String,
        surface: Surface,
    ) -> Result<SignedIn, Failure> {
        let record = match Name::parse(name) {
            Ok(name) => self.store.sign_in_record(&name).await?,
            Err(_) => None,
        };
        let subject = record.as_ref().map(|(person, _)| person.id.to_string());
        match self.try_password(record, password, surface).await {
            Ok(signed_in) => Ok(signed_in),
            Err(failure) => Err(self.audit_failed_sign_in(failure, SIGN_IN, surface, subject).await),
        }
    }

    /// Signs a person in with the code of a link, which works once. The session has the scopes of the link.
    pub async fn sign_in_with_link(&self, code: &str, surface: Surface) -> Result<SignedIn, Failure> {
        match self.try_link(code, surface).await {
            Ok(signed_in) => Ok(signed_in),
            Err(failure) => Err(self.audit_failed_sign_in(failure, SIGN_IN, surface, None).await),
        }
    }

    /// Ends the browser session of the request. Other credentials stay valid.
    pub async fn sign_out(&self, caller: &Principal) -> Result<(), Failure> {
        self.access.require_unexpired(caller)?;
        let shown = self.shown_token(caller).await?;
        if shown.kind == TokenKind::Session {
            self.end_token(caller.attribution(self.clock.now()), &shown.id).await?;
        }
        Ok(())
    }

    /// Sets the password of a person, for the person itself and administrators, and signs its other browsers out. The
    /// person has to give the current password if there is one.
    ///
    /// A password grants all scopes, so a token that lacks a scope needs the current password.
    pub async fn set_password(
        &self,
        caller: &Principal,
        person: &PersonId,
        current: Option<String>,
        password: String,
    ) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        let owner = self.access.load_visible_person(caller, person).await?;
        access::check_acts_for(caller, &person.clone().into())?;
        let password = password::normal_form(&password);
        password::check(&password, &owner.name)?;
        self.check_may_set(caller, &owner, current).await?;
        let hash = self.passwords.hash(password).await?;
        self.store_password(caller.attribution(self.clock.now()), person, hash).await
    }

    /// Creates a link that signs a person in once and returns its code. For the person itself and administrators.
    pub async fn make_link(&self, caller: &Principal, person: &PersonId) -> Result<String, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        self.access.load_visible_person(caller, person).await?;
        access::check_acts_for(caller, &person.clone().into())?;
        self.add_link(caller.attribution(self.clock.now()), person, caller.grant.scopes).await
    }

    /// Stores a new link of a person and returns its code.
    pub(super) async fn add_link(
        &self,
        attribution: Attribution,
        person: &PersonId,
        scopes: Scopes,
    ) -> Result<String, Failure> {
        let (link, code) = self.browser_token(CredentialKind::Link, &attribution, person.clone().into(), scopes)?;
        self.store.add_token(attribution, link, OtherTokens::Stay).await?;
        Ok(code)
    }

    async fn try_password(
        &self,
        record: Option<(Person, Option<String>)>,
        password: String,
        surface: Surface,
    ) -> Result<SignedIn, Failure> {
        let (person, hash) = record.map_or((None, None), |(person, hash)| (Some(person), hash));
        // Always exactly one check: the time must not reveal whether the person exists.
        let is_right = self.is_password(password, hash.clone()).await?;
        let person = person.filter(|_| is_right).ok_or_else(failed)?;
        let signed_in = self.open_browser(&person, surface).await?;
        // Read again: replacing the password before the session was stored has not ended this session.
        let now = self.store.sign_in_record(&person.name).await?.and_then(|(_, hash)| hash);
        if now != hash {
            self.end_token(Attribution::of_host(self.clock.now()), &signed_in.session.token.id).await?;
            return Err(failed().into());
        }
        Ok(signed_in)
    }

    async fn open_browser(&self, person: &Person, surface: Surface) -> Result<SignedIn, Failure> {
        let attribution = self.attribution_for(&person.id.clone().into(), &person.name, surface);
        let (session, secret) =
            self.browser_token(CredentialKind::Session, &attribution, person.id.clone().into(), Scopes::all())?;
        let token = self.add_session(attribution, session).await?;
        self.signed_in(token, secret, surface).await
    }

    async fn try_link(&self, code: &str, surface: Surface) -> Result<SignedIn, Failure> {
        let hash = hash_token(code);
        let owner = self.store.principal(&TokenKey::Link(hash)).await?.ok_or_else(failed)?;
        let attribution = self.attribution_for(&owner.member, &owner.name, surface);
        let (session, secret) =
            self.browser_token(CredentialKind::Session, &attribution, owner.member, owner.grant.scopes)?;
        let token = self.store.redeem_link(attribution, &hash, session).await?;
        self.signed_in(token, secret, surface).await
    }

    /// A session or a link for a person.
    fn browser_token(
        &self,
        credential_kind: CredentialKind,
        attribution: &Attribution,
        member_id: MemberId,
        scopes: Scopes,
    ) -> Result<(NewToken, String), Failure> {
        let seconds = match credential_kind {
            CredentialKind::Link => limits::LINK_SECONDS_MAX,
            _ => limits::SESSION_SECONDS_MAX,
        };
        let draft = TokenDraft {
            credential_kind,
            member_id,
            label: String::new(),
            scopes,
            acts_as: None,
            created_by: attribution.actor.member_id(),
            seconds: Some(seconds as u64),
        };
        let (new, secret) = self.make_token(draft)?;
        Ok((new, secret.expect("sessions and links have a text to show")))
    }

    async fn signed_in(&self, token: Token, secret: String, surface: Surface) -> Result<SignedIn, Failure> {
        let caller = self.store.principal(&TokenKey::Session(hash_token(&secret))).await?;
        let caller = caller.ok_or_else(failed)?.over(surface);
        Ok(SignedIn { caller, session: IssuedToken { token, secret: Some(secret) } })
    }

    /// The attribution of a sign-in.
    fn attribution_for(&self, member: &MemberId, name: &Name, surface: Surface) -> Attribution {
        Attribution {
            actor: Author::member(member, name),
            at: self.clock.now(),
            origin: Origin { surface, token: None },
        }
    }

    /// Whether the password matches the hash. A text that is too long is not hashed, but takes the same time.
    pub(super) async fn is_password(&self, password: String, hash: Option<String>) -> Result<bool, Failure> {
        match password::may_be_password(&password) {
            true => self.passwords.verify(password::normal_form(&password), hash).await,
            false => self.passwords.verify(String::new(), None).await,
        }
    }
}

/// One text for all reasons.
fn failed() -> Refusal {
    Refusal::new(Code::SignInFailed, "name and password, or the link, do not fit")
}

/// The action of a refused change of a password in the audit log.
const SET_PASSWORD: &str = "people.set_password";

impl AccountService {
    /// Stores a session. A person with too many tokens loses the oldest session, because people seldom sign out.
    pub(super) async fn add_session(&self, attribution: Attribution, session: NewToken) -> Result<Token, Failure> {
        let member = session.token.member_id.clone();
        match self.store.add_token(attribution.clone(), session.clone(), OtherTokens::Stay).await {
            Err(Failure::Refused(refusal)) if refusal.code == Code::Full => {
                let tokens = all_tokens(self.store.as_ref(), &member).await?;
                let sessions = tokens.into_iter().filter(|token| token.kind == TokenKind::Session);
                let oldest = sessions.min_by_key(|token| token.created_at).ok_or(refusal)?;
                self.end_token(attribution.clone(), &oldest.id).await?;
                self.store.add_token(attribution, session, OtherTokens::Stay).await
            }
            outcome => outcome,
        }
    }

    /// Refuses a new password without the current one, and by a token that lacks a scope.
    pub(super) async fn check_may_set(
        &self,
        caller: &Principal,
        owner: &Person,
        current: Option<String>,
    ) -> Result<(), Failure> {
        let record = self.store.sign_in_record(&owner.name).await?;
        let hash = record.filter(|(found, _)| found.id == owner.id).and_then(|(_, hash)| hash);
        if caller.member != owner.id.clone().into() || hash.is_none() {
            return Ok(access::check_gives(caller, Scopes::all())?);
        }
        if self.is_password(current.unwrap_or_default(), hash).await? {
            return Ok(());
        }
        let refusal = Refusal::new(Code::SignInFailed, "this is not the present password").at("current");
        let attribution = caller.attribution(self.clock.now());
        self.audit.note_refusal(attribution, SET_PASSWORD, None, Some(owner.id.to_string()), refusal.code).await;
        Err(refusal.into())
    }

    /// Stores a hashed password and ends the sessions, also live ones, that were opened with the previous one.
    pub(super) async fn store_password(
        &self,
        attribution: Attribution,
        person: &PersonId,
        hash: String,
    ) -> Result<(), Failure> {
        let (store, person) = (Arc::clone(&self.store), person.clone());
        let change = async move {
            store.set_password(attribution, &person, hash).await?;
            let member = MemberId::from(person);
            let kept = all_tokens(store.as_ref(), &member).await?;
            Ok((member, kept.into_iter().map(|token| token.id).collect::<HashSet<TokenId>>()))
        };
        self.change_tokens(change, |sessions, (member, kept)| sessions.keep_tokens(member, kept)).await?;
        Ok(())
    }

    /// Revokes the unused links that the hub itself has created for a person.
    pub(super) async fn end_host_links(&self, person: &PersonId) -> Result<(), Failure> {
        let tokens = all_tokens(self.store.as_ref(), &person.clone().into()).await?;
        for link in tokens.into_iter().filter(|token| token.kind == TokenKind::Link && token.created_by.is_none()) {
            self.end_token(Attribution::of_host(self.clock.now()), &link.id).await?;
        }
        Ok(())
    }
}

/// All tokens of a member.
async fn all_tokens(store: &dyn Store, member: &MemberId) -> Result<Vec<Token>, Failure> {
    let (mut tokens, mut after) = (Vec::new(), None);
    loop {
        let page = store.tokens(member, &PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX))?).await?;
        tokens.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(tokens);
        }
    }
}
