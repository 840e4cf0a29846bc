//! Accounts: authentication, tokens, browsers, people, agents and invites.

mod agents;
mod browsers;
mod first_start;
mod invites;
mod people;
mod tokens;

use std::sync::Arc;

use parlour_core::{
    Code, Refusal, Timestamp,
    access::{Grant, Principal},
    attribution::Attribution,
    claims::TokenRejection,
    engine::EngineOffer,
    event::Change,
    id::{ProjectId, TokenId},
    limits,
    project::Project,
    scope::Scopes,
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey},
    write::{Appended, Write},
};
use sha2::{Digest as _, Sha256};

use crate::{
    Failure, Fault,
    access::Access,
    audit::AuditLog,
    cache::LoadCache,
    event_writer::EventWriter,
    failure::unexpected_change,
    infrastructure::Infrastructure,
    live::{SessionEnd, Sessions},
    ports::{Clock, ForeignIdentity, Ids, Issuers, Keys, Passwords, Store},
    presence::PresenceService,
    project_state::ProjectStates,
    token::hash_token,
};

pub use self::{
    agents::NewAgent,
    browsers::SignedIn,
    first_start::FirstStart,
    invites::{Join, Joined, NewInvite},
    people::NewPerson,
    tokens::{IssueToken, IssuedToken, TokenFormat},
};

/// A credential. Each is looked up among its own kind only.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Credential<'a> {
    /// A bearer token: random, or signed by the hub or a trusted issuer.
    Bearer(&'a str),
    /// The secret of a browser's session cookie.
    Session(&'a str),
    /// The SHA-256 of a client certificate that a trusted authority has signed.
    Certificate(&'a TokenHash),
}

impl<'a> From<&'a str> for Credential<'a> {
    fn from(token: &'a str) -> Self {
        Self::Bearer(token)
    }
}

impl<'a> From<&'a String> for Credential<'a> {
    fn from(token: &'a String) -> Self {
        Self::Bearer(token)
    }
}

impl Credential<'_> {
    fn is_too_long(&self) -> bool {
        match self {
            Self::Bearer(text) | Self::Session(text) => text.len() > limits::TOKEN_CHARS_MAX,
            Self::Certificate(_) => false,
        }
    }

    /// The cache key of a credential; the kind is part of it.
    fn fingerprint(&self) -> TokenHash {
        let (tag, bytes) = match self {
            Self::Bearer(text) => (b'b', text.as_bytes()),
            Self::Session(text) => (b's', text.as_bytes()),
            Self::Certificate(hash) => (b'c', hash.as_slice()),
        };
        Sha256::new().chain_update([tag]).chain_update(bytes).finalize().into()
    }
}

/// Authenticates callers and manages people, agents, tokens and invites.
pub struct AccountService {
    access: Access,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    keys: Arc<dyn Keys>,
    issuers: Arc<dyn Issuers>,
    passwords: Arc<dyn Passwords>,
    projects: Arc<ProjectStates>,
    writer: EventWriter,
    sessions: Arc<Sessions>,
    presence: Arc<PresenceService>,
    audit: Arc<AuditLog>,
    engines: Arc<[EngineOffer]>,
    /// Callers by the fingerprint of their credential; cleared whenever a token or a member changes.
    principals: Arc<LoadCache<TokenHash, Principal>>,
}

impl AccountService {
    /// A service with an empty cache of callers. Agents can have the engines.
    pub fn new(
        parts: &Infrastructure,
        presence: &Arc<PresenceService>,
        audit: &Arc<AuditLog>,
        engines: &Arc<[EngineOffer]>,
    ) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            keys: Arc::clone(&parts.ports.keys),
            issuers: Arc::clone(&parts.ports.issuers),
            passwords: Arc::clone(&parts.ports.passwords),
            projects: Arc::clone(&parts.projects),
            writer: parts.writer.clone(),
            sessions: Arc::clone(&parts.sessions),
            presence: Arc::clone(presence),
            audit: Arc::clone(audit),
            engines: Arc::clone(engines),
            principals: Arc::new(LoadCache::new(limits::TOKEN_CACHE_LEN_MAX)),
        }
    }

    /// Authenticates a credential; an unknown, revoked, expired or forged one is refused (`Unauthenticated`).
    pub async fn sign_in<'a>(&self, credential: impl Into<Credential<'a>>) -> Result<Principal, Failure> {
        let credential = credential.into();
        if credential.is_too_long() {
            return Err(unknown().into());
        }
        let fingerprint = credential.fingerprint();
        let found = self.principals.get_or_load(&fingerprint, self.look_up(credential)).await?;
        let caller = found.ok_or_else(unknown)?;
        // An expired credential is removed from the cache.
        self.access.require_unexpired(&caller).inspect_err(|_| self.principals.remove(&fingerprint))?;
        Ok(caller)
    }

    async fn look_up(&self, credential: Credential<'_>) -> Result<Option<Principal>, Failure> {
        match credential {
            Credential::Bearer(token) if is_signed(token) => self.look_up_signed(token).await,
            Credential::Bearer(token) => self.store.principal(&TokenKey::Static(hash_token(token))).await,
            Credential::Session(secret) => self.store.principal(&TokenKey::Session(hash_token(secret))).await,
            Credential::Certificate(hash) => self.store.principal(&TokenKey::Certificate(*hash)).await,
        }
    }

    async fn look_up_signed(&self, token: &str) -> Result<Option<Principal>, Failure> {
        let now = self.clock.now();
        if self.issuers.knows(token) {
            let identity = self.issuers.read(token, now).await?;
            return self.look_up_identity(identity).await;
        }
        let claims = match self.keys.read(token) {
            Ok(claims) => claims,
            // An operator may have chosen a random token with dots.
            Err(distrust) => {
                let found = self.store.principal(&TokenKey::Static(hash_token(token))).await?;
                return Ok(Some(found.ok_or_else(|| refuse(distrust))?));
            }
        };
        claims.check(self.keys.issuer(), now).map_err(refuse)?;
        let scopes =
            claims.scope.parse().map_err(|_| refuse(TokenRejection("this token names a scope that is unknown")))?;
        let ends = Timestamp::from_millis(claims.exp.saturating_mul(1000));
        let found = self.store.principal(&TokenKey::Jwt(claims.jti.clone())).await?;
        Ok(found.filter(|caller| caller.member == claims.sub).map(|caller| narrowed(caller, scopes, ends)))
    }

    /// Looks up the member that is registered for a foreign identity.
    async fn look_up_identity(&self, identity: ForeignIdentity) -> Result<Option<Principal>, Failure> {
        let key = TokenKey::External(subject_hash(&identity.issuer, &identity.subject));
        let found = self.store.principal(&key).await?;
        Ok(found.map(|caller| {
            let scopes = identity.scopes.unwrap_or(caller.grant.scopes);
            narrowed(caller, scopes, identity.expires_at)
        }))
    }
}

