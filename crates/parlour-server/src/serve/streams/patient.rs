//! A connection that is given up when its client takes nothing for too long.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// A stream whose writes fail when not one byte was taken for `time_max`.
///
/// Without it a client that stops reading would hold its connection, and whatever is being sent, for ever: an event
/// stream has no end of its own.
pub(in crate::serve) struct Patient<S> {
    stream: S,
    time_max: Duration,
    /// Set while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(in crate::serve) fn new(stream: S, time_max: Duration) -> Self {
        Self { stream, time_max, waiting: None }
    }

    /// Passes on what came of a write, unless it waits for too long.
    fn bound<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let time_max = self.time_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bound(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.bound(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const TIME_MAX: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_takes_fails_in_time() {
        let (near, _far) = duplex(4);
        let mut patient = Patient::new(near, TIME_MAX);
        let began = tokio::time::Instant::now();
        let error = patient.write_all(b"too long").await.expect_err("nobody reads");
        assert_eq!((error.kind(), began.elapsed()), (io::ErrorKind::TimedOut, TIME_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn every_byte_that_is_taken_buys_time() {
        let (near, mut far) = duplex(1);
        let mut patient = Patient::new(near, TIME_MAX);
        let writing = tokio::spawn(async move { patient.write_all(b"slowly").await });
        let mut taken = String::new();
        for _ in 0.."slowly".len() {
            sleep(TIME_MAX - Duration::from_secs(1)).await;
            taken.push(far.read_u8().await.expect("a byte").into());
        }
        writing.await.expect("no panic").expect("written");
        assert_eq!(taken, "slowly");
    }
}
