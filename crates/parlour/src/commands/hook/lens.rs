//! What a model may be shown of the answers to own questions, and what that costs.

use parlour_agent::hooks::words::Lens;
use parlour_context::{
    prepared::{self, Prepared},
    tokens::Tokenizer,
};
use parlour_core::context::RedactionRules;

/// The context engine, in this process: the hub frames messages itself, and leaves these words to the hook.
pub(super) struct EngineLens;

impl Lens for EngineLens {
    fn views(&self, rules: &RedactionRules, texts: &[String]) -> Option<Vec<String>> {
        let redactor = prepared::redactor(rules).ok()?;
        Some(texts.iter().map(|text| Prepared::of(text, &redactor).text).collect())
    }

    fn tokens(&self, text: &str) -> u64 {
        // Nobody knows which model a tool works with: the bound holds for all.
        Tokenizer::for_model("").count(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_taken_out_and_a_text_costs_something() {
        let texts = ["the password is hunter2hunter2".to_owned(), "Postgres".to_owned()];
        let views = EngineLens.views(&RedactionRules::default(), &texts).expect("views");
        assert!(!views[0].contains("hunter2") && views[1] == "Postgres", "{views:?}");
        assert!(EngineLens.tokens("Postgres") >= 1);
    }
}
