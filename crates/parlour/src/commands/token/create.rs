use std::path::{Path, PathBuf};

use clap::Args;
use parlour_agent::{answers::IssuedToken, requests::IssueToken};
use parlour_core::{
    id::MemberId,
    name::Name,
    scope::{JoinRole, Scope, Scopes},
    token::{ActsAs, ProgramType, TokenKind},
};
use rustls_pki_types::{CertificateDer, pem::PemObject as _};
use sha2::{Digest as _, Sha256};

use crate::{
    choices,
    commands::shown_once::show_token,
    failure::Failure,
    lifetime::Lifetime,
    output::Output,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour token create --label 'nightly report' --role read-only --expires 30d
  parlour token create --member Coder --scope messages:read --scope messages:write
  parlour token create --applet file-browser --role post-only  what it posts is from the applet
  parlour token create --static --label backup                 lives until it is revoked
  parlour token create --member Coder --certificate coder.pem  for administrators
  parlour token create --member Mara --issuer https://login.example --subject mara@example.org

Scopes: messages:read, messages:write, messages:block, channels:read, channels:manage, artifacts:write, tasks:write, \
context:read, runs:write, mentions:wide, projects:manage, agents:manage, tokens:manage, admin. `parlour token list` \
shows those of each token.";

/// Issue a token and show it, once
///
/// Without --static, --certificate or --issuer it is signed by the hub (JWT) and ends after 90 days unless --expires says
/// otherwise. Nobody gives a scope that the own token lacks.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Create {
    /// For whom, by name or id; for yourself without it
    #[arg(long)]
    member: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    /// What it may be used for; may be repeated
    #[arg(long, value_name = "SCOPE", value_parser = choices::scope(), hide_possible_values = true, conflicts_with = "role")]
    scope: Vec<Scope>,
    /// A name for a set of scopes
    #[arg(long, value_name = "ROLE", value_parser = choices::role())]
    role: Option<JoinRole>,
    /// Let an applet of this name write with it: messages are from the applet, you answer for them
    #[arg(long, value_name = "NAME", value_parser = Name::parse, conflicts_with = "schedule")]
    applet: Option<Name>,
    /// The same for a schedule
    #[arg(long, value_name = "NAME", value_parser = Name::parse)]
    schedule: Option<Name>,
    /// After which time it ends, such as 30d or 12h
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Make a random text instead of a signed one; it may live for ever
    #[arg(long = "static", conflicts_with_all = ["certificate", "issuer"])]
    is_static: bool,
    /// Let a client certificate stand for the member
    #[arg(long, value_name = "PEM FILE", conflicts_with = "issuer")]
    certificate: Option<PathBuf>,
    /// Let a name that a trusted issuer gives stand for the member
    #[arg(long, value_name = "ISSUER", requires = "subject")]
    issuer: Option<String>,
    /// That name, the claim `sub`
    #[arg(long, value_name = "SUBJECT", requires = "issuer")]
    subject: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    pub(super) async fn run(self) -> Result<Output, Failure> {
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

/// The member with this name or id: a member of the project, or a person of the hub.
pub(super) async fn token_owner(session: &Session, wanted: &str) -> Result<MemberId, Failure> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    match session.person(wanted).await {
        Ok(person) => Ok(person.into()),
        Err(_) => session.member_in(&session.project().await?.id, wanted).await,
    }
}

/// The SHA-256 of the first certificate in a PEM file.
fn fingerprint(path: &Path) -> Result<String, Failure> {
    let unreadable = |error: &dyn std::error::Error| Failure::new(format!("{}: {error}", path.display()));
    let pem = std::fs::read(path).map_err(|error| unreadable(&error))?;
    let found = CertificateDer::pem_slice_iter(&pem).next();
    let missing = || Failure::new(format!("{}: there is no certificate in this file", path.display()));
    let certificate = found.ok_or_else(missing)?.map_err(|error| unreadable(&error))?;
    Ok(Sha256::digest(&certificate).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn show_issued(session: &Session, issued: &IssuedToken) -> String {
    let token = &issued.token;
    let ends = token.expires_at.map(|at| format!(" It ends {}.", session.moments.show(at)));
    let secret = issued.secret.as_deref().map(|secret| show_token(session, secret));
    format!(
        "Token {} for {} may be used for: {}.{}\n{}",
        token.id,
        token.member_id,
        token.scopes.to_string().replace(' ', ", "),
        ends.unwrap_or_default(),
        secret.unwrap_or_default()
    )
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
        assert!(fingerprint(&path).expect_err("none").to_string().contains("key.pem: there is no certificate"));
        assert!(fingerprint(&folder.path().join("none.pem")).is_err());
    }
}
