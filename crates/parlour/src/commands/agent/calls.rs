//! `parlour agent calls`: what an agent is still to answer.

use clap::Args;
use parlour_core::call::CallReason;

use crate::{
    failure::Failure,
    output::{Output, plain::one_line, table::Table},
    session::Connection,
};

/// List what an agent is still to answer
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent calls Coder")]
pub(crate) struct Calls {
    /// The agent, by name or id
    agent: String,
    #[command(flatten)]
    connection: Connection,
}

impl Calls {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let page = session.client.calls(&id).await?;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                return format!("{} has nothing to answer.\n", self.agent);
            }
            let mut table = Table::new(&["message", "asked", "by", "why"]);
            for call in &page.items {
                let (asked, by) = (session.moments.show(call.called_at), one_line(&call.from.name));
                table.row(&[call.message_id.as_str(), &asked, &by, why(call.reason)]);
            }
            table.render(session.style)
        })
    }
}

fn why(reason: CallReason) -> &'static str {
    match reason {
        CallReason::Mention => "mentioned",
        CallReason::Dm => "dm",
        CallReason::Follow => "follows the thread",
    }
}
