//! The arguments of the evaluation.

use std::path::PathBuf;

use crate::tables::{Extent, PARTS};

/// The budgets of the goals.
const BUDGETS: [u64; 3] = [512, 1_024, 2_048];

pub(crate) struct Arguments {
    /// The folder of the data.
    pub(crate) data: PathBuf,
    /// The file that the tables are written to as JSON.
    pub(crate) json: Option<PathBuf>,
    /// Only the first conversations are measured.
    pub(crate) conversations_max: usize,
    pub(crate) extent: Extent,
}

impl Arguments {
    /// Reads `--data DIR`, `--json FILE`, `--conversations N`, `--every N`, `--budgets N,N` and any number of `--only PART`.
    pub(crate) fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let extent = Extent { budgets: BUDGETS.to_vec(), every: 1, parts: Vec::new() };
        let mut arguments = Self { data: PathBuf::new(), json: None, conversations_max: usize::MAX, extent };
        let mut words = words;
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = |text: &str| {
                let number = text.parse::<usize>().ok().filter(|number| *number > 0);
                number.ok_or_else(|| format!("{word} needs a number from 1, not {text:?}"))
            };
            match word.as_str() {
                "--data" => arguments.data = value.into(),
                "--json" => arguments.json = Some(value.into()),
                "--conversations" => arguments.conversations_max = number(&value)?,
                "--every" => arguments.extent.every = number(&value)?,
                "--budgets" => {
                    let budgets: Result<Vec<usize>, String> = value.split(',').map(number).collect();
                    arguments.extent.budgets = budgets?.into_iter().map(|budget| budget as u64).collect();
                }
                "--only" => {
                    let part = PARTS.iter().find(|(name, _)| *name == value);
                    let (_, part) = part.ok_or_else(|| format!("there is no part {value}: fresh, next, chat"))?;
                    arguments.extent.parts.push(*part);
                }
                _ => {
                    return Err(format!(
                        "{word} is unknown; known are --data DIR, --json FILE, --conversations N, --every N, \
                         --budgets N,N and --only PART"
                    ));
                }
            }
        }
        if arguments.extent.parts.is_empty() {
            arguments.extent.parts = PARTS.iter().map(|(_, part)| *part).collect();
        }
        Ok(arguments)
    }
}
