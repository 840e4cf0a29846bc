//! A parser of server-sent events, fed with chunks of any length. An event that exceeds the given limit is refused.
//!
//! The crate `sse-stream` is not used here because it is stricter than the standard and than model servers: it refuses
//! unknown fields (such as `error:`), fields without a colon, a `retry:` that is no number and a repeated `event:`; it
//! drops the last event if no blank line follows; and it buffers without a bound. A filter that repairs all that has to
//! split lines and fields itself, which is most of a parser. The tests show these cases and compare both parsers on
//! all other streams.

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The type of the event; empty if the stream does not name it.
    pub(crate) name: String,
    pub(crate) data: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SseError {
    /// An event exceeds the limit.
    TooLong,
    NotUtf8,
}

/// Collects bytes until events are complete.
///
/// Unknown fields and comments are ignored, as the standard demands. Some model servers report an error in a field named
/// `error` instead of an event of that name; it is parsed as such an event.
#[derive(Debug)]
pub(crate) struct SseParser {
    event_bytes_max: usize,
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last chunk ended in a carriage return; a line feed at the start of the next one belongs to it.
    is_after_return: bool,
}

impl SseParser {
    pub(crate) fn new(event_bytes_max: usize) -> Self {
        Self { event_bytes_max, line: Vec::new(), event: SseEvent::default(), has_data: false, is_after_return: false }
    }

