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

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  claude mcp add parlour -- parlour mcp          Claude Code
  codex mcp add parlour -- parlour mcp           Codex

  {\"mcpServers\": {\"parlour\": {\"command\": \"parlour\", \"args\": [\"mcp\"],
    \"env\": {\"PARLOUR_TOKEN\": \"…\"}}}}            any other client

The token decides who the agent is; `parlour agent create NAME` or `parlour join CODE` makes one. Clients that speak \
HTTP can use the address of the hub with /mcp directly.";

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

/// What comes on stdin, read by a thread that nobody waits for: a read that is under way cannot be called back, and must
/// not hold up the end of the program.
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

/// Told to whoever looks at the log of the client. A closed stderr is no reason to stop.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "parlour: {text}");
}
