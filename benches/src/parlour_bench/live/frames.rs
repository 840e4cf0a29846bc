//! A minimal WebSocket frame parser for readers on the same machine.

use anyhow::{Result, ensure};

/// The maximum frame length; those of a hub are far shorter.
const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;
const TEXT: u8 = 0x1;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;
const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;

/// A frame from a server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    Text(&'a [u8]),
    /// A ping.
    Ping(&'a [u8]),
    /// A close frame, with its code if it has one.
    Close(Option<u16>),
    /// Any other frame.
    Other,
}

/// Assembles frames from successive reads.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    /// The beginning of an incomplete frame; mostly empty, and then without memory.
    rest: Vec<u8>,
}

impl Scanner {
    /// Calls `each` for every frame that these bytes complete.
    pub(super) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Frame<'_>)) -> Result<()> {
        if self.rest.is_empty() {
            let used = scan(bytes, &mut each)?;
            self.rest.extend_from_slice(&bytes[used..]);
            return Ok(());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let used = scan(&all, &mut each)?;
        self.rest.extend_from_slice(&all[used..]);
        Ok(())
    }
}

/// Returns the number of bytes in complete frames.
fn scan(bytes: &[u8], each: &mut impl FnMut(Frame<'_>)) -> Result<usize> {
    let mut used = 0;
    while let Some((head, length)) = head_of(&bytes[used..])? {
        let start = used + head;
        let Some(payload) = bytes.get(start..start + length) else { break };
        each(frame_of(bytes[used] & 0x0F, payload));
        used = start + length;
    }
    Ok(used)
}

/// The lengths of head and payload of the next frame; `None` if its head is incomplete.
fn head_of(bytes: &[u8]) -> Result<Option<(usize, usize)>> {
    let [_, short, rest @ ..] = bytes else { return Ok(None) };
    ensure!(short & MASKED == 0, "a server must not mask its frames");
    let (head, length) = match (short & 0x7F, rest) {
        (126, [high, low, ..]) => (4, usize::from(u16::from_be_bytes([*high, *low]))),
        (127, [a, b, c, d, e, f, g, h, ..]) => {
            (10, usize::try_from(u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h])).unwrap_or(usize::MAX))
        }
        (126 | 127, _) => return Ok(None),
        (length, _) => (2, usize::from(length)),
    };
    ensure!(length <= FRAME_BYTES_MAX, "a frame has {length} bytes");
    Ok(Some((head, length)))
}

fn frame_of(code: u8, payload: &[u8]) -> Frame<'_> {
    match code {
        TEXT => Frame::Text(payload),
        PING => Frame::Ping(payload),
        CLOSE => Frame::Close(payload.first_chunk().map(|code| u16::from_be_bytes(*code))),
        _ => Frame::Other,
    }
}

/// Appends a text frame of a client.
pub(super) fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    write_frame(out, TEXT, text);
}

/// Appends a pong frame.
pub(super) fn write_pong(out: &mut Vec<u8>, payload: &[u8]) {
    write_frame(out, PONG, payload);
}

/// Clients have to mask; a mask of zeros is valid and leaves the payload unchanged.
fn write_frame(out: &mut Vec<u8>, code: u8, payload: &[u8]) {
    out.push(FINAL | code);
    match payload.len() {
        length @ 0..=125 => out.push(MASKED | length as u8),
        length @ 126..=0xFFFF => {
            out.push(MASKED | 126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(MASKED | 127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A frame of a server.
    fn from_server(code: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        write_frame(&mut out, code, payload);
        let mask = out.len() - payload.len() - 4;
        out.drain(mask..mask + 4);
        out[1] &= !MASKED;
        out
    }

    fn scanned(pieces: &[&[u8]]) -> Vec<String> {
        let mut scanner = Scanner::default();
        let mut seen = Vec::new();
        for piece in pieces {
            let each = |frame: Frame<'_>| {
                seen.push(match frame {
                    Frame::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    other => format!("{other:?}"),
                });
            };
            scanner.feed(piece, each).expect("frames");
        }
        seen
    }

    #[test]
    fn frames_of_every_length_are_parsed() {
        for length in [0, 1, 125, 126, 127, 65_535, 65_536] {
            let text = "x".repeat(length);
            assert_eq!(scanned(&[&from_server(TEXT, text.as_bytes())]), [text]);
        }
    }

    #[test]
    fn a_close_frame_has_its_code() {
        let bytes = from_server(CLOSE, &[0x0F, 0xA0, b'x']);
        assert_eq!(scanned(&[&bytes]), [format!("{:?}", Frame::Close(Some(4_000)))]);
        assert_eq!(scanned(&[&from_server(CLOSE, &[])]), [format!("{:?}", Frame::Close(None))]);
    }

    #[test]
    fn a_ping_is_answered_with_a_masked_pong() {
        assert_eq!(scanned(&[&from_server(PING, b"hi")]), [format!("{:?}", Frame::Ping(b"hi"))]);
        let mut out = Vec::new();
        write_pong(&mut out, b"hi");
        assert_eq!(out, [0x8A, 0x82, 0, 0, 0, 0, b'h', b'i']);
    }

    #[test]
    fn a_masked_or_too_long_frame_is_an_error() {
        let mut masked = Vec::new();
        write_text(&mut masked, b"x");
        for bytes in [&masked[..], &[0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0]] {
            assert!(Scanner::default().feed(bytes, |_| {}).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_division_into_reads_gives_the_same_frames(
            texts in prop::collection::vec("[a-z]{0,300}", 0..8),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes: Vec<u8> = texts.iter().flat_map(|text| from_server(TEXT, text.as_bytes())).collect();
            let mut offsets: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            offsets.extend([0, bytes.len()]);
            offsets.sort_unstable();
            let pieces: Vec<&[u8]> = offsets.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(scanned(&pieces), texts);
        }
    }
}
