//! The log of the hub, on stderr: one line for each thing that happened, whatever is in it.
//!
//! Lines are written here and not by a library, because what clients send ends up in them: no value breaks a line, colours
//! a terminal or grows without bound, and the fields of a request stand beside those of the event.

mod fields;
mod layer;
mod line;

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, Layer as _,
    filter::{FilterExt as _, filter_fn},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use self::{layer::LogLayer, line::Look};
use crate::settings::LogFormat;

/// Sends what passes the filter to stderr from now on. A log that nobody reads any more stops nothing.
pub(super) fn install(filter: &str, format: LogFormat) {
    let layer = LogLayer::new(look(format), |line| {
        // Nobody is left to be told when this fails.
        let _ = io::stderr().write_all(line.as_bytes());
    });
    let filter = EnvFilter::new(filter).and(filter_fn(is_harmless));
    if format == LogFormat::Json {
        // Otherwise a panic would be told in lines that no program can read.
        std::panic::set_hook(Box::new(|panic| tracing::error!(cause = %panic, "panicked")));
    }
    // Fails only when a log is installed already, as in tests: then that one stays.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
}

fn look(format: LogFormat) -> Look {
    let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match format {
        LogFormat::Json => Look::Json,
        LogFormat::Text if io::stderr().is_terminal() && !is_refused => Look::Colored,
        LogFormat::Text => Look::Plain,
    }
}

/// The details of the libraries below hold whole frames and heads, with bodies and tokens in them: whatever the filter
/// says, only what they tell of importance is logged.
fn is_harmless(event: &Metadata<'_>) -> bool {
    event.target().starts_with("parlour") || *event.level() <= Level::INFO
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What is logged at the finest filter while this runs.
    fn logged(work: impl FnOnce()) -> String {
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let layer = LogLayer::new(Look::Plain, move |line| kept.lock().expect("no panic").push_str(line));
        let filter = EnvFilter::new("trace").and(filter_fn(is_harmless));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer.with_filter(filter)), work);
        log.lock().expect("no panic").clone()
    }

    #[test]
    fn own_details_are_logged() {
        assert!(logged(|| tracing::trace!("detail")).contains("TRACE detail"));
    }

    #[test]
    fn details_of_libraries_never_are() {
        let log = logged(|| {
            tracing::debug!(target: "tungstenite::protocol", frame = "a secret", "received");
            tracing::trace!(target: "h2::codec", "a secret");
            tracing::warn!(target: "hyper", "something odd");
        });
        assert!(!log.contains("secret") && log.contains("WARN something odd"), "{log}");
    }
}
