//! The log of the hub on stderr: one line per event.
//!
//! The lines are formatted here because they contain text of clients: a value cannot break a line, colour the terminal, grow
//! without bound or show a secret.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    time::SystemTime,
};

use parlour_core::Timestamp;
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::{FilterExt as _, LevelFilter, filter_fn},
    layer::{Context, Filter, SubscriberExt as _},
    registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use crate::settings::LogFormat;

mod fields;
mod line;

use fields::LogFields;
use line::{LogLine, LogStyle};

/// Installs the log on stderr. Write errors are ignored.
pub(super) fn install(filter: &str, format: LogFormat) {
    let layer = LogLayer::new(look(format), |line| {
        let _ = io::stderr().write_all(line.as_bytes());
    });
    let filter = chosen(filter);
    if format == LogFormat::Json {
        // The default panic hook writes lines that are not JSON.
        std::panic::set_hook(Box::new(|panic| tracing::error!(cause = %panic, "panicked")));
    }
    // Fails only if a log is already installed, as in tests.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
}

/// The configured filter, without events that contain secrets.
///
/// The second filter has a level hint: without it the combined filter has none, and all trace events of libraries would be
/// formatted and then discarded, which took a third of the time of each frame.
fn chosen(filter: &str) -> impl Filter<Registry> + Send + Sync + use<> {
    EnvFilter::new(filter).and(filter_fn(is_harmless).with_max_level_hint(LevelFilter::TRACE))
}

fn look(format: LogFormat) -> LogStyle {
    let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match format {
        LogFormat::Json => LogStyle::Json,
        LogFormat::Text if io::stderr().is_terminal() && !is_refused => LogStyle::Colored,
        LogFormat::Text => LogStyle::Plain,
    }
}

/// Debug events of libraries contain whole frames and headers, with bodies and tokens: they are never logged. The MCP
/// library logs every request at info and every refusal as a warning, so only its errors are logged.
fn is_harmless(event: &Metadata<'_>) -> bool {
    let is_of = |name: &str| event.target().starts_with(name);
    let most = if is_of("rmcp") { Level::ERROR } else { Level::INFO };
    is_of("parlour") || *event.level() <= most
}

/// Writes one line per event.
struct LogLayer<W> {
    look: LogStyle,
    write: W,
}

impl<W: Fn(&str)> LogLayer<W> {
    fn new(look: LogStyle, write: W) -> Self {
        Self { look, write }
    }
}

impl<S, W> Layer<S> for LogLayer<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&str) + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = LogFields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<LogFields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = LogFields::default();
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(known) = span.extensions().get::<LogFields>() {
                fields.extend(known.clone());
            }
        }
        let mut own = LogFields::default();
        event.record(&mut own);
        fields.extend(own);
        let fields = fields.without_secrets();
        let line = LogLine { at: now(), level: *event.metadata().level(), target: event.metadata().target(), fields };
        (self.write)(&line.written(self.look));
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// The lines that are logged at the trace level.
    fn logged(work: impl FnOnce()) -> String {
        logged_as(LogStyle::Plain, work)
    }

    fn logged_as(look: LogStyle, work: impl FnOnce()) -> String {
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let layer = LogLayer::new(look, move |line| kept.lock().expect("no panic").push_str(line));
        let log_of = tracing_subscriber::registry().with(layer.with_filter(chosen("trace")));
        tracing::subscriber::with_default(log_of, work);
        log.lock().expect("no panic").clone()
    }

    #[test]
    fn events_below_the_filter_level_are_not_formatted() {
        assert_eq!(chosen("info").max_level_hint(), Some(LevelFilter::INFO));
        assert_eq!(chosen("warn,parlour_server=debug").max_level_hint(), Some(LevelFilter::DEBUG));
    }

    #[test]
    fn details_of_own_crates_are_logged() {
        assert!(logged(|| tracing::trace!("detail")).contains("TRACE detail"));
    }

    #[test]
    fn secrets_in_fields_messages_and_spans_are_not_logged() {
        let key = ["AK", "IA", "QW7ER4TY2UI6OP3A"].concat();
        let password = "Tr0ub4dor&3";
        for look in [LogStyle::Plain, LogStyle::Colored, LogStyle::Json] {
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
    fn only_warnings_of_libraries_are_logged() {
        let log = logged(|| {
            tracing::debug!(target: "tungstenite::protocol", frame = "a secret", "received");
            tracing::trace!(target: "h2::codec", "a secret");
            tracing::info!(target: "rmcp::service", "a secret");
            tracing::warn!(target: "hyper", "something odd");
        });
        assert!(!log.contains("secret") && log.contains("WARN something odd"), "{log}");
    }
}
