//! Fuzz targets: every parser takes any bytes, never panics, and what it accepts means the same when it is read again.
//!
//! A target is a plain function, so any fuzzer can call it. [`drive`] is the one that runs with the other tests: a
//! seeded loop that changes samples, the same ones each time. Each crate has a list `TARGETS` of its own parsers.

mod agents;
mod drive;
mod targets;

pub use drive::{Plan, drive};
pub use targets::{SAMPLES, TARGETS};

/// A parser with its name. It is called with any bytes and panics when a promise is broken.
pub type Target = (&'static str, fn(&[u8]));

/// Takes the bytes as a text; what is no UTF-8 is made so, for parsers of texts never see anything else.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
