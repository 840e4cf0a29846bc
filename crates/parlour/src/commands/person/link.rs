use clap::Args;

use crate::{failure::Failure, output::Output, session::Connection};

/// Make a link by which a person signs in once, in a browser
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  parlour person link\n  parlour person link Mara")]
pub(crate) struct Link {
    /// The person, by name or id; yourself without it
    person: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Link {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = super::person_or_self(&session, self.person.as_deref()).await?;
        let link = session.client.make_link(&id).await?;
        session.answer(&link, |link| {
            format!("This link signs in once, within 24 hours:\n  {}{}\n", session.client.url(), link.path)
        })
    }
}
