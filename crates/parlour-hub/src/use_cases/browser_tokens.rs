//! What happens to the tokens of browsers: room is made for new sessions, and a new password ends the old ones.

use std::{collections::HashSet, sync::Arc};

use parlour_core::{
    Code, Refusal,
    access::{self, Principal},
    attribution::Attribution,
    id::{MemberId, PersonId, TokenId},
    limits,
    member::Person,
    paging::PageRequest,
    scope::Scopes,
    token::{NewToken, OtherTokens, Token, TokenKind},
};

use crate::{Failure, Hub, ports::Store};

/// How a refused attempt to set a password is called in the audit log.
const SET_PASSWORD: &str = "people.set_password";

impl Hub {
    /// Keeps a session. A person with no room for another token loses its oldest session: people seldom sign out.
    pub(crate) async fn add_session(&self, attribution: Attribution, session: NewToken) -> Result<Token, Failure> {
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

    /// Refuses a new password by somebody who does not know the one before, or whose token could not do all that a
    /// password opens.
    pub(crate) async fn check_may_set(
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
        self.note_refusal(attribution, SET_PASSWORD, None, Some(owner.id.to_string()), refusal.code).await;
        Err(refusal.into())
    }

    /// Keeps a hashed password; what was signed in with the one before ends, live sessions too.
    pub(crate) async fn store_password(
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

    /// Ends the links that the hub made for a person by itself and that nobody has used.
    pub(crate) async fn end_host_links(&self, person: &PersonId) -> Result<(), Failure> {
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
