//! The streams below HTTP.

mod heard;
mod patient;

use tokio::io::{AsyncRead, AsyncWrite};

pub(super) use heard::Heard;
pub(super) use patient::Patient;

/// Whatever bytes go through: a plain connection or an encrypted one.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Io for S {}

/// A stream of either sort. Boxed, so that HTTP is compiled once for both.
pub(super) type BoxedStream = Box<dyn Io>;
