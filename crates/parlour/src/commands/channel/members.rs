//! `parlour channel members`: who is in a private channel.

use clap::Args;
use parlour_core::{id::MemberId, name::Name, paging::Page};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour channel members board
  parlour channel members board --add Mara --add Coder
  parlour channel members board --remove Coder";

/// Show or change who is in a private channel
///
/// A channel of the whole project has no members of its own.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Members {
    /// The channel, by name or id
    channel: String,
    /// Let these members in, by name or id
    #[arg(long, value_name = "MEMBER")]
    add: Vec<String>,
    /// Take these members out
    #[arg(long, value_name = "MEMBER")]
    remove: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Members {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let (id, project) = (&channel.id, &channel.project_id);
        for member in &self.add {
            session.client.add_channel_member(id, &session.member_in(project, member).await?).await?;
        }
        for member in &self.remove {
            session.client.remove_channel_member(id, &session.member_in(project, member).await?).await?;
        }
        let members = session.client.channel_members(id).await?;
        let names = session.members_of(project).await?;
        session.answer(&members, |members| show(&session, &names, members))
    }
}

/// A member that has left the project has no name any more.
fn show(session: &Session, names: &[(MemberId, Name)], members: &Page<MemberId>) -> String {
    if members.items.is_empty() {
        return "This channel is open to the whole project.\n".to_owned();
    }
    let mut table = Table::new(&["id", "name"]);
    for id in &members.items {
        let name = names.iter().find(|(member, _)| member == id).map_or("–", |(_, name)| name.as_str());
        table.row(&[id.as_str(), name]);
    }
    table.render(session.style)
}
