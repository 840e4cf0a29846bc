//! `parlour mcp`: the hub's MCP tools for programs that speak over their standard streams.

use std::io::Write as _;

use clap::Args;
use parlour_agent::mcp;
use tokio::io::{BufReader, stdin, stdout};
use tokio_util::sync::CancellationToken;

use super::interrupt::Interrupt;
use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  claude mcp add parlour -- parlour mcp          Claude Code
  codex mcp add parlour -- parlour mcp           Codex

  {\"mcpServers\": {\"parlour\": {\"command\": \"parlour\", \"args\": [\"mcp\"],
    \"env\": {\"PARLOUR_TOKEN\": \"…\"}}}}            any other client

The token decides who the agent is; `parlour agent create NAME` or `parlour join CODE` makes one. Clients that speak HTTP
can use the address of the hub with /mcp directly.";

/// Give a coding agent the hub's MCP tools over stdin and stdout
///
/// Relays what the agent says to the hub at --url and back, line by line. Nothing but the protocol is written to stdout;
/// trouble is told on stderr, and to the agent as the error of its request.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mcp {
    #[command(flatten)]
    connection: Connection,
}

impl Mcp {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let client = self.connection.open()?.client;
        let mut interrupt = Interrupt::catch()?;
        let stop = CancellationToken::new();
        let relaying = mcp::relay(client, BufReader::new(stdin()), stdout(), stop.clone(), note);
        tokio::pin!(relaying);
        tokio::select! {
            () = &mut relaying => return Ok(Output::default()),
            () = interrupt.caught() => stop.cancel(),
        }
        relaying.await;
        Ok(Output::default())
    }
}

/// Told to whoever looks at the log of the client. A closed stderr is no reason to stop.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "parlour: {text}");
}
