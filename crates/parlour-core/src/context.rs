//! What a model will see: what is asked of the context engine, what it answers, and the receipt of what it left out.
//!
//! These are values only. How a pack comes about is the business of `parlour-context`.

mod ask;
mod injection;
mod limited;
mod receipt;
mod rules;

pub use ask::{ContextFormat, ContextRequest, Pack};
pub use injection::{Injection, InjectionDiff, difference};
pub use receipt::{
    Level, OmissionReason, Reason, Receipt, ReceiptItem, RedactionCount, Section, SectionTotal, SubjectType,
    TokenCounting,
};
pub use rules::{AgentContext, ContextRules, Quotas, RedactionRule, RedactionRules, Weights};

#[cfg(test)]
mod examples;
