use std::io::{self, Write as _};

use clap::Args;

use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour audit export > audit.jsonl
  parlour audit export --after 5000 >> audit.jsonl    go on where an export ended
  parlour audit export | gzip > audit.jsonl.gz

Administrators only; the token needs the scope `admin`.";

/// Write the whole audit log to stdout, one JSON object in each line, oldest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// Only what follows the entry with this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: u64,
    #[command(flatten)]
    connection: Connection,
}

impl Export {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let mut export = session.client.export_audit(self.after).await?;
        while let Some(bytes) = export.next().await? {
            if !write(&bytes)? {
                break;
            }
        }
        Ok(Output::default())
    }
}

/// Writes to stdout; says whether somebody still reads it. An export that cannot be written whole is a failure.
fn write(bytes: &[u8]) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::broken("write the export", &error)),
    }
}
