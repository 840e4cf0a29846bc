//! `parlour convert`: messages of one system, written as another one writes them.

use std::{
    fs::File,
    io::{self, BufWriter, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_adapters::SystemClock;
use parlour_dialects::{DecodeContext, Dialect};
use parlour_hub::ports::Clock;

use crate::{failure::Failure, output::Output};

mod batch;
mod crew;
mod document;
mod elements;
pub(super) mod frames;
mod lines;
mod output_file;
mod pages;
pub(super) mod problems;
pub(super) mod reading;
pub(super) mod records;
mod shape;
mod target;
mod walk;

use output_file::OutputFile;
use reading::Reading;
use records::Records;
use target::Target;
use walk::Walk;

const EXAMPLES: &str = "\
Examples:
  parlour convert --from tkr --to native messages.jsonl > native.jsonl
  parlour convert --from jaibber --to pynchy history.json -o rows.jsonl
  cat frames.jsonl | parlour convert --from jaibber --to caco --lenient
  parlour convert --from native --to anthropic --as Coder general.jsonl
  parlour convert --list                          the dialects, with a line about each

The input is one JSON value a line, or one JSON list. Nothing is lost on the way: what the other system cannot say is \
kept in a field `parlour` of its messages, and read again from there.";

/// How much is written at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Turn messages of one system into those of another
///
/// Stops at the first line that cannot be read, and says which and why; with --lenient such lines are left out and told.
/// Frames that the other system has no word for, as pieces of a growing text, are counted and told at the end.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// What the input is written in
    #[arg(long, value_name = "DIALECT", value_parser = target::dialect(), required_unless_present = "list")]
    from: Option<Dialect>,
    /// What to write
    #[arg(long, value_name = "DIALECT", value_parser = target::target(), required_unless_present = "list")]
    to: Option<Target>,
    /// The agent whose side a list for a model shows, by name or id
    #[arg(long = "as", value_name = "AGENT")]
    seen_by: Option<String>,
    /// Leave out what cannot be read, and go on
    #[arg(long)]
    lenient: bool,
    /// Mend texts that are UTF-8 read in a wrong encoding
    #[arg(long)]
    repair_encoding: bool,
    /// Show the dialects
    #[arg(long, exclusive = true)]
    list: bool,
    /// The file to read; stdin without it, and for `-`
    file: Option<PathBuf>,
    /// The file to write; stdout without it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Convert {
    pub(crate) fn run(self) -> Result<Output, Failure> {
        let (Some(from), Some(to)) = (self.from, self.to.clone()) else { return Ok(Output::text(target::list())) };
        let to = to.seen_by(self.seen_by.as_deref())?;
        let reading = Reading {
            dialect: from,
            scene: DecodeContext::history(SystemClock::default().now()),
            repairs_encoding: self.repair_encoding,
        };
        let walk = Walk { reading, to, is_lenient: self.lenient };
        let input = self.input()?;
        self.convert(&walk, input)
    }

    fn convert(&self, walk: &Walk, input: Box<dyn Read>) -> Result<Output, Failure> {
        let open = || Records::open(input).map_err(|error| Failure::broken(self.input_name(), &error));
        match &self.output {
            None => walk.go(open()?, BufWriter::with_capacity(PIECE_BYTES, io::stdout().lock()))?,
            Some(path) => {
                let failed = |error: io::Error| Failure::broken(path.display(), &error);
                let mut file = OutputFile::open(path).map_err(failed)?;
                walk.go(open()?, BufWriter::with_capacity(PIECE_BYTES, &mut file))?;
                file.finish().map_err(failed)?;
            }
        }
        Ok(Output::default())
    }

    fn input(&self) -> Result<Box<dyn Read>, Failure> {
        match self.input_file() {
            None => Ok(Box::new(io::stdin().lock())),
            Some(path) => {
                self.check_output(path)?;
                Ok(Box::new(open(path)?))
            }
        }
    }

    fn input_file(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    fn input_name(&self) -> String {
        self.input_file().map_or_else(|| "stdin".to_owned(), |path| path.display().to_string())
    }

    /// Writing to the file that is being read would empty it before it was read.
    fn check_output(&self, input: &Path) -> Result<(), Failure> {
        let Some(output) = &self.output else { return Ok(()) };
        match (input.canonicalize(), output.canonicalize()) {
            (Ok(one), Ok(other)) if one == other => {
                Err(Failure::usage("the file to write is the one to read").hint("write to another file with -o"))
            }
            _ => Ok(()),
        }
    }
}

/// Opens a file to read it; a folder is no file.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    let failed = |error: &io::Error| Failure::broken(path.display(), error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    match file.metadata() {
        Ok(about) if about.is_dir() => {
            Err(Failure::usage(format!("{}: this is a folder, and no file", path.display())))
        }
        Ok(_) => Ok(file),
        Err(error) => Err(failed(&error)),
    }
}
