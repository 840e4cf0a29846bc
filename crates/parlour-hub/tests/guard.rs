//! The loop guard over a real store: agents stop calling each other, and a person can always call them.

mod support;

#[path = "guard/budgets.rs"]
mod budgets;
#[path = "guard/correlations.rs"]
mod correlations;
#[path = "calling/fixture.rs"]
mod fixture;
#[path = "guard/forging.rs"]
mod forging;
#[path = "guard/notices.rs"]
mod notices;
#[path = "guard/other_conversations.rs"]
mod other_conversations;
#[path = "guard/pairs.rs"]
mod pairs;
#[path = "guard/races.rs"]
mod races;
#[path = "guard/resetting.rs"]
mod resetting;
#[path = "guard/rings.rs"]
mod rings;
