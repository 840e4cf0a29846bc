//! `parlour token`: issues, lists, renews and revokes tokens.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use parlour_agent::{answers::IssuedToken, requests::IssueToken};
use parlour_core::{
    id::{MemberId, TokenId},
    name::Name,
    paging::Page,
    scope::{JoinRole, Scope, Scopes},
    token::{ActsAs, ProgramType, Token, TokenKind},
};
use rustls_pki_types::{CertificateDer, pem::PemObject as _};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{
    choices,
    failure::Failure,
    lifetime::Lifetime,
    output::{Output, table::Table},
    profiles::{ProfileName, ProfileStore},
    session::{Connection, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    Create(TokenCreate),
    List(TokenList),
    Revoke(TokenRevoke),
    Renew(TokenRenew),
}

impl TokenCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Revoke(command) => command.run().await,
            Self::Renew(command) => command.run().await,
        }
    }
}

const CREATE_EXAMPLES: &str = "\
Examples:
  parlour token create --label 'nightly report' --role read-only --expires 30d
  parlour token create --member Coder --scope messages:read --scope messages:write
  parlour token create --applet file-browser --role post-only  messages are from the applet
  parlour token create --static --label backup                 valid until it is revoked
  parlour token create --member Coder --certificate coder.pem  administrators only
  parlour token create --member Mara --issuer https://login.example --subject mara@example.org

Scopes: messages:read, messages:write, messages:block, channels:read, channels:manage, artifacts:write, tasks:write, \
context:read, runs:write, mentions:wide, projects:manage, agents:manage, tokens:manage, admin. `parlour token list` \
shows the scopes of each token.";

/// Issue a token and print it once
///
/// By default the token is signed by the hub (JWT) and expires after 90 days. You cannot give scopes that your own token
/// does not have.
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct TokenCreate {
    /// Member of the token, by name or id; default: yourself
    #[arg(long)]
    member: Option<String>,
    /// Label for your own use
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    /// Scope of the token; can be repeated
    #[arg(long, value_name = "SCOPE", value_parser = choices::scope(), hide_possible_values = true, conflicts_with = "role")]
    scope: Vec<Scope>,
    /// Role: a named set of scopes
    #[arg(long, value_name = "ROLE", value_parser = choices::role())]
    role: Option<JoinRole>,
    /// Token for an applet of this name: it is the author of the messages, you are responsible
    #[arg(long, value_name = "NAME", value_parser = Name::parse, conflicts_with = "schedule")]
    applet: Option<Name>,
    /// Token for a schedule of this name
    #[arg(long, value_name = "NAME", value_parser = Name::parse)]
    schedule: Option<Name>,
    /// Time until the token expires, for example 30d or 12h
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Issue a random static token instead of a JWT; it can be without expiry
    #[arg(long = "static", conflicts_with_all = ["certificate", "issuer"])]
    is_static: bool,
    /// Accept this client certificate for the member
    #[arg(long, value_name = "PEM FILE", conflicts_with = "issuer")]
    certificate: Option<PathBuf>,
    /// Accept a subject of this trusted issuer for the member
    #[arg(long, value_name = "ISSUER", requires = "subject")]
    issuer: Option<String>,
    /// Subject: the claim `sub` of the issuer's tokens
    #[arg(long, value_name = "SUBJECT", requires = "issuer")]
    subject: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl TokenCreate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let member_id = match &self.member {
            Some(wanted) => Some(token_owner(&session, wanted).await?),
            None => None,
        };
        let issued = session.client.issue_token(&self.request(member_id)?).await?;
        session.answer(&issued, |issued| show_issued(&session, issued))
    }

    fn request(self, member_id: Option<MemberId>) -> Result<IssueToken, Failure> {
        let chosen: Scopes = self.scope.iter().copied().collect();
        let named = self.role.map(JoinRole::scopes);
        Ok(IssueToken {
            member_id,
            kind: self.kind(),
            label: self.label,
            scopes: named.or((chosen != Scopes::NONE).then_some(chosen)),
            acts_as: acts_as(self.applet, self.schedule),
            expires_in_seconds: self.expires.map(|lifetime| lifetime.0),
            certificate_sha256: self.certificate.as_deref().map(fingerprint).transpose()?,
            issuer: self.issuer,
            subject: self.subject,
        })
    }

    fn kind(&self) -> TokenKind {
        match (self.is_static, &self.certificate, &self.issuer) {
            (true, ..) => TokenKind::Static,
            (_, Some(_), _) => TokenKind::Certificate,
            (.., Some(_)) => TokenKind::External,
            _ => TokenKind::Jwt,
        }
    }
}

fn acts_as(applet: Option<Name>, schedule: Option<Name>) -> Option<ActsAs> {
    let applet = applet.map(|name| ActsAs { program: ProgramType::Applet, name });
    applet.or_else(|| schedule.map(|name| ActsAs { program: ProgramType::Scheduler, name }))
}

/// Finds a person of the hub or a member of the project.
async fn token_owner(session: &Session, wanted: &str) -> Result<MemberId, Failure> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    match session.person(wanted).await {
        Ok(person) => Ok(person.into()),
        Err(_) => session.member_in(&session.project().await?.id, wanted).await,
    }
}

