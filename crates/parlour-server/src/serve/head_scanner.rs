//! Finds requests that state the length of their body twice.
//!
//! A request with `Content-Length` and `Transfer-Encoding` ends at different bytes for different programs, which is how a
//! request is smuggled past a proxy (RFC 9112, 6.3). hyper removes the length before the service sees the request, so the
//! scanner reads the bytes of the connection.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use parlour_core::limits;

/// The number of the request with two lengths, counted from 1; 0 while there is none. The connection ends with it.
#[derive(Clone, Debug, Default)]
pub(super) struct ConflictingRequest(Arc<AtomicU64>);

impl ConflictingRequest {
    /// Whether it is the request with this number.
    pub(super) fn is(&self, number: u64) -> bool {
        self.0.load(Ordering::Relaxed) == number
    }
}

/// Follows the requests of one HTTP/1 connection. It stops at the first byte that hyper would refuse, and at HTTP/2.
#[derive(Debug)]
pub(super) struct HeadScanner {
    found: ConflictingRequest,
    state: ScanState,
    /// The unfinished line.
    line: Vec<u8>,
    head: Head,
    heads: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScanState {
    Head,
    /// This many bytes until the next head.
    Body(u64),
    ChunkSize,
    /// This many bytes until the end of the chunk.
    Chunk(u64),
    ChunkEnd,
    Trailers,
    Stopped,
}

#[derive(Clone, Copy, Debug, Default)]
struct Head {
    bytes: usize,
    has_request_line: bool,
    length: Option<u64>,
    is_chunked: bool,
}

impl HeadScanner {
    pub(super) fn new(found: ConflictingRequest) -> Self {
        Self { found, state: ScanState::Head, line: Vec::new(), head: Head::default(), heads: 0 }
    }

