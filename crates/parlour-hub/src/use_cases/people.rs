//! People of the hub.

use parlour_core::{
    Refusal,
    access::{self, Principal, Role},
    id::PersonId,
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
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
        caller.check_admin()?;
        self.add_person_with_new_token(wish).await
    }

    pub(crate) async fn add_person_with_new_token(&self, wish: NewPerson) -> Result<(Person, String), Failure> {
        let token = self.new_token();
        let person = self.add_person(wish, &token).await?;
        Ok((person, token))
    }

    pub(crate) async fn add_person(&self, wish: NewPerson, token: &str) -> Result<Person, Failure> {
        let id = PersonId::from_bits(self.ids.next_bits());
        let person = Person { id, name: wish.name, is_admin: wish.is_admin, created_at: self.clock.now() };
        self.store.create_person(person, token::hash_token(token)).await
    }

    /// Reads a person. Agents see the people of their project, people see everybody.
    pub async fn person(&self, caller: &Principal, id: &PersonId) -> Result<Person, Failure> {
        let refuse = || Refusal::not_found("person", id);
        if let Role::Agent(project) = &caller.role
            && !self.store.is_member(project, &id.clone().into()).await?
        {
            return Err(refuse().into());
        }
        Ok(self.store.person(id).await?.ok_or_else(refuse)?)
    }

    /// Lists the people of the hub, for people.
    pub async fn people(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Person>, Failure> {
        caller.person()?;
        self.store.people(page).await
    }

    /// Gives a person a new token in place of the old one: by that person or an administrator.
    pub async fn renew_person_token(&self, caller: &Principal, id: &PersonId) -> Result<String, Failure> {
        self.person(caller, id).await?;
        access::check_acts_for(caller, &id.clone().into())?;
        let token = self.new_token();
        self.set_token(id.clone().into(), token::hash_token(&token)).await?;
        Ok(token)
    }

    pub(crate) fn new_token(&self) -> String {
        token::token_from_secret(&self.ids.new_secret())
    }
}
