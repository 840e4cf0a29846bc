//! The loop guard over a real store: agents come to an end, whatever they do, and people always get through.

mod support;

#[path = "guard/budgets.rs"]
mod budgets;
#[path = "guard/correlations.rs"]
mod correlations;
#[path = "guard/elsewhere.rs"]
mod elsewhere;
#[path = "calling/fixture.rs"]
mod fixture;
#[path = "guard/forging.rs"]
mod forging;
#[path = "guard/notices.rs"]
mod notices;
#[path = "guard/pairs.rs"]
mod pairs;
#[path = "guard/races.rs"]
mod races;
#[path = "guard/resetting.rs"]
mod resetting;
#[path = "guard/rings.rs"]
mod rings;
