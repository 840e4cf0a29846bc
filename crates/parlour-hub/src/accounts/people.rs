//! People of the hub.

use std::sync::Arc;

use parlour_core::{
    access::{self, Principal},
    attribution::Attribution,
    event::Change,
    id::{MemberId, PersonId},
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    scope::{Scope, Scopes},
    token::NewToken,
};
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    accounts::{
        AccountService,
        tokens::{CredentialKind, TokenDraft},
    },
    token::SecretKind,
};

/// A request to add a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPerson {
    /// Unique on this hub.
    pub name: Name,
    pub is_admin: bool,
}

impl AccountService {
    /// Adds a person and returns its token, once; the token has the scopes of the caller's. For administrators.
    pub async fn create_person(&self, caller: &Principal, request: NewPerson) -> Result<(Person, String), Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.add_person_with_new_token(caller.attribution(self.clock.now()), request, caller.grant.scopes).await
    }

    pub(super) async fn add_person_with_new_token(
        &self,
        attribution: Attribution,
        request: NewPerson,
        scopes: Scopes,
    ) -> Result<(Person, String), Failure> {
        let secret = self.new_secret(SecretKind::Token);
        let person = self.add_person(attribution, request, &secret, scopes).await?;
        Ok((person, secret))
    }

    /// Adds a person with this token and these scopes.
    pub(super) async fn add_person(
        &self,
        attribution: Attribution,
        request: NewPerson,
        secret: &str,
        scopes: Scopes,
    ) -> Result<Person, Failure> {
        let id = PersonId::from_bits(self.ids.next_bits());
        let person = Person { id, name: request.name, is_admin: request.is_admin, created_at: attribution.at };
        let token = self.static_token(&attribution, &person.id.clone().into(), secret, scopes)?;
        self.store.create_person(attribution, person, token).await
    }

    /// Reads a person. Agents see the people of their project; people see everybody.
    pub async fn person(&self, caller: &Principal, id: &PersonId) -> Result<Person, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_person(caller, id).await
    }

    /// Renames a person. For the person itself and administrators.
    pub async fn rename_person(&self, caller: &Principal, id: &PersonId, name: Name) -> Result<Person, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        self.access.load_visible_person(caller, id).await?;
        access::check_acts_for(caller, &id.clone().into())?;
        let (store, presence, caller, id) =
            (Arc::clone(&self.store), Arc::clone(&self.presence), caller.clone(), id.clone());
        let attribution = caller.attribution(self.clock.now());
        self.change_members(async move {
            let at = attribution.at;
            let person = store.rename_person(attribution, &id, name).await?;
            let change = Change::PersonUpdated(Box::new(person.clone()));
            presence.refresh_after(&caller, &change, at).await;
            Ok(person)
        })
        .await
    }

    /// Lists the people of the hub, for people.
    pub async fn people(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Person>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        caller.person()?;
        self.store.people(page).await
    }

    /// Replaces all tokens of a person by a new one with the scopes of the caller's. For the person itself and
    /// administrators.
    pub async fn renew_person_token(&self, caller: &Principal, id: &PersonId) -> Result<String, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        self.access.load_visible_person(caller, id).await?;
        access::check_acts_for(caller, &id.clone().into())?;
        let (secret, attribution) = (self.new_secret(SecretKind::Token), caller.attribution(self.clock.now()));
        let token = self.static_token(&attribution, &id.clone().into(), &secret, caller.grant.scopes)?;
        self.replace_tokens(attribution, token).await?;
        Ok(secret)
    }

    /// Builds a static token that does not expire.
    pub(super) fn static_token(
        &self,
        attribution: &Attribution,
        member: &MemberId,
        secret: &str,
        scopes: Scopes,
    ) -> Result<NewToken, Failure> {
        let draft = TokenDraft {
            credential_kind: CredentialKind::Static(secret.to_owned()),
            member_id: member.clone(),
            label: String::new(),
            scopes,
            acts_as: None,
            created_by: attribution.actor.member_id(),
            seconds: None,
        };
        Ok(self.make_token(draft)?.0)
    }
}
