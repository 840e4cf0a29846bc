//! `parlour convert`: converts messages from one format to another.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_adapters::SystemClock;
use parlour_dialects::{DecodeContext, Dialect};
use parlour_hub::ports::Clock;

use crate::{failure::Failure, output::Output};

mod conversion;
pub(super) mod decode;
pub(super) mod records;
mod scan;
mod target;
mod worker_pool;

use conversion::FileConversion;
use decode::DialectDecoder;
use records::RecordReader;
use target::OutputFormat;

const EXAMPLES: &str = "\
Examples:
  parlour convert --from tkr --to native messages.jsonl > native.jsonl
  parlour convert --from jaibber --to pynchy history.json -o rows.jsonl
  cat frames.jsonl | parlour convert --from jaibber --to caco --lenient
  parlour convert --from native --to anthropic --as Coder general.jsonl
  parlour convert --list                          list the formats

The input is JSON lines or one JSON list. The conversion is lossless: fields that the target format cannot express are \
kept in a field `parlour`, and read back from there.";

const PIECE_BYTES: usize = 256 * 1024;

/// Convert messages from one format to another
///
/// Stops at the first line that cannot be decoded and prints its number and the reason; --lenient skips such lines and
/// reports them. Frames without an equivalent in the target format, such as chunks of a stream, are counted at the end.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertCommand {
    /// Format of the input
    #[arg(long, value_name = "DIALECT", value_parser = target::dialect(), required_unless_present = "list")]
    from: Option<Dialect>,
    /// Format of the output
    #[arg(long, value_name = "DIALECT", value_parser = target::target(), required_unless_present = "list")]
    to: Option<OutputFormat>,
    /// Agent whose messages are the assistant's in a model list, by name or id
    #[arg(long = "as", value_name = "AGENT")]
    seen_by: Option<String>,
    /// Skip lines that cannot be decoded
    #[arg(long)]
    lenient: bool,
    /// Repair texts with a wrongly decoded encoding (mojibake)
    #[arg(long)]
    repair_encoding: bool,
    /// List the formats
    #[arg(long, exclusive = true)]
    list: bool,
    /// Input file; default, and for `-`: stdin
    file: Option<PathBuf>,
    /// Output file; default: stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ConvertCommand {
    pub(crate) fn run(self) -> Result<Output, Failure> {
        let (Some(from), Some(to)) = (self.from, self.to.clone()) else { return Ok(Output::text(target::list())) };
        let to = to.seen_by(self.seen_by.as_deref())?;
        let decoder = DialectDecoder {
            dialect: from,
            context: DecodeContext::history(SystemClock::default().now()),
            repairs_encoding: self.repair_encoding,
        };
        let conversion = FileConversion { decoder, to, is_lenient: self.lenient };
        let input = self.input()?;
        self.convert(&conversion, input)
    }

    fn convert(&self, conversion: &FileConversion, input: Box<dyn Read>) -> Result<Output, Failure> {
        let open = || RecordReader::open(input).map_err(|error| Failure::broken(self.input_name(), &error));
        match &self.output {
            None => conversion.run(open()?, BufWriter::with_capacity(PIECE_BYTES, io::stdout().lock()))?,
            Some(path) => {
                let failed = |error: io::Error| Failure::broken(path.display(), &error);
                let mut file = TruncatingFile::open(path).map_err(failed)?;
                conversion.run(open()?, BufWriter::with_capacity(PIECE_BYTES, &mut file))?;
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

    /// Refuses to write to the input file, which would truncate it before it is read.
    fn check_output(&self, input: &Path) -> Result<(), Failure> {
        let Some(output) = &self.output else { return Ok(()) };
        match (input.canonicalize(), output.canonicalize()) {
            (Ok(one), Ok(other)) if one == other => {
                Err(Failure::usage("input and output are the same file").hint("write to another file with -o"))
            }
            _ => Ok(()),
        }
    }
}

/// Opens a file for reading; a folder is an error.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    let failed = |error: &io::Error| Failure::broken(path.display(), error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    match file.metadata() {
        Ok(about) if about.is_dir() => Err(Failure::usage(format!("{} is a folder, not a file", path.display()))),
        Ok(_) => Ok(file),
        Err(error) => Err(failed(&error)),
    }
}

/// An output file that is truncated at the first write, so that an early error leaves it unchanged.
#[derive(Debug)]
struct TruncatingFile {
    file: File,
    is_begun: bool,
}

impl TruncatingFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        Ok(Self { file, is_begun: false })
    }

    /// Truncates a regular file.
    fn begin(&mut self) -> io::Result<()> {
        if !self.is_begun && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.is_begun = true;
        Ok(())
    }

    /// Truncates the file also if nothing was written.
    fn finish(&mut self) -> io::Result<()> {
        self.begin()
    }
}

impl Write for TruncatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_there_stays_until_something_is_written_or_all_is_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        fs::write(&path, "what was there").expect("written");
        let mut file = TruncatingFile::open(&path).expect("a file");
        file.flush().expect("flushed");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "what was there");
        file.write_all(b"new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
        TruncatingFile::open(&path).and_then(|mut file| file.finish()).expect("finished");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "");
        assert!(TruncatingFile::open(folder.path()).is_err());
        let mut null = TruncatingFile::open(Path::new("/dev/null")).expect("a device");
        null.write_all(b"gone").expect("written");
    }
}
