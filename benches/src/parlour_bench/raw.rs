//! The raw reference of one acknowledged post: a round trip on a socket with one in-place disk sync in between.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// About the size of a post and its response.
const REQUEST_BYTES: usize = 512;
const ANSWER_BYTES: usize = 512;
/// One database page.
const BLOCK_BYTES: usize = 4_096;

/// A client of the smallest durable server, which runs in a thread and ends with the connection.
pub(super) struct Raw {
    stream: TcpStream,
}

impl Raw {
    /// Starts it with a file in `folder`, which should be on the disk that the servers use.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let file = block_file(folder).context("make the file of the raw yardstick")?;
        let listener = TcpListener::bind("127.0.0.1:0").context("listen")?;
        let address = listener.local_addr().context("listen")?;
        thread::spawn(move || listener.accept().and_then(|(stream, _)| serve(stream, file)));
        let stream = TcpStream::connect(address).context("connect to the raw yardstick")?;
        stream.set_nodelay(true).context("send without delay")?;
        Ok(Self { stream })
    }

    /// Measures this many operations; returns sorted times.
    pub(super) fn round(&mut self, count: usize) -> Result<Vec<Duration>> {
        let mut times = (0..count).map(|_| self.sync_once()).collect::<Result<Vec<_>>>()?;
        times.sort_unstable();
        Ok(times)
    }

    fn sync_once(&mut self) -> Result<Duration> {
        let started = Instant::now();
        self.stream.write_all(&[1; REQUEST_BYTES]).context("ask the raw yardstick")?;
        self.stream.read_exact(&mut [0; ANSWER_BYTES]).context("read from the raw yardstick")?;
        Ok(started.elapsed())
    }
}

/// A file whose only block is already on the disk, so that syncing it again changes no metadata.
fn block_file(folder: &Path) -> std::io::Result<File> {
    let mut file = File::create(folder.join("raw"))?;
    file.write_all(&[0; BLOCK_BYTES])?;
    file.sync_all()?;
    Ok(file)
}

fn serve(mut stream: TcpStream, mut file: File) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut block = [0_u8; BLOCK_BYTES];
    loop {
        stream.read_exact(&mut [0; REQUEST_BYTES])?;
        block[0] = block[0].wrapping_add(1);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&block)?;
        file.sync_data()?;
        stream.write_all(&[1; ANSWER_BYTES])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_timed_and_changes_the_block_in_place() {
        let folder = tempfile::tempdir().expect("folder");
        let mut raw = Raw::start(folder.path()).expect("start");
        let times = raw.round(5).expect("a round");
        assert!(times.len() == 5 && times.is_sorted());
        let block = std::fs::read(folder.path().join("raw")).expect("the block");
        assert_eq!((block.len(), block[0]), (BLOCK_BYTES, 5));
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        assert!(Raw::start(Path::new("no-such-folder")).is_err());
    }
}
