use clap::Args;

use crate::{commands::shown_once::show_token, failure::Failure, output::Output, session::Connection};

/// Replace your token by a new one of the same sort
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  export PARLOUR_TOKEN=$(parlour token renew --json | jq -r .secret)")]
pub(crate) struct Renew {
    #[command(flatten)]
    connection: Connection,
}

impl Renew {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let renewed = session.client.renew_token().await?;
        session.answer(&renewed, |renewed| {
            let secret = renewed.secret.as_deref().map(|secret| show_token(&session, secret));
            format!("You have a new token; the one before no longer works.\n{}", secret.unwrap_or_default())
        })
    }
}
