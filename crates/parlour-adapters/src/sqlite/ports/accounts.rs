use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    attribution::Attribution,
    id::{MemberId, PersonId, TokenId},
    limits,
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey},
};
use parlour_hub::{Failure, ports::Accounts};

use crate::sqlite::{
    SqliteStore,
    read::accounts,
    rows::{member::load_person, token::load_token},
    tx::Tx,
    write::{create_person::create_person, passwords::set_password, rename_person::rename_person, tokens},
};

#[async_trait]
impl Accounts for SqliteStore {
    async fn create_person(
        &self,
        attribution: Attribution,
        person: Person,
        token: NewToken,
    ) -> Result<Person, Failure> {
        let operation = format!("create person {}", person.id);
        self.write(operation, move |tx| create_person(tx, attribution, person, &token)).await
    }

    async fn rename_person(&self, attribution: Attribution, id: &PersonId, name: Name) -> Result<Person, Failure> {
        let (operation, id) = (format!("rename person {id}"), id.clone());
        let rename = move |tx: &Tx<'_>| rename_person(tx, &attribution, &id, name);
        Ok(self.write_events(operation, rename, |renamed| renamed.events.clone()).await?.person)
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, Failure> {
        let id = id.clone();
        self.read("read a person", move |db| load_person(db, &id)).await
    }

    async fn people(&self, page: &PageRequest) -> Result<Page<Person>, Failure> {
        let page = page.clone();
        self.read("list people", move |db| accounts::people(db, &page)).await
    }

    async fn add_token(&self, attribution: Attribution, new: NewToken, others: OtherTokens) -> Result<Token, Failure> {
        let operation = format!("add a token of {}", new.token.member_id);
        self.write(operation, move |tx| tokens::add_token(tx, attribution, new, others)).await
    }

    async fn token(&self, id: &TokenId) -> Result<Option<Token>, Failure> {
        let id = id.clone();
        self.read("read a token", move |db| load_token(db, &id)).await
    }

    async fn tokens(&self, member: &MemberId, page: &PageRequest) -> Result<Page<Token>, Failure> {
        let (member, page) = (member.clone(), page.clone());
        self.read("list tokens", move |db| accounts::tokens(db, &member, &page)).await
    }

    async fn revoke_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure> {
        let (operation, id) = (format!("revoke token {id}"), id.clone());
        self.write(operation, move |tx| tokens::revoke_token(tx, attribution, &id)).await
    }

    async fn redeem_link(
        &self,
        attribution: Attribution,
        link: &TokenHash,
        session: NewToken,
    ) -> Result<Token, Failure> {
        let link = *link;
        self.write("redeem a link".to_owned(), move |tx| tokens::redeem_link(tx, attribution, &link, session)).await
    }

    async fn principal(&self, key: &TokenKey) -> Result<Option<Principal>, Failure> {
        let key = key.clone();
        self.read("look up a token", move |db| accounts::principal(db, &key)).await
    }

    /// A piece at a time: other writes get in between.
    async fn forget_expired_tokens(&self, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        loop {
            let operation = "forget expired tokens".to_owned();
            let count = self.write(operation, move |tx| tokens::forget_expired(tx, now)).await?;
            forgotten += count;
            if count < limits::STORE_PRUNE_LEN_MAX as u64 {
                return Ok(forgotten);
            }
        }
    }

    async fn set_password(&self, attribution: Attribution, person: &PersonId, hash: String) -> Result<(), Failure> {
        let (operation, person) = (format!("set the password of {person}"), person.clone());
        self.write(operation, move |tx| set_password(tx, attribution, &person, &hash)).await
    }

    async fn sign_in_record(&self, name: &Name) -> Result<Option<(Person, Option<String>)>, Failure> {
        let name = name.clone();
        self.read("look up a name", move |db| accounts::sign_in_record(db, &name)).await
    }
}
