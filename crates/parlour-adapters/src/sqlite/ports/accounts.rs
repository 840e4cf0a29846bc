use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    deed::Deed,
    id::{MemberId, PersonId, TokenId},
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey},
};
use parlour_hub::{Failure, Fault, ports::Accounts};

use crate::sqlite::{SqliteStore, read::accounts, rows::member::load_person, write};

#[async_trait]
impl Accounts for SqliteStore {
    async fn create_person(&self, _deed: Deed, person: Person, token: NewToken) -> Result<Person, Failure> {
        let operation = format!("create person {}", person.id);
        self.write(operation, move |tx| write::create_person::create_person(tx, person, &token)).await
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, Failure> {
        let id = id.clone();
        self.read("read a person", move |db| load_person(db, &id)).await
    }

    async fn people(&self, page: &PageRequest) -> Result<Page<Person>, Failure> {
        let page = page.clone();
        self.read("list people", move |db| accounts::people(db, &page)).await
    }

    async fn add_token(&self, _deed: Deed, new: NewToken, others: OtherTokens) -> Result<Token, Failure> {
        let operation = format!("add a token of {}", new.token.member_id);
        self.write(operation, move |tx| write::tokens::add_token(tx, new, others)).await
    }

    async fn token(&self, _id: &TokenId) -> Result<Option<Token>, Failure> {
        Err(Fault::new("read a token", "not there yet").into())
    }

    async fn tokens(&self, _member: &MemberId, _page: &PageRequest) -> Result<Page<Token>, Failure> {
        Err(Fault::new("list tokens", "not there yet").into())
    }

    async fn revoke_token(&self, _deed: Deed, _id: &TokenId) -> Result<Token, Failure> {
        Err(Fault::new("revoke a token", "not there yet").into())
    }

    async fn redeem_link(&self, _deed: Deed, _link: &TokenHash, _session: NewToken) -> Result<Token, Failure> {
        Err(Fault::new("redeem a link", "not there yet").into())
    }

    async fn principal(&self, key: &TokenKey) -> Result<Option<Principal>, Failure> {
        let key = key.clone();
        self.read("look up a token", move |db| accounts::principal(db, &key)).await
    }

    async fn forget_expired_tokens(&self, _now: Timestamp) -> Result<u64, Failure> {
        Err(Fault::new("forget tokens", "not there yet").into())
    }

    async fn set_password(&self, _deed: Deed, _person: &PersonId, _hash: String) -> Result<(), Failure> {
        Err(Fault::new("set a password", "not there yet").into())
    }

    async fn sign_in_record(&self, _name: &Name) -> Result<Option<(Person, Option<String>)>, Failure> {
        Err(Fault::new("read a password", "not there yet").into())
    }
}
