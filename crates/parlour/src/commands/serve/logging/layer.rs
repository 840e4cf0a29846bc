use std::time::SystemTime;

use parlour_core::Timestamp;
use tracing::{
    Event, Subscriber,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{
    fields::Fields,
    line::{Line, Look},
};

/// Writes a line for each event.
pub(super) struct LogLayer<W> {
    look: Look,
    /// Takes a whole line, with its end.
    write: W,
}

impl<W: Fn(&str)> LogLayer<W> {
    pub(super) fn new(look: Look, write: W) -> Self {
        Self { look, write }
    }
}

impl<S, W> Layer<S> for LogLayer<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&str) + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(known) = span.extensions().get::<Fields>() {
                fields.extend(known.clone());
            }
        }
        let mut own = Fields::default();
        event.record(&mut own);
        fields.extend(own);
        let fields = fields.without_secrets();
        let line = Line { at: now(), level: *event.metadata().level(), target: event.metadata().target(), fields };
        (self.write)(&line.written(self.look));
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
