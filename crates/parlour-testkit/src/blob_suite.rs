//! The promises of the blobs port.

pub mod blobs;

use std::{
    io::{self, ErrorKind},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

use parlour_hub::ports::BlobReader;

/// Runs every promise of the blobs port as a test of its own.
///
/// `make` is an `async fn` of the calling module that answers an `Arc<dyn Blobs>` without contents, and a guard
/// that lives as long as the test.
#[macro_export]
macro_rules! blob_suite {
    ($make:ident) => {
        $crate::promise_tests! { blob_suite, $make;
            blobs {
                a_content_is_opened_as_it_was_put
                an_empty_content_is_a_content
                the_hash_is_the_sha256_of_the_content
                an_unknown_hash_opens_nothing
                equal_contents_have_one_hash_and_stay_readable
                equal_contents_put_at_once_are_all_answered
                a_content_of_exactly_the_limit_is_stored
                a_content_above_the_limit_is_refused_and_leaves_nothing
                a_content_above_the_limit_is_not_read_to_its_end
                a_stream_that_breaks_off_fails_and_leaves_nothing
                a_refused_content_can_be_put_again_under_a_larger_limit
            }
        }
    };
}

/// A stream that gives these bytes and then breaks, as an upload does when its sender goes away.
pub fn broken_stream(content: &'static [u8]) -> BlobReader {
    Box::pin(content.chain(Breaking))
}

/// A stream of which every read fails.
struct Breaking;

impl AsyncRead for Breaking {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(ErrorKind::ConnectionReset.into()))
    }
}
