//! What can be written, by name.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_dialects::Dialect;

use crate::failure::Failure;

/// What to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// One value of the dialect for each message.
    Lines(Dialect),
}

/// A dialect by its name.
pub(crate) fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>())
}

/// A target by its name.
pub(super) fn target() -> impl TypedValueParser<Value = Target> {
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>().map(Target::Lines))
}

impl Target {
    /// Its name, as it is typed.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Lines(dialect) => dialect.as_str(),
        }
    }

    /// The same, seen by this agent where that makes a difference.
    pub(super) fn seen_by(self, agent: Option<&str>) -> Result<Self, Failure> {
        match (&self, agent) {
            (Self::Lines(_), Some(_)) => Err(Failure::usage("--as is for lists for models; --to names a dialect")),
            (Self::Lines(_), None) => Ok(self),
        }
    }
}

/// All of them with a line about each.
pub(super) fn list() -> String {
    Dialect::ALL.iter().map(|dialect| format!("{:<18}{}\n", dialect.as_str(), about(*dialect))).collect()
}

fn about(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Native => "Parlour's own messages",
        Dialect::Zen => "messages of zen's store, as its specification has them",
        Dialect::A2a => "envelopes between agents, a2a/1",
        Dialect::Tkr => "TKR: the standard form; all its forms and stored rows are read",
        Dialect::TkrLegacy => "TKR: the legacy form; all its forms and stored rows are read",
        Dialect::Caco => "Caco: the events of a session",
        Dialect::Jaibber => "Jaibber: frames of a project's channel, and messages of its server",
        Dialect::Pynchy => "pynchy: rows of its table of messages",
    }
}
