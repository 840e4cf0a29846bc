//! The log of the hub, on stderr.

use std::{env, io, io::IsTerminal};

use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::settings::LogFormat;

/// Sends what passes the filter to stderr from now on. A log that nobody reads any more stops nothing.
pub(super) fn install(filter: &str, format: LogFormat) {
    let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && !is_refused)
        // Otherwise a closed stderr is reported on stderr, which panics.
        .log_internal_errors(false);
    let layer = match format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().boxed(),
    };
    // Fails only when a log is installed already, as in tests: then that one stays.
    let _ = tracing_subscriber::registry().with(layer.with_filter(EnvFilter::new(filter))).try_init();
}
