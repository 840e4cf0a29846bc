//! The way of all messages of a file through the converter.

use std::{
    io::{self, Read, Write},
    thread,
};

use parlour_core::Refusal;
use parlour_dialects::Dialect;

use super::{
    batch::{Batch, Converted, Converter},
    crew::Crew,
    document::{Document, Log},
    frames::FrameCounts,
    problems::{Problems, in_words},
    reading::Reading,
    records::{Place, Records},
    target::Target,
};
use crate::failure::Failure;

/// What is done to each message.
pub(super) struct Walk {
    pub(super) reading: Reading,
    pub(super) to: Target,
    pub(super) is_lenient: bool,
}

/// What became of them.
#[derive(Default)]
struct Outcome {
    written: u64,
    problems: Problems,
    unsaid: FrameCounts,
    /// Messages for which a document had no room.
    unshown: usize,
}

/// Why it ended early.
enum Stop {
    /// Nobody reads the output any more.
    Unread,
    Failed(Failure),
}

impl Walk {
    /// Reads to the end, or to the first message that cannot be read.
    pub(super) fn go<R: Read>(&self, mut records: Records<R>, mut out: impl Write) -> Result<(), Failure> {
        let mut outcome = Outcome::default();
        let walked = match &self.to {
            Target::Lines(dialect) => self.lines(*dialect, &mut records, &mut out, &mut outcome),
            Target::Document(document, seen_by) => {
                self.document((*document, seen_by.as_deref()), &mut records, &mut out, &mut outcome)
            }
        };
        let written = walked.and_then(|()| out.flush().map_err(|error| cannot_write(&error)));
        match written {
            Err(Stop::Unread) => return Ok(()),
            Err(Stop::Failed(failure)) => {
                // What was written before stays.
                let _ = out.flush();
                return Err(failure);
            }
            Ok(()) => {}
        }
        tell(&self.summary(&outcome));
        Ok(())
    }

    /// This thread reads and writes; the others convert what lies between.
    fn lines<R: Read>(
        &self,
        dialect: Dialect,
        records: &mut Records<R>,
        out: &mut impl Write,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let converter = Converter { reading: self.reading, to: dialect, is_lenient: self.is_lenient };
        thread::scope(|scope| {
            let mut crew = Crew::start(scope, move |batch| converter.convert(batch));
            loop {
                let batch = Batch::read(records).map_err(|error| cannot_read(&error))?;
                let is_end = batch.is_empty();
                if !is_end {
                    crew.give(batch);
                }
                // Whoever feeds a pipe slowly sees what became of it at once.
                let is_awaited = is_end || records.is_drained();
                while is_awaited || crew.is_busy() {
                    let Some(converted) = crew.take() else { break };
                    self.write(&converted, out, outcome)?;
                }
                if is_awaited {
                    out.flush().map_err(|error| cannot_write(&error))?;
                }
                if is_end {
                    return Ok(());
                }
            }
        })
    }

    fn write(&self, converted: &Converted, out: &mut impl Write, outcome: &mut Outcome) -> Result<(), Stop> {
        out.write_all(&converted.out).map_err(|error| cannot_write(&error))?;
        outcome.written += converted.written;
        outcome.unsaid.join(converted.unsaid);
        converted.problems.iter().try_for_each(|(place, refusal)| self.meet(*place, refusal, &mut outcome.problems))
    }

    fn document<R: Read>(
        &self,
        (document, seen_by): (Document, Option<&str>),
        records: &mut Records<R>,
        out: &mut impl Write,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let mut log = Log::default();
        while let Some(record) = records.next().map_err(|error| cannot_read(&error))? {
            let place = record.place;
            match record.bytes.and_then(|bytes| self.reading.item(bytes)) {
                Err(refusal) => self.meet(place, &refusal, &mut outcome.problems)?,
                Ok(item) => {
                    let frame = item.frame;
                    match log.take(item).map_err(Stop::Failed)? {
                        true => outcome.written += 1,
                        false => outcome.unsaid.add(frame),
                    }
                }
            }
        }
        if log.messages.is_empty() {
            return Ok(());
        }
        let (text, left_out) = document.made_of(log.messages, seen_by).map_err(Stop::Failed)?;
        outcome.unshown = left_out;
        writeln!(out, "{text}").map_err(|error| cannot_write(&error))
    }

    /// What cannot be read ends it all, or is told and left out.
    fn meet(&self, place: Place, refusal: &Refusal, problems: &mut Problems) -> Result<(), Stop> {
        if !self.is_lenient {
            let failure = Failure::new(format!("{place}: {}", in_words(refusal)));
            return Err(Stop::Failed(failure.hint("mend it, or leave out what cannot be read with --lenient")));
        }
        if let Some(told) = problems.add(place, refusal) {
            tell(&format!("{told}\n"));
        }
        Ok(())
    }

    fn summary(&self, outcome: &Outcome) -> String {
        let mut text = String::new();
        if outcome.unsaid.sum() > 0 {
            let (sum, words) = (outcome.unsaid.sum(), outcome.unsaid.in_words());
            let (noun, verb) = if sum == 1 { ("frame", "has") } else { ("frames", "have") };
            text += &format!("{sum} {noun} {verb} no counterpart in {}: {words}\n", self.to.name());
        }
        if outcome.unshown > 0 {
            text += &format!("{} older messages did not fit\n", outcome.unshown);
        }
        let problems = &outcome.problems;
        if problems.untold() > 0 {
            text += &format!("… and {} more that could not be read\n", problems.untold());
        }
        if problems.count > 0 {
            text += &format!("{} written, {} left out\n", outcome.written, problems.count);
        }
        text
    }
}

/// Notes go beside the output. Nobody may be listening there.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn cannot_write(error: &io::Error) -> Stop {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Stop::Unread,
        _ => Stop::Failed(Failure::broken("write the output", error)),
    }
}

fn cannot_read(error: &io::Error) -> Stop {
    Stop::Failed(Failure::broken("read the input", error))
}
