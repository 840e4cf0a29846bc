//! Values of the context engine: requests, packs, receipts and injections.
//!
//! `parlour-context` builds packs from them.

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
