//! `parlour mcp`: the hub's MCP tools for programs that speak over their standard streams.

use std::{
    io::{self, Read as _, Write as _},
    thread,
};

use clap::Args;
use parlour_agent::mcp;
use tokio::{
    io::{AsyncRead, AsyncWriteExt as _, BufReader, duplex, stdout},
    runtime::Handle,
};
use tokio_util::sync::CancellationToken;

use super::interrupt::Interrupt;
use crate::{failure::Failure, output::Output, session::Connection};

const PIECE_BYTES: usize = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  claude mcp add parlour -- parlour mcp --profile Coder     Claude Code
  codex mcp add parlour -- parlour mcp --profile Coder      Codex

  {\"mcpServers\": {\"parlour\": {\"command\": \"parlour\",
    \"args\": [\"mcp\", \"--profile\", \"Coder\"]}}}             any other client

The token identifies the agent: pass the profile that `parlour join LINK NAME` stored, or set PARLOUR_TOKEN. With your own \
profile, the tools act as you. MCP clients with HTTP support can use the address of the hub plus /mcp directly.";

/// Serve the MCP tools of the hub over stdin and stdout
///
/// Relays MCP messages between the client and the hub at --url, line by line. Only the protocol is written to stdout;
/// errors go to stderr, and to the client as the error of its request.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct McpCommand {
    #[command(flatten)]
    connection: Connection,
}

impl McpCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let client = self.connection.open()?.client;
        let mut interrupt = Interrupt::catch()?;
        let stop = CancellationToken::new();
        let relaying = mcp::relay(client, BufReader::new(input()), stdout(), stop.clone(), note);
        tokio::pin!(relaying);
        tokio::select! {
            () = &mut relaying => return Ok(Output::default()),
            () = interrupt.caught() => stop.cancel(),
        }
        relaying.await;
        Ok(Output::default())
    }
}

/// Reads stdin in a detached thread: a blocking read cannot be cancelled and must not delay the end of the process.
fn input() -> impl AsyncRead + Unpin {
    let (mut writer, reader) = duplex(PIECE_BYTES);
    let runtime = Handle::current();
    thread::spawn(move || {
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(count @ 1..) = io::stdin().read(&mut piece) {
            if runtime.block_on(writer.write_all(&piece[..count])).is_err() {
                break;
            }
        }
    });
    reader
}

/// Writes to stderr, the log of the MCP client. Errors are ignored.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "parlour: {text}");
}
