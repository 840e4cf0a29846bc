//! The number of database commits of a hub, read from outside.

use std::{fs::File, io::Read as _, path::Path};

/// Offset of SQLite's transaction counter in the index of its write-ahead log (`iChange` of the file format).
const COUNTER: std::ops::Range<usize> = 8..12;

/// The transaction counter of the database in this data folder. Reading it costs the hub nothing: the index is a file
/// that it shares with its readers anyway. Only differences are meaningful, and the counter wraps around.
pub(super) fn count(data: &Path) -> Option<u32> {
    let mut head = [0; COUNTER.end];
    File::open(data.join("parlour.db-shm")).ok()?.read_exact(&mut head).ok()?;
    head[COUNTER].try_into().ok().map(u32::from_ne_bytes)
}

/// Transactions between two readings.
pub(super) fn between(before: Option<u32>, after: Option<u32>) -> Option<u32> {
    after.zip(before).map(|(after, before)| after.wrapping_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_read_at_its_offset() {
        let folder = tempfile::tempdir().expect("folder");
        let mut index = vec![0_u8; 136];
        index[COUNTER].copy_from_slice(&77_u32.to_ne_bytes());
        std::fs::write(folder.path().join("parlour.db-shm"), &index).expect("write");
        assert_eq!(count(folder.path()), Some(77));
    }

    #[test]
    fn without_a_database_there_is_no_count() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(count(folder.path()), None);
        assert_eq!(between(None, Some(3)), None);
    }

    #[test]
    fn a_counter_may_wrap_around() {
        assert_eq!(between(Some(u32::MAX), Some(1)), Some(2));
    }
}
