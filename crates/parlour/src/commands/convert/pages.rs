//! Answers of a server, one behind the other: what follows the list of each, and where the next one begins.

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
};

use parlour_core::{Refusal, limits};
use serde_json::Value;

use super::shape::is_list_name;

/// What stands behind a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// Nothing more.
    Nothing,
    /// Another answer, whose list was opened.
    Page,
    /// Something that would be lost without a word.
    Refused(Refusal),
}

/// Bytes one at a time, and how many there were.
struct Bytes<'a, R> {
    reader: &'a mut R,
    consumed: u64,
}

/// Looks behind a bare list: there must be nothing. Answers how many bytes were read, too.
pub(super) fn behind_list(reader: &mut impl BufRead) -> io::Result<(Behind, u64)> {
    let mut bytes = Bytes { reader, consumed: 0 };
    let behind = match bytes.next_sign()? {
        None => Behind::Nothing,
        Some(_) => Behind::Refused(Refusal::invalid("something follows the end of the list; one list is read")),
    };
    Ok((behind, bytes.consumed))
}

/// Looks behind a list in an object: the object must end, and then the file, or another such object must follow.
pub(super) fn behind_wrapped_list(reader: &mut impl BufRead) -> io::Result<(Behind, u64)> {
    let mut bytes = Bytes { reader, consumed: 0 };
    let behind = match bytes.pass_object()? {
        Err(refusal) => Behind::Refused(refusal),
        Ok(()) => match bytes.next_sign()? {
            None => Behind::Nothing,
            Some(sign) if sign == b'{' && bytes.open_list()? => Behind::Page,
            Some(_) => Behind::Refused(Refusal::invalid(
                "something follows the object around the list; only another one of that form is read",
            )),
        },
    };
    Ok((behind, bytes.consumed))
}

impl<R: BufRead> Bytes<'_, R> {
    fn next(&mut self) -> io::Result<Option<u8>> {
        let byte = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                piece => break piece?.first().copied(),
            }
        };
        if byte.is_some() {
            self.reader.consume(1);
            self.consumed += 1;
        }
        Ok(byte)
    }

    /// The next byte that is no white space.
    fn next_sign(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.next()? {
                Some(byte) if byte.is_ascii_whitespace() => {}
                other => return Ok(other),
            }
        }
    }

    /// Reads the fields that follow the list to the end of their object. None of them may be another list of messages.
    fn pass_object(&mut self) -> io::Result<Result<(), Refusal>> {
        let cut_off = || Refusal::invalid("the object around the list has no end: the file was cut off");
        let mut fields = b"{".to_vec();
        match self.next_sign()? {
            None => return Ok(Err(cut_off())),
            Some(b'}') => return Ok(Ok(())),
            Some(b',') => {}
            Some(other) => fields.push(other),
        }
        let (mut depth, mut is_in_text, mut is_escaped) = (1_usize, false, false);
        while depth > 0 {
            let Some(byte) = self.next()? else { return Ok(Err(cut_off())) };
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = is_in_text,
                b'"' => is_in_text = !is_in_text,
                b'{' | b'[' if !is_in_text => depth += 1,
                b'}' | b']' if !is_in_text => depth -= 1,
                _ => {}
            }
            if fields.len() >= limits::DIALECT_LINE_BYTES_MAX {
                let most = limits::DIALECT_LINE_BYTES_MAX;
                return Ok(Err(Refusal::out_of_bounds(format!("more than {most} bytes follow the list"))));
            }
            fields.push(byte);
        }
        Ok(check_fields(&fields))
    }

    /// Whether what follows an opening brace is the name of a list and its beginning.
    fn open_list(&mut self) -> io::Result<bool> {
        if self.next_sign()? != Some(b'"') {
            return Ok(false);
        }
        let mut name = Vec::new();
        loop {
            match self.next()? {
                Some(b'"') => break,
                Some(byte) if name.len() < limits::NAME_CHARS_MAX => name.push(byte),
                _ => return Ok(false),
            }
        }
        Ok(is_list_name(&name) && self.next_sign()? == Some(b':') && self.next_sign()? == Some(b'['))
    }
}

fn check_fields(fields: &[u8]) -> Result<(), Refusal> {
    let fields: BTreeMap<String, Value> = serde_json::from_slice(fields)
        .map_err(|error| Refusal::invalid(format!("what follows the list is no JSON: {error}")))?;
    let is_list = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    match fields.iter().find(|(name, value)| is_list_name(name.as_bytes()) && is_list(value)) {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::invalid("this is a second list; one list of an object is read").at(name)),
    }
}
