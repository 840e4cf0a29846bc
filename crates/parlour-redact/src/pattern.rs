//! Built-in regular expressions. They fail closed: a pattern that does not compile panics where it is first used, before any
//! text is returned, and a test compiles all of them.

use regex::Regex;

/// Compiles a built-in pattern.
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("a built-in pattern does not compile: {error}"))
}

/// Declares patterns as statics of the module, and a test that compiles each of them.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        $($(#[$doc])* static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| crate::pattern::compile($pattern));)+

        #[cfg(test)]
        #[test]
        fn every_pattern_compiles() {
            $(std::sync::LazyLock::force(&$name);)+
        }
    };
}
pub(crate) use patterns;
