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
/// `make` is an `async fn` of the calling module that returns an `Arc<dyn Blobs>` without contents, and a guard
/// that lives as long as the test.
#[macro_export]
macro_rules! blob_suite {
    ($make:ident) => {
        $crate::promise_tests! { blob_suite, $make;
            blobs {
                a_content_is_opened_as_it_was_put
                a_content_is_opened_at_any_byte
                an_empty_content_can_be_stored
                the_hash_is_the_sha256_of_the_content
                an_unknown_hash_opens_nothing
                equal_contents_have_one_hash_and_stay_readable
                concurrent_uploads_of_one_content_all_succeed
                a_content_of_exactly_the_limit_is_stored
                a_content_above_the_limit_is_refused_and_leaves_nothing
                a_content_above_the_limit_is_not_read_to_its_end
                an_interrupted_upload_fails_and_leaves_nothing
                a_refused_content_can_be_put_again_under_a_larger_limit
            }
        }
    };
}

/// A stream that returns these bytes and then fails, like an interrupted upload.
pub fn broken_stream(content: &'static [u8]) -> BlobReader {
    Box::pin(content.chain(Breaking))
}

/// A stream on which every read fails.
struct Breaking;

impl AsyncRead for Breaking {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(ErrorKind::ConnectionReset.into()))
    }
}