    /// Takes the next bytes of the connection.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.state != ScanState::Stopped {
            bytes = match self.state {
                ScanState::Body(left) => self.skip(bytes, left, ScanState::Body, ScanState::Head),
                ScanState::Chunk(left) => self.skip(bytes, left, ScanState::Chunk, ScanState::ChunkEnd),
                _ => self.take_line(bytes),
            };
        }
    }

    fn skip<'a>(&mut self, bytes: &'a [u8], left: u64, same: fn(u64) -> ScanState, next: ScanState) -> &'a [u8] {
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let left = left - count as u64;
        self.state = if left == 0 { next } else { same(left) };
        &bytes[count..]
    }

    /// Takes the bytes up to the end of the line, and the line if it is complete.
    fn take_line<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if self.is_at_start() && !(bytes[0].is_ascii_graphic() || b"\r\n".contains(&bytes[0])) {
            self.state = ScanState::Stopped;
            return &[];
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (part, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        self.head.bytes += part.len();
        if self.head.bytes > limits::HEAD_BYTES_MAX {
            self.state = ScanState::Stopped;
            return rest;
        }
        self.line.extend_from_slice(part);
        if end.is_some() {
            let line = std::mem::take(&mut self.line);
            self.state = self.after_line(line.trim_ascii_end());
        }
        rest
    }

    /// Whether the next byte must begin a request. The frames of a WebSocket do not.
    fn is_at_start(&self) -> bool {
        self.state == ScanState::Head && !self.head.has_request_line && self.line.is_empty()
    }

    fn after_line(&mut self, line: &[u8]) -> ScanState {
        match self.state {
            ScanState::Head => self.after_head_line(line),
            ScanState::ChunkSize => self.after_chunk_size(line),
            ScanState::ChunkEnd if line.is_empty() => self.begin(ScanState::ChunkSize),
            ScanState::Trailers if line.is_empty() => self.begin(ScanState::Head),
            ScanState::Trailers => ScanState::Trailers,
            _ => ScanState::Stopped,
        }
    }

    fn after_head_line(&mut self, line: &[u8]) -> ScanState {
        match (self.head.has_request_line, line.is_empty()) {
            // hyper ignores empty lines before a request.
            (false, true) => ScanState::Head,
            (false, false) if line.starts_with(b"PRI ") => ScanState::Stopped,
            (false, false) => {
                self.head.has_request_line = true;
                ScanState::Head
            }
            (true, false) => self.after_header(line),
            (true, true) => self.end_head(),
        }
    }

    fn after_header(&mut self, line: &[u8]) -> ScanState {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return ScanState::Stopped };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.head.is_chunked = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.head.length = Some(std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0));
        }
        ScanState::Head
    }

    fn end_head(&mut self) -> ScanState {
        self.heads += 1;
        let Head { length, is_chunked, .. } = self.head;
        match (length, is_chunked) {
            (Some(_), true) => {
                self.found.0.store(self.heads, Ordering::Relaxed);
                ScanState::Stopped
            }
            (None, true) => self.begin(ScanState::ChunkSize),
            (Some(length), false) if length > 0 => self.begin(ScanState::Body(length)),
            _ => self.begin(ScanState::Head),
        }
    }

    fn after_chunk_size(&mut self, line: &[u8]) -> ScanState {
        let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(digits).ok().and_then(|digits| u64::from_str_radix(digits, 16).ok());
        match size {
            Some(0) => self.begin(ScanState::Trailers),
            Some(size) => self.begin(ScanState::Chunk(size)),
            None => ScanState::Stopped,
        }
    }

    /// Every part has the limit of a head for itself.
    fn begin(&mut self, state: ScanState) -> ScanState {
        self.head = Head::default();
        state
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    const SIZED: &str = "POST / HTTP/1.1\r\ncontent-length: 31\r\n\r\nGET / HTTP/1.1\r\ntransfer-encoding";
    const CHUNKED: &str = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
                           4;a=b\r\n\r\n\r\n\r\nA\r\ncontent-le\r\n0\r\ncontent-length: 4\r\n\r\n";
    const LENGTH_FIRST: &str = "POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n";
    const CHUNKED_FIRST: &str = "POST / HTTP/1.1\ntransfer-encoding:chunked\nCONTENT-LENGTH:2\n\n";

    /// The number of the request with two lengths, when the bytes arrive in pieces of this size.
    fn scan(requests: &[&str], piece_bytes: usize) -> u64 {
        let found = ConflictingRequest::default();
        let mut scanner = HeadScanner::new(found.clone());
        requests.concat().as_bytes().chunks(piece_bytes).for_each(|piece| scanner.feed(piece));
        found.0.load(Ordering::Relaxed)
    }

    #[test]
    fn a_request_with_two_lengths_is_found() {
        assert_eq!(scan(&[LENGTH_FIRST], 1_000), 1);
        assert_eq!(scan(&[CHUNKED_FIRST], 1_000), 1);
    }

    #[test]
    fn bodies_are_not_taken_for_heads() {
        let body_of_31 = &SIZED[..SIZED.len() - "ng".len()];
        assert_eq!(scan(&[body_of_31, GET, CHUNKED, GET], 1_000), 0);
    }

    #[test]
    fn http2_and_other_bytes_stop_the_scanner() {
        for bytes in ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nnonsense\r\n\r\n", "\u{1}a\r\n\r\n"] {
            assert_eq!(scan(&[bytes, LENGTH_FIRST], 1_000), 0, "{bytes:?}");
        }
        assert_eq!(scan(&[&"a".repeat(limits::HEAD_BYTES_MAX + 1), "\r\n\r\n", LENGTH_FIRST], 1_000), 0);
    }

    proptest! {
        #[test]
        fn pieces_and_earlier_requests_do_not_matter(
            earlier in prop::collection::vec(prop::sample::select(vec![GET, CHUNKED]), 0..6),
            piece_bytes in 1_usize..80,
        ) {
            let requests = [&*earlier, &[LENGTH_FIRST]].concat();
            prop_assert_eq!(scan(&requests, piece_bytes), earlier.len() as u64 + 1);
        }
    }
}
