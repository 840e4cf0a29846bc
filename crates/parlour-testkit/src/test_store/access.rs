//! Tokens and invites.

use parlour_core::{
    Timestamp,
    attribution::Attribution,
    id::{InviteId, MemberId, TokenId},
    invite::Invite,
    limits,
    member::Agent,
    project::Project,
    scope::{JoinRole, Scopes},
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey, TokenKind},
    write::Write,
};

use super::{TestMember, TestStore};
use parlour_hub::{Failure, ports::Ids};

impl TestStore {
    /// 32 random bytes.
    pub fn secret(&self) -> TokenHash {
        self.ids.new_secret()
    }

    /// A new random token of a member, with all scopes.
    pub fn token(&self, member: &MemberId) -> NewToken {
        self.token_of_kind(TokenKind::Static, member)
    }

    /// A new token of this kind, with all scopes and without expiry.
    pub fn token_of_kind(&self, kind: TokenKind, member: &MemberId) -> NewToken {
        let id = TokenId::from_bits(self.bits());
        let key = match kind {
            TokenKind::Static => TokenKey::Static(self.secret()),
            TokenKind::Jwt => TokenKey::Jwt(id.clone()),
            TokenKind::Session => TokenKey::Session(self.secret()),
            TokenKind::Link => TokenKey::Link(self.secret()),
            TokenKind::Certificate => TokenKey::Certificate(self.secret()),
            TokenKind::External => TokenKey::External(self.secret()),
        };
        let token = Token {
            id,
            member_id: member.clone(),
            kind,
            label: String::new(),
            scopes: Scopes::all(),
            acts_as: None,
            created_by: None,
            created_at: self.now(),
            expires_at: None,
        };
        NewToken { token, key }
    }

    /// A new random token of a member that expires at this time.
    pub fn token_until(&self, member: &MemberId, at: Timestamp) -> NewToken {
        let mut new = self.token(member);
        new.token.expires_at = Some(at);
        new
    }

    /// Stores a token beside the others, or returns the refusal.
    pub async fn try_issue(&self, new: &NewToken) -> Result<Token, Failure> {
        self.store.add_token(self.attribution(), new.clone(), OtherTokens::Stay).await
    }

    /// Stores a token beside the others.
    pub async fn issue(&self, new: NewToken) -> NewToken {
        self.try_issue(&new).await.expect("a good token");
        new
    }

    /// The write that adds an agent with a token.
    pub fn adding_agent(&self, agent: Agent) -> Write {
        let token = self.token(&agent.id.clone().into());
        Write::CreateAgent(agent, token, None)
    }

    /// The write by which an agent joins with an invite.
    pub fn joining(&self, agent: Agent, invite: &Invite) -> Write {
        let token = self.token(&agent.member());
        Write::CreateAgent(agent, token, Some(invite.id.clone()))
    }

    /// The attribution of a change by the hub, now.
    pub fn attribution(&self) -> Attribution {
        Attribution::of_host(self.now())
    }

    /// An invite of the project's owner for so many agents, not stored yet.
    pub fn new_invite(&self, project: &Project, uses_max: u32) -> Invite {
        let now = self.now();
        Invite {
            id: InviteId::from_bits(self.bits()),
            project_id: project.id.clone(),
            role: JoinRole::Full,
            label: String::new(),
            uses_max,
            uses: 0,
            created_by: project.owner.clone().into(),
            created_at: now,
            expires_at: now.plus_millis(limits::INVITE_SECONDS_DEFAULT as u64 * 1_000),
        }
    }

    /// Stores an invite with a code of its own, or returns the refusal.
    pub async fn try_invite(&self, invite: Invite) -> Result<Invite, Failure> {
        self.store.add_invite(self.attribution(), invite, self.secret()).await
    }

    /// Creates an invite for so many agents.
    pub async fn invite(&self, project: &Project, uses_max: u32) -> Invite {
        self.try_invite(self.new_invite(project, uses_max)).await.expect("an invite")
    }
}
