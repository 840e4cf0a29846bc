//! Server-sent events out of bytes, wherever these are cut. Pure, and bounded: an event that does not end is refused.

/// The longest event that is taken, in bytes.
pub(super) const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name, if it has one.
    pub(super) name: String,
    /// What it says.
    pub(super) data: String,
}

/// Why bytes are no events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadEvents {
    /// An event has more than `EVENT_BYTES_MAX` bytes.
    TooLong,
    /// A text is not UTF-8.
    NotUtf8,
}

/// Gathers bytes until events are whole.
///
/// Unknown fields and comments are passed over, as the standard says. Some model servers tell a failure in a field named
/// `error` instead of an event of that name: it is taken as one.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    is_after_return: bool,
}

impl Events {
    /// The events that are whole with these bytes. What came before a fault is handed over with it.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (Vec<Event>, Result<(), BadEvents>) {
        let mut whole = Vec::new();
        let result = self.take_lines(bytes, &mut whole);
        (whole, result)
    }

    /// The event that the stream ended in. The standard forgets it; servers that leave out the last blank line exist.
    pub(super) fn finish(&mut self) -> Result<Option<Event>, BadEvents> {
        let line = std::mem::take(&mut self.line);
        self.take_line(&line)?;
        Ok(self.end_event())
    }

    fn take_lines(&mut self, mut bytes: &[u8], whole: &mut Vec<Event>) -> Result<(), BadEvents> {
        if bytes.is_empty() {
            return Ok(());
        }
        // The second half of a line break that was cut in two.
        if std::mem::take(&mut self.is_after_return) && bytes.first() == Some(&b'\n') {
            bytes = &bytes[1..];
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.hold(&bytes[..end])?;
            let line = std::mem::take(&mut self.line);
            if line.is_empty() {
                whole.extend(self.end_event());
            } else {
                self.take_line(&line)?;
            }
            self.is_after_return = bytes[end] == b'\r' && end + 1 == bytes.len();
            let is_pair = bytes[end..].starts_with(b"\r\n");
            bytes = &bytes[end + 1 + usize::from(is_pair)..];
        }
        self.hold(bytes)
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), BadEvents> {
        if self.line.len() + self.event.data.len() + bytes.len() > EVENT_BYTES_MAX {
            return Err(BadEvents::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), BadEvents> {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.add_data(value),
            b"event" => {
                self.event.name = text(value)?.to_owned();
                Ok(())
            }
            b"error" => {
                self.event.name = "error".to_owned();
                self.add_data(value)
            }
            _ => Ok(()),
        }
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), BadEvents> {
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        self.event.data.push_str(text(value)?);
        Ok(())
    }

    /// The event that has been gathered; one without data is none.
    fn end_event(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

fn text(bytes: &[u8]) -> Result<&str, BadEvents> {
    std::str::from_utf8(bytes).map_err(|_| BadEvents::NotUtf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    /// All events of these pieces, the one at the end included.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Event>, BadEvents> {
        let (mut events, mut all) = (Events::default(), Vec::new());
        for piece in pieces {
            let (whole, result) = events.take(piece);
            all.extend(whole);
            result?;
        }
        all.extend(events.finish()?);
        Ok(all)
    }

    fn read_text(text: &str) -> Vec<Event> {
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
    fn comments_and_unknown_fields_are_passed_over() {
        let text = "\u{feff}: hello\n\nid: 7\nretry: soon\nodd line\nthing: x\ndata:a\ndata\n\nevent: empty\n\n";
        assert_eq!(read_text(text), [event("", "a\n")]);
    }

    #[test]
    fn a_failure_in_a_field_of_its_own_is_an_event_of_that_name() {
        assert_eq!(read_text("error: {\"code\":500}\n\n"), [event("error", "{\"code\":500}")]);
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let long = vec![b'x'; EVENT_BYTES_MAX / 4];
        let pieces: Vec<&[u8]> = std::iter::repeat_n(long.as_slice(), 5).collect();
        assert_eq!(read(pieces), Err(BadEvents::TooLong));
        let line = [b"data: ".as_slice(), &long, b"\n"].concat();
        assert_eq!(read(std::iter::repeat_n(line.as_slice(), 5)), Err(BadEvents::TooLong));
    }

    #[test]
    fn what_is_not_utf_8_is_refused_after_what_came_before() {
        let mut events = Events::default();
        let (whole, result) = events.take(b"data: a\n\ndata: \xff\n\n");
        assert_eq!((whole, result), (vec![event("", "a")], Err(BadEvents::NotUtf8)));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_bytes_are_cut(
            text in "(data: ?[aä\u{1f600}]{0,5}(\r\n|\n|\r)|event: x\n|: c\n|(\r\n|\n|\r)){0,12}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = text.as_bytes();
            let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            prop_assert_eq!(read(pieces), read([bytes]));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read([bytes.as_slice()]);
        }
    }
}
