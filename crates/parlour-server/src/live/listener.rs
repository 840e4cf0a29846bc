//! What a client says, and how often in a row it could not be understood.

use parlour_core::{
    Code, Refusal, limits,
    live::{ClientFrame, CloseCode, CommandRefused, ServerFrame},
};

use super::{
    client_frame::{self, Read},
    farewell::Farewell,
    wire::Heard,
};

/// Listens to one client.
#[derive(Debug, Default)]
pub(super) struct Listener {
    bad_frames: usize,
}

/// What the client has said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A frame, with the client's reference.
    Frame(Option<String>, ClientFrame),
    /// Something that cannot be read, and the answer to it.
    Unreadable(ServerFrame),
    /// Nothing but a sign of life.
    Nothing,
}

impl Listener {
    /// Understands the client.
    pub(super) fn understand(&mut self, heard: Heard) -> Said {
        let read = match heard {
            Heard::Sign => return Said::Nothing,
            Heard::Text(text) => client_frame::read(text.as_str()),
            Heard::Binary => {
                let refusal = Refusal::new(Code::MalformedJson, "binary frames are not read; send JSON as text");
                Read { reference: None, frame: Err(refusal) }
            }
        };
        match read.frame {
            Ok(frame) => {
                self.bad_frames = 0;
                Said::Frame(read.reference, frame)
            }
            Err(refusal) => {
                self.bad_frames += 1;
                Said::Unreadable(ServerFrame::Refused(CommandRefused::new(read.reference, &refusal)))
            }
        }
    }

    /// Gives up on a client of which nothing could be read for too long.
    pub(super) fn check(&self) -> Result<(), Farewell> {
        if self.bad_frames < limits::LIVE_BAD_FRAMES_MAX { Ok(()) } else { Err(CloseCode::Unreadable.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lost(listener: &mut Listener, text: &'static str) -> bool {
        listener.understand(Heard::Text(text.into()));
        listener.check().is_err()
    }

    #[test]
    fn too_many_unreadable_frames_in_a_row_are_the_end() {
        let mut listener = Listener::default();
        for _ in 1..limits::LIVE_BAD_FRAMES_MAX {
            assert!(!is_lost(&mut listener, "?"));
        }
        assert!(is_lost(&mut listener, "?"));
    }

    #[test]
    fn one_readable_frame_makes_up_for_them() {
        let mut listener = Listener::default();
        for _ in 0..3 {
            for _ in 1..limits::LIVE_BAD_FRAMES_MAX {
                assert!(!is_lost(&mut listener, "?"));
            }
            assert!(!is_lost(&mut listener, r#"{"type":"ping"}"#));
        }
    }

    #[test]
    fn a_sign_of_life_is_no_frame() {
        let mut listener = Listener::default();
        assert_eq!(listener.understand(Heard::Sign), Said::Nothing);
        assert!(matches!(listener.understand(Heard::Binary), Said::Unreadable(_)));
    }
}
