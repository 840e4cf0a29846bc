//! Context packs for an agent, built over a real store.

mod support;

#[path = "context/fixture.rs"]
mod fixture;
#[path = "context/hidden_content.rs"]
mod hidden_content;
#[path = "context/pack_contents.rs"]
mod pack_contents;
#[path = "context/project_rules.rs"]
mod project_rules;
#[path = "context/requests.rs"]
mod requests;
#[path = "context/token_calibration.rs"]
mod token_calibration;
