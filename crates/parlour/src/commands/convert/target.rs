//! What can be written, by name.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_core::Refusal;
use parlour_dialects::Dialect;

use super::document::Document;
use crate::failure::Failure;

/// What to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// One value of the dialect for each message.
    Lines(Dialect),
    /// One document for all of them.
    Document(Document, Option<String>),
}

/// A dialect by its name.
pub(crate) fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>())
}

/// A target by its name.
pub(super) fn target() -> impl TypedValueParser<Value = Target> {
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.as_str());
    let names: Vec<&str> = dialects.chain(Document::ALL.map(Document::as_str)).collect();
    PossibleValuesParser::new(names).try_map(|name| Target::named(&name))
}

impl Target {
    fn named(name: &str) -> Result<Self, Refusal> {
        match Document::ALL.into_iter().find(|document| document.as_str() == name) {
            Some(document) => Ok(Self::Document(document, None)),
            None => name.parse().map(Self::Lines),
        }
    }

    /// Its name, as it is typed.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Lines(dialect) => dialect.as_str(),
            Self::Document(document, _) => document.as_str(),
        }
    }

    /// The same, seen by this agent where that makes a difference.
    pub(super) fn seen_by(self, agent: Option<&str>) -> Result<Self, Failure> {
        match (&self, agent) {
            (Self::Document(document, _), Some(agent)) if document.is_seen_by_somebody() => {
                Ok(Self::Document(*document, Some(agent.to_owned())))
            }
            (Self::Document(document, _), None) if document.is_seen_by_somebody() => {
                let message = format!("{} shows a conversation from the side of one agent", document.as_str());
                Err(Failure::usage(message).hint("name the agent with --as, by name or id"))
            }
            (_, Some(_)) => Err(Failure::usage(format!("--as is for lists for models; {} is none", self.name()))),
            (_, None) => Ok(self),
        }
    }
}

/// All of them with a line about each.
pub(super) fn list() -> String {
    let line = |name: &str, about: &str| format!("  {name:<18}{about}\n");
    let dialects: String = Dialect::ALL.iter().map(|dialect| line(dialect.as_str(), about(*dialect))).collect();
    let documents: String = Document::ALL.iter().map(|document| line(document.as_str(), document.about())).collect();
    format!(
        "Read and written, one value a line:\n{dialects}\nOnly written, one document for the whole input:\n{documents}"
    )
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
