//! What was typed behind the name of the program.

use std::path::PathBuf;

use crate::all::{TABLES, budget};

/// What was typed.
pub(crate) struct Arguments {
    /// The folder of the data; tables whose data is not there are skipped.
    pub(crate) data: PathBuf,
    /// Where the tables are written as JSON.
    pub(crate) json: Option<PathBuf>,
    only: Vec<String>,
}

impl Arguments {
    /// Reads `--data DIR`, `--json FILE`, `--packs N` and any number of `--only NAME`.
    pub(crate) fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self { data: PathBuf::new(), json: None, only: Vec::new() };
        let mut words = words;
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} wants a value"))?;
            match word.as_str() {
                "--data" => arguments.data = value.into(),
                "--json" => arguments.json = Some(value.into()),
                "--packs" => {
                    let packs = value.parse().map_err(|_| format!("--packs wants a number, not {value}"))?;
                    budget::want_packs(packs);
                }
                "--only" if TABLES.iter().any(|(name, _)| *name == value) => arguments.only.push(value),
                "--only" => return Err(format!("there is no table {value}: {}", names())),
                _ => {
                    return Err(format!(
                        "{word} is unknown; --data DIR, --json FILE, --packs N and --only NAME are not"
                    ));
                }
            }
        }
        Ok(arguments)
    }

    /// Whether this table is to be made: all are unless some are named.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

fn names() -> String {
    TABLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