impl AccountService {
    /// Appends a write that changes members or their names.
    pub(crate) async fn append_to_members(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let entry = self.writer.entry(caller, project, write);
        let (store, presence) = (Arc::clone(&self.store), Arc::clone(&self.presence));
        let (writer, caller) = (self.writer.clone(), caller.clone());
        self.change_members(async move {
            let at = entry.attribution.at;
            let appended = store.append(entry).await?;
            presence.refresh_after(&caller, &appended.change, at).await;
            writer.count_agent_change(&appended.change);
            Ok(appended)
        })
        .await
    }

    /// Creates a project; its owner becomes its first member.
    pub(crate) async fn add_project(&self, caller: &Principal, project: Project) -> Result<Project, Failure> {
        let id = project.id.clone();
        match self.append_to_members(caller, &id, Write::CreateProject(project)).await?.change {
            Change::ProjectCreated(project) => Ok(*project),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Removes expired tokens, also from the cache. A failure is only logged.
    pub(crate) async fn forget_expired_tokens(&self) {
        match self.store.forget_expired_tokens(self.clock.now()).await {
            Ok(0) => {}
            Ok(count) => {
                self.principals.clear();
                tracing::info!(count, "expired tokens were removed");
            }
            Err(failure) => tracing::warn!(cause = %failure, "expired tokens could not be removed"),
        }
    }

    /// Stores a token in place of all others of its member and ends the live sessions of the member.
    async fn replace_tokens(&self, attribution: Attribution, new: NewToken) -> Result<Token, Failure> {
        let store = Arc::clone(&self.store);
        let change = async move { store.add_token(attribution, new, OtherTokens::End).await };
        self.change_tokens(change, |sessions, token| sessions.end_member(&token.member_id, SessionEnd::SignedOut)).await
    }

    /// Revokes a token and ends the live sessions that were opened with it.
    async fn end_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure> {
        let (store, id) = (Arc::clone(&self.store), id.clone());
        let change = async move { store.revoke_token(attribution, &id).await };
        self.change_tokens(change, |sessions, token| sessions.end_token(&token.member_id, &token.id)).await
    }

    /// Changes tokens, then clears the cache of callers, and then ends live sessions. A session that is opened
    /// meanwhile signs in again after it is registered, and finds nothing cached.
    ///
    /// The work is completed even if the caller goes away: the store finishes a write that it has begun, and a
    /// revoked token must not stay in the cache.
    async fn change_tokens<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Failure>> + Send + 'static,
        end_sessions: impl FnOnce(&Sessions, &T) + Send + 'static,
    ) -> Result<T, Failure> {
        let (principals, sessions) = (Arc::clone(&self.principals), Arc::clone(&self.sessions));
        let changing = tokio::spawn(async move {
            let outcome = change.await;
            principals.clear();
            if let Ok(changed) = &outcome {
                end_sessions(&sessions, changed);
            }
            outcome
        });
        changing.await.map_err(|error| Fault::new("change tokens", error))?
    }

    /// Changes members, then clears the caches about them. The work is completed like [`AccountService::change_tokens`].
    async fn change_members<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let (principals, projects) = (Arc::clone(&self.principals), Arc::clone(&self.projects));
        let changing = tokio::spawn(async move {
            let outcome = change.await;
            principals.clear();
            projects.clear();
            outcome
        });
        changing.await.map_err(|error| Fault::new("change members", error))?
    }
}

/// The key of a member of another issuer. No two pairs of names share it.
fn subject_hash(issuer: &str, subject: &str) -> TokenHash {
    let length = (issuer.len() as u64).to_be_bytes();
    Sha256::new().chain_update(length).chain_update(issuer).chain_update(subject).finalize().into()
}

/// A signed token has three parts separated by dots.
fn is_signed(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// Combines the stored and the signed grant: the smaller of both applies.
fn narrowed(caller: Principal, scopes: Scopes, ends: Timestamp) -> Principal {
    let kept = caller.grant.clone();
    let expires_at = Some(kept.expires_at.map_or(ends, |kept| kept.min(ends)));
    caller.granted(Grant { scopes: kept.scopes.and(scopes), expires_at, ..kept })
}

fn unknown() -> Refusal {
    Refusal::new(Code::Unauthenticated, "this token is not known here; it may have been revoked or replaced")
}

#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn refuse(distrust: TokenRejection) -> Refusal {
    Refusal::new(Code::Unauthenticated, distrust.to_string())
}