fn fingerprint(path: &Path) -> Result<String, Failure> {
    let unreadable = |error: &dyn std::error::Error| Failure::new(format!("{}: {error}", path.display()));
    let pem = std::fs::read(path).map_err(|error| unreadable(&error))?;
    let found = CertificateDer::pem_slice_iter(&pem).next();
    let missing = || Failure::new(format!("{} contains no PEM certificate", path.display()));
    let certificate = found.ok_or_else(missing)?.map_err(|error| unreadable(&error))?;
    Ok(Sha256::digest(&certificate).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn show_issued(session: &Session, issued: &IssuedToken) -> String {
    let token = &issued.token;
    let ends = token.expires_at.map(|at| format!(" It expires {}.", session.local_time.show(at)));
    let secret = issued.secret.as_deref().map(|secret| show_token(session, secret));
    format!(
        "Token {} for {}, scopes: {}.{}\n{}",
        token.id,
        token.member_id,
        token.scopes.to_string().replace(' ', ", "),
        ends.unwrap_or_default(),
        secret.unwrap_or_default()
    )
}

/// List the tokens of a member, with scopes and expiry
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour token list\n  parlour token list --member Coder")]
pub(crate) struct TokenList {
    /// Member, by name or id; default: yourself
    #[arg(long)]
    member: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl TokenList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let member = match &self.member {
            Some(wanted) => Some(token_owner(&session, wanted).await?),
            None => None,
        };
        let page = session.client.tokens(member.as_ref()).await?;
        session.answer(&page, |page| show_tokens(&session, page))
    }
}

fn show_tokens(session: &Session, page: &Page<Token>) -> String {
    if page.items.is_empty() {
        return format!("No tokens.\n{}", session.next("parlour token create"));
    }
    let mut table = Table::new(&["id", "kind", "label", "created", "expires", "scopes"]);
    for token in &page.items {
        let kind = serde_json::to_value(token.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let made = session.local_time.show(token.created_at);
        let ends = token.expires_at.map_or("never".to_owned(), |at| session.local_time.show(at));
        let scopes = if token.scopes == Scopes::all() { "all".to_owned() } else { token.scopes.to_string() };
        table.row(&[token.id.as_str(), &kind.unwrap_or_default(), &token.label, &made, &ends, &scopes]);
    }
    table.render(session.style)
}

const RENEW_EXAMPLES: &str = "\
Examples:
  parlour token renew               the token of the profile
  export PARLOUR_TOKEN=$(parlour token renew --json | jq -r .secret)";

/// Replace your token by a new one of the same kind
///
/// With a profile, the new token is stored in it.
#[derive(Args, Debug)]
#[command(after_help = RENEW_EXAMPLES)]
pub(crate) struct TokenRenew {
    #[command(flatten)]
    connection: Connection,
}

impl TokenRenew {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let renewed = session.client.renew_token().await?;
        let secret = renewed.secret.as_deref().unwrap_or_default();
        let stored = match &session.profile {
            Some(name) => store_renewed(name, &renewed, secret).map_err(|failure| {
                // The old token is revoked and the new one cannot be read again, so it is printed.
                let reason = failure.reason().to_owned();
                Failure::new(reason).hint(format!("keep the new token: {secret}"))
            })?,
            None => show_token(&session, secret),
        };
        session.answer(&renewed, |_| format!("New token issued; the old token is revoked.\n{stored}"))
    }
}

/// Replaces the token of a profile.
fn store_renewed(name: &ProfileName, renewed: &IssuedToken, secret: &str) -> Result<String, Failure> {
    ProfileStore::required()?.change(|profiles| {
        if let Some(profile) = profiles.all.get_mut(name) {
            secret.clone_into(&mut profile.token);
            profile.issued = Some(renewed.token.id.clone());
        }
        Ok(())
    })?;
    Ok(format!("It is stored in profile {name}.\n"))
}

/// Revoke a token and close its connections
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour token revoke tok_01KA3V8Q2N7W4T9Y6B5C0D1E2F")]
pub(crate) struct TokenRevoke {
    /// Id of the token (`parlour token list`)
    id: TokenId,
    #[command(flatten)]
    connection: Connection,
}

impl TokenRevoke {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        session.client.revoke_token(&self.id).await?;
        session.answer(&json!({"id": self.id}), |_| format!("Token {} was revoked.\n", self.id))
    }
}

/// Formats a new token and the command that stores it.
pub(super) fn show_token(session: &Session, token: &str) -> String {
    let store = login_command(session.client.url());
    format!("{SHOWN_ONCE}\n  {token}\nTo use it, set PARLOUR_TOKEN, or store it as a profile: {store}\n")
}

pub(super) const SHOWN_ONCE: &str = "The token is shown only once:";

/// The command that stores a token as a profile. It prompts for the token, because command lines are not secret.
pub(super) fn login_command(url: &str) -> String {
    format!("parlour login {url} --token-file -")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_known_by_the_hash_of_its_content() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("one.pem");
        let made = rcgen::generate_simple_self_signed(["coder".to_owned()]).expect("certificate");
        std::fs::write(&path, made.cert.pem()).expect("written");
        let expected: String = Sha256::digest(made.cert.der()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(fingerprint(&path).expect("read"), expected);
    }

    #[test]
    fn a_file_without_a_certificate_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key.pem");
        std::fs::write(&path, "nothing").expect("written");
        assert!(fingerprint(&path).expect_err("none").to_string().contains("key.pem contains no PEM certificate"));
        assert!(fingerprint(&folder.path().join("none.pem")).is_err());
    }
}
