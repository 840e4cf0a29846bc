//! The log of the hub, on stderr: one line for each thing that happened, whatever is in it.
//!
//! Lines are written here and not by a library, because what clients send ends up in them: no value breaks a line, colours
//! a terminal, grows without bound or shows a secret, and the fields of a request stand beside those of the event.

mod fields;
mod layer;
mod line;

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, Layer as _, Registry,
    filter::{FilterExt as _, LevelFilter, filter_fn},
    layer::{Filter, SubscriberExt as _},
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
    let filter = chosen(filter);
    if format == LogFormat::Json {
        // Otherwise a panic would be told in lines that no program can read.
        std::panic::set_hook(Box::new(|panic| tracing::error!(cause = %panic, "panicked")));
    }
    // Fails only when a log is installed already, as in tests: then that one stays.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
}

/// What is logged: what the operator wants to see, without what could do harm.
///
/// The second says of itself that it may take every level. Otherwise the two together would say nothing of theirs, and
/// every detail of every library would be made up before it is thrown away: a third of the time of each frame.
fn chosen(filter: &str) -> impl Filter<Registry> + Send + Sync + use<> {
    EnvFilter::new(filter).and(filter_fn(is_harmless).with_max_level_hint(LevelFilter::TRACE))
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
/// says, only what they tell of importance is logged. The one for MCP finds every request important, and every refusal a
/// warning.
fn is_harmless(event: &Metadata<'_>) -> bool {
    let is_of = |name: &str| event.target().starts_with(name);
    let most = if is_of("rmcp") { Level::ERROR } else { Level::INFO };
    is_of("parlour") || *event.level() <= most
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What is logged at the finest filter while this runs.
    fn logged(work: impl FnOnce()) -> String {
        logged_as(Look::Plain, work)
    }

    fn logged_as(look: Look, work: impl FnOnce()) -> String {
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let layer = LogLayer::new(look, move |line| kept.lock().expect("no panic").push_str(line));
        let log_of = tracing_subscriber::registry().with(layer.with_filter(chosen("trace")));
        tracing::subscriber::with_default(log_of, work);
        log.lock().expect("no panic").clone()
    }

    #[test]
    fn what_is_finer_than_the_filter_costs_nothing() {
        assert_eq!(chosen("info").max_level_hint(), Some(LevelFilter::INFO));
        assert_eq!(chosen("warn,parlour_server=debug").max_level_hint(), Some(LevelFilter::DEBUG));
    }

    #[test]
    fn own_details_are_logged() {
        assert!(logged(|| tracing::trace!("detail")).contains("TRACE detail"));
    }

    #[test]
    fn secrets_in_fields_messages_and_spans_are_not() {
        let key = ["AK", "IA", "QW7ER4TY2UI6OP3A"].concat();
        let password = "Tr0ub4dor&3";
        for look in [Look::Plain, Look::Colored, Look::Json] {
            let log = logged_as(look, || {
                let _span = tracing::info_span!("request", header = %key).entered();
                tracing::warn!(cause = %format!("401 for {key}"), password, "the key {key} was refused");
            });
            assert!(!log.contains(&key) && !log.contains(password), "{log}");
            assert!(
                log.contains("[aws-key 1]") && log.contains("[password 1]") && log.contains("was refused"),
                "{log}"
            );
        }
    }

    #[test]
    fn details_of_libraries_never_are() {
        let log = logged(|| {
            tracing::debug!(target: "tungstenite::protocol", frame = "a secret", "received");
            tracing::trace!(target: "h2::codec", "a secret");
            tracing::info!(target: "rmcp::service", "a secret");
            tracing::warn!(target: "hyper", "something odd");
        });
        assert!(!log.contains("secret") && log.contains("WARN something odd"), "{log}");
    }
}
