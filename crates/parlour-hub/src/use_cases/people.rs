//! People of the hub.

use parlour_core::{
    Refusal,
    access::{self, Principal, Role},
    deed::Deed,
    id::{MemberId, PersonId, TokenId},
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    scope::Scope,
    scope::Scopes,
    token::{NewToken, OtherTokens, Token, TokenKey, TokenKind},
};
use serde::{Deserialize, Serialize};

use crate::{Failure, Hub, token};

/// The wish to add a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPerson {
    /// The name, unique on this hub.
    pub name: Name,
    /// Whether the person is to be an administrator.
    pub is_admin: bool,
}

impl Hub {
    /// Adds a person and gives it a token, which is shown only here. Administrators only.
    pub async fn create_person(&self, caller: &Principal, wish: NewPerson) -> Result<(Person, String), Failure> {
        self.admit(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.add_person_with_new_token(caller.deed(self.clock.now()), wish).await
    }

    pub(crate) async fn add_person_with_new_token(
        &self,
        deed: Deed,
        wish: NewPerson,
    ) -> Result<(Person, String), Failure> {
        let secret = self.new_secret();
        let person = self.add_person(deed, wish, &secret).await?;
        Ok((person, secret))
    }

    pub(crate) async fn add_person(&self, deed: Deed, wish: NewPerson, secret: &str) -> Result<Person, Failure> {
        let id = PersonId::from_bits(self.ids.next_bits());
        let person = Person { id, name: wish.name, is_admin: wish.is_admin, created_at: deed.at };
        let token = self.static_token(&person.id.clone().into(), secret);
        self.store.create_person(deed, person, token).await
    }

    /// Reads a person. Agents see the people of their project, people see everybody.
    pub async fn person(&self, caller: &Principal, id: &PersonId) -> Result<Person, Failure> {
        self.admit(caller, Scope::ChannelsRead)?;
        self.see_person(caller, id).await
    }

    /// Lists the people of the hub, for people.
    pub async fn people(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Person>, Failure> {
        self.admit(caller, Scope::ChannelsRead)?;
        caller.person()?;
        self.store.people(page).await
    }

    /// Gives a person a new token in place of the old one: by that person or an administrator.
    pub async fn renew_person_token(&self, caller: &Principal, id: &PersonId) -> Result<String, Failure> {
        self.admit(caller, Scope::TokensManage)?;
        self.see_person(caller, id).await?;
        access::check_acts_for(caller, &id.clone().into())?;
        let secret = self.new_secret();
        self.add_token(caller, self.static_token(&id.clone().into(), &secret), OtherTokens::End).await?;
        Ok(secret)
    }

    /// The person, if the caller may know of it.
    pub(crate) async fn see_person(&self, caller: &Principal, id: &PersonId) -> Result<Person, Failure> {
        let refuse = || Refusal::not_found("person", id);
        if let Role::Agent(project) = &caller.role
            && !self.store.is_member(project, &id.clone().into()).await?
        {
            return Err(refuse().into());
        }
        Ok(self.store.person(id).await?.ok_or_else(refuse)?)
    }

    /// A random text that nobody can guess.
    pub(crate) fn new_secret(&self) -> String {
        token::token_from_secret(&self.ids.new_secret())
    }

    /// A token that is this random text and lets the member do everything, for ever.
    pub(crate) fn static_token(&self, member: &MemberId, secret: &str) -> NewToken {
        let token = Token {
            id: TokenId::from_bits(self.ids.next_bits()),
            member_id: member.clone(),
            kind: TokenKind::Static,
            label: String::new(),
            scopes: Scopes::all(),
            created_by: None,
            created_at: self.clock.now(),
            expires_at: None,
        };
        NewToken { token, key: TokenKey::Static(token::hash_token(secret)) }
    }
}
