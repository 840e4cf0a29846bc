//! `parlour reference`: documents that are generated from the code, for `cargo xtask docs`.

use std::{fs, path::PathBuf};

use clap::{Args, Subcommand};

use crate::{failure::Failure, output::Output, settings};

#[derive(Debug, Subcommand)]
pub(crate) enum ReferenceCommand {
    /// Page of all settings
    Settings,
    /// OpenAPI description
    Openapi,
    Errors(Errors),
}

impl ReferenceCommand {
    pub(crate) fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Settings => Ok(Output::text(settings::reference_page())),
            Self::Openapi => Ok(Output::text(parlour_server::openapi_json())),
            Self::Errors(command) => command.run(),
        }
    }
}

/// One page per error code, written to a folder
#[derive(Args, Debug)]
pub(crate) struct Errors {
    /// Output folder; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Errors {
    fn run(&self) -> Result<Output, Failure> {
        let write = || -> std::io::Result<usize> {
            fs::create_dir_all(&self.out)?;
            let pages = parlour_server::error_pages();
            for (name, text) in &pages {
                fs::write(self.out.join(name), text)?;
            }
            Ok(pages.len())
        };
        let count = write().map_err(|error| Failure::broken(format!("write to {}", self.out.display()), &error))?;
        Ok(Output::text(format!("{count} pages written to {}.\n", self.out.display())))
    }
}
