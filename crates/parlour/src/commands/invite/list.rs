use clap::Args;
use parlour_core::{invite::Invite, paging::Page};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

/// List the invites of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour invite list")]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
}

impl List {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let page = session.client.invites(&project.id).await?;
        session.answer(&page, |page| show(&session, page))
    }
}

fn show(session: &Session, page: &Page<Invite>) -> String {
    if page.items.is_empty() {
        return format!("There are no invites.\n{}", session.next("parlour invite"));
    }
    let mut table = Table::new(&["id", "role", "used", "ends", "label"]);
    for invite in &page.items {
        let used = format!("{} of {}", invite.uses, invite.uses_max);
        let ends = session.moments.show(invite.expires_at);
        table.row(&[invite.id.as_str(), invite.role.as_str(), &used, &ends, &invite.label]);
    }
    table.render(session.style)
}