    /// Returns the events that these bytes complete. Events before an error are returned together with it.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> (Vec<SseEvent>, Result<(), SseError>) {
        let mut events = Vec::new();
        let result = self.push_lines(bytes, &mut events);
        (events, result)
    }

    /// Returns the last event if no blank line ended it. The standard drops it, but some servers omit the blank line.
    pub(crate) fn finish(&mut self) -> Result<Option<SseEvent>, SseError> {
        let line = std::mem::take(&mut self.line);
        self.parse_line(&line)?;
        Ok(self.end_event())
    }

    fn push_lines(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), SseError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.is_after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend_line(&bytes[..end])?;
            let line = std::mem::take(&mut self.line);
            if line.is_empty() {
                events.extend(self.end_event());
            } else {
                self.parse_line(&line)?;
            }
            self.is_after_return = bytes[end] == b'\r' && end + 1 == bytes.len();
            let is_pair = bytes[end..].starts_with(b"\r\n");
            bytes = &bytes[end + 1 + usize::from(is_pair)..];
        }
        self.extend_line(bytes)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.event_bytes_max {
            return Err(SseError::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn parse_line(&mut self, line: &[u8]) -> Result<(), SseError> {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        if !matches!(field, b"data" | b"event" | b"error") {
            return Ok(());
        }
        let value = std::str::from_utf8(value).map_err(|_| SseError::NotUtf8)?;
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            b"event" => value.clone_into(&mut self.event.name),
            b"error" => {
                self.event.name = "error".to_owned();
                self.add_data(value);
            }
            _ => self.add_data(value),
        }
        Ok(())
    }

    fn add_data(&mut self, value: &str) {
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        self.event.data.push_str(value);
    }

    /// An event without data is dropped.
    fn end_event(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use proptest::prelude::*;
    use sse_stream::SseStream;

    use super::*;

    const EVENT_BYTES_MAX: usize = 1024 * 1024;

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.into(), data: data.into() }
    }

    /// All events of a stream, the one at its end included.
    fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<SseEvent>, SseError> {
        let (mut parser, mut all) = (SseParser::new(EVENT_BYTES_MAX), Vec::new());
        for chunk in chunks {
            let (events, result) = parser.push(chunk);
            all.extend(events);
            result?;
        }
        all.extend(parser.finish()?);
        Ok(all)
    }

    fn read_text(text: &str) -> Vec<SseEvent> {
        read([text.as_bytes()]).expect("events")
    }

    #[test]
    fn an_event_ends_with_a_blank_line() {
        let text = "event: ping\ndata: {}\n\ndata: one\ndata: two\n\n";
        assert_eq!(read_text(text), [event("ping", "{}"), event("", "one\ntwo")]);
    }

    #[test]
    fn the_last_event_counts_without_its_blank_line() {
        assert_eq!(read_text("data: a\n\ndata: b"), [event("", "a"), event("", "b")]);
    }

    #[test]
    fn comments_and_unknown_fields_are_ignored() {
        let text = "\u{feff}: hello\n\nid: 7\nretry: soon\nodd line\nthing: x\ndata:a\ndata\n\nevent: empty\n\n";
        assert_eq!(read_text(text), [event("", "a\n")]);
    }

    #[test]
    fn a_field_named_error_is_an_event_of_that_name() {
        assert_eq!(read_text("error: {\"code\":500}\n\n"), [event("error", "{\"code\":500}")]);
    }

    #[test]
    fn an_event_or_line_without_end_is_refused() {
        let long = vec![b'x'; EVENT_BYTES_MAX / 4];
        let pieces: Vec<&[u8]> = std::iter::repeat_n(long.as_slice(), 5).collect();
        assert_eq!(read(pieces), Err(SseError::TooLong));
        let line = [b"data: ".as_slice(), &long, b"\n"].concat();
        assert_eq!(read(std::iter::repeat_n(line.as_slice(), 5)), Err(SseError::TooLong));
    }

    #[test]
    fn events_before_invalid_utf_8_are_returned_with_the_error() {
        let mut parser = SseParser::new(EVENT_BYTES_MAX);
        let (events, result) = parser.push(b"data: a\n\ndata: \xff\n\n");
        assert_eq!((events, result), (vec![event("", "a")], Err(SseError::NotUtf8)));
    }

    /// The events of the crate `sse-stream`, without those that have no data.
    fn read_with_sse_stream(chunks: Vec<&[u8]>) -> Option<Vec<SseEvent>> {
        let chunks: Vec<_> = chunks.into_iter().map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect();
        let chunks = stream::iter(chunks.into_iter().map(|chunk| chunk.map(std::io::Cursor::new)));
        let parsed = SseStream::from_bytes_stream(chunks).collect::<Vec<_>>().now_or_never().expect("all is there");
        let parsed: Vec<_> = parsed.into_iter().collect::<Result<_, _>>().ok()?;
        let events = parsed.into_iter().filter_map(|one| Some(event(&one.event.unwrap_or_default(), &one.data?)));
        Some(events.collect())
    }

    #[test]
    fn sse_stream_refuses_or_drops_events_that_this_parser_accepts() {
        for text in [
            "error: {\"code\":500}\n\n",
            "thing: x\ndata: a\n\n",
            "data\n\n",
            "retry: soon\ndata: a\n\n",
            "event: x\nevent: y\ndata: a\n\n",
            "data: a",
        ] {
            assert_eq!(read_text(text).len(), 1, "{text}");
            assert!(read_with_sse_stream(vec![text.as_bytes()]).is_none_or(|events| events.is_empty()), "{text}");
        }
    }

    fn chunks<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
        let bytes = text.as_bytes();
        let mut positions: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        positions.extend([0, bytes.len()]);
        positions.sort_unstable();
        positions.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
    }

    proptest! {
        #[test]
        fn events_do_not_depend_on_chunk_boundaries(
            text in "(data: ?[aä\u{1f600}]{0,5}(\r\n|\n|\r)|event: x\n|: c\n|(\r\n|\n|\r)){0,12}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            prop_assert_eq!(read(chunks(&text, &cuts)), read([text.as_bytes()]));
        }

        #[test]
        fn both_parsers_agree_on_complete_streams_of_known_fields(
            text in "((event: ?[a-z]{0,3}(\r\n|\n|\r))?(: c\n|data: ?[aä:\u{1f600}]{0,5}(\r\n|\n|\r)){0,3}\r\n){0,6}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let chunks = chunks(&text, &cuts);
            prop_assert_eq!(read(chunks.clone()).expect("events"), read_with_sse_stream(chunks).expect("events"));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read([bytes.as_slice()]);
        }
    }
}
