//! More events at once than the fan-out's queue holds.

mod support;

use std::{sync::Arc, thread};

use parlour_core::limits;
use parlour_hub::live::{SessionEnd, StartPosition};
use support::TestHub;
use tokio::runtime;

/// Concurrent posts, so that they share syncs of the disk.
const POSTS_AT_ONCE: usize = 256;

#[tokio::test(flavor = "current_thread")]
async fn events_dropped_by_a_full_queue_are_published_without_a_later_event() {
    let (test, _running) = TestHub::live().await;
    let test = Arc::new(test);
    let project = test.project(&test.admin, "Apollo").await;
    let channel = test.channel(&test.admin, &project, "general").await;
    let session = test.hub.open_session(TestHub::ADMIN_TOKEN).await.expect("session");
    let before = session.subscribe(&project, StartPosition::Now).await.expect("reader").position();
    // The fan-out shares this thread, so it is blocked while another thread posts.
    let poster = Arc::clone(&test);
    let posting = thread::spawn(move || {
        let outside = runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
        outside.block_on(async {
            for _ in 0..=limits::WATCH_QUEUE_LEN_MAX / POSTS_AT_ONCE {
                let posts = (0..POSTS_AT_ONCE).map(|_| poster.post(&poster.admin, &channel, "x"));
                futures_util::future::join_all(posts).await;
            }
        });
    });
    posting.join().expect("posted");
    let end = test.hub.snapshot(&test.admin, &project).await.expect("snapshot").position;
    assert!(end.offset() - before.offset() > limits::WATCH_QUEUE_LEN_MAX as u64);
    let mut reader = session.subscribe(&project, StartPosition::After(before.clone())).await.expect("reader");
    let mut offsets = Vec::new();
    while offsets.last() != Some(&end.offset()) {
        match reader.next().await {
            Ok(frames) => offsets.extend(frames.iter().filter_map(|frame| frame.offset)),
            // The fan-out publishes all of them at once: a reader that has just become live can fall behind and resumes.
            Err(end) => {
                assert_eq!(end, SessionEnd::TooSlow);
                let last = StartPosition::After(reader.position());
                reader = session.subscribe(&project, last).await.expect("reader");
            }
        }
    }
    assert_eq!(offsets, (before.offset() + 1..=end.offset()).collect::<Vec<_>>());
}
