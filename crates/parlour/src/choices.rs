//! Words of the domain as a command line takes them: a wrong one is answered with those that exist.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_core::{
    message::Importance,
    scope::{JoinRole, Scope},
};

/// A role to join with.
pub(crate) fn role() -> impl TypedValueParser<Value = JoinRole> {
    let names = JoinRole::ALL.iter().map(|role| role.as_str());
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|text| text.parse::<JoinRole>())
}

/// A scope of a token.
pub(crate) fn scope() -> impl TypedValueParser<Value = Scope> {
    let names = Scope::ALL.iter().map(|scope| scope.as_str());
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|text| text.parse::<Scope>())
}

/// How much a message matters.
pub(crate) fn importance() -> impl TypedValueParser<Value = Importance> {
    PossibleValuesParser::new(["normal", "high", "critical"]).map(|text| match text.as_str() {
        "critical" => Importance::Critical,
        "high" => Importance::High,
        _ => Importance::Normal,
    })
}
