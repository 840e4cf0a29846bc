//! What happens, told to readers while it happens.
//!
//! The store hands over every committed event (`Log::watch`); the fan-out puts each, as bytes made once, into the feed
//! of its project. A reader walks along the feed at its own pace and takes what its audience allows. Whoever is behind
//! the feed reads the log, and whoever falls behind while live is told to resume: nobody is waited for.

mod drive;
mod fanout;
mod feed;
mod feeds;
mod frame;
mod reader;
mod sabotage;
mod session;

pub(crate) use feeds::Feeds;
pub use frame::EncodedFrame;
pub use reader::Reader;
pub(crate) use session::Sessions;
pub use session::{SessionEnd, FrameFilter, Session, SessionId, StartPosition};
