use std::future::Future;

use proptest::{
    strategy::Strategy,
    test_runner::{Config, TestRunner},
};
use tokio::{runtime::Handle, task::spawn_blocking};

/// Number of cases per property; small, because each of them writes to a real disk.
const CASES: u32 = 32;

/// Maximum number of shrinking steps of a failing case.
const SHRINKS_MAX: u32 = 200;

/// Checks an async property with values of the strategy; a failing value is shrunk and printed.
///
/// The search for values is not async, so it runs on its own thread and blocks there for each case.
pub(crate) async fn check_cases<S, F>(strategy: S, check: impl Fn(S::Value) -> F + Send + 'static)
where
    S: Strategy + Send + 'static,
    F: Future<Output = ()>,
{
    let runtime = Handle::current();
    let search = move || {
        let config =
            Config { cases: CASES, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
        let run = |value| {
            runtime.block_on(check(value));
            Ok(())
        };
        TestRunner::new(config).run(&strategy, run).map_err(|error| error.to_string())
    };
    let verdict = spawn_blocking(search).await.expect("the search itself does not fail");
    assert_eq!(verdict, Ok(()), "a case of the property failed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_property_that_holds_passes() {
        check_cases(0..9, async |value| assert!(value < 9)).await;
    }

    #[tokio::test]
    #[should_panic(expected = "minimal failing input: 0")]
    async fn a_failing_property_prints_a_shrunk_value() {
        check_cases(0..9, async |value| assert!(value > 9)).await;
    }
}
