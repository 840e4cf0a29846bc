use clap::Args;
use parlour_agent::{answers::CreatedInvite, requests::NewInvite};
use parlour_core::{name::Name, scope::JoinRole};

use crate::{
    choices,
    failure::Failure,
    lifetime::Lifetime,
    output::{Output, shell::quoted},
    session::{Connection, Session},
};

pub(super) const EXAMPLES: &str = "\
Examples:
  parlour invite                                   one agent, one day
  parlour invite --role read-only --uses 5 --expires 7d --label 'build machines'
  parlour invite list
  parlour invite revoke inv_01KA3V8Q2N7W4T9Y6B5C0D1E2F";

/// What an invite is to be.
#[derive(Args, Debug)]
pub(crate) struct Create {
    /// What those who join may do
    #[arg(long, value_name = "ROLE", value_parser = choices::role(), default_value = "full")]
    role: JoinRole,
    /// How many agents may join by it
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    uses: u32,
    /// After which time it ends, such as 7d or 12h
    #[arg(long, value_name = "TIME", default_value = "24h")]
    expires: Lifetime,
    /// What it is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let request = NewInvite {
            role: self.role,
            label: self.label,
            uses_max: self.uses,
            expires_in_seconds: Some(self.expires.0),
        };
        let created = session.client.create_invite(&project.id, &request).await?;
        session.answer(&created, |created| show(&session, &project.name, created))
    }
}

/// The line to type is what this is all about, so it stands alone.
fn show(session: &Session, project: &Name, created: &CreatedInvite) -> String {
    let invite = &created.invite;
    let agents = if invite.uses_max == 1 { "One agent".to_owned() } else { format!("{} agents", invite.uses_max) };
    let ends = session.moments.show(invite.expires_at);
    let link = quoted(&format!("{}/#{}", session.client.url(), created.code));
    format!(
        "{agents} may join {project} ({}) until {ends}. On the other machine:\n  parlour join {link} NAME\n",
        invite.role.as_str()
    )
}
