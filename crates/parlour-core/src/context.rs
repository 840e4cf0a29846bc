//! What a model will see: what is asked of the context engine, what it answers, and the receipt of what it left out.
//!
//! These are values only. How a pack comes about is the business of `parlour-context`.

mod injection;
mod receipt;
mod request;
mod rules;

pub use injection::{Injection, InjectionDiff, difference};
pub use receipt::{
    Level, OmissionReason, Reason, Receipt, ReceiptItem, RedactionCount, Section, SectionTotal, SubjectType,
    TokenCounting,
};
pub use request::{ContextFormat, ContextRequest, Pack};
pub use rules::{AgentContext, ContextRules, Quotas, RedactionRule, RedactionRules, Weights};

#[cfg(test)]
mod examples;
