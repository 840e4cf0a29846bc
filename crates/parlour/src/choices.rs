//! Value parsers for domain enums; an invalid value is rejected with the list of valid ones.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_core::{
    message::Importance,
    scope::{JoinRole, Scope},
};

pub(crate) fn role() -> impl TypedValueParser<Value = JoinRole> {
    let names = JoinRole::ALL.iter().map(|role| role.as_str());
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|text| text.parse::<JoinRole>())
}

pub(crate) fn scope() -> impl TypedValueParser<Value = Scope> {
    let names = Scope::ALL.iter().map(|scope| scope.as_str());
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|text| text.parse::<Scope>())
}

pub(crate) fn importance() -> impl TypedValueParser<Value = Importance> {
    PossibleValuesParser::new(["normal", "high", "critical"]).map(|text| match text.as_str() {
        "critical" => Importance::Critical,
        "high" => Importance::High,
        _ => Importance::Normal,
    })
}
